import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectedParts, weightedGraph } from '../../src/insight/communities/weighted-graph.ts'
import { notesFallingOff } from '../../src/insight/gaps.ts'

type Edges = readonly (readonly [number, number])[]

function graphOf(count: number, edges: Edges) {
  return weightedGraph(count, { from: edges.map(([a]) => a), to: edges.map(([, b]) => b), weights: edges.map(() => 1) })
}

/** Counts the notes that become disconnected, by removing each note in turn. */
function byTakingOut(count: number, edges: Edges): number[] {
  const sizes = (parts: Uint32Array) =>
    parts.reduce((map, part) => map.set(part, (map.get(part) ?? 0) + 1), new Map<number, number>())
  const whole = connectedParts(graphOf(count, edges))
  return Array.from({ length: count }, (_, gone) => {
    const parts = connectedParts(
      graphOf(
        count,
        edges.filter((edge) => !edge.includes(gone)),
      ),
    )
    const others = [...whole.keys()].filter((note) => note !== gone && whole[note] === whole[gone])
    const left = sizes(parts.filter((_part, note) => others.includes(note)))
    return others.length - Math.max(0, ...left.values())
  })
}

test('counts exactly the notes that removing a note disconnects', () => {
  const graphs = fc
    .integer({ min: 1, max: 14 })
    .chain((count) => fc.tuple(fc.constant(count), fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 22 })))
  fc.assert(
    fc.property(graphs, ([count, edges]) => {
      expect([...notesFallingOff(graphOf(count, edges))]).toEqual(byTakingOut(count, edges))
    }),
    { numRuns: 1500 },
  )
})

test('walks a chain as long as a large vault without recursion', () => {
  const edges = Array.from({ length: 99_999 }, (_, at) => [at, at + 1] as const)
  const falling = notesFallingOff(graphOf(100_000, edges))
  expect([falling[0], falling[3], falling[50_000], falling[99_999]]).toEqual([0, 3, 49_999, 0])
})
