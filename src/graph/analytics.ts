import { type Adjacency, undirected } from '../core/csr.ts'
import type { Scores } from '../core/store.ts'

/** Computes PageRank (Brin, Page 1998) with damping .85. Walks restart at a random node after a dead end. The ranks sum to 1. */
export function pageRank({ offsets, targets }: Adjacency): Float64Array {
  const count = offsets.length - 1
  let ranks = new Float64Array(count).fill(1 / count)
  let next = new Float64Array(count)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let dead = 0
    next.fill(0)
    for (let node = 0; node < count; node++) {
      const from = offsets[node] as number
      const to = offsets[node + 1] as number
      const rank = ranks[node] as number
      if (from === to) dead += rank
      const share = rank / (to - from)
      for (let at = from; at < to; at++) next[targets[at] as number]! += share
    }
    const base = (1 - DAMPING + DAMPING * dead) / count
    let change = 0
    for (let node = 0; node < count; node++) {
      const rank = base + DAMPING * (next[node] as number)
      change += Math.abs(rank - (ranks[node] as number))
      next[node] = rank
    }
    ;[ranks, next] = [next, ranks]
    if (change < TOLERANCE) break
  }
  return ranks
}

const DAMPING = 0.85
const TOLERANCE = 1e-9
const MAX_ROUNDS = 200

/**
 * Computes betweenness over undirected links (Brandes 2001), normalized to 0–1. It is exact if `nodes × edges` is at most
 * `budget`; otherwise, it is estimated from evenly spaced sources (Brandes, Pich 2007). The result is deterministic.
 */
export function betweenness(graph: Adjacency, budget = BETWEENNESS_BUDGET): Scores {
  const { offsets, targets } = undirected(graph)
  const count = offsets.length - 1
  const cost = count + targets.length
  const affordable = Math.max(MIN_SOURCES, Math.floor(budget / Math.max(1, cost)))
  const sources = Math.min(count, affordable)
  const scores = new Float64Array(count)
  const search = new Brandes(offsets, targets)
  for (let at = 0; at < sources; at++) {
    // Keys follow indexing order, so evenly spaced nodes cover all folders.
    search.add(Math.floor((at * count) / sources), scores)
  }
  // The scale takes into account that each pair is counted from both ends.
  const scale = count > 2 ? count / sources / ((count - 1) * (count - 2)) : 0
  for (let node = 0; node < count; node++) scores[node]! *= scale
  return sources === count ? { scores } : { scores, sampled: sources }
}

/** This budget takes about two seconds on a laptop, and gives an exact result for 6,500 notes with 45,000 edges. */
const BETWEENNESS_BUDGET = 1e9
const MIN_SOURCES = 64

class Brandes {
  readonly #offsets: Uint32Array
  readonly #targets: Uint32Array
  readonly #order: Uint32Array
  readonly #distance: Int32Array
  readonly #paths: Float64Array
  readonly #dependency: Float64Array

  constructor(offsets: Uint32Array, targets: Uint32Array) {
    const count = offsets.length - 1
    this.#offsets = offsets
    this.#targets = targets
    this.#order = new Uint32Array(count)
    this.#distance = new Int32Array(count)
    this.#paths = new Float64Array(count)
    this.#dependency = new Float64Array(count)
  }

  add(source: number, scores: Float64Array): void {
    const offsets = this.#offsets
    const targets = this.#targets
    const order = this.#order
    const distance = this.#distance.fill(-1)
    const paths = this.#paths.fill(0)
    const dependency = this.#dependency.fill(0)
    distance[source] = 0
    paths[source] = 1
    order[0] = source
    let reached = 1
    for (let head = 0; head < reached; head++) {
      const node = order[head] as number
      const next = (distance[node] as number) + 1
      const pathCount = paths[node] as number
      for (let at = offsets[node] as number, end = offsets[node + 1] as number; at < end; at++) {
        const other = targets[at] as number
        if ((distance[other] as number) < 0) {
          distance[other] = next
          order[reached++] = other
        }
        if (distance[other] === next) paths[other]! += pathCount
      }
    }
    for (let head = reached - 1; head > 0; head--) {
      const node = order[head] as number
      const before = (distance[node] as number) - 1
      const share = (1 + (dependency[node] as number)) / (paths[node] as number)
      for (let at = offsets[node] as number, end = offsets[node + 1] as number; at < end; at++) {
        const other = targets[at] as number
        if (distance[other] === before) dependency[other]! += (paths[other] as number) * share
      }
      scores[node]! += dependency[node] as number
    }
  }
}
