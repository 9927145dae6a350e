import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toVaultPath } from '../../src/core/ids.ts'
import { Graph, type GraphRow } from '../../src/graph/graph.ts'

const NAMES = ['a.md', 'A.md', 'b.md', 'Café.md', 'cafe\u0301.md', 'x/a.md', 'p.png', undefined]

const row = fc
  .record({
    key: fc.nat(9),
    path: fc.constantFrom(...NAMES),
    excluded: fc.boolean(),
    targets: fc.uniqueArray(fc.nat(9), { maxLength: 5 }),
    missing: fc.subarray(['No', 'Such', 'x/No']),
    malformed: fc.nat(1),
  })
  .map(
    ({ path, targets, malformed, ...rest }): GraphRow => ({
      ...rest,
      path: path === undefined ? undefined : toVaultPath(path),
      kind: path?.endsWith('.png') ? 'attachment' : 'note',
      archived: false,
      conflict: false,
      title: path ?? '',
      aliases: [],
      tags: [],
      targets: Int32Array.from(path === undefined ? [] : targets),
      missing: path === undefined ? [] : rest.missing,
      problems: [0, 0, malformed, 0],
    }),
  )

/** Everything the graph knows about the keys it contains. */
function factsOf(graph: Graph) {
  return graph.order().map((key) => ({
    key,
    id: graph.id(key),
    found: graph.find(graph.id(key)),
    isListed: graph.isListedNote(key),
    problemCount: graph.problemCount(key),
    inDegree: graph.inDegree(key),
    outDegree: graph.outDegree(key),
    sources: [...graph.sources(key)].sort(),
    twins: [...graph.twins(key)].sort(),
    missing: graph.missingTargets(key).map((node) => graph.id(node)),
  }))
}

/** Drops rows that would give one path to two keys, as the index does. */
function lastOf(rows: readonly GraphRow[], known: ReadonlyMap<number, GraphRow>): readonly GraphRow[] {
  const state = new Map(known)
  const put = new Map<number, GraphRow>()
  for (const one of rows) {
    const owner = [...state.values()].find(
      (other) => other.path !== undefined && other.path === one.path && other.key !== one.key,
    )
    if (owner !== undefined) continue
    state.set(one.key, one)
    put.set(one.key, one)
  }
  return [...put.values()]
}

describe('Graph', () => {
  test('a graph is the same for any order of updates', () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 6 }), (batches) => {
        const grown = new Graph()
        const known = new Map<number, GraphRow>()
        for (const batch of batches) {
          const rows = lastOf(batch, known)
          for (const one of rows) known.set(one.key, one)
          grown.apply(rows)
          // Sorting now makes the next update keep the order incrementally.
          if (known.size % 2 === 0) grown.order()
        }
        const fresh = new Graph()
        fresh.apply([...known.values()])
        expect(factsOf(grown)).toEqual(factsOf(fresh))
        expect(grown.files).toBe(fresh.files)
        expect(grown.missing().map((node) => [grown.id(node), grown.inDegree(node)])).toEqual(
          fresh.missing().map((node) => [fresh.id(node), fresh.inDegree(node)]),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('a graph is the same after hundreds of notes link to a hub and unlink again', () => {
    const step = fc.record({ from: fc.integer({ min: 1, max: 200 }), count: fc.nat(200), links: fc.subarray([0, 1]) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const grown = new Graph()
        const known = new Map<number, GraphRow>()
        for (const { from, count, links } of steps) {
          const missing = links.length === 1 ? ['Nope'] : []
          const rows = Array.from({ length: count }, (_, at) => ({
            ...emptyRow(from + at),
            targets: Int32Array.from(links),
            missing,
          }))
          for (const one of rows) known.set(one.key, one)
          grown.apply(rows)
        }
        const fresh = new Graph()
        fresh.apply([...known.values()])
        expect(factsOf(grown)).toEqual(factsOf(fresh))
        expect([...grown.sources(0)].sort()).toEqual([...fresh.sources(0)].sort())
        expect(grown.missing().map((node) => grown.inDegree(node))).toEqual(fresh.missing().map((node) => fresh.inDegree(node)))
      }),
    )
  })

  test('the already lower-case path gets the plain id, otherwise the first; the others keep their spelling', () => {
    const graph = new Graph()
    graph.apply(['B.md', 'b.md', 'C.md', 'c.MD'].map((path, key) => ({ ...emptyRow(key), path: toVaultPath(path) })))
    expect([0, 1, 2, 3].map((key) => graph.id(key))).toEqual(['B.md', 'b.md', 'c.md', 'c.MD'])
    expect([graph.find('B.md'), graph.find('b.md'), graph.find('B'), graph.find('C.MD'), graph.find('c.MD')]).toEqual([
      0, 1, 0, 2, 3,
    ])
  })

  test('a missing target without remaining links is forgotten, with its spelling and its number', () => {
    const graph = new Graph()
    for (let edit = 0; edit < 1_000; edit++) graph.apply([{ ...emptyRow(0), missing: [`Missing ${edit}`, 'Always'] }])
    expect(graph.missing().map((node) => graph.title(node))).toEqual(['Always', 'Missing 999'])
    expect(Math.min(...graph.missing())).toBeGreaterThan(-5)
    graph.apply([emptyRow(0)])
    graph.apply([{ ...emptyRow(0), missing: ['ALWAYS'] }])
    expect(graph.missing().map((node) => graph.title(node))).toEqual(['ALWAYS'])
  })

  test('every id carries the name of its vault', () => {
    const graph = new Graph('work')
    graph.apply([{ ...emptyRow(0), path: toVaultPath('A.md'), missing: ['Nope'] }])
    expect(graph.id(0)).toBe('work:a.md')
    expect([graph.find('work:A'), graph.find('A.md')]).toEqual([0, 0])
    expect(graph.missing().map((node) => graph.id(node))).toEqual(['work:nope'])
  })
})

function emptyRow(key: number): GraphRow {
  return {
    key,
    path: toVaultPath(`${key}.md`),
    kind: 'note',
    excluded: false,
    archived: false,
    conflict: false,
    title: '',
    aliases: [],
    tags: [],
    targets: new Int32Array(0),
    missing: [],
    problems: [0, 0, 0, 0],
  }
}
