import type { PathOptions } from '../core/store.ts'
import type { Graph } from './graph.ts'

/**
 * Shortest link paths between two files, shortest first, then by ids: `[source, …, target]` as keys. Intermediate steps are
 * listed notes. Further paths are found by Yen's algorithm (J. Y. Yen, 1971), each step of it a bidirectional search.
 */
export function findPaths(graph: Graph, source: number, target: number, options: PathOptions): readonly (readonly number[])[] {
  const walk = new Walk(graph, options.direction)
  for (const ceiling of options.avoidHubs ? ceilings(graph, source, target) : [Number.POSITIVE_INFINITY]) {
    const paths = yen(walk, { source, target, ceiling }, options.count)
    if (paths.length > 0) return paths
  }
  return []
}

interface Search {
  readonly source: number
  readonly target: number
  /** Notes with more neighbours than this are gone around. */
  readonly ceiling: number
}

/** Degrees above which a note is a hub: the 99th percentile, then the 99.9th, then none, so that a path is found where there is one. */
function ceilings(graph: Graph, source: number, target: number): readonly number[] {
  const degrees: number[] = []
  for (let key = 0; key < graph.size; key++) {
    if (key !== source && key !== target && graph.isListedNote(key)) degrees.push(degreeOf(graph, key))
  }
  degrees.sort((a, b) => a - b)
  const at = (share: number): number => degrees[Math.floor(degrees.length * share)] ?? 0
  // In a small vault the percentile would be the best connected note itself, which is then none.
  const small = degrees.length < 100 ? [at(0.9) - 1] : []
  return [...small, at(0.99), at(0.999), Number.POSITIVE_INFINITY].filter((ceiling) => ceiling >= 2)
}

function degreeOf(graph: Graph, key: number): number {
  return graph.inDegree(key) + graph.outDegree(key)
}

function yen(walk: Walk, search: Search, count: number): readonly (readonly number[])[] {
  const first = walk.shortest(search, NOBODY, NO_STEPS)
  if (first === undefined) return []
  const found: (readonly number[])[] = [first]
  const candidates: (readonly number[])[] = []
  while (found.length < count) {
    const last = found[found.length - 1] as readonly number[]
    for (let at = 0; at < last.length - 1; at++) {
      const root = last.slice(0, at + 1)
      const spur = root[at] as number
      const taken = new Set(found.filter((path) => startsWith(path, root)).map((path) => path[at + 1] as number))
      const rest = walk.shortest({ ...search, source: spur }, new Set(root.slice(0, at)), taken)
      if (rest === undefined) continue
      const path = [...root.slice(0, at), ...rest]
      if (!candidates.some((other) => sameList(other, path))) candidates.push(path)
    }
    candidates.sort((a, b) => a.length - b.length || walk.compare(a, b))
    const next = candidates.shift()
    if (next === undefined) break
    found.push(next)
  }
  return found
}

const NOBODY: ReadonlySet<number> = new Set()
const NO_STEPS: ReadonlySet<number> = new Set()

function startsWith(path: readonly number[], root: readonly number[]): boolean {
  return root.every((key, at) => path[at] === key)
}

function sameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && startsWith(a, b)
}

/** Breadth-first searches over one graph, with buffers that are used again. */
class Walk {
  readonly #graph: Graph
  readonly #forwardsOnly: boolean
  /** Distance + 1 from the source and to the target; 0: not reached. */
  readonly #from: Int32Array
  readonly #to: Int32Array

  constructor(graph: Graph, direction: PathOptions['direction']) {
    this.#graph = graph
    this.#forwardsOnly = direction === 'out'
    this.#from = new Int32Array(graph.size)
    this.#to = new Int32Array(graph.size)
  }

  /**
   * The shortest path, the smallest by ids among those of one length.
   * @param banned nodes that may not be stepped on · @param taken nodes that may not be the first step
   */
  shortest(search: Search, banned: ReadonlySet<number>, taken: ReadonlySet<number>): readonly number[] | undefined {
    const { source, target } = search
    if (source === target) return [source]
    const from = this.#from.fill(0)
    const to = this.#to.fill(0)
    from[source] = 1
    to[target] = 1
    let ahead = [source]
    let behind = [target]
    while (ahead.length > 0 && behind.length > 0) {
      const forwards = ahead.length <= behind.length
      const mine = forwards ? from : to
      const next: number[] = []
      let met = false
      for (const key of forwards ? ahead : behind) {
        const step = (mine[key] ?? 0) + 1
        this.#each(key, forwards, (other) => {
          if ((mine[other] ?? 0) !== 0 || banned.has(other)) return
          if (forwards && key === source && taken.has(other)) return
          if (!forwards && other === source && taken.has(key)) return
          if (other !== source && other !== target && !this.#mayCross(other, search.ceiling)) return
          mine[other] = step
          next.push(other)
          if (((forwards ? to : from)[other] ?? 0) !== 0) met = true
        })
      }
      if (forwards) ahead = next
      else behind = next
      if (met)
        return this.#trace(
          search,
          next.filter((key) => (from[key] ?? 0) !== 0 && (to[key] ?? 0) !== 0),
          taken,
        )
    }
    return undefined
  }

  #mayCross(key: number, ceiling: number): boolean {
    if (!this.#graph.isListedNote(key)) return false
    return ceiling === Number.POSITIVE_INFINITY || degreeOf(this.#graph, key) <= ceiling
  }

  /** Neighbours one step on: along the links when `forwards`, against them when not; both where links count both ways. */
  #each(key: number, forwards: boolean, visit: (other: number) => void): void {
    const both = !this.#forwardsOnly
    if (forwards || both) for (const other of this.#graph.targets(key)) visit(other)
    if (!forwards || both) for (const other of this.#graph.sources(key)) visit(other)
  }

  /** Marks the nodes of all shortest paths from the meeting nodes back to the source, then walks by smallest id. */
  #trace({ source, target }: Search, meeting: readonly number[], taken: ReadonlySet<number>): readonly number[] {
    const from = this.#from
    const to = this.#to
    const length = Math.min(...meeting.map((key) => (from[key] ?? 0) + (to[key] ?? 0)))
    const marked = new Set(meeting.filter((key) => (from[key] ?? 0) + (to[key] ?? 0) === length))
    const queue = [...marked]
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      const step = from[key] ?? 0
      if (step <= 1) continue
      this.#each(key, false, (other) => {
        if (from[other] === step - 1 && !marked.has(other) && !(other === source && taken.has(key as number))) {
          marked.add(other)
          queue.push(other)
        }
      })
    }
    const path = [source]
    let at = source
    while (at !== target) {
      const here = from[at] ?? 0
      const left = to[at] ?? 0
      let best: number | undefined
      this.#each(at, true, (other) => {
        if (at === source && taken.has(other)) return
        const onwards = here > 0 && marked.has(other) && from[other] === here + 1
        // Past the meeting nodes only the distance to the target says what lies on a shortest path.
        const nearer = left > 0 && marked.has(at) && to[other] === left - 1
        if (!(onwards || nearer)) return
        if (best === undefined || this.#graph.id(other) < this.#graph.id(best)) best = other
      })
      if (best === undefined) throw new Error('a shortest path was found and lost')
      marked.add(best)
      path.push(best)
      at = best
    }
    return path
  }

  compare(a: readonly number[], b: readonly number[]): number {
    for (let at = 0; at < a.length; at++) {
      const left = this.#graph.id(a[at] as number)
      const right = this.#graph.id(b[at] as number)
      if (left !== right) return left < right ? -1 : 1
    }
    return 0
  }
}
