import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PathOptions } from '../../src/core/store.ts'
import { Graph, type GraphRow } from '../../src/graph/graph.ts'
import { findPaths } from '../../src/graph/paths.ts'
import { noteRow } from './support.ts'

/** A graph of notes `0.md`, `1.md`, … with these links. */
function graphOf(links: readonly (readonly number[])[], row: (key: number) => Partial<GraphRow> = () => ({})): Graph {
  const graph = new Graph()
  graph.apply(
    links.map((targets, key) =>
      noteRow(key, `${key}.md`, { title: String(key), targets: Int32Array.from(new Set(targets)), ...row(key) }),
    ),
  )
  return graph
}

const PLAIN: PathOptions = { direction: 'any', count: 1, avoidHubs: false }

/** Every simple path by exhaustion, shortest first, then by ids. */
function allPaths(links: readonly (readonly number[])[], source: number, target: number, forwards: boolean): number[][] {
  const steps = links.map((targets, key) => {
    const next = new Set(targets)
    if (!forwards) for (const [other, back] of links.entries()) if (back.includes(key)) next.add(other)
    return next
  })
  const found: number[][] = []
  const walk = (path: number[]): void => {
    const at = path[path.length - 1] as number
    if (at === target) {
      found.push(path)
      return
    }
    for (const next of steps[at] ?? []) if (!path.includes(next)) walk([...path, next])
  }
  walk([source])
  const idOf = (path: readonly number[]) => path.map((key) => `${key}.md`)
  return found.sort((a, b) => a.length - b.length || (idOf(a).join('\u0000') < idOf(b).join('\u0000') ? -1 : 1))
}

const smallGraph = fc
  .integer({ min: 2, max: 7 })
  .chain((size) => fc.array(fc.array(fc.nat(size - 1), { maxLength: 4 }), { minLength: size, maxLength: size }))

describe('paths', () => {
  test.each(['any', 'out'] as const)(
    'findPaths returns the shortest paths in the same order as exhaustive search (%s)',
    (direction) => {
      fc.assert(
        fc.property(smallGraph, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 5 }), (links, a, b, count) => {
          const source = a % links.length
          const target = b % links.length
          const paths = findPaths(graphOf(links), source, target, { direction, count, avoidHubs: false })
          expect(paths).toEqual(allPaths(links, source, target, direction === 'out').slice(0, count))
        }),
        { numRuns: 2_000 },
      )
    },
  )

  test('paths pass only through listed notes, but may start or end at others', () => {
    const links = [[1, 2], [3], [4], [], [3], []]
    const excluded = graphOf(links, (key) => ({ excluded: key === 1 }))
    expect(findPaths(excluded, 0, 3, PLAIN)).toEqual([[0, 2, 4, 3]])
    expect(findPaths(excluded, 0, 1, PLAIN)).toEqual([[0, 1]])
    const attachment = graphOf(links, (key) => ({ kind: key === 1 ? 'attachment' : 'note' }))
    expect(findPaths(attachment, 0, 3, PLAIN)).toEqual([[0, 2, 4, 3]])
    expect(findPaths(attachment, 0, 5, PLAIN)).toEqual([])
  })

  test('paths avoid hubs when there is another way', () => {
    // Every note links to 0. The notes 1 to 4 form a chain beside it, and 5 is linked only with 0.
    const links = [[], [0, 2], [0, 3], [0, 4], [0], [0], [0], [0], [0], [0]]
    const graph = graphOf(links)
    expect(findPaths(graph, 1, 4, PLAIN)).toEqual([[1, 0, 4]])
    expect(findPaths(graph, 1, 4, { ...PLAIN, avoidHubs: true })).toEqual([[1, 2, 3, 4]])
    expect(findPaths(graph, 1, 5, { ...PLAIN, avoidHubs: true })).toEqual([[1, 0, 5]])
  })
})
