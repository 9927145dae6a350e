import { type Adjacency, undirected } from '../core/csr.ts'

/** The effect of removing notes. Notes are identified by their indexes, in ascending order. */
export interface Loss {
  /** Notes that lost their last link in either direction. */
  readonly orphaned: readonly number[]
  /** For each affected component, the sizes of the pieces other than the largest. The largest component comes first. */
  readonly fallsApart: readonly number[]
  /** Notes that no index note leads to anymore. */
  readonly unreachable: readonly number[]
}

/** A note is an index if it has more incoming or outgoing links than this number and than this share of all notes. */
const MIN_LINKS = 40
const MAX_SHARE = 0.02

/** Computes the effect of removing notes, in linear time and memory. `gone` is 1 for each removed note. */
export function withoutNotes(graph: Adjacency, gone: Uint8Array): Loss {
  const both = undirected(graph)
  const touched = partsTouched(both, gone)
  const starts = indexNotes(graph)
  const before = reachable(graph, starts)
  const after = reachable(graph, starts, gone)
  const unreachable: number[] = []
  for (let node = 0; node < gone.length; node++)
    if (before[node] === 1 && after[node] !== 1 && gone[node] !== 1) unreachable.push(node)
  return { ...touched, unreachable }
}

function partsTouched(both: Adjacency, gone: Uint8Array): Pick<Loss, 'orphaned' | 'fallsApart'> {
  const seen = new Uint8Array(gone.length)
  // Each component is handled in a single iteration, so all iterations can share this array.
  const left = new Uint8Array(gone)
  const orphaned: number[] = []
  const fallsApart: number[] = []
  for (let node = 0; node < gone.length; node++) {
    if (gone[node] !== 1 || seen[node] === 1) continue
    // The component before the removal, then each of its pieces afterwards.
    const whole = walk(both, node, seen)
    const parts = whole.filter((one) => gone[one] !== 1).flatMap((one) => (left[one] === 1 ? [] : [walk(both, one, left)]))
    for (const part of parts) if (part.length === 1) orphaned.push(part[0] ?? node)
    const sizes = parts.map(({ length }) => length).sort((a, b) => b - a)
    for (const size of sizes.slice(1)) fallsApart.push(size)
  }
  return { orphaned: orphaned.sort((a, b) => a - b), fallsApart: fallsApart.sort((a, b) => b - a) }
}

/** Returns the unvisited nodes reachable from a node and marks them as visited. */
function walk({ offsets, targets }: Adjacency, start: number, seen: Uint8Array): readonly number[] {
  const found = [start]
  seen[start] = 1
  for (let next = 0; next < found.length; next++) {
    const node = found[next] ?? start
    for (let at = from(offsets, node); at < from(offsets, node + 1); at++) {
      const other = from(targets, at)
      if (seen[other] === 1) continue
      seen[other] = 1
      found.push(other)
    }
  }
  return found
}

/** Finds notes with far more incoming or outgoing links than most. */
function indexNotes({ offsets, targets }: Adjacency): readonly number[] {
  const count = offsets.length - 1
  const many = Math.max(MIN_LINKS, MAX_SHARE * count)
  const incoming = new Uint32Array(count)
  for (const target of targets) incoming[target] = from(incoming, target) + 1
  const nodes = Array.from({ length: count }, (_, node) => node)
  return nodes.filter((node) => from(incoming, node) > many || from(offsets, node + 1) - from(offsets, node) > many)
}

/** Returns 1 for each node reachable from the given ones, including these nodes. Paths do not pass through removed notes. */
function reachable(graph: Adjacency, starts: readonly number[], gone?: Uint8Array): Uint8Array {
  const seen = gone === undefined ? new Uint8Array(graph.offsets.length - 1) : gone.slice()
  const reached = new Uint8Array(seen.length)
  for (const start of starts) {
    if (seen[start] === 1) continue
    for (const node of walk(graph, start, seen)) reached[node] = 1
  }
  return reached
}

/** Reads an item. The default is never used, because typed arrays have no holes. */
function from(array: Uint32Array, at: number): number {
  return array[at] ?? 0
}
