import { LARGE_REGION, MIN_PART } from '../../core/insight/picture.ts'
import { OTHER } from './colors.ts'
import { boundsOf, type Graph, type GroupedBy, placeOf } from './graph.ts'
import type { Box } from './map-labels.ts'
import { memoizeLast } from './memoize-last.ts'

type Lands = ReturnType<typeof landsOf>

export interface Divided {
  readonly shown: Uint8Array
  /** The palette index of each note. The last color means no group, and the number after it an index note. */
  readonly colors: Uint8Array
  readonly groupedBy: GroupedBy
  readonly isColoredByGroup: boolean
}

type Shown = Pick<Divided, 'shown' | 'colors'>

/**
 * Distances relative to the usual distance between notes. Areas fill straits up to twice as wide as `strait`. `blur` smooths
 * borders, and `corner` rounds corners.
 */
const REACH = { note: 1.5, strait: 2, enclosed: 5, part: 4, cell: 0.2, blur: 0.45, corner: 0.5 }
/** The quantile of nearest-neighbor distances. It is below 1, because only the center of a group is dense. */
const MOST = 0.8
const CELLS = 260
/** A group with fewer notes gets no outline. The limit is higher on maps with more than `few` notes. */
const LEAST = { few: 300, ofFew: 3, ofMany: 8 }
const LEAD = 0.1

export const areasOf = memoizeLast(
  ({ places }: Graph, { shown, colors }: Shown) => [places, shown, colors],
  (graph: Graph, { shown, colors }: Shown) => {
    const { degrees } = graph
    // Index notes are left out, because they belong to no area.
    const notes = [...degrees.keys()].filter(
      (note) => shown[note] === 1 && (degrees[note] ?? 0) > 0 && (colors[note] ?? 0) <= OTHER,
    )
    const lands = notes.length < LEAST.ofFew ? NO_LANDS : landsOf(graph, notes, colors, { isRound: true })
    // An index note has the color of the area around it.
    const of = colors.map((color, note) => (color <= OTHER ? color : (lands.colorAt(...placeOf(graph, note)) ?? color)))
    const [left, top, right, bottom] = boundsOf(graph.places)
    const bands = bandsOf(graph, (note) => (shown[note] === 1 ? (of[note] ?? OTHER) : OTHER))
    return { ...lands, of, bands, extent: Math.hypot(right - left, bottom - top) }
  },
)

/** The maximum number of links to count per note. Otherwise, a single note would dominate its part. */
const MANY = 20

export const landPartsOf = memoizeLast(
  ({ places, picture }: Graph, { shown, colors, ...look }: Divided) => [places, picture, shown, colors, hasParts(look)],
  (graph: Graph, { shown, colors, ...look }: Divided) => {
    const { degrees, picture } = graph
    const { communities, groups } = picture
    const drawn = [...degrees.keys()].filter((note) => shown[note] === 1 && (degrees[note] ?? 0) > 0)
    const divided = hasParts(look) ? byNumber(drawn, colors, OTHER) : []
    const parts = divided.flatMap((land, color) => {
      const members = byNumber(land, communities, groups.length)
      const all = members.map((notes, of) => ({ notes, label: groups[of]?.label ?? '', isRest: false }))
      const large = all.filter(({ notes }) => notes.length >= MIN_PART)
      if (land.length <= LARGE_REGION || large.length < 2) return []
      const numbers = new Uint8Array(graph.count).fill(large.length)
      for (const [number, { notes }] of large.entries()) for (const note of notes) numbers[note] = number
      const lands = landsOf(graph, land, numbers)
      // These notes are in no other part.
      const rest = land.filter((note) => numbers[note] === large.length)
      const named = rest.length < MIN_PART ? large : [...large, { notes: rest, label: 'small groups', isRest: true }]
      const linked = named.map(
        ({ notes }) => notes.reduce((sum, note) => sum + Math.min(MANY, degrees[note] ?? 0), 0) / notes.length,
      )
      const ascending = linked.toSorted((a, b) => a - b)
      return named.map((part, number) => ({
        ...part,
        color,
        // The rank by number of links among the parts of an area, from 0 to 1.
        rank: ascending.indexOf(linked[number] ?? 0) / (named.length - 1),
        bounds: boundsOfMost(graph, part.notes),
        outlines: lands.all.find((area) => area.color === number)?.outlines ?? [],
        has: (x: number, y: number) => lands.colorAt(x, y) === number,
      }))
    })
    return parts.sort((a, b) => b.notes.length - a.notes.length)
  },
)

function hasParts({ groupedBy, isColoredByGroup }: Pick<Divided, 'groupedBy' | 'isColoredByGroup'>): boolean {
  return isColoredByGroup && groupedBy === 'region'
}

/** Returns a list of notes for each number below `count`. */
export function byNumber(notes: readonly number[], numbers: ArrayLike<number>, count: number): readonly number[][] {
  const lists = Array.from({ length: count }, (): number[] => [])
  for (const note of notes) lists[numbers[note] ?? -1]?.push(note)
  return lists
}

type Members = { readonly notes: readonly number[] }

export function partsWithin<Part extends Members>(parts: readonly Part[], within: ReadonlySet<number>): Part[] {
  return parts.filter(({ notes }) => notes.every((note) => within.has(note)))
}

/** Returns the bounds of most notes. Notes without links are ignored, because they are far from the others. */
export function boundsOfMost({ degrees, places }: Graph, notes: readonly number[]): Box {
  const linked = notes.filter((note) => (degrees[note] ?? 0) > 0)
  const near = linked.length === 0 ? notes : linked
  const [xs = [], ys = []] = [0, 1].map((axis) => near.map((note) => places[note * 2 + axis] ?? 0).sort((a, b) => a - b))
  const edge = (sorted: readonly number[], share: number): number => sorted[Math.round(share * (near.length - 1))] ?? 0
  return [edge(xs, 0.05), edge(ys, 0.05), edge(xs, 0.95), edge(ys, 0.95)]
}

const NO_LANDS: Lands = { all: [], reach: 0, colorAt: () => undefined }

/** Returns the links between each pair of areas, with the best linked note of either area. */
function bandsOf({ degrees, pairs }: Graph, landOf: (note: number) => number) {
  const links = new Map<number, number>()
  for (let at = 0; at < pairs.length; at += 2) {
    const [from = OTHER, to = OTHER] = [...pairs.subarray(at, at + 2)].map(landOf).sort((a, b) => a - b)
    if (from !== to && to < OTHER) links.set(from * OTHER + to, (links.get(from * OTHER + to) ?? 0) + 1)
  }
  const best: number[] = []
  for (const [note, count] of degrees.entries()) {
    const land = landOf(note)
    if (count > (degrees[best[land] ?? -1] ?? 0)) best[land] = note
  }
  return [...links].map(([lands, count]) => {
    const [from, to] = [Math.floor(lands / OTHER), lands % OTHER]
    return { from, to, ends: [best[from] ?? 0, best[to] ?? 0], links: count }
  })
}

type Cells = ReturnType<typeof cellsAround>

/** Returns a grid of cells with a border around bounds. */
function cellsAround([left, top, right, bottom]: Box, size: number, border: number) {
  const columns = Math.ceil((right - left + 2 * border) / size) + 1
  const rows = Math.ceil((bottom - top + 2 * border) / size) + 1
  return { columns, rows, size, left: left - border, top: top - border }
}

/** @param isRound true to smooth borders, which takes time for each color */
function landsOf(graph: Graph, notes: readonly number[], colors: Uint8Array, { isRound = false } = {}) {
  const bounds = boundsOf(notes.flatMap((note) => placeOf(graph, note)))
  const usual = usualDistance(graph, notes)
  const reach = (isRound ? REACH.enclosed : REACH.part) * usual
  const size = Math.max(REACH.cell * usual, (bounds[2] - bounds[0]) / CELLS, (bounds[3] - bounds[1]) / CELLS)
  // Surrounds the notes with empty cells, so all outlines are closed.
  const cells = cellsAround(bounds, size, (REACH.note + REACH.strait) * usual + 4 * size)
  const { columns, rows } = cells
  const cellAt = (x: number, y: number): number =>
    Math.round((y - cells.top) / size) * columns + Math.round((x - cells.left) / size)
  const outside = 1 + notes.reduce((most, note) => Math.max(most, colors[note] ?? 0), 0)
  const ownersAmong = (some: readonly number[]): Uint8Array => {
    const owner = new Uint8Array(columns * rows).fill(outside)
    const nearest = new Float32Array(owner.length).fill(reach * reach)
    for (const note of some) {
      const [x, y] = [(graph.places[note * 2] ?? 0) - cells.left, (graph.places[note * 2 + 1] ?? 0) - cells.top]
      const [color, lastRow] = [colors[note] ?? 0, Math.min(rows - 1, Math.floor((y + reach) / size))]
      for (let down = Math.max(0, Math.ceil((y - reach) / size)); down <= lastRow; down++) {
        const downSquare = (down * size - y) ** 2
        const wide = Math.sqrt(Math.max(0, reach * reach - downSquare))
        const end = down * columns + Math.min(columns - 1, Math.floor((x + wide) / size))
        for (let at = down * columns + Math.max(0, Math.ceil((x - wide) / size)); at <= end; at++) {
          const square = ((at - down * columns) * size - x) ** 2 + downSquare
          if (square >= (nearest[at] ?? 0)) continue
          nearest[at] = square
          owner[at] = color
        }
      }
    }
    // A cell far from all notes belongs to no area, unless areas enclose it.
    const openFrom = ((REACH.note + REACH.strait) * usual) ** 2
    const isOpen = owner.map((_, at) => Number((nearest[at] ?? 0) >= openFrom))
    const nearOpen = grown(isOpen, cells, Math.round((REACH.strait * usual) / size))
    const isFar = nearOpen.map((isNear, at) => Number(isNear === 1 && (nearest[at] ?? 0) >= (REACH.note * usual) ** 2))
    const around = piecesOf(isFar, cells)
    return owner.map((color, at) => (isFar[at] === 1 && around[at] === around[0] ? outside : color))
  }
  const first = ownersAmong(notes)
  // Removes pieces with few notes, which are surrounded by another color.
  const least = notes.length < LEAST.few ? LEAST.ofFew : LEAST.ofMany
  const pieces = piecesOf(first, cells)
  const pieceOf = (note: number): number => pieces[cellAt(...placeOf(graph, note))] ?? 0
  const members = new Map<number, number>()
  for (const note of notes) members.set(pieceOf(note), (members.get(pieceOf(note)) ?? 0) + 1)
  const most = notes.filter((note) => (members.get(pieceOf(note)) ?? 0) >= least)
  const owner = most.length === notes.length ? first : ownersAmong(most)
  const cellsFor = (distance: number): number => Math.max(1, Math.round((distance * usual) / size))
  const leads = isRound ? roundedLeads(owner, cells, outside, cellsFor(REACH.blur), cellsFor(REACH.corner)) : []
  const land = isRound ? new Uint8Array(owner.length).fill(outside) : owner
  for (const [color, lead] of leads.entries()) for (let at = 0; at < land.length; at++) if ((lead[at] ?? 0) > 0) land[at] = color
  // Outlines are `x, y` pairs in layout units. An outline within another one is a hole.
  const all = edgesOf(land, columns, outside).flatMap((edges, color) => {
    const valueAt = (at: number): number => leads[color]?.[at] ?? (land[at] === color ? 1 : -1)
    const outlines = outlinesOf(valueAt, cells, edges)
    if (outlines.length === 0) return []
    // Some corners are left out to hide the steps of cells.
    return [{ color, outlines: isRound ? outlines : outlines.map((outline) => outline.filter((_, at) => at % 8 < 2)) }]
  })
  return {
    all,
    reach: REACH.note * usual,
    colorAt(x: number, y: number): number | undefined {
      const isIn = x > cells.left && x < cells.left + (columns - 1) * size
      const found = isIn ? (land[cellAt(x, y)] ?? outside) : outside
      return found < outside ? found : undefined
    },
  }
}

/** Returns the squares along the edges of each color, by their top left cell. */
function edgesOf(land: Uint8Array, columns: number, outside: number): readonly number[][] {
  const edges = Array.from({ length: outside }, (): number[] => [])
  for (let at = 0; at < land.length - columns - 1; at++) {
    const square = [land[at], land[at + 1], land[at + columns], land[at + columns + 1]]
    if (square.every((one) => one === square[0])) continue
    for (const one of new Set(square)) edges[one ?? outside]?.push(at)
  }
  return edges
}

/** Returns the distance within which most notes have their nearest neighbor. */
function usualDistance(graph: Graph, notes: readonly number[]): number {
  const { places } = graph
  const step = Math.ceil(notes.length / 150)
  const sample = notes.filter((_, at) => at % step === 0)
  const nearest = sample.map((note) => {
    const [x, y] = placeOf(graph, note)
    let best = Infinity
    for (const other of notes)
      if (other !== note) best = Math.min(best, ((places[other * 2] ?? 0) - x) ** 2 + ((places[other * 2 + 1] ?? 0) - y) ** 2)
    return Math.sqrt(best)
  })
  return nearest.sort((a, b) => a - b)[Math.floor(MOST * nearest.length)] || 1
}

/** Returns the cells within a distance of marked ones, in cells. */
function grown(isMarked: Uint8Array, { columns }: Cells, distance: number): Uint8Array {
  const found = isMarked.slice()
  for (let at = 0; at < isMarked.length; at++) {
    if (isMarked[at] === 0 || [at - 1, at + 1, at - columns, at + columns].every((next) => isMarked[next] !== 0)) continue
    for (let down = -distance; down <= distance; down++) {
      const along = Math.floor(Math.sqrt(distance ** 2 - down ** 2))
      found.fill(1, Math.max(0, at + down * columns - along), Math.max(0, at + down * columns + along + 1))
    }
  }
  return found
}

function piecesOf(owner: Uint8Array, { columns }: Cells): Int32Array {
  const of = new Int32Array(owner.length)
  let count = 0
  for (let first = 0; first < owner.length; first++) {
    if (of[first] !== 0) continue
    const edge = [first]
    of[first] = ++count
    for (let at = edge.pop(); at !== undefined; at = edge.pop())
      for (const near of [at - 1, at + 1, at - columns, at + columns])
        if (of[near] === 0 && owner[near] === owner[at]) {
          of[near] = count
          edge.push(near)
        }
  }
  return of
}

/** Returns the lead of each owner over the others near a cell. This rounds corners and removes strips narrower than a corner. */
function roundedLeads(owner: Uint8Array, cells: Cells, outside: number, blur: number, corner: number): readonly Float32Array[] {
  const isOwn = (one: number): Uint8Array => owner.map((is) => Number(is === one))
  const shares = Array.from({ length: outside + 1 }, (_, one) => blurred(isOwn(one), cells, blur))
  const [first, second] = [new Float32Array(owner.length), new Float32Array(owner.length)]
  for (const own of shares)
    for (let at = 0; at < own.length; at++) {
      const share = own[at] ?? 0
      second[at] = Math.max(second[at] ?? 0, Math.min(share, first[at] ?? 0))
      first[at] = Math.max(first[at] ?? 0, share)
    }
  return shares.map((own) => {
    const lead = own.map((share, at) => share - ((share === first[at] ? second[at] : first[at]) ?? 0) - LEAD)
    const bounded = lead.map((by) => Math.min(1, Math.max(0, 0.5 + by)))
    return blurred(bounded, cells, corner).map((share) => share - 0.5)
  })
}

/** Approximates a Gaussian blur with three box blurs. */
function blurred(values: Uint8Array | Float32Array, { columns, rows }: Cells, reach: number): Float32Array {
  let now = new Float32Array(values)
  for (let round = 0; round < 3; round++)
    for (const [step, count, lines, next] of [
      [1, columns, rows, columns],
      [columns, rows, columns, 1],
    ] as const) {
      const means = new Float32Array(now.length)
      for (let line = 0; line < lines; line++) {
        const [first, last] = [line * next, line * next + (count - 1) * step]
        let sum = reach * (now[first] ?? 0)
        for (let at = 0; at < reach; at++) sum += now[Math.min(last, first + at * step)] ?? 0
        for (let at = first; at <= last; at += step) {
          sum += now[Math.min(last, at + reach * step)] ?? 0
          if (sum !== 0) means[at] = sum / (2 * reach + 1)
          sum -= now[Math.max(first, at - reach * step)] ?? 0
        }
      }
      now = means
    }
  return now
}

/** Returns the outlines of all values above zero by marching squares. */
function outlinesOf(value: (at: number) => number, { columns, size, left, top }: Cells, some: readonly number[]) {
  const next = new Map<number, number>()
  for (const at of some) {
    const isIn = [at, at + 1, at + columns + 1, at + columns].map((corner) => value(corner) > 0)
    const sides = [at * 2, (at + 1) * 2 + 1, (at + columns) * 2, at * 2 + 1]
    for (let side = 0; side < 4; side++) {
      if (!isIn[side] || isIn[(side + 1) % 4]) continue
      let to = side
      while (isIn[to] || !isIn[(to + 1) % 4]) to = (to + 3) % 4
      next.set(sides[to] ?? 0, sides[side] ?? 0)
    }
  }
  return loopsOf(next).flatMap((loop) => {
    const outline = loop.flatMap((side) => {
      const from = side >> 1
      const to = side % 2 === 0 ? from + 1 : from + columns
      const share = value(from) / (value(from) - value(to))
      const along = (a: number, b: number): number => a + (b - a) * share
      return [
        left + along(from % columns, to % columns) * size,
        top + along(Math.floor(from / columns), Math.floor(to / columns)) * size,
      ]
    })
    return outline.length < SHORTEST ? [] : [outline]
  })
}

const SHORTEST = 48

function loopsOf(next: Map<number, number>): readonly (readonly number[])[] {
  const loops: number[][] = []
  while (next.size > 0) {
    const loop: number[] = []
    for (let at = next.keys().next().value; at !== undefined && next.has(at); ) {
      const following = next.get(at)
      next.delete(at)
      loop.push(at)
      at = following
    }
    loops.push(loop)
  }
  return loops
}
