import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import type { SuggestedTags } from './suggest-tags.ts'

/** Maximum notes named per label. */
const MOST_NAMED = 3

/** Labels within a budget: all of them with their scores, then what makes each so, then a note that has each, then a second one of each, and a third. */
export function fitTags(suggested: SuggestedTags, room: number): Fitted<SuggestedTags> {
  const { tags, folders } = suggested
  const rows = [...tags, ...folders]
  const shown = rows.map(() => 0)
  const purse = new Purse(room)
  const bare = <Row extends (typeof rows)[number]>({ operation: _, ...row }: Row) => ({ ...row, from: [] })
  purse.spend(jsonBytes({ ...suggested, tags: tags.map(bare), folders: folders.map(bare) }))
  const isReady = rows.map(({ operation }) => {
    const bytes = operation === undefined ? 0 : jsonBytes({ operation })
    const hasRoom = bytes <= purse.left()
    if (hasRoom) purse.spend(bytes)
    return hasRoom
  })
  for (let round = 0; round < MOST_NAMED; round++) {
    for (const [at, { from }] of rows.entries()) {
      const bytes = jsonBytes(from[round]) + 1
      // A second note is named only after the first.
      if (from[round] === undefined || shown[at] !== round || bytes > purse.left()) continue
      purse.spend(bytes)
      shown[at] = round + 1
    }
  }
  const cut = <Row extends (typeof rows)[number]>({ operation, ...row }: Row, at: number) => ({
    ...row,
    from: row.from.slice(0, shown[at]),
    ...(isReady[at] === true && operation !== undefined ? { operation } : {}),
  })
  const omitted = rows.reduce((sum, { from }, at) => sum + from.length - (shown[at] ?? 0), 0)
  const value = {
    ...suggested,
    tags: tags.map(cut),
    folders: folders.map((row, at) => cut(row, at + tags.length)),
  }
  return { value, omitted: omitted === 0 ? {} : { from: omitted } }
}
