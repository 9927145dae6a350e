/**
 * Packs notes into circles by group, and groups next to linked groups. Position-based relaxation then moves linked notes closer
 * (Müller et al., Position based dynamics, 2007). A step takes linear time, because only overlapping bodies repel each other.
 */

import { type Adjacency, degree, placesByNumber } from '../core/csr.ts'
import { groupBy } from '../core/group-by.ts'
import { LARGE_REGION, MIN_PART, showsRegions } from '../core/insight/picture.ts'
import { connectedParts, mergeRows, type WeightedGraph } from './communities/weighted-graph.ts'
import { linkGroups } from './link-groups.ts'
import { GOLDEN_ANGLE, meanOf, type Nest, spreadOut } from './territories.ts'

/** The group of each note on each level. The coarsest level comes first. */
export type Levels = readonly Int32Array[]

export type Places = Float32Array

export function radiusOf(links: number): number {
  return Math.min(5, 0.35 + 0.12 * Math.sqrt(links))
}

const GAP = 1
/** The gap is smaller after spreading, so linked notes can be closer. */
const LEAST_GAP = 0.5
/** Tolerated overlap, as a share of the gap. */
const SLACK = 0.3
/** Filled share of a group's circle. */
const FILL = 0.62
/** The initial step toward the mean of the neighbors, as a share of the distance. It falls to a tenth. */
const PULL = 0.5
/** The pull toward the first position, relative to links. Otherwise, notes with a single link would crowd around their index. */
const ANCHOR = { groups: 0.02, notes: 0.1, all: 0.6, spread: 0.3 }
const STEPS = { groups: 200, notes: 60, all: 24, spread: 12 }
/** The maximum distance from the position after spreading. Notes with more than `most` links may move farther. */
const MOVE = { farthest: 2.5, most: 60 }
/** Maximum number of overlap rounds per step, and at the end. */
const ROUNDS = { step: 2, end: 120 }
const SMALL_PART = 4

export type OnProgress = (share: number) => void

/** The share of the progress for packing groups. */
const PACKING = 0.55
/** The share of the progress for grouping by links. */
const GROUPING = 0.2

/**
 * Places all notes, similar to a previous layout if there is one. The time is linear in notes and links, but quadratic in the
 * subgroups of a group.
 */
export function layOut(links: Adjacency, levels: Levels, onProgress: OnProgress = () => {}, before?: Places): Places {
  const count = links.offsets.length - 1
  const places = new Float32Array(count * 2)
  const radii = Float32Array.from({ length: count }, (_, note) => radiusOf(degree(links, note)))
  const parts = partsOf(links)
  const main: number[] = []
  const otherParts: (readonly number[])[] = []
  for (const part of parts) {
    if (part.length > SMALL_PART) for (const note of part) main.push(note)
    else otherParts.push(part)
  }
  const partOf = new Int32Array(count)
  for (const [number, part] of parts.entries()) for (const note of part) partOf[note] = number
  let packed = 0
  const onPacked = (notes: number): void => {
    packed += notes
    onProgress((PACKING * packed) / main.length)
  }
  const packing = { links, levels: [partOf, ...levels], radii, places, onPacked }
  packGroup(packing, main, 0)
  relaxNotes({ ...packing, onStep: (share) => onProgress(PACKING + (1 - PACKING) * share) }, main, 'all')
  const isMain = new Set(main)
  const resembling =
    before === undefined
      ? places
      : alignTo(
          places,
          before.map((place, at) => (isMain.has(at >> 1) ? place : Number.NaN)),
        )
  const mainPlaces = placesOf(main, resembling)
  const ownRadii = Float32Array.from(main, (note) => radii[note] ?? 0)
  const [groupOf = new Int32Array(main.length), inner] = levels.map((level) => Int32Array.from(main, (note) => level[note] ?? 0))
  const groups = groupsOf([...main.keys()], groupOf).map((bodies) => ({ bodies, parts: nestsIn(bodies, inner) }))
  const territoryOf = spreadOut({ places: mainPlaces, radii: ownRadii.map((radius) => radius + GAP / 2), groups })
  relax({ links: linksWithin(links, main, territoryOf), radii: ownRadii, places: mainPlaces, phase: 'spread' })
  const bodies = bodiesOf(ownRadii, mainPlaces, LEAST_GAP)
  for (let round = 0; round < ROUNDS.end; round++) if (pushApart(bodies) === 0) break
  putPlaces(main, mainPlaces, resembling)
  shelve(otherParts, radii, resembling)
  return resembling
}

function nestsIn(bodies: readonly number[], level: Int32Array | undefined): readonly Nest[] {
  if (level === undefined || bodies.length <= LARGE_REGION) return []
  const groups = groupsOf(bodies, level)
  const [large, small] = [groups.filter(({ length }) => length >= MIN_PART), groups.filter(({ length }) => length < MIN_PART)]
  const rest = small.flat()
  return [...large, ...(rest.length > 0 ? [rest] : [])].map((part) => ({ bodies: part, parts: [] }))
}

export interface LaidOut {
  readonly places: Places
  /** The region of each note. The array is omitted if only new notes were placed. */
  readonly regions?: Int32Array
}

/**
 * Adds new notes to a previous layout. With `again` or without a previous layout, all notes are placed, and the result is rotated
 * to match.
 */
export function layOutFrom(
  { levels, ...links }: Adjacency & { readonly levels: Levels },
  before: Places | undefined,
  { again, onProgress = () => {} }: { readonly again: boolean; readonly onProgress?: OnProgress },
): LaidOut {
  if (before !== undefined && !again) return { places: placeNew(links, before) }
  const regions = linkGroups(links)
  onProgress(GROUPING)
  const onLayout = (share: number): void => onProgress(GROUPING + (1 - GROUPING) * share)
  const sizes = sizesOf(regions)
  const isRegions = levels[0] === undefined || showsRegions(sizesOf(levels[0]).length, sizes, regions.length)
  return { places: layOut(links, isRegions ? [regions, ...levels] : levels, onLayout, before), regions }
}

function sizesOf(level: Int32Array): readonly number[] {
  const grouped = [...level.keys()].filter((note) => (level[note] ?? -1) >= 0)
  return groupsOf(grouped, level).map(({ length }) => length)
}

function placesOf(notes: readonly number[], places: Places): Places {
  const notePlaces = new Float32Array(notes.length * 2)
  for (const [at, note] of notes.entries()) notePlaces.set(places.subarray(note * 2, note * 2 + 2), at * 2)
  return notePlaces
}

function putPlaces(notes: readonly number[], ownPlaces: Places, places: Places): void {
  for (const [at, note] of notes.entries()) places.set(ownPlaces.subarray(at * 2, at * 2 + 2), note * 2)
}

export function placeNew(links: Adjacency, before: Places): Places {
  const count = links.offsets.length - 1
  const places = Float32Array.from({ length: count * 2 }, (_, at) => before[at] ?? Number.NaN)
  const radii = Float32Array.from({ length: count }, (_, note) => radiusOf(degree(links, note)))
  const grid = new Grid(2)
  const waiting: number[] = []
  for (let note = 0; note < count; note++) {
    if (isPlaced(places, note)) grid.add(note, places)
    else waiting.push(note)
  }
  const shelf = shelfBelow(places, count)
  for (let unplaced = waiting; unplaced.length > 0; ) {
    const next = unplaced.filter((note) => neighbors(links, note).some((other) => isPlaced(places, other)))
    const batch = next.length > 0 ? next : unplaced.slice(0, 1)
    for (const note of batch) {
      const near = neighbors(links, note).filter((other) => isPlaced(places, other))
      const [x, y] = near.length === 0 ? shelf : meanOf(near, places)
      putFree({ note, x, y }, { grid, places, radii })
    }
    const placed = new Set(batch)
    unplaced = unplaced.filter((note) => !placed.has(note))
  }
  return places
}

interface Packing {
  readonly links: Adjacency
  readonly levels: Levels
  readonly radii: Float32Array
  readonly places: Places
  readonly onPacked: (notes: number) => void
  readonly onStep?: OnProgress
}

function packGroup(packing: Packing, notes: readonly number[], level: number): number {
  const { links, levels, radii, places } = packing
  const grouping = levels[level]
  if (grouping === undefined) return packNotes(packing, notes)
  const groups = groupsOf(notes, grouping)
  if (groups.length === 1) return packGroup(packing, notes, level + 1)
  const sizes = groups.map((group) => packGroup(packing, group, level + 1))
  const order = [...groups.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0))
  const numberOf = new Map<number, number>()
  for (const [place, at] of order.entries()) for (const note of groups[at] ?? []) numberOf.set(note, place)
  const between = quotient(links, numberOf, order.length)
  const circles = Float32Array.from(order, (at) => sizes[at] ?? 1)
  const centers = sunflower(circles)
  relax({ links: between, radii: circles, places: centers, phase: 'groups' })
  for (const note of notes) {
    const at = numberOf.get(note) ?? 0
    places[note * 2] = (places[note * 2] ?? 0) + (centers[at * 2] ?? 0)
    places[note * 2 + 1] = (places[note * 2 + 1] ?? 0) + (centers[at * 2 + 1] ?? 0)
  }
  return center(places, notes, radii)
}

function packNotes(packing: Packing, notes: readonly number[]): number {
  const { links, radii, places } = packing
  const order = fromCenter(links, notes)
  const start = sunflower(Float32Array.from(order, (note) => radii[note] ?? 1))
  putPlaces(order, start, places)
  if (notes.length > 2) relaxNotes(packing, notes, 'notes')
  packing.onPacked(notes.length)
  return center(places, notes, radii)
}

function relaxNotes({ links, radii, places, onStep }: Packing, notes: readonly number[], phase: Phase): void {
  const ownPlaces = placesOf(notes, places)
  const numberOf = new Map(notes.map((note, at) => [note, at]))
  relax({
    links: quotient(links, numberOf, notes.length),
    radii: Float32Array.from(notes, (note) => radii[note] ?? 1),
    places: ownPlaces,
    phase,
    ...(onStep && { onStep }),
  })
  putPlaces(notes, ownPlaces, places)
}

function groupsOf(notes: readonly number[], level: Int32Array): readonly (readonly number[])[] {
  return [...groupBy(notes, (note) => level[note] ?? 0).values()]
}

function quotient(links: Adjacency, numberOf: ReadonlyMap<number, number>, count: number): WeightedGraph {
  const groupOf = new Int32Array(links.offsets.length - 1).fill(-1)
  let maxDistance = 0
  for (const [note, group] of numberOf) {
    groupOf[note] = group
    maxDistance += degree(links, note)
  }
  const notes = [...numberOf.keys()]
  const members = placesByNumber([...numberOf.values()], count)
  const starts = new Uint32Array(count + 1)
  const targets = new Uint32Array(maxDistance)
  const weights = new Float64Array(maxDistance)
  let size = 0
  for (let group = 0; group < count; group++) {
    for (let at = members.offsets[group] as number; at < (members.offsets[group + 1] as number); at++) {
      const note = notes[members.targets[at] as number] as number
      for (let link = links.offsets[note] as number; link < (links.offsets[note + 1] as number); link++) {
        const other = links.targets[link] as number
        const to = groupOf[other] as number
        if (to === -1 || to === group) continue
        targets[size] = to
        weights[size++] = weightOf(links, note, other)
      }
    }
    starts[group + 1] = size
  }
  return mergeRows(starts, { targets, weights })
}

/**
 * Returns the links among `notes`. Links between different territories get a weight of 0. `territoryOf` is parallel to `notes`.
 */
function linksWithin(links: Adjacency, notes: readonly number[], territoryOf: Int32Array): WeightedGraph {
  const { offsets, targets, weights } = quotient(links, new Map(notes.map((note, at) => [note, at])), notes.length)
  for (const [at, territory] of territoryOf.entries())
    for (let link = offsets[at] ?? 0; link < (offsets[at + 1] ?? 0); link++)
      if (territoryOf[targets[link] ?? 0] !== territory) weights[link] = 0
  return { offsets, targets, weights }
}

/** Returns the weight of a link. Links of popular notes are weaker, because an index need not be near all its entries. */
function weightOf(links: Adjacency, a: number, b: number): number {
  return 1 / Math.sqrt(Math.max(degree(links, a), degree(links, b), 1))
}

type Phase = keyof typeof STEPS

interface Relaxing {
  readonly links: WeightedGraph
  readonly radii: Float32Array
  readonly places: Places
  readonly phase: Phase
  readonly onStep?: OnProgress
}

function relax({ links, radii, places, phase, onStep }: Relaxing): void {
  const first = places.slice()
  const next = new Float32Array(places.length)
  const steps = STEPS[phase]
  const bodies = bodiesOf(radii, places, phase === 'spread' ? LEAST_GAP : GAP)
  // Up to this many overlaps are acceptable.
  const maxOverlaps = radii.length / 1_000
  for (let step = 0; step < steps; step++) {
    const move = { links, places, first, next, anchor: ANCHOR[phase], share: PULL * (1 - (0.9 * step) / steps) }
    for (let body = 0; body < radii.length; body++) {
      moveToNeighbors(body, move)
      if (phase === 'spread') stayNear(body, move)
    }
    places.set(next)
    if (phase === 'notes' || phase === 'all') spread(bodies)
    const rounds = step === steps - 1 ? ROUNDS.end : ROUNDS.step
    for (let round = 0; round < rounds; round++) if (pushApart(bodies) <= maxOverlaps) break
    onStep?.((step + 1) / steps)
  }
}

function spread({ places, room }: Bodies): void {
  const count = places.length / 2
  const [x, y] = [meanAt(places, 0), meanAt(places, 1)]
  let squares = 0
  for (let at = 0; at < places.length; at += 2) squares += ((places[at] ?? 0) - x) ** 2 + ((places[at + 1] ?? 0) - y) ** 2
  // The mean squared distance from the center of an evenly filled disc is half the squared radius.
  const targetRadius = room / 2
  const factor = Math.sqrt(targetRadius / (squares / count))
  if (!(factor > 1) || !Number.isFinite(factor)) return
  for (let at = 0; at < places.length; at += 2) {
    places[at] = x + ((places[at] ?? 0) - x) * factor
    places[at + 1] = y + ((places[at + 1] ?? 0) - y) * factor
  }
}

function meanAt(places: Places, offset: number): number {
  let sum = 0
  for (let at = offset; at < places.length; at += 2) sum += places[at] ?? 0
  return sum / (places.length / 2)
}

interface Move {
  readonly links: WeightedGraph
  readonly places: Places
  readonly first: Places
  readonly next: Places
  readonly anchor: number
  readonly share: number
}

function moveToNeighbors(body: number, { links, places, first, next, anchor, share }: Move): void {
  let sum = anchor
  let x = anchor * (first[body * 2] ?? 0)
  let y = anchor * (first[body * 2 + 1] ?? 0)
  for (let at = links.offsets[body] ?? 0; at < (links.offsets[body + 1] ?? 0); at++) {
    const other = links.targets[at] ?? 0
    const weight = links.weights[at] ?? 0
    x += weight * (places[other * 2] ?? 0)
    y += weight * (places[other * 2 + 1] ?? 0)
    sum += weight
  }
  const ownX = places[body * 2] ?? 0
  const ownY = places[body * 2 + 1] ?? 0
  next[body * 2] = ownX + share * (x / sum - ownX)
  next[body * 2 + 1] = ownY + share * (y / sum - ownY)
}

function stayNear(body: number, { links, first, next }: Move): void {
  if (degree(links, body) > MOVE.most) return
  const [x, y] = [first[body * 2] ?? 0, first[body * 2 + 1] ?? 0]
  const [byX, byY] = [(next[body * 2] ?? 0) - x, (next[body * 2 + 1] ?? 0) - y]
  const share = Math.min(1, MOVE.farthest / Math.hypot(byX, byY))
  next[body * 2] = x + share * byX
  next[body * 2 + 1] = y + share * byY
}

/** The share of bodies, the largest ones, that have a separate, coarser grid. */
const LARGE = 0.05

interface Bodies {
  readonly radii: Float32Array
  readonly places: Places
  readonly gap: number
  readonly usual: SizeClass
  readonly large: SizeClass
  readonly room: number
}

interface SizeClass {
  readonly members: Uint32Array
  readonly radius: number
}

function bodiesOf(radii: Float32Array, places: Places, gap: number): Bodies {
  const order = Uint32Array.from(radii.keys()).sort((a, b) => (radii[a] ?? 0) - (radii[b] ?? 0) || a - b)
  const split = Math.ceil(order.length * (1 - LARGE))
  const classOf = (members: Uint32Array): SizeClass => ({
    members: members.slice().sort(),
    radius: radii[members.at(-1) ?? -1] ?? 0,
  })
  let area = 0
  for (const radius of radii) area += (radius + GAP / 2) ** 2
  return {
    radii,
    places,
    gap,
    room: area / FILL,
    usual: classOf(order.subarray(0, split)),
    large: classOf(order.subarray(split)),
  }
}

/** @returns the number of pairs with a noticeable overlap */
function pushApart(bodies: Bodies): number {
  const { radii, places, gap, usual, large } = bodies
  const squares = squaresOf(places, usual.members, 2 * usual.radius + gap)
  let overlaps = separateNear(squares, bodies)
  if (large.members.length === 0) return overlaps
  overlaps += separateNear(squaresOf(places, large.members, 2 * large.radius + gap), bodies)
  for (const body of large.members) {
    const reach = (radii[body] ?? 0) + usual.radius + gap
    meetAround(squares, { x: places[body * 2] ?? 0, y: places[body * 2 + 1] ?? 0, reach }, (other) => {
      overlaps += separate(body, other, bodies)
    })
  }
  return overlaps
}

function separateNear({ columns, rows, starts, bodies: inSquares }: Squares, bodies: Bodies): number {
  let overlaps = 0
  for (let square = 0; square < columns * rows; square++) {
    const end = starts[square + 1] ?? 0
    for (let at = starts[square] ?? 0; at < end; at++) {
      const body = inSquares[at] ?? 0
      for (let other = at + 1; other < end; other++) overlaps += separate(body, inSquares[other] ?? 0, bodies)
      // Only half of the surrounding cells are checked, because the other half will check this cell.
      for (const [right, down] of HALF_AROUND) {
        const column = (square % columns) + right
        if (column < 0 || column >= columns || square + down * columns >= columns * rows) continue
        const near = square + down * columns + right
        const last = starts[near + 1] ?? 0
        for (let other = starts[near] ?? 0; other < last; other++) overlaps += separate(body, inSquares[other] ?? 0, bodies)
      }
    }
  }
  return overlaps
}

interface Reach {
  readonly x: number
  readonly y: number
  readonly reach: number
}

function meetAround(
  { size, columns, rows, left, top, starts, bodies }: Squares,
  { x, y, reach }: Reach,
  meet: (other: number) => void,
): void {
  const column = (at: number): number => Math.min(columns - 1, Math.max(0, Math.floor((at - left) / size)))
  const row = (at: number): number => Math.min(rows - 1, Math.max(0, Math.floor((at - top) / size)))
  for (let down = row(y - reach); down <= row(y + reach); down++) {
    const to = starts[down * columns + column(x + reach) + 1] ?? 0
    for (let at = starts[down * columns + column(x - reach)] ?? 0; at < to; at++) meet(bodies[at] ?? 0)
  }
}

const HALF_AROUND = [
  [1, 0],
  [-1, 1],
  [0, 1],
  [1, 1],
] as const

interface Squares {
  readonly size: number
  readonly columns: number
  readonly rows: number
  readonly left: number
  readonly top: number
  /** The start of each cell. Cell `s` contains `bodies[starts[s]]` up to `bodies[starts[s + 1]]`. */
  readonly starts: Uint32Array
  readonly bodies: Uint32Array
}

/** Returns a grid with cells that are at least `minSide` wide. Their number is limited by the number of bodies. */
function squaresOf(places: Places, members: Uint32Array, minSide: number): Squares {
  const count = members.length
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const body of members) {
    left = Math.min(left, places[body * 2] ?? 0)
    right = Math.max(right, places[body * 2] ?? 0)
    top = Math.min(top, places[body * 2 + 1] ?? 0)
    bottom = Math.max(bottom, places[body * 2 + 1] ?? 0)
  }
  const size = Math.max(
    minSide,
    Math.sqrt(((right - left) * (bottom - top)) / (4 * count)),
    (right - left + bottom - top) / (4 * count),
  )
  const columns = Math.floor((right - left) / size) + 1
  const rows = Math.floor((bottom - top) / size) + 1
  const squares = members.map((body) => {
    const row = Math.floor(((places[body * 2 + 1] ?? 0) - top) / size)
    return row * columns + Math.floor(((places[body * 2] ?? 0) - left) / size)
  })
  const { offsets, targets } = placesByNumber(squares, columns * rows)
  return { size, columns, rows, left, top, starts: offsets, bodies: targets.map((at) => members[at] ?? 0) }
}

function separate(a: number, b: number, { radii, places, gap }: Bodies): number {
  const minDistance = (radii[a] ?? 0) + (radii[b] ?? 0) + gap
  let x = (places[a * 2] ?? 0) - (places[b * 2] ?? 0)
  let y = (places[a * 2 + 1] ?? 0) - (places[b * 2 + 1] ?? 0)
  const square = x * x + y * y
  if (square >= minDistance * minDistance) return 0
  let distance = Math.sqrt(square)
  if (distance < 1e-4) {
    // Two bodies at the same position may move in any direction, but it must be deterministic.
    x = Math.cos(b * GOLDEN_ANGLE)
    y = Math.sin(b * GOLDEN_ANGLE)
    distance = 1
  }
  const push = (minDistance - Math.min(distance, minDistance)) / distance
  const ofA = (radii[b] ?? 0) ** 2 / ((radii[a] ?? 0) ** 2 + (radii[b] ?? 0) ** 2)
  places[a * 2] = (places[a * 2] ?? 0) + x * push * ofA
  places[a * 2 + 1] = (places[a * 2 + 1] ?? 0) + y * push * ofA
  places[b * 2] = (places[b * 2] ?? 0) - x * push * (1 - ofA)
  places[b * 2 + 1] = (places[b * 2 + 1] ?? 0) - y * push * (1 - ofA)
  return minDistance - distance > SLACK ? 1 : 0
}

function sunflower(radii: Float32Array): Places {
  const places = new Float32Array(radii.length * 2)
  let area = 0
  for (const [at, radius] of radii.entries()) {
    const distance = at === 0 ? 0 : Math.sqrt((area + (radius + GAP / 2) ** 2 / 2) / FILL)
    places[at * 2] = distance * Math.cos(at * GOLDEN_ANGLE)
    places[at * 2 + 1] = distance * Math.sin(at * GOLDEN_ANGLE)
    area += (radius + GAP / 2) ** 2
  }
  return places
}

function center(places: Places, notes: readonly number[], radii: Float32Array): number {
  const [x, y] = meanOf(notes, places)
  const distances: number[] = []
  let area = 0
  for (const note of notes) {
    places[note * 2] = (places[note * 2] ?? 0) - x
    places[note * 2 + 1] = (places[note * 2 + 1] ?? 0) - y
    distances.push(Math.hypot(places[note * 2] ?? 0, places[note * 2 + 1] ?? 0) + (radii[note] ?? 0))
    area += ((radii[note] ?? 0) + GAP / 2) ** 2
  }
  distances.sort((a, b) => a - b)
  // Outliers are ignored.
  return notes.length === 1
    ? (distances[0] ?? 1)
    : Math.max(Math.sqrt(area), distances[Math.floor((distances.length - 1) * 0.95)] ?? 1)
}

/** Breadth-first order from the most linked note, so neighbors start close together. */
function fromCenter(links: Adjacency, notes: readonly number[]): readonly number[] {
  const waiting = new Set(notes)
  const byLinks = [...notes].sort((a, b) => degree(links, b) - degree(links, a) || a - b)
  const order: number[] = []
  for (const first of byLinks) {
    if (!waiting.delete(first)) continue
    order.push(first)
    for (let at = order.length - 1; at < order.length; at++) {
      for (const other of neighbors(links, order[at] ?? 0)) if (waiting.delete(other)) order.push(other)
    }
  }
  return order
}

function partsOf(links: Adjacency): readonly (readonly number[])[] {
  const numbers = connectedParts(links)
  const count = numbers.reduce((max, part) => Math.max(max, part + 1), 0)
  const notes = placesByNumber(numbers, count)
  const parts = Array.from({ length: count }, (_, part) => neighbors(notes, part))
  return parts.sort((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0))
}

function shelve(parts: readonly (readonly number[])[], radii: Float32Array, places: Places): void {
  const shelved = new Set(parts.flat())
  let left = 0
  let right = 0
  let bottom = 0
  for (let note = 0; note < radii.length; note++) {
    if (shelved.has(note)) continue
    const x = places[note * 2] ?? 0
    left = Math.min(left, x)
    right = Math.max(right, x)
    bottom = Math.max(bottom, places[note * 2 + 1] ?? 0)
  }
  const isAll = shelved.size === radii.length
  const width = Math.max(
    8,
    Math.min(isAll ? Number.POSITIVE_INFINITY : right - left, Math.sqrt(shelved.size) * (isAll ? 2.4 : 6)),
  )
  const start = (left + right - width) / 2
  let x = start
  let y = isAll ? 0 : bottom + 3
  for (const part of parts) {
    const size = part.length * 1.3 + (part.length > 1 ? 1.2 : 0)
    if (x + size > start + width) {
      x = start
      y += 2.2
    }
    for (const [at, note] of part.entries()) {
      places[note * 2] = x + at * 1.3
      places[note * 2 + 1] = y + (at % 2) * 0.5
    }
    x += size
  }
}

function shelfBelow(places: Places, count: number): readonly [number, number] {
  let sum = 0
  let placedCount = 0
  let bottom = 0
  for (let note = 0; note < count; note++) {
    if (!isPlaced(places, note)) continue
    sum += places[note * 2] ?? 0
    placedCount++
    bottom = Math.max(bottom, places[note * 2 + 1] ?? 0)
  }
  return [placedCount === 0 ? 0 : sum / placedCount, placedCount === 0 ? 0 : bottom + 2]
}

interface Placing {
  readonly note: number
  readonly x: number
  readonly y: number
}

function putFree({ note, x, y }: Placing, { grid, places, radii }: { grid: Grid; places: Places; radii: Float32Array }): void {
  const radius = radii[note] ?? 0
  for (let turn = 0; ; turn++) {
    const distance = 0.6 * Math.sqrt(turn)
    places[note * 2] = x + distance * Math.cos(turn * GOLDEN_ANGLE)
    places[note * 2 + 1] = y + distance * Math.sin(turn * GOLDEN_ANGLE)
    let isFree = true
    grid.around(note, places, radius + radiusOf(Number.MAX_SAFE_INTEGER) + GAP, (other) => {
      const distance = Math.hypot(
        (places[note * 2] ?? 0) - (places[other * 2] ?? 0),
        (places[note * 2 + 1] ?? 0) - (places[other * 2 + 1] ?? 0),
      )
      if (distance < radius + (radii[other] ?? 0) + GAP / 2) isFree = false
    })
    if (isFree) break
  }
  grid.add(note, places)
}

function isPlaced(places: Places, note: number): boolean {
  return Number.isFinite(places[note * 2]) && Number.isFinite(places[note * 2 + 1])
}

function neighbors({ offsets, targets }: Adjacency, note: number): readonly number[] {
  return Array.from(targets.subarray(offsets[note] ?? 0, offsets[note + 1] ?? 0))
}

class Grid {
  readonly #size: number
  readonly #cells = new Map<number, number[]>()

  constructor(size: number) {
    this.#size = size
  }

  add(body: number, places: Places): void {
    const key = this.#key(this.#square(places[body * 2]), this.#square(places[body * 2 + 1]))
    const cell = this.#cells.get(key)
    if (cell === undefined) this.#cells.set(key, [body])
    else cell.push(body)
  }

  around(body: number, places: Places, reach: number, visit: (other: number) => void): void {
    const x = places[body * 2] ?? 0
    const y = places[body * 2 + 1] ?? 0
    for (let column = this.#square(x - reach); column <= this.#square(x + reach); column++) {
      for (let row = this.#square(y - reach); row <= this.#square(y + reach); row++) {
        for (const other of this.#cells.get(this.#key(column, row)) ?? []) if (other !== body) visit(other)
      }
    }
  }

  #square(at = 0): number {
    return Math.floor(at / this.#size)
  }

  #key(column: number, row: number): number {
    return column * 4_194_304 + row
  }
}

/**
 * Rotates, mirrors and moves positions to match the previous ones (orthogonal Procrustes problem, Schönemann 1966). Positions
 * that are `NaN` are ignored.
 */
export function alignTo(places: Places, before: Places): Places {
  const placedNotes = [...Array(places.length / 2).keys()].filter((note) => isPlaced(before, note))
  if (placedNotes.length === 0) return places
  const [x, y] = meanOf(placedNotes, places)
  const [oldX, oldY] = meanOf(placedNotes, before)
  let [along, across, mirroredAlong, mirroredAcross] = [0, 0, 0, 0]
  for (const note of placedNotes) {
    const a = (places[note * 2] ?? 0) - x
    const b = (places[note * 2 + 1] ?? 0) - y
    const c = (before[note * 2] ?? 0) - oldX
    const d = (before[note * 2 + 1] ?? 0) - oldY
    along += a * c + b * d
    across += a * d - b * c
    mirroredAlong += a * c - b * d
    mirroredAcross += a * d + b * c
  }
  const isMirrored = Math.hypot(mirroredAlong, mirroredAcross) > Math.hypot(along, across)
  const angle = isMirrored ? Math.atan2(mirroredAcross, mirroredAlong) : Math.atan2(across, along)
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return places.map((_, at) => {
    const a = (places[at & ~1] ?? 0) - x
    const b = ((places[at | 1] ?? 0) - y) * (isMirrored ? -1 : 1)
    return at % 2 === 0 ? oldX + cos * a - sin * b : oldY + sin * a + cos * b
  })
}
