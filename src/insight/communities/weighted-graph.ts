/** An undirected graph with weighted edges, in compressed rows. Each edge is in the rows of both ends, and there are no self-loops. */
export interface WeightedGraph {
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  readonly weights: Float64Array
}

export interface EdgeList {
  readonly from: ArrayLike<number>
  readonly to: ArrayLike<number>
  readonly weights: ArrayLike<number>
}

export class EdgeBuilder {
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  readonly #weights: Float64Array
  #count = 0

  constructor(capacity: number) {
    this.#from = new Uint32Array(capacity)
    this.#to = new Uint32Array(capacity)
    this.#weights = new Float64Array(capacity)
  }

  add(from: number, to: number, weight: number): void {
    this.#from[this.#count] = from
    this.#to[this.#count] = to
    this.#weights[this.#count++] = weight
  }

  list(): EdgeList & { readonly weights: Float64Array } {
    return {
      from: this.#from.subarray(0, this.#count),
      to: this.#to.subarray(0, this.#count),
      weights: this.#weights.subarray(0, this.#count),
    }
  }
}

export function weightedGraph(count: number, { from, to, weights }: EdgeList): WeightedGraph {
  const starts = new Uint32Array(count + 1)
  for (let edge = 0; edge < from.length; edge++) {
    if (from[edge] === to[edge]) continue
    starts[(from[edge] as number) + 1]!++
    starts[(to[edge] as number) + 1]!++
  }
  for (let node = 0; node < count; node++) starts[node + 1]! += starts[node] as number
  const size = starts[count] as number
  const rows = { targets: new Uint32Array(size), weights: new Float64Array(size) }
  const ends = starts.slice(0, count)
  const addEdge = (source: number, target: number, weight: number) => {
    const at = ends[source]!++
    rows.targets[at] = target
    rows.weights[at] = weight
  }
  for (let edge = 0; edge < from.length; edge++) {
    const [source, target, weight] = [from[edge] as number, to[edge] as number, weights[edge] as number]
    if (source === target) continue
    addEdge(source, target, weight)
    addEdge(target, source, weight)
  }
  return mergeRows(starts, rows)
}

export function mergeRows(starts: Uint32Array, rows: Pick<WeightedGraph, 'targets' | 'weights'>): WeightedGraph {
  const count = starts.length - 1
  const { targets, weights } = rows
  const offsets = new Uint32Array(count + 1)
  const places = new Int32Array(count).fill(-1)
  let size = 0
  for (let node = 0; node < count; node++) {
    const begin = size
    for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
      const target = targets[at] as number
      const place = places[target] as number
      if (place >= begin) {
        weights[place]! += weights[at] as number
        continue
      }
      places[target] = size
      targets[size] = target
      weights[size++] = weights[at] as number
    }
    offsets[node + 1] = size
    for (let at = begin; at < size; at++) places[targets[at] as number] = -1
  }
  return { offsets, targets: targets.slice(0, size), weights: weights.slice(0, size) }
}

/**
 * Returns the connected component of each node. Components are numbered by their first node. If `within` is given, edges between
 * its classes are ignored.
 */
export function connectedParts(
  { offsets, targets }: Pick<WeightedGraph, 'offsets' | 'targets'>,
  within?: Uint32Array,
): Uint32Array {
  const count = offsets.length - 1
  const parts = new Uint32Array(count)
  const isSeen = new Uint8Array(count)
  const waiting = new Uint32Array(count)
  let next = 0
  for (let first = 0; first < count; first++) {
    if (isSeen[first] === 1) continue
    isSeen[first] = 1
    waiting[0] = first
    for (let head = 0, reached = 1; head < reached; head++) {
      const node = waiting[head] as number
      parts[node] = next
      for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
        const other = targets[at] as number
        if (isSeen[other] === 1 || (within !== undefined && within[other] !== within[node])) continue
        isSeen[other] = 1
        waiting[reached++] = other
      }
    }
    next++
  }
  return parts
}
