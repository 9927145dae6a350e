import type { PathOptions } from '../core/store.ts'
import type { Graph } from './graph.ts'

/**
 * Finds paths by Yen's algorithm (1971) with bidirectional searches. Paths include both ends. Shorter ones come first, and ties
 * are ordered by ids. Only listed notes occur between the ends.
 */
export function findPaths(graph: Graph, source: number, target: number, options: PathOptions): readonly (readonly number[])[] {
  const walk = new Walk(graph, options.direction)
  for (const ceiling of options.avoidHubs ? ceilings(graph, source, target) : [Number.POSITIVE_INFINITY]) {
    const paths = yenPaths(walk, { source, target, ceiling, banned: NONE, taken: NONE }, options.count)
    if (paths.length > 0) return paths
  }
  return []
}

interface Search {
  readonly source: number
  readonly target: number
  readonly ceiling: number
  readonly banned: ReadonlySet<number>
  readonly taken: ReadonlySet<number>
}

/** Degree limits to try in order. The last is infinite, so an existing path is always found. */
function ceilings(graph: Graph, source: number, target: number): readonly number[] {
  const counts: number[] = []
  let notes = 0
  for (let key = 0; key < graph.size; key++) {
    if (key === source || key === target || !graph.isListedNote(key)) continue
    const degree = degreeOf(graph, key)
    while (counts.length <= degree) counts.push(0)
    counts[degree]!++
    notes++
  }
  const at = (share: number): number => degreeAt(counts, Math.floor(notes * share))
  // No note of a small vault exceeds the 99th percentile, so a lower one is added.
  const small = notes < 100 ? [at(0.9) - 1] : []
  return [...small, at(0.99), at(0.999), Number.POSITIVE_INFINITY].filter((ceiling) => ceiling >= 2)
}

/** Returns the degree at a rank, where 0 is the lowest. `counts` holds the number of nodes per degree. */
function degreeAt(counts: readonly number[], rank: number): number {
  let skipped = 0
  const degree = counts.findIndex((count) => {
    skipped += count
    return skipped > rank
  })
  return Math.max(0, degree)
}

function degreeOf(graph: Graph, key: number): number {
  return graph.inDegree(key) + graph.outDegree(key)
}

function yenPaths(walk: Walk, search: Search, count: number): readonly (readonly number[])[] {
  const first = walk.shortest(search)
  if (first === undefined) return []
  const paths: (readonly number[])[] = [first]
  const candidates: (readonly number[])[] = []
  while (paths.length < count) {
    const last = paths[paths.length - 1] as readonly number[]
    for (let at = 0; at < last.length - 1; at++) {
      const root = last.slice(0, at + 1)
      const before = root.slice(0, at)
      const usedNext = new Set(paths.filter((path) => startsWith(path, root)).map((path) => path[at + 1] as number))
      const rest = walk.shortest({ ...search, source: root[at] as number, banned: new Set(before), taken: usedNext })
      if (rest === undefined) continue
      const path = [...before, ...rest]
      if (!candidates.some((other) => other.length === path.length && startsWith(other, path))) candidates.push(path)
    }
    candidates.sort((a, b) => a.length - b.length || walk.compare(a, b))
    const next = candidates.shift()
    if (next === undefined) break
    paths.push(next)
  }
  return paths
}

const NONE: ReadonlySet<number> = new Set()

export function startsWith<T>(path: readonly T[], root: readonly T[]): boolean {
  return root.every((key, at) => path[at] === key)
}

interface Front {
  readonly forwards: boolean
  /** The distance plus 1 by key, or 0 for a node that has not been reached. */
  readonly reached: Int32Array
  keys: readonly number[]
}

class Walk {
  readonly #graph: Graph
  readonly #forwardsOnly: boolean
  readonly #from: Int32Array
  readonly #to: Int32Array

  constructor(graph: Graph, direction: PathOptions['direction']) {
    this.#graph = graph
    this.#forwardsOnly = direction === 'out'
    this.#from = new Int32Array(graph.size)
    this.#to = new Int32Array(graph.size)
  }

  /** Returns a shortest path. Ids decide ties. */
  shortest(search: Search): readonly number[] | undefined {
    const { source, target } = search
    if (source === target) return [source]
    const ahead = frontOf(source, true, this.#from)
    const backwards = frontOf(target, false, this.#to)
    while (ahead.keys.length > 0 && backwards.keys.length > 0) {
      const [front, opposite] = ahead.keys.length <= backwards.keys.length ? [ahead, backwards] : [backwards, ahead]
      front.keys = this.#advance(front, search)
      const meeting = front.keys.filter((key) => opposite.reached[key] !== 0)
      if (meeting.length > 0) return this.#trace(search, meeting)
    }
    return undefined
  }

  #advance({ forwards, reached, keys }: Front, search: Search): readonly number[] {
    const next: number[] = []
    for (const key of keys) {
      const step = (reached[key] ?? 0) + 1
      this.#each(key, forwards, (other) => {
        if (reached[other] !== 0 || !this.#mayReach(other, search)) return
        if (forwards ? isTaken(search, key, other) : isTaken(search, other, key)) return
        reached[other] = step
        next.push(other)
      })
    }
    return next
  }

  #mayReach(key: number, { source, target, ceiling, banned }: Search): boolean {
    if (banned.has(key)) return false
    if (key === source || key === target) return true
    if (!this.#graph.isListedNote(key)) return false
    return ceiling === Number.POSITIVE_INFINITY || degreeOf(this.#graph, key) <= ceiling
  }

  #each(key: number, forwards: boolean, visit: (other: number) => void): void {
    const both = !this.#forwardsOnly
    if (forwards || both) for (const other of this.#graph.targets(key)) visit(other)
    if (!forwards || both) for (const other of this.#graph.sources(key)) visit(other)
  }

  /** Returns the path through one of the `meeting` nodes, which both sides have reached. */
  #trace(search: Search, meeting: readonly number[]): readonly number[] {
    const onShortest = this.#mark(search, meeting)
    const path = [search.source]
    for (let at = search.source; at !== search.target; ) {
      const next = this.#next(search, at, onShortest)
      if (next === undefined) throw new Error('The shortest path could not be traced.')
      onShortest.add(next)
      path.push(next)
      at = next
    }
    return path
  }

  #mark(search: Search, meeting: readonly number[]): Set<number> {
    const from = this.#from
    const lengthAt = (key: number): number => (from[key] ?? 0) + (this.#to[key] ?? 0)
    const length = meeting.reduce((min, key) => Math.min(min, lengthAt(key)), Number.POSITIVE_INFINITY)
    const onShortest = new Set(meeting.filter((key) => lengthAt(key) === length))
    // The loop also visits elements that it adds, because a set's iterator does so.
    for (const key of onShortest) {
      const step = from[key] ?? 0
      if (step <= 1) continue
      this.#each(key, false, (other) => {
        if (from[other] === step - 1 && !isTaken(search, other, key)) onShortest.add(other)
      })
    }
    return onShortest
  }

  #next(search: Search, at: number, onShortest: ReadonlySet<number>): number | undefined {
    const distance = this.#from[at] ?? 0
    const stepsLeft = onShortest.has(at) ? (this.#to[at] ?? 0) : 0
    let best: number | undefined
    this.#each(at, true, (other) => {
      const onwards = distance > 0 && this.#from[other] === distance + 1 && onShortest.has(other)
      // Beyond the meeting nodes, only the distance to the target counts.
      const isNearer = stepsLeft > 0 && this.#to[other] === stepsLeft - 1
      if (!(onwards || isNearer) || isTaken(search, at, other)) return
      if (best === undefined || this.#graph.id(other) < this.#graph.id(best)) best = other
    })
    return best
  }

  compare(a: readonly number[], b: readonly number[]): number {
    for (let at = 0; at < a.length; at++) {
      const idA = this.#graph.id(a[at] as number)
      const right = this.#graph.id(b[at] as number)
      if (idA !== right) return idA < right ? -1 : 1
    }
    return 0
  }
}

function frontOf(key: number, forwards: boolean, buffer: Int32Array): Front {
  const reached = buffer.fill(0)
  reached[key] = 1
  return { forwards, reached, keys: [key] }
}

function isTaken({ source, taken }: Search, from: number, to: number): boolean {
  return from === source && taken.has(to)
}
