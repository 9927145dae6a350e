import { connectedParts, type WeightedGraph, weightedGraph } from './weighted-graph.ts'

export interface LeidenOptions {
  /** The resolution. Values above 1 produce more and smaller communities. */
  readonly resolution: number
  readonly start?: Uint32Array
  /** A bonus that stabilizes communities against small changes. The default is 0. */
  readonly stay?: StayBonus
}

/** Minimum gain for leaving a community, relative to the strength (total edge weight) of the moving part. */
export interface StayBonus {
  readonly node: number
  readonly group: number
}

const FREE: StayBonus = { node: 0, group: 0 }

/**
 * For a graph with more than `entries` row entries, the algorithm stops once a pass gains less than `gain` modularity. Uniform
 * graphs would take a dozen more passes.
 */
const LARGE = { entries: 400_000, gain: 0.0005 }

/**
 * The Leiden algorithm (Traag, Waltman, van Eck 2019). It is deterministic: nodes move in order, and ties go to the first
 * community. Communities are connected and numbered by their first node.
 */
export function leiden(graph: WeightedGraph, { resolution, start, stay = FREE }: LeidenOptions): Uint32Array {
  const count = graph.offsets.length - 1
  const base = levelOf(graph, strengthsOf(graph))
  const total = base.strengths.reduce((sum, strength) => sum + strength, 0)
  let communities: Uint32Array = start === undefined ? ownNumbers(count) : connectedParts(graph, start)
  // In a graph without links, the total is 0, and the penalty below would divide by it.
  if (total === 0) return connectedParts(graph, communities)
  const isLarge = graph.targets.length > LARGE.entries
  for (let reached = isLarge ? modularity(graph, communities, resolution) : 0; ; ) {
    const { moved, result } = onePass(base, communities, { penalty: resolution / total, stay })
    communities = connectedParts(graph, result)
    if (!moved) return communities
    if (!isLarge) continue
    const now = modularity(graph, communities, resolution)
    if (now - reached < LARGE.gain) return communities
    reached = now
  }
}

/** Returns the modularity of a partition: the share of the weight within communities, minus the share expected by chance. */
export function modularity(graph: WeightedGraph, communities: ArrayLike<number>, resolution = 1): number {
  const { offsets, targets, weights } = graph
  const strengths = strengthsOf(graph)
  const total = strengths.reduce((sum, strength) => sum + strength, 0)
  if (total === 0) return 0
  const sums = new Map<number, number>()
  let within = 0
  for (let node = 0; node < strengths.length; node++) {
    const community = communities[node] as number
    sums.set(community, (sums.get(community) ?? 0) + (strengths[node] as number))
    for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
      if (communities[targets[at] as number] === community) within += weights[at] as number
    }
  }
  let chance = 0
  for (const sum of sums.values()) chance += (sum / total) ** 2
  return within / total - resolution * chance
}

/** A graph of merged nodes. `strengths` counts inner edges twice, and rows omit them. */
interface Level extends WeightedGraph {
  readonly strengths: Float64Array
}

/** Returns a level. All levels have the same shape, so V8 compiles their functions once. */
function levelOf({ offsets, targets, weights }: WeightedGraph, strengths: Float64Array): Level {
  return { offsets, targets, weights, strengths }
}

/** Moves nodes, then merges communities into nodes, until nothing merges. */
function onePass(
  base: Level,
  start: Uint32Array,
  { penalty, stay }: { readonly penalty: number; readonly stay: StayBonus },
): { readonly moved: boolean; readonly result: Uint32Array } {
  const nodes = ownNumbers(start.length)
  let level = base
  let communities: Uint32Array = start.slice()
  let hasMoved = false
  for (;;) {
    hasMoved = moveNodes(level, communities, { penalty, stay: level === base ? stay.node : stay.group }) || hasMoved
    const refined = refine(level, communities, penalty)
    const { smaller, numbers } = aggregate(level, refined)
    const size = smaller.strengths.length
    if (size === level.strengths.length) break
    const above = new Uint32Array(size)
    numbers.forEach((number, node) => {
      above[number] = communities[node] as number
    })
    follow(nodes, numbers)
    level = smaller
    // Community numbers are node numbers, so one is always free.
    communities = numbered(above).numbers
  }
  follow(nodes, communities)
  return { moved: hasMoved, result: nodes }
}

/** This loop is a separate function, so V8 does not compile all of `onePass` for it. */
function follow(numbers: Uint32Array, to: Uint32Array): void {
  for (let at = 0; at < numbers.length; at++) numbers[at] = to[numbers[at] as number] as number
}

/** The weights of a move. `penalty` is the expected weight of a link. `stay` is a share of the node's strength. */
interface Weights {
  readonly penalty: number
  readonly stay: number
}

/** The minimum gain relative to the node's strength. Smaller gains are rounding errors. */
const MIN_GAIN = 1e-9

/**
 * Moves each node to the best community, then the neighbors of nodes that moved, until no node moves.
 * @returns whether any node moved
 */
function moveNodes(level: Level, communities: Uint32Array, { penalty, stay }: Weights): boolean {
  const { offsets, targets, strengths } = level
  const count = strengths.length
  const sums = new Float64Array(count)
  const sizes = new Uint32Array(count)
  for (let node = 0; node < count; node++) {
    sums[communities[node] as number]! += strengths[node] as number
    sizes[communities[node] as number]!++
  }
  const free: number[] = []
  for (let community = count - 1; community >= 0; community--) if (sizes[community] === 0) free.push(community)
  const links = new LinksOf(level)
  const waiting = ownNumbers(count)
  const isWaiting = new Uint8Array(count).fill(1)
  let hasMoved = false
  for (let head = 0, length = count; length > 0; length--, head = (head + 1) % count) {
    const node = waiting[head] as number
    isWaiting[node] = 0
    const current = communities[node] as number
    const strength = strengths[node] as number
    sums[current]! -= strength
    const to = links.collect(node, communities)
    let best = current
    let bestGain = (to[current] as number) - penalty * strength * (sums[current] as number) + (MIN_GAIN + stay) * strength
    for (let n = 0; n < links.count; n++) {
      const community = links.met[n] as number
      const gain = (to[community] as number) - penalty * strength * (sums[community] as number)
      if (gain <= bestGain) continue
      best = community
      bestGain = gain
    }
    if (bestGain < 0 && (sizes[current] as number) > 1) best = free.pop() as number
    sums[best]! += strength
    if (best === current) continue
    hasMoved = true
    communities[node] = best
    sizes[best]!++
    if (--sizes[current]! === 0) free.push(current)
    for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
      const other = targets[at] as number
      if (isWaiting[other] === 1 || communities[other] === best) continue
      isWaiting[other] = 1
      // There is always a free slot, because the current node has left its own.
      waiting[(head + length++) % count] = other
    }
  }
  return hasMoved
}

/** Splits communities into well-connected parts, and returns the part of each node. */
function refine(level: Level, communities: Uint32Array, penalty: number): Uint32Array {
  const { strengths } = level
  const count = strengths.length
  const whole = new Float64Array(count)
  for (let node = 0; node < count; node++) whole[communities[node] as number]! += strengths[node] as number
  const refined = ownNumbers(count)
  const sums = strengths.slice()
  const sizes = new Uint32Array(count).fill(1)
  const links = new LinksOf(level)
  /** The weight of links from each part to the rest of its community. */
  const outward = new Float64Array(count)
  for (let node = 0; node < count; node++) {
    outward[node] = links.collect(node, communities)[communities[node] as number] as number
  }
  const isWellLinked = (part: number, community: number) => {
    const sum = sums[part] as number
    return (outward[part] as number) >= penalty * sum * ((whole[community] as number) - sum) - MIN_GAIN * sum
  }
  for (let node = 0; node < count; node++) {
    const community = communities[node] as number
    if (sizes[refined[node] as number] !== 1 || !isWellLinked(node, community)) continue
    const strength = strengths[node] as number
    const to = links.collect(node, refined)
    let best = node
    let bestGain = MIN_GAIN * strength
    for (let n = 0; n < links.count; n++) {
      const part = links.met[n] as number
      // A part has the number of its first member.
      if (part === node || communities[part] !== community) continue
      const gain = (to[part] as number) - penalty * strength * (sums[part] as number)
      if (gain <= bestGain || !isWellLinked(part, community)) continue
      best = part
      bestGain = gain
    }
    if (best === node) continue
    outward[best]! += (outward[node] as number) - 2 * (to[best] as number)
    sums[best]! += strength
    sizes[best]!++
    sizes[node]!--
    refined[node] = best
  }
  return refined
}

function aggregate(level: Level, parts: Uint32Array): { readonly smaller: Level; readonly numbers: Uint32Array } {
  const { offsets, targets, weights, strengths } = level
  const { numbers, count } = numbered(parts)
  const sums = new Float64Array(count)
  const from = new Uint32Array(targets.length / 2)
  const to = new Uint32Array(from.length)
  const sizes = new Float64Array(from.length)
  let edge = 0
  for (let node = 0; node < strengths.length; node++) {
    sums[numbers[node] as number]! += strengths[node] as number
    for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
      const other = targets[at] as number
      if (other < node) continue
      from[edge] = numbers[node] as number
      to[edge] = numbers[other] as number
      sizes[edge++] = weights[at] as number
    }
  }
  return { smaller: levelOf(weightedGraph(count, { from, to, weights: sizes }), sums), numbers }
}

class LinksOf {
  readonly met: Uint32Array
  count = 0
  readonly #level: Level
  readonly #sums: Float64Array

  constructor(level: Level) {
    this.#level = level
    this.met = new Uint32Array(level.strengths.length)
    this.#sums = new Float64Array(level.strengths.length)
  }

  collect(node: number, communities: Uint32Array): Float64Array {
    const { offsets, targets, weights } = this.#level
    const sums = this.#sums
    const touched = this.met
    for (let n = 0; n < this.count; n++) sums[touched[n] as number] = 0
    let count = 0
    const end = offsets[node + 1] as number
    for (let at = offsets[node] as number; at < end; at++) {
      const community = communities[targets[at] as number] as number
      if (sums[community] === 0) touched[count++] = community
      sums[community]! += weights[at] as number
    }
    this.count = count
    return sums
  }
}

function numbered(classes: Uint32Array): { readonly numbers: Uint32Array; readonly count: number } {
  // The numbers of classes may exceed the number of elements.
  let names = 0
  for (let at = 0; at < classes.length; at++) names = Math.max(names, (classes[at] as number) + 1)
  const numberOf = new Int32Array(names).fill(-1)
  const numbers = new Uint32Array(classes.length)
  let count = 0
  for (let at = 0; at < classes.length; at++) {
    const name = classes[at] as number
    if (numberOf[name] === -1) numberOf[name] = count++
    numbers[at] = numberOf[name] as number
  }
  return { numbers, count }
}

function ownNumbers(count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  for (let at = 0; at < count; at++) numbers[at] = at
  return numbers
}

function strengthsOf({ offsets, weights }: WeightedGraph): Float64Array {
  const strengths = new Float64Array(offsets.length - 1)
  for (let node = 0; node < strengths.length; node++) {
    for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) strengths[node]! += weights[at] as number
  }
  return strengths
}
