import { type Bridge, NO_COMMUNITY } from '../../core/insight/insight.ts'
import type { WeightedGraph } from './weighted-graph.ts'

/** The maximum number of steps per pair, about 1 ms. `MAX_BUDGET` applies until `MIN_SOURCES` sources are done. */
const BUDGET = 200_000
const MIN_SOURCES = 8
const MAX_BUDGET = 5 * BUDGET

export function bridgesOf(links: WeightedGraph, of: Uint32Array, limit: number): readonly Bridge[] {
  const counts = new Map<number, number>()
  const size = of.reduce((last, community) => (community === NO_COMMUNITY || community < last ? last : community), 0) + 1
  eachLinkBetween(links, of, (a, b) => counts.set(a * size + b, (counts.get(a * size + b) ?? 0) + 1))
  const pairs = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, limit)
  const members = membersOf(of, size)
  const noteBetween = pairSearch(links, of)
  return pairs.map(([pair, count]) => {
    const ends = [Math.floor(pair / size), pair % size] as const
    const [a, b] = [members[ends[0]] as Uint32Array, members[ends[1]] as Uint32Array]
    return { of: ends, links: count, through: noteBetween(a, b) }
  })
}

/** Returns a function that finds the note on most of the shortest paths within a pair of communities (Brandes 2001). */
function pairSearch({ offsets, targets }: WeightedGraph, of: Uint32Array): (a: Uint32Array, b: Uint32Array) => number {
  const order = new Uint32Array(of.length)
  const distance = new Int32Array(of.length).fill(-1)
  const pathCounts = new Float64Array(of.length)
  const dependency = new Float64Array(of.length)
  const scores = new Float64Array(of.length)

  /** Returns a note with a link to the other community, for communities that are one link apart. */
  const linkedTo = (notes: Uint32Array, community: number): number => {
    const representative = notes.find((note) =>
      targets.subarray(offsets[note], offsets[note + 1]).some((other) => of[other] === community),
    )
    return representative ?? (notes[0] as number)
  }

  /** Counts the shortest paths from `source`. @returns the number of notes in `order` */
  const countPaths = (source: number, to: number): number => {
    const from = of[source] as number
    order[0] = source
    distance[source] = 0
    pathCounts[source] = 1
    let reached = 1
    for (let head = 0; head < reached; head++) {
      const note = order[head] as number
      for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
        const other = targets[at] as number
        if (of[other] !== from && of[other] !== to) continue
        if (distance[other] === -1) {
          distance[other] = (distance[note] as number) + 1
          order[reached++] = other
        }
        if (distance[other] === (distance[note] as number) + 1) pathCounts[other]! += pathCounts[note] as number
      }
    }
    return reached
  }

  const add = (source: number, to: number): void => {
    const from = of[source] as number
    const reached = countPaths(source, to)
    for (let head = reached - 1; head > 0; head--) {
      const note = order[head] as number
      const part = ((of[note] === to ? 1 : 0) + (dependency[note] as number)) / (pathCounts[note] as number)
      for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
        const other = targets[at] as number
        if ((of[other] === from || of[other] === to) && distance[other] === (distance[note] as number) - 1)
          dependency[other]! += (pathCounts[other] as number) * part
      }
      scores[note]! += dependency[note] as number
    }
    for (let head = 0; head < reached; head++) {
      const note = order[head] as number
      distance[note] = -1
      pathCounts[note] = dependency[note] = 0
    }
  }

  /** Large communities are sampled at even intervals. */
  return (a, b) => {
    const [sources, others] = a.length <= b.length ? [a, b] : [b, a]
    let cost = 0
    for (const notes of [a, b]) {
      for (let at = 0; at < notes.length; at++) {
        const note = notes[at] as number
        cost += 1 + (offsets[note + 1] as number) - (offsets[note] as number)
      }
    }
    const minSources = Math.max(1, Math.min(MIN_SOURCES, Math.floor(MAX_BUDGET / cost)))
    const sourceCount = Math.min(sources.length, Math.max(minSources, Math.floor(BUDGET / cost)))
    const to = of[others[0] as number] as number
    for (let at = 0; at < sourceCount; at++) add(sources[Math.floor((at * sources.length) / sourceCount)] as number, to)
    let best = linkedTo(sources, to)
    for (const notes of [a, b]) {
      for (const note of notes) if ((scores[note] as number) > (scores[best] as number)) best = note
    }
    for (const notes of [a, b]) for (const note of notes) scores[note] = 0
    return best
  }
}

export function eachLinkBetween(
  { offsets, targets }: WeightedGraph,
  of: Uint32Array,
  call: (a: number, b: number) => void,
): void {
  for (let from = 0; from < of.length; from++) {
    const a = of[from] as number
    if (a === NO_COMMUNITY) continue
    for (let at = offsets[from] as number; at < (offsets[from + 1] as number); at++) {
      const b = of[targets[at] as number] as number
      if (a < b && b !== NO_COMMUNITY) call(a, b)
    }
  }
}

export function membersOf(of: Uint32Array, count: number): readonly Uint32Array[] {
  const sizes = new Uint32Array(count)
  for (const community of of) if (community !== NO_COMMUNITY) sizes[community]!++
  const members = Array.from(sizes, (size) => new Uint32Array(size))
  sizes.fill(0)
  of.forEach((community, note) => {
    if (community === NO_COMMUNITY) return
    ;(members[community] as Uint32Array)[sizes[community]!++] = note
  })
  return members
}
