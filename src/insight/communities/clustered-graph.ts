import type { Adjacency } from '../../core/csr.ts'
import type { Nearest } from '../../core/insight/insight.ts'
import { EdgeBuilder, type WeightedGraph, weightedGraph } from './weighted-graph.ts'

/**
 * The weight of text relative to links, which have 1. A lower weight makes communities unstable, and a higher one overrides the
 * author's links.
 */
const TEXT = { nearest: 5, weight: 0.9 }

/** A note with more incoming links than this gives each of them less weight. */
const FULL_LINKS = 3

/** Returns undirected links without index notes and self-links. Weights are at most 1 and lower for popular notes. */
export function plainLinks({ offsets, targets }: Adjacency, isIndex: Uint8Array): WeightedGraph {
  const edges = new EdgeBuilder(targets.length)
  const incoming = new Uint32Array(isIndex.length)
  for (let from = 0; from < isIndex.length; from++) {
    if (isIndex[from] === 1) continue
    for (let at = offsets[from] as number; at < (offsets[from + 1] as number); at++) {
      const to = targets[at] as number
      if (isIndex[to] === 1) continue
      edges.add(from, to, 0)
      incoming[to]!++
    }
  }
  const graph = weightedGraph(isIndex.length, edges.list())
  for (let node = 0; node < isIndex.length; node++) {
    for (let at = graph.offsets[node] as number; at < (graph.offsets[node + 1] as number); at++) {
      const maxIncoming = Math.max(incoming[node] as number, incoming[graph.targets[at] as number] as number)
      graph.weights[at] = Math.min(1, FULL_LINKS / maxIncoming)
    }
  }
  return graph
}

export function clusteredGraph(links: WeightedGraph, { kept, notes, scores }: Nearest, place: Uint32Array): WeightedGraph {
  const neighborsUsed = Math.min(kept, TEXT.nearest)
  const edges = new EdgeBuilder(links.targets.length / 2 + place.length * neighborsUsed)
  const add = (from: number, to: number, weight: number) => edges.add(place[from] as number, place[to] as number, weight)
  for (let from = 0; from < place.length; from++) {
    for (let at = links.offsets[from] as number; at < (links.offsets[from + 1] as number); at++) {
      if ((links.targets[at] as number) > from) add(from, links.targets[at] as number, links.weights[at] as number)
    }
    for (let at = from * kept; at < from * kept + neighborsUsed; at++) {
      const to = notes[at] as number
      if (to >= place.length) break
      // The pair has already been added in the other direction.
      if (to < from && notes.subarray(to * kept, to * kept + neighborsUsed).includes(from)) continue
      add(from, to, TEXT.weight * (scores[at] as number))
    }
  }
  return weightedGraph(place.length, edges.list())
}

/** The thresholds for index notes: number of links, and share of all notes. */
const MAX_LINKS = { notes: 40, share: 0.02 }

/** Returns 1 for each index note, whose links do not suggest a common topic. */
export function indexNotes({ offsets, targets }: Adjacency): Uint8Array {
  const count = offsets.length - 1
  const incoming = new Uint32Array(count)
  for (const target of targets) incoming[target]!++
  const maxLinks = Math.max(MAX_LINKS.notes, MAX_LINKS.share * count)
  return Uint8Array.from(incoming, (links, note) =>
    Math.max(links, (offsets[note + 1] as number) - (offsets[note] as number)) > maxLinks ? 1 : 0,
  )
}
