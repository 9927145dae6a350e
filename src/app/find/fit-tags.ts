import { countInTurn, type Fitted, jsonBytes, nonZero, Purse } from '../answer/budget.ts'
import type { SuggestedTags } from './suggest-tags.ts'

/** Maximum number of notes listed per label. */
const MOST_NAMED = 3

/** Fits labels into a budget: first all labels with their scores, then their operations, then up to three notes per label. */
export function fitTags(suggested: SuggestedTags, room: number): Fitted<SuggestedTags> {
  const { tags, folders } = suggested
  const rows = [...tags, ...folders]
  const purse = new Purse(room)
  const bare = <Row extends (typeof rows)[number]>({ operation: _, ...row }: Row) => ({ ...row, from: [] })
  purse.spend(jsonBytes({ ...suggested, tags: tags.map(bare), folders: folders.map(bare) }))
  const ready = countInTurn(
    rows.map(({ operation }) => (operation === undefined ? [] : [{ operation }])),
    purse,
    { bytesOf: jsonBytes },
  )
  const named = countInTurn(
    rows.map(({ from }) => from.slice(0, MOST_NAMED)),
    purse,
  )
  const cut = <Row extends (typeof rows)[number]>({ operation, ...row }: Row, at: number) => ({
    ...row,
    from: row.from.slice(0, named[at]),
    ...(ready[at] === 1 && { operation }),
  })
  const value = { ...suggested, tags: tags.map(cut), folders: folders.map((row, at) => cut(row, at + tags.length)) }
  return { value, omitted: nonZero({ from: rows.reduce((sum, { from }, at) => sum + from.length - (named[at] ?? 0), 0) }) }
}
