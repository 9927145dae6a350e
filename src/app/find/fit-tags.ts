import { Budget, countInTurn, type Fitted, jsonBytes, listShown, nonZero, SEPARATOR } from '../answer/budget.ts'
import type { SuggestedTags } from './suggest-tags.ts'

type ShownTags = Omit<SuggestedTags, 'tags' | 'folders'> & {
  readonly [List in 'tags' | 'folders']: readonly ShownLabel<SuggestedTags[List][number]>[]
}
type ShownLabel<Label extends { readonly from: unknown }> = Omit<Label, 'from'> & Partial<Pick<Label, 'from'>>

const MAX_EXAMPLES = 3

export function fitTags(suggested: SuggestedTags, room: number): Fitted<ShownTags> {
  const { tags, folders } = suggested
  const rows = [...tags, ...folders]
  const budget = new Budget(room)
  const bare = <Row extends (typeof rows)[number]>({ operation: _, from, ...row }: Row) => ({
    ...row,
    ...listShown('from', from, []),
  })
  budget.spend(jsonBytes({ ...suggested, tags: tags.map(bare), folders: folders.map(bare) }))
  const ready = countInTurn(
    rows.map(({ operation }) => (operation === undefined ? [] : [{ operation }])),
    budget,
    { bytesOf: jsonBytes },
  )
  const exampleCounts = countInTurn(
    rows.map(({ from }) => from.slice(0, MAX_EXAMPLES).map((id, at) => ({ id, isFirst: at === 0 }))),
    budget,
    { bytesOf: ({ id, isFirst }) => jsonBytes(id) + (isFirst ? ',"from":[]'.length : SEPARATOR) },
  )
  const shorten = <Row extends (typeof rows)[number]>({ operation, from, ...row }: Row, at: number) => ({
    ...row,
    ...listShown('from', from, from.slice(0, exampleCounts[at])),
    ...(ready[at] === 1 && { operation }),
  })
  const value = { ...suggested, tags: tags.map(shorten), folders: folders.map((row, at) => shorten(row, at + tags.length)) }
  const countOf = (maxExamples: number): number => rows.reduce((sum, { from }) => sum + Math.min(from.length, maxExamples), 0)
  const shownExamples = exampleCounts.reduce((sum, count) => sum + count, 0)
  return {
    value,
    omitted: nonZero({ from: countOf(MAX_EXAMPLES) - shownExamples }),
    capped: nonZero({ from: countOf(Number.POSITIVE_INFINITY) - countOf(MAX_EXAMPLES) }),
  }
}
