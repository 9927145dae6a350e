import { createRequire } from 'node:module'
import fc from 'fast-check'
import type { AbstractGraph } from 'graphology-types'
import { describe, expect, test } from 'vitest'
import type { Adjacency } from '../../src/core/csr.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'

// These CommonJS packages have types for ES modules, so we declare what `require` returns.
type Scores = (graph: AbstractGraph, options: Readonly<Record<string, unknown>>) => Record<string, number>
const require = createRequire(import.meta.url)
const { Graph } = require('graphology') as { Graph: new (options: { type: 'directed' | 'undirected' }) => AbstractGraph }
const centrality = require('graphology-metrics/centrality/betweenness') as Scores
const pagerank = require('graphology-metrics/centrality/pagerank') as Scores

type Links = readonly (readonly number[])[]

const graphs = fc
  .integer({ min: 1, max: 30 })
  .chain((size) => fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 6 }), { minLength: size, maxLength: size }))
  .map((links) => links.map((targets, node) => targets.filter((target) => target !== node)))

function adjacencyOf(links: Links): Adjacency {
  const offsets = new Uint32Array(links.length + 1)
  links.forEach((targets, node) => {
    offsets[node + 1] = (offsets[node] as number) + targets.length
  })
  return { offsets, targets: Uint32Array.from(links.flat()) }
}

/** The same graph in graphology, which shares no code with ours. */
function oracleOf(links: Links, type: 'directed' | 'undirected') {
  const graph = new Graph({ type })
  links.forEach((_, node) => void graph.addNode(String(node)))
  links.forEach((targets, node) => {
    for (const target of targets) graph.mergeEdge(String(node), String(target))
  })
  return graph
}

function expectClose(actual: Float64Array, expected: Readonly<Record<string, number>>, scale = 1): void {
  actual.forEach((score, node) => void expect(score).toBeCloseTo((expected[String(node)] ?? 0) * scale, 5))
}

describe('analytics', () => {
  test("PageRank equals graphology's", () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const expected = pagerank(oracleOf(links, 'directed'), { tolerance: 1e-9, maxIterations: 1_000, getEdgeWeight: null })
        expectClose(pageRank(adjacencyOf(links)), expected)
      }),
      { numRuns: 300 },
    )
  })

  test("betweenness equals graphology's on the undirected graph", () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const { scores, sampled } = betweenness(adjacencyOf(links))
        expect(sampled).toBeUndefined()
        expectClose(scores, centrality(oracleOf(links, 'undirected'), { normalized: true, getEdgeWeight: null }))
      }),
      { numRuns: 300 },
    )
  })

  test('sampled betweenness reports the sample size and finds the same bridge', () => {
    // Two clusters of 200 notes, and one note between them.
    const size = 401
    const links = Array.from({ length: size }, (_, node) =>
      node === 400
        ? [0, 200]
        : [200 * Math.floor(node / 200) + ((node * 7 + 1) % 200), 200 * Math.floor(node / 200) + ((node * 13 + 5) % 200)],
    ).map((targets, node) => targets.filter((target) => target !== node))
    const exact = betweenness(adjacencyOf(links))
    const sampled = betweenness(adjacencyOf(links), 64)
    expect([exact.sampled, sampled.sampled]).toEqual([undefined, 64])
    expect(sampled.scores[400]).toBeGreaterThan(0.4)
    expect(Math.abs((sampled.scores[400] as number) - (exact.scores[400] as number))).toBeLessThan(0.1)
    expect(betweenness(adjacencyOf(links), 64).scores).toEqual(sampled.scores)
  })
})
