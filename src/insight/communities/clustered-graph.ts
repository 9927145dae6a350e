import type { Adjacency } from '../../core/csr.ts'
import type { Nearest } from '../../core/insight/insight.ts'
import { EdgeBuilder, type WeightedGraph, weightedGraph } from './weighted-graph.ts'

/**
 * How many nearest notes to use, and the weight of similarity if a link weighs 1. With less weight, changing a hundredth of the
 * links would move more notes of a large vault to other communities, because the text does not change with the links. With more
 * weight, communities agree less with how people organize notes.
 */
const TEXT = { nearest: 5, weight: 0.9 }

/** Links to a note with more incoming links than this weigh less, because they are weak evidence. */
const FULL_LINKS = 3

/**
 * Returns the links among notes, one per pair regardless of direction, excluding index notes and self-links. Weights are at most 1
 * and measure how meaningful a link is.
 */
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

/**
 * Builds the graph in which communities are detected: links, plus text similarity for notes with few links. `place` maps each note
 * to its node in the graph.
 */
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
      // If the notes are among each other's nearest, the first has already added the pair.
      if (to < from && notes.subarray(to * kept, to * kept + neighborsUsed).includes(from)) continue
      add(from, to, TEXT.weight * (scores[at] as number))
    }
  }
  return weightedGraph(place.length, edges.list())
}
