import type { Unit, Units } from './units.ts'

/** The widest a chunk may be, in radii. */
const WIDEST = 4

/**
 * The starts of chunks: indexes of units, ascending, the first one 0. Chunks have at least `radius` words and, apart
 * from the size of one unit, at most four times as many; on average a little over twice.
 * A cut is a unit that ranks before all others within `radius` words on both sides: headings by level, then paragraphs,
 * lines and sentences; a hash of the text decides ties (local maximum method of Bjørner, Blass and Gurevich, 2010). A
 * cut depends only on the text near it, so an edit moves no distant chunk.
 */
export function cutsOf({ units, words }: Units, radius: number): readonly number[] {
  if (units.length === 0) return []
  const cuts: number[] = []
  const anchors = anchorsOf(units, words, radius)
  anchors.forEach((anchor, i) => {
    const end = anchors[i + 1]
    cuts.push(anchor)
    fill(cuts, units, { anchor, until: end === undefined ? words : (units[end]?.position ?? words), radius })
  })
  return cuts
}

function anchorsOf(units: readonly Unit[], words: number, radius: number): readonly number[] {
  const ranks = units.map((unit, i) => (i === 0 ? -1 : unit.level * 2 ** 26 + hash26(unit.plain)))
  const beaten = new Uint8Array(units.length)
  /** Units with ascending ranks: each is the nearest one before the next that does not rank after it. */
  const stack: number[] = []
  const near = (left: number, right: number) => positionOf(units, right) - positionOf(units, left) < radius
  for (let i = 0; i < units.length; i++) {
    const rank = ranks[i] ?? 0
    for (let top = stack.at(-1); top !== undefined && (ranks[top] ?? 0) > rank; top = stack.at(-1)) {
      if (near(top, i)) beaten[top] = 1
      stack.pop()
    }
    const before = stack.at(-1)
    if (before !== undefined && (near(before, i) || words - positionOf(units, i) < radius)) beaten[i] = 1
    stack.push(i)
  }
  return [...units.keys()].filter((i) => beaten[i] === 0)
}

function positionOf(units: readonly Unit[], index: number): number {
  return units[index]?.position ?? 0
}

interface Gap {
  readonly anchor: number
  /** Words of the note before its end. */
  readonly until: number
  readonly radius: number
}

/** Cuts what lies between two anchors, where it is too wide, at the best unit nearest to twice the radius. */
function fill(cuts: number[], units: readonly Unit[], { anchor, until, radius }: Gap): void {
  let last = anchor
  while (until - positionOf(units, last) > WIDEST * radius) {
    const from = positionOf(units, last)
    const best = bestBetween(units, {
      after: last,
      from,
      low: from + radius,
      high: Math.min(from + WIDEST * radius, until - radius),
      radius,
    })
    if (best === undefined) return
    cuts.push(best)
    last = best
  }
}

interface Window {
  readonly after: number
  readonly from: number
  readonly low: number
  readonly high: number
  readonly radius: number
}

function bestBetween(units: readonly Unit[], { after, from, low, high, radius }: Window): number | undefined {
  let best: number | undefined
  let least = Number.POSITIVE_INFINITY
  for (let i = after + 1; i < units.length && positionOf(units, i) <= high; i++) {
    if (positionOf(units, i) < low) continue
    const cost = (units[i]?.level ?? 0) * WIDEST * radius + Math.abs(positionOf(units, i) - from - 2 * radius)
    if (cost >= least) continue
    best = i
    least = cost
  }
  return best
}

/** FNV-1a of the beginning of a text, 26 bits. */
function hash26(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length && i < 64; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 6
}
