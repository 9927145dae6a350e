import { createRequire } from 'node:module'
import fc from 'fast-check'
import type { AbstractGraph } from 'graphology-types'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/app/eval/statistics.ts'
import { leiden, modularity } from '../../../src/insight/communities/leiden.ts'
import { connectedParts, type WeightedGraph, weightedGraph } from '../../../src/insight/communities/weighted-graph.ts'
import { adjustedRand } from '../../support/adjusted-rand.ts'

// The types of these CommonJS packages describe ES modules, so the types of `require` are declared here.
const require = createRequire(import.meta.url)
const { Graph } = require('graphology') as { Graph: new (options: { type: 'undirected' }) => AbstractGraph }
const oracleModularity = require('graphology-metrics/graph/modularity') as (
  graph: AbstractGraph,
  options: { readonly getNodeCommunity: (node: string) => number; readonly resolution: number },
) => number
const louvain = require('graphology-communities-louvain') as {
  detailed(
    graph: AbstractGraph,
    options: { readonly resolution: number; readonly rng: () => number },
  ): { readonly modularity: number }
}

interface Drawn {
  readonly count: number
  readonly edges: readonly (readonly [number, number, number])[]
}

const drawn: fc.Arbitrary<Drawn> = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1), fc.constantFrom(0.125, 0.3, 0.5, 1)), { maxLength: 120 }),
  }),
)

function graphOf({ count, edges }: Drawn): WeightedGraph {
  return weightedGraph(count, {
    from: edges.map(([from]) => from),
    to: edges.map(([, to]) => to),
    weights: edges.map(([, , weight]) => weight),
  })
}

/** The same graph in graphology, an independent implementation. */
function oracleOf({ count, edges }: Drawn): AbstractGraph {
  const graph = new Graph({ type: 'undirected' })
  for (let node = 0; node < count; node++) graph.addNode(String(node))
  for (const [from, to, weight] of edges) {
    if (from !== to) graph.updateEdge(String(from), String(to), (edge) => ({ weight: (edge.weight ?? 0) + weight }))
  }
  return graph
}

/** Groups of ten densely linked nodes, each group linked to the next by one edge. */
function ringOfGroups(groups: number): Drawn {
  const edges: [number, number, number][] = []
  for (let group = 0; group < groups; group++) {
    for (let a = 0; a < 10; a++) for (let b = 0; b < a; b++) edges.push([group * 10 + a, group * 10 + b, 1])
    edges.push([group * 10, ((group + 1) % groups) * 10 + 5, 1])
  }
  return { count: groups * 10, edges }
}

test('finds densely linked groups exactly', () => {
  expect([...leiden(graphOf(ringOfGroups(6)), { resolution: 1 })]).toEqual(
    Array.from({ length: 60 }, (_, node) => Math.floor(node / 10)),
  )
})

test('computes the same modularity as graphology', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom(0.5, 1, 2), (graph, resolution) => {
      const ours = graphOf(graph)
      if (ours.targets.length === 0) return
      const communities = leiden(ours, { resolution })
      expect(modularity(ours, communities, resolution)).toBeCloseTo(
        oracleModularity(oracleOf(graph), { getNodeCommunity: (node) => communities[Number(node)] as number, resolution }),
        9,
      )
    }),
    { numRuns: 500 },
  )
})

test('every community is connected, and communities are numbered by their first nodes', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom(0.5, 1, 2), (graph, resolution) => {
      const ours = graphOf(graph)
      const communities = leiden(ours, { resolution })
      expect(connectedParts(ours, communities)).toEqual(communities)
    }),
    { numRuns: 1000 },
  )
})

test('started from its own result, under any numbering, it returns the same communities', () => {
  fc.assert(
    fc.property(drawn, fc.constantFrom(0.5, 1, 2), (graph, resolution) => {
      const ours = graphOf(graph)
      const communities = leiden(ours, { resolution })
      expect(leiden(ours, { resolution })).toEqual(communities)
      expect(leiden(ours, { resolution, start: communities })).toEqual(communities)
      const renamed = communities.map((community) => graph.count - 1 - community)
      expect(leiden(ours, { resolution, start: renamed })).toEqual(communities)
    }),
    { numRuns: 1000 },
  )
})

test('from any partition it reaches one at least as good, which moving a single node cannot improve', () => {
  fc.assert(
    fc.property(drawn, fc.infiniteStream(fc.nat(39)), (graph, stream) => {
      const ours = graphOf(graph)
      const start = Uint32Array.from({ length: graph.count }, () => (stream.next().value as number) % graph.count)
      const found = leiden(ours, { resolution: 1, start })
      const quality = modularity(ours, found)
      expect(quality).toBeGreaterThanOrEqual(modularity(ours, start) - 1e-9)
      for (let node = 0; node < graph.count; node++) {
        for (const community of new Set([...found, graph.count])) {
          const other = found.slice()
          other[node] = community
          expect(modularity(ours, other)).toBeLessThanOrEqual(quality + 1e-8)
        }
      }
    }),
    { numRuns: 200 },
  )
})

test("is about as good as graphology's Louvain, or better", () => {
  let [ours, theirs] = [0, 0]
  fc.assert(
    fc.property(drawn, (graph) => {
      const built = graphOf(graph)
      if (built.targets.length === 0) return
      ours += modularity(built, leiden(built, { resolution: 1 }))
      theirs += louvain.detailed(oracleOf(graph), { resolution: 1, rng: () => 0.5 }).modularity
    }),
    { numRuns: 300, seed: 1 },
  )
  expect(ours).toBeGreaterThanOrEqual(theirs * 0.999)
})

test('one edge less leaves the other groups unchanged', () => {
  const graph = ringOfGroups(20)
  const before = leiden(graphOf(graph), { resolution: 1 })
  const after = leiden(graphOf({ ...graph, edges: graph.edges.slice(1) }), { resolution: 1, start: before })
  expect(adjustedRand(before, after)).toBe(1)
})

test('a graph without edges has one community per node, an empty graph none', () => {
  expect([...leiden(graphOf({ count: 3, edges: [[1, 1, 1]] }), { resolution: 1 })]).toEqual([0, 1, 2])
  expect([...leiden(graphOf({ count: 3, edges: [] }), { resolution: 1, start: new Uint32Array(3) })]).toEqual([0, 1, 2])
  expect(leiden(graphOf({ count: 0, edges: [] }), { resolution: 1 })).toHaveLength(0)
  expect(modularity(graphOf({ count: 2, edges: [] }), [0, 0])).toBe(0)
})

test('parallel edges are merged and their weights added', () => {
  const graph = weightedGraph(3, { from: [0, 1, 0, 2], to: [1, 0, 0, 1], weights: [1, 0.5, 4, 2] })
  expect([...graph.offsets]).toEqual([0, 1, 3, 4])
  expect([...graph.targets]).toEqual([1, 0, 2, 1])
  expect([...graph.weights]).toEqual([1.5, 1.5, 2, 2])
})

test('a node or a group leaves its community only if the gain is large enough for its size', () => {
  // Two dense groups of ten, and a pair that starts in the first group but has slightly stronger links to the second.
  const { edges } = ringOfGroups(2)
  const pair = [20, 21] as const
  const ties = (group: number, count: number) =>
    pair.flatMap((node) => Array.from({ length: count }, (_, at) => [node, group * 10 + at, 1] as const))
  const graph = graphOf({ count: 22, edges: [...edges, [...pair, 4], ...ties(0, 6), ...ties(1, 7)] })
  const start = Uint32Array.from({ length: 22 }, (_, node) => (node < 20 ? Math.floor(node / 10) : 0))
  const isWithSecond = (stay: { readonly node: number; readonly group: number }) => {
    const found = leiden(graph, { resolution: 0.5, start, stay })
    return found[20] === found[10]
  }
  expect(isWithSecond({ node: 0, group: 0 })).toBe(true)
  expect(isWithSecond({ node: 1, group: 0 })).toBe(true)
  expect(isWithSecond({ node: 1, group: 0.01 })).toBe(true)
  expect(isWithSecond({ node: 1, group: 0.5 })).toBe(false)
})

test('parts that inherit their communities from a larger graph keep them', () => {
  const graph = graphOf({
    count: 7,
    edges: [
      [5, 0, 0.125],
      [6, 5, 1],
      [1, 0, 1],
    ],
  })
  const found = leiden(graph, { resolution: 1, start: Uint32Array.of(0, 1, 2, 3, 4, 5, 5), stay: { node: 0, group: 0.5 } })
  expect([...found]).toEqual([0, 0, 1, 2, 3, 4, 4])
})

test('with a minimum gain for leaving, the result is stable and no worse than the start', () => {
  const anyStay = fc.record({ node: fc.constantFrom(0, 0.1, 0.5), group: fc.constantFrom(0, 0.05, 0.5) })
  fc.assert(
    fc.property(drawn, anyStay, fc.array(fc.nat(5), { minLength: 40, maxLength: 40 }), (given, stay, classes) => {
      const graph = graphOf(given)
      const start = connectedParts(
        graph,
        Uint32Array.from({ length: given.count }, (_, node) => classes[node] as number),
      )
      const found = leiden(graph, { resolution: 1, start, stay })
      expect(leiden(graph, { resolution: 1, start: found, stay })).toEqual(found)
      expect(modularity(graph, found)).toBeGreaterThanOrEqual(modularity(graph, start) - 1e-9)
    }),
  )
})

test('stops early on a very large uniform graph, and restarting from the result barely changes it', () => {
  const nodes = 30_000
  const random = seededRandom(7)
  const ends = (): Uint32Array => Uint32Array.from({ length: 8 * nodes }, () => Math.floor(random() * nodes))
  const graph = weightedGraph(nodes, { from: ends(), to: ends(), weights: new Float64Array(8 * nodes).fill(1) })
  const found = leiden(graph, { resolution: 1 })
  expect(modularity(graph, found)).toBeGreaterThan(0.2)
  expect(connectedParts(graph, found)).toEqual(found)
  const again = leiden(graph, { resolution: 1, start: found, stay: { node: 0.2, group: 0.08 } })
  expect(adjustedRand(again, found)).toBeGreaterThan(0.995)
})
