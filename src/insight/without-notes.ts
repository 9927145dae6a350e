import { type Adjacency, undirected } from '../core/csr.ts'
import { indexNotes } from './communities/clustered-graph.ts'

/** The loss if some notes are removed. Lists of indexes are ascending. */
export interface Loss {
  readonly orphaned: readonly number[]
  /** The sizes of the pieces that break off each component, descending. */
  readonly fallsApart: readonly number[]
  /** The notes that could no longer be reached from an index note. */
  readonly unreachable: readonly number[]
}

/** Returns what breaks off without the removed notes, in linear time. `removed` is 1 for each removed note. */
export function withoutNotes(graph: Adjacency, removed: Uint8Array): Loss {
  const both = undirected(graph)
  const lostNotes = partsTouched(both, removed)
  const isIndex = indexNotes(graph)
  const before = reachable(graph, isIndex)
  const after = reachable(graph, isIndex, removed)
  const unreachable: number[] = []
  for (let node = 0; node < removed.length; node++)
    if (before[node] === 1 && after[node] !== 1 && removed[node] !== 1) unreachable.push(node)
  return { ...lostNotes, unreachable }
}

function partsTouched(both: Adjacency, removed: Uint8Array): Pick<Loss, 'orphaned' | 'fallsApart'> {
  const visited = new Uint8Array(removed.length)
  const done = new Uint8Array(removed)
  const orphaned: number[] = []
  const fallsApart: number[] = []
  for (let node = 0; node < removed.length; node++) {
    if (removed[node] !== 1 || visited[node] === 1) continue
    const whole = walk(both, node, visited)
    const parts = whole.filter((note) => removed[note] !== 1).flatMap((one) => (done[one] === 1 ? [] : [walk(both, one, done)]))
    for (const part of parts) if (part.length === 1) orphaned.push(part[0] ?? node)
    const sizes = parts.map(({ length }) => length).sort((a, b) => b - a)
    for (const size of sizes.slice(1)) fallsApart.push(size)
  }
  return { orphaned: orphaned.sort((a, b) => a - b), fallsApart: fallsApart.sort((a, b) => b - a) }
}

function walk({ offsets, targets }: Adjacency, start: number, visited: Uint8Array): readonly number[] {
  const reached = [start]
  visited[start] = 1
  for (let next = 0; next < reached.length; next++) {
    const node = reached[next] ?? start
    for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
      const other = targets[at] as number
      if (visited[other] === 1) continue
      visited[other] = 1
      reached.push(other)
    }
  }
  return reached
}

/** Marks the notes that can be reached, including the starts. Paths do not cross removed notes. */
function reachable(graph: Adjacency, isStart: Uint8Array, removed?: Uint8Array): Uint8Array {
  const visited = removed === undefined ? new Uint8Array(graph.offsets.length - 1) : removed.slice()
  const reached = new Uint8Array(visited.length)
  for (const start of isStart.keys()) {
    if (isStart[start] === 0 || visited[start] === 1) continue
    for (const node of walk(graph, start, visited)) reached[node] = 1
  }
  return reached
}
