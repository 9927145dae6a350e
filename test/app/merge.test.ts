import { describe, expect, test } from 'vitest'
import type { FoundNode } from '../../src/app/find-nodes.ts'
import { mergeFound, mergeRanked, mergeResolved } from '../../src/app/merge.ts'
import type { NodeId } from '../../src/core/ids.ts'

function note(id: string, score: number, facts: Partial<FoundNode> = {}): FoundNode {
  return {
    id: id as NodeId,
    title: id,
    tags: [],
    links: [],
    properties: {},
    score,
    snippet: '',
    highlights: [],
    line: 1,
    ...facts,
  }
}
const ids = (notes: readonly { readonly id: string }[]) => notes.map(({ id }) => id)

test('lists are merged by score, what is equal in the order of the vaults', () => {
  const merged = mergeRanked(
    [
      [note('a', 0.9), note('b', 0.3)],
      [note('c', 0.9), note('d', 0.5)],
    ],
    3,
  )
  expect(ids(merged)).toEqual(['a', 'c', 'd'])
})

describe('found notes', () => {
  const options = { limit: 10, orderBy: 'relevance', order: undefined } as const
  const part = (found: readonly FoundNode[], isFallback = false) => ({ found, isFallback })

  test('of a vault where only some of the words are count only when no vault has all', () => {
    expect(ids(mergeFound([part([note('a', 0.9)], true), part([note('b', 0.2)])], options))).toEqual(['b'])
    expect(ids(mergeFound([part([note('a', 0.9)], true), part([])], options))).toEqual(['a'])
  })

  test('without words come by time, what says none last', () => {
    const found = [
      part([note('a', 1, { modified: '2024-01-01' }), note('b', 1)]),
      part([note('c', 1, { modified: '2025-01-01' })]),
    ]
    expect(ids(mergeFound(found, options))).toEqual(['c', 'a', 'b'])
    expect(ids(mergeFound(found, { ...options, orderBy: 'modified', order: 'asc' }))).toEqual(['a', 'c', 'b'])
  })

  test('by title, whatever its case', () => {
    const found = [part([note('b', 1), note('D', 1)]), part([note('A', 1), note('c', 1)])]
    expect(ids(mergeFound(found, { ...options, orderBy: 'title', limit: 3 }))).toEqual(['A', 'b', 'c'])
  })
})

test('of the matches of a name the best counts, and the others are told', () => {
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
