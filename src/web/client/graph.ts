import { placesByNumber } from '../../core/csr.ts'
import { type PartialPicture, showsRegions, type VaultPicture } from '../../core/insight/picture.ts'

export interface Graph {
  readonly count: number
  /** The number of notes, while `count` also includes attachments and canvases. */
  readonly notes: number
  readonly picture: VaultPicture | PartialPicture
  readonly places: Float32Array
  /**
   * The start of each row. Row `n` is `targets[offsets[n]]` up to `targets[offsets[n + 1]]`. Each link is in the rows of both
   * ends.
   */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** The numbers of both ends of each link. */
  readonly pairs: Uint32Array
  /** Number of linked notes, including notes that are not drawn. */
  readonly degrees: Uint32Array
  readonly vault: { readonly notes: number; readonly links: number }
  readonly numberOf: ReadonlyMap<string, number>
}

/** The grouping of notes. `region` groups those that are connected only by links. */
export type GroupedBy = 'community' | 'region'
export type ColorBy = GroupedBy | 'folder' | 'tag' | 'age'

/** Returns the groups, and the group index of each note, or -1. */
export function groupingBy({ picture }: Graph, by: GroupedBy) {
  return by === 'region'
    ? { of: picture.region_of, groups: picture.regions }
    : { of: picture.communities, groups: picture.groups }
}

export function overviewBy({ picture: { groups, regions }, vault }: Graph): GroupedBy {
  const sizes = regions.map(({ notes }) => notes)
  return showsRegions(groups.length, sizes, vault.notes) ? 'region' : 'community'
}

/** If there are no points, left is greater than right. */
export function boundsOf(points: ArrayLike<number>): [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < points.length; at += 2) {
    left = Math.min(left, points[at] ?? 0)
    right = Math.max(right, points[at] ?? 0)
    top = Math.min(top, points[at + 1] ?? 0)
    bottom = Math.max(bottom, points[at + 1] ?? 0)
  }
  return [left, top, right, bottom]
}

export function graphOf(picture: VaultPicture | PartialPicture, places = new Float32Array(bytesOf(picture.places))): Graph {
  const pairs = new Uint32Array(bytesOf(picture.links))
  const notes = picture.ids.length
  const vault = 'count' in picture ? { notes: picture.count, links: picture.link_count } : { notes, links: pairs.length / 2 }
  return withLinks({ picture, places, notes, vault }, pairs)
}

/** Returns today's date as days since 1970. */
export function today(): number {
  return Math.floor(Date.now() / DAY_MS)
}

/** Formats a date such as `2026-03-04`. An unknown date becomes an empty string. */
export function dateOf(day: number | undefined): string {
  return day === undefined || day < 0 ? '' : new Date(day * DAY_MS).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000

export function withLinks(drawn: Pick<Graph, 'picture' | 'places' | 'notes' | 'vault'>, pairs: Uint32Array): Graph {
  const { picture } = drawn
  const count = picture.ids.length
  const { offsets, targets: ends } = placesByNumber(pairs, count)
  const linked = offsets.subarray(1).map((end, note) => end - (offsets[note] ?? 0))
  return {
    ...drawn,
    count,
    offsets,
    targets: ends.map((at) => pairs[at ^ 1] ?? 0),
    pairs,
    degrees: 'degrees' in picture ? linked.map((links, note) => Math.max(links, picture.degrees[note] ?? 0)) : linked,
    numberOf: new Map(picture.ids.map((id, note) => [id, note])),
  }
}

export function neighbors({ offsets, targets }: Graph, note: number): number[] {
  return [...targets.subarray(offsets[note] ?? 0, offsets[note + 1] ?? 0)]
}

type Point = readonly [x: number, y: number]

export function placeOf({ places }: { readonly places: ArrayLike<number> }, note: number): Point {
  return [places[note * 2] ?? 0, places[note * 2 + 1] ?? 0]
}

/** The maximum distance relative to the median distance of linked notes. */
const MAX_DISTANCE_RATIO = 3

export function nearby(graph: Graph, note: number): readonly number[] {
  const others = neighbors(graph, note).filter((other) => !isIndex(graph, other))
  const [x, y] = placeOf(graph, note)
  const distanceTo = (other: number): number => {
    const [toX, toY] = placeOf(graph, other)
    return Math.hypot(toX - x, toY - y)
  }
  const median = others.map(distanceTo).sort((a, b) => a - b)[others.length >> 1] ?? 0
  return [note, ...others.filter((other) => distanceTo(other) <= MAX_DISTANCE_RATIO * median)]
}

/**
 * Returns notes within `steps` links, including the note itself. Paths through index notes are ignored, because these notes
 * connect everything.
 */
export function around(graph: Graph, note: number, steps: number): ReadonlySet<number> {
  const reached = new Set([note])
  let frontier = [note]
  for (let step = 0; step < steps; step++) {
    const left = step === 0 ? frontier : frontier.filter((one) => !isIndex(graph, one))
    frontier = left.flatMap((one) => neighbors(graph, one)).filter((other) => !reached.has(other) && reached.add(other))
  }
  return reached
}

export function isIndex({ degrees, vault }: Graph, note: number): boolean {
  return (degrees[note] ?? 0) > Math.max(INDEX_LINKS.notes, INDEX_LINKS.share * vault.notes)
}

/** The thresholds for index notes, which have more links than `notes`, and links to more than this share of all notes. */
const INDEX_LINKS = { notes: 40, share: 0.02 }

/** Returns a note's radius in layout units. The layout has the same radii. */
export function radiusOf(links: number): number {
  return Math.min(5, 0.35 + 0.12 * Math.sqrt(links))
}

export const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Returns the closest visible linked note in a direction. */
export function towards(graph: Graph, note: number, [dx, dy]: Point, shown?: Uint8Array): number | undefined {
  const [x, y] = placeOf(graph, note)
  const costOf = (other: number): number => {
    const [toX, toY] = placeOf(graph, other)
    const along = (toX - x) * dx + (toY - y) * dy
    const across = Math.abs((toX - x) * dy - (toY - y) * dx)
    // The note must be within 60° of the direction.
    return along <= 0 || across > along * 1.75 ? Infinity : along + 2 * across
  }
  return neighbors(graph, note)
    .filter((other) => shown?.[other] !== 0 && costOf(other) < Infinity)
    .sort((a, b) => costOf(a) - costOf(b))[0]
}

export function isElsewhere(before: Graph, after: Graph): boolean {
  const common = [...after.numberOf].flatMap(([id, note]) => {
    const formerNote = before.numberOf.get(id)
    return formerNote === undefined ? [] : [before.places[formerNote * 2] !== after.places[note * 2]]
  })
  return common.filter(Boolean).length > common.length / 2
}

export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes.buffer
}
