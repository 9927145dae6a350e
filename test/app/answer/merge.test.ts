import { describe, expect, test } from 'vitest'
import type { FoundNode } from '../../../src/app/find/find-nodes.ts'
import { mergeFound, mergeRanked, mergeResolved, withoutFallbacks } from '../../../src/app/find/merge.ts'
import type { NodeId } from '../../../src/core/ids.ts'

function note(id: string, score: number, facts: Partial<FoundNode> = {}): FoundNode {
  return {
    id: id as NodeId,
    title: id,
    tags: [],
    links: [],
    link_count: 0,
    properties: {},
    score,
    snippet: '',
    line: 1,
    ...facts,
  }
}
const ids = (notes: readonly { readonly id: string }[]) => notes.map(({ id }) => id)

test('merges lists by score; equal scores keep the order of the vaults', () => {
  const merged = mergeRanked([
    [note('a', 0.9), note('b', 0.3)],
    [note('c', 0.9), note('d', 0.5)],
  ])
  expect(ids(merged)).toEqual(['a', 'c', 'd', 'b'])
})

describe('merging found notes', () => {
  const options = { orderBy: 'relevance', order: undefined } as const
  const part = (value: readonly FoundNode[], isFallback = false) => ({
    answer: { value, warnings: isFallback ? [{ code: 'FALLBACK' as const, message: '' }] : [] },
  })

  test('fallback results count only when no vault has full matches', () => {
    const fallback = part([note('a', 0.9)], true)
    const better = part([note('b', 0.2)])
    expect(withoutFallbacks([fallback, better])).toEqual([better])
    expect(withoutFallbacks([fallback, part([])])).toEqual([fallback, part([])])
  })

  test('without a query the newest notes come first, and notes without a date last', () => {
    const found = [[note('a', 1, { modified: '2024-01-01' }), note('b', 1)], [note('c', 1, { modified: '2025-01-01' })]]
    expect(ids(mergeFound(found, options))).toEqual(['c', 'a', 'b'])
    expect(ids(mergeFound(found, { ...options, orderBy: 'modified', order: 'asc' }))).toEqual(['a', 'c', 'b'])
  })

  test('orders by title without regard to case', () => {
    const found = [
      [note('b', 1), note('D', 1)],
      [note('A', 1), note('c', 1)],
    ]
    expect(ids(mergeFound(found, { ...options, orderBy: 'title' }))).toEqual(['A', 'b', 'c', 'D'])
  })
})

test('the best match of a name wins, and the others become alternatives', () => {
  const a = { query: 'x', match: 'a:x.md' as NodeId, score: 0.8 }
  const b = { query: 'x', match: 'b:x.md' as NodeId, score: 1 }
  const none = { query: 'y', match: null, score: 0 }
  expect(
    mergeResolved([
      [a, none],
      [b, none],
    ]),
  ).toEqual([
    {
      ...b,
      candidates: [
        { id: 'b:x.md', score: 1 },
        { id: 'a:x.md', score: 0.8 },
      ],
      rule: 'higher score',
    },
    none,
  ])
  expect(mergeResolved([[a], [{ ...none, query: 'x' }]])).toEqual([a])
})
