import { beforeAll, describe, expect, test } from 'vitest'
import { askKnownItems, type KnownItem, knownItems } from '../../../src/app/eval/known-items.ts'
import { missed, scoreKnownItems, slowest } from '../../../src/app/eval/report.ts'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

const FILES = {
  'compost.md':
    '---\naliases: [Black gold, Humus]\n---\n# Compost\n\nCompost is what fungi and bacteria leave of kitchen scraps.\n\n## Turning the heap\n\nEvery fortnight.\n\n## Notes\n\n.\n',
  'worms.md':
    'Tiny tunnels bring air to roots after heavy rain.\n\nWhoever digs in spring finds them deep below frozen soil near [[Compost]] heaps.\n\n## Notes\n\n.\n',
  'a/index.md': 'Same words begin several dull pages here.\n',
  'b/index.md': 'Same words begin several dull pages here.\n',
  'old.md': '---\narchived: true\n---\nNobody asks for faded letters from distant aunts.\n',
}

let core: GraphCore
beforeAll(async () => {
  const vault = await new IndexedVault(new MemoryVault(FILES)).index()
  await vault.indexSearch()
  core = { ...fakeCore(vault.store), texts: vault.texts }
})

const ofKind = (items: readonly KnownItem[], kind: KnownItem['kind']) =>
  items.filter((item) => item.kind === kind).map(({ query, expected: wanted }) => [query, wanted])

describe('known items', () => {
  test('known items are unambiguous names, and sentences without the words that give the note away', async () => {
    const items = await knownItems(core, { count: 10, seed: 1 })
    expect(ofKind(items, 'title').sort()).toEqual([
      ['compost', 'compost.md'],
      ['worms', 'worms.md'],
    ])
    expect(ofKind(items, 'title with a typo').map(([, wanted]) => wanted)).toEqual(ofKind(items, 'title').map(([, id]) => id))
    expect(ofKind(items, 'alias')).toEqual([[expect.stringMatching(/^(Black gold|Humus)$/), 'compost.md']])
    expect(ofKind(items, 'heading')).toEqual([['Turning the heap', 'compost.md']])
    expect(items.filter(({ kind }) => kind === 'link sentence')).toEqual([
      {
        kind: 'link sentence',
        query: 'Whoever digs in spring finds them deep below frozen soil near heaps.',
        expected: 'compost.md',
        source: 'worms.md',
      },
    ])
    expect(ofKind(items, 'first sentence').sort()).toEqual([
      ['Tiny tunnels bring air to roots after heavy rain.', 'worms.md'],
      ['is what fungi and bacteria leave of kitchen scraps.', 'compost.md'],
    ])
  })

  test('known items are the same for the same seed, and as many as requested', async () => {
    const options = { count: 1, seed: 3 }
    const items = await knownItems(core, options)
    expect(await knownItems(core, options)).toEqual(items)
    for (const { kind } of items) expect(ofKind(items, kind)).toHaveLength(1)
  })

  test('generation stops when the caller cancels', async () => {
    await expect(knownItems(core, { count: 1, seed: 1, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    )
  })
})

describe('asking known items', () => {
  const options = { mode: 'keyword', call: {}, onAsked: () => {} } as const

  test('finds the rank of the expected note, ignoring the note that the query came from', async () => {
    const items: readonly KnownItem[] = [
      { kind: 'title', query: 'compost', expected: 'compost.md' as KnownItem['expected'] },
      { kind: 'heading', query: 'quasars', expected: 'compost.md' as KnownItem['expected'] },
      {
        kind: 'link sentence',
        query: 'tunnels kitchen heaps',
        expected: 'compost.md' as KnownItem['expected'],
        source: 'worms.md' as KnownItem['expected'],
      },
    ]
    let callbacks = 0
    const answered = await askKnownItems(core, items, { ...options, onAsked: () => callbacks++ })
    expect(answered.map(({ rank }) => rank)).toEqual([1, 0, 1])
    expect(callbacks).toBe(3)
  })
})

describe('the report', () => {
  const item = (kind: KnownItem['kind'], query: string): KnownItem => ({ kind, query, expected: 'n.md' as KnownItem['expected'] })
  const before = {
    mode: 'keyword',
    results: [
      { item: item('title', 'a'), rank: 1, ms: 1 },
      { item: item('title', 'b'), rank: 4, ms: 9 },
      { item: item('alias', 'c'), rank: 0, ms: 2 },
    ],
  } as const

  test('the report has shares, means and times for each kind and overall', () => {
    const rows = scoreKnownItems([before])
    expect(
      rows.map(({ kind, queries, hit1, hit5, ndcg, median, p99 }) => [
        kind,
        queries,
        hit1.value,
        hit5.value,
        ndcg.value,
        median,
        p99,
      ]),
    ).toEqual([
      ['title', 2, 0.5, 1, expect.closeTo((1 + 1 / Math.log2(5)) / 2), 9, 9],
      ['alias', 1, 0, 0, 0, 2, 2],
      ['all', 3, 1 / 3, 2 / 3, expect.closeTo((1 + 1 / Math.log2(5)) / 3), 2, 9],
    ])
  })

  test('names the slowest and the missed queries', () => {
    expect(slowest([before], 2).map(({ query }) => query)).toEqual(['b', 'c'])
    expect(missed([before], 5)).toEqual([{ mode: 'keyword', kind: 'alias', query: 'c', wanted: 'n.md', ms: 2 }])
  })
})
