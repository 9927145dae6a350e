import { boundsOf, type Graph } from './graph.ts'

/** The outline of a group: where its notes are denser than those of any other group. */
export interface Area {
  /** Palette index. */
  readonly colour: number
  /** `x, y` of the corners, in units of the layout. */
  readonly outline: readonly number[]
}

/** 1 for visible notes, and the palette index of each note. The last color of the palette has no area. */
interface Shown {
  readonly shown: Uint8Array
  readonly colours: Uint8Array
  readonly palette: readonly string[]
}

/** Reach of a note on a map of up to `few` notes, and on larger ones, and size of a cell, in usual distances between notes. */
const REACH = { few: 300, ofFew: 1.15, ofMany: 1.7, cell: 0.5 }
/** Maximum number of cells along the longer side. */
const CELLS = 170
/** Minimum density, in notes at one point. A note on its own has no area. */
const LEAST = 1.25

let kept: { readonly key: readonly unknown[]; readonly areas: readonly Area[] } | undefined

/** Returns an outline for each color, around the largest connected part of its notes. */
export function areasOf(graph: Graph, { shown, colours, palette }: Shown): readonly Area[] {
  const key = [graph.places, shown, colours]
  if (kept?.key.every((one, at) => one === key[at]) !== true) {
    const notes = [...graph.degrees.keys()].filter((note) => shown[note] === 1 && (graph.degrees[note] ?? 0) > 0)
    kept = { key, areas: notes.length < 3 ? [] : outlined(graph, notes, { colours, other: palette.length - 1 }) }
  }
  return kept?.areas ?? []
}

/** Checks whether a point of the layout is in an area (by the crossings of a ray to the left). */
export function isInside({ outline }: Area, x: number, y: number): boolean {
  let isIn = false
  for (let at = 0; at < outline.length; at += 2) {
    const [fromX = 0, fromY = 0, toX = outline[0] ?? 0, toY = outline[1] ?? 0] = outline.slice(at, at + 4)
    if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) isIn = !isIn
  }
  return isIn
}

interface Cells {
  readonly columns: number
  readonly rows: number
  readonly size: number
  readonly left: number
  readonly top: number
}

function outlined(
  graph: Graph,
  notes: readonly number[],
  { colours, other }: { readonly colours: Uint8Array; readonly other: number },
): readonly Area[] {
  const { places } = graph
  const [xs, ys] = [0, 1].map((axis) => notes.map((note) => places[note * 2 + axis] ?? 0)) as [number[], number[]]
  const [left, top, right, bottom] = boundsOf(xs.flatMap((x, at) => [x, ys[at] ?? 0]))
  const usual = usualDistance(xs, ys)
  const size = Math.max(REACH.cell * usual, (right - left) / CELLS, (bottom - top) / CELLS)
  const spread = Math.max((xs.length < REACH.few ? REACH.ofFew : REACH.ofMany) * usual, size)
  // Nothing is dense at the edges, so outlines close.
  const border = 3 * spread
  const cells = {
    columns: Math.ceil((right - left + 2 * border) / size) + 1,
    rows: Math.ceil((bottom - top + 2 * border) / size) + 1,
    size,
    left: left - border,
    top: top - border,
  }
  const densities = Array.from({ length: other + 1 }, () => new Float32Array(cells.columns * cells.rows))
  for (const [at, note] of notes.entries()) {
    const density = densities[colours[note] ?? other]
    if (density !== undefined) addNote(density, cells, { x: xs[at] ?? 0, y: ys[at] ?? 0, spread })
  }
  return densities.slice(0, other).flatMap((own, colour) => {
    const others = densities.filter((one) => one !== own)
    const lead = own.map((density, cell) => density - others.reduce((most, one) => Math.max(most, one[cell] ?? 0), LEAST))
    const outline = outlineOf(lead, cells)
    return outline.length < 6 ? [] : [{ colour, outline }]
  })
}

/** Returns the median distance to the nearest note, from a sample. */
function usualDistance(xs: readonly number[], ys: readonly number[]): number {
  const nearest: number[] = []
  for (let note = 0; note < xs.length; note += Math.ceil(xs.length / 150)) {
    let best = Number.POSITIVE_INFINITY
    for (let other = 0; other < xs.length; other++)
      if (other !== note)
        best = Math.min(best, Math.hypot((xs[other] ?? 0) - (xs[note] ?? 0), (ys[other] ?? 0) - (ys[note] ?? 0)))
    nearest.push(best)
  }
  return nearest.sort((a, b) => a - b)[nearest.length >> 1] || 1
}

interface Blob {
  readonly x: number
  readonly y: number
  readonly spread: number
}

function addNote(density: Float32Array, { columns, rows, size, left, top }: Cells, { x, y, spread }: Blob): void {
  const most = Math.ceil((2.5 * spread) / size)
  const [column, row] = [Math.round((x - left) / size), Math.round((y - top) / size)]
  for (let down = Math.max(0, row - most); down <= Math.min(rows - 1, row + most); down++)
    for (let right = Math.max(0, column - most); right <= Math.min(columns - 1, column + most); right++) {
      const square = (left + right * size - x) ** 2 + (top + down * size - y) ** 2
      const at = down * columns + right
      density[at] = (density[at] ?? 0) + Math.exp(-square / (2 * spread * spread))
    }
}

/** Returns the outline of the part with the highest total above zero (marching squares). */
function outlineOf(lead: Float32Array, cells: Cells): readonly number[] {
  const { columns, rows, size, left, top } = cells
  const part = mainPart(lead, cells)
  const value = (at: number): number => (part[at] === 1 ? (lead[at] ?? 0) : Math.min(-1e-3, lead[at] ?? 0))
  // A corner of the outline lies on the edge from a cell to the one on its right (even) or below (odd).
  const next = new Map<number, number>()
  for (let at = 0; at < columns * (rows - 1) - 1; at++) {
    const inside = (part[at] ?? 0) + (part[at + 1] ?? 0) + (part[at + columns] ?? 0) + (part[at + columns + 1] ?? 0)
    if (inside === 0 || inside === 4) continue
    const corners = [at, at + 1, at + columns + 1, at + columns]
    const sides = [at * 2, (at + 1) * 2 + 1, (at + columns) * 2, at * 2 + 1]
    const isIn = corners.map((corner) => value(corner) > 0)
    // From each side where the inside ends to the one where it begins, clockwise.
    for (let side = 0; side < 4; side++) {
      if (!isIn[side] || isIn[(side + 1) % 4]) continue
      let to = side
      while (isIn[to] || !isIn[(to + 1) % 4]) to = (to + 3) % 4
      next.set(sides[to] ?? 0, sides[side] ?? 0)
    }
  }
  return rounded(
    longestLoop(next).flatMap((side) => {
      const from = side >> 1
      const to = side % 2 === 0 ? from + 1 : from + columns
      const share = value(from) / (value(from) - value(to))
      const along = (a: number, b: number): number => a + (b - a) * Math.min(0.9, Math.max(0.1, share))
      return [
        left + along(from % columns, to % columns) * size,
        top + along(Math.floor(from / columns), Math.floor(to / columns)) * size,
      ]
    }),
  )
}

/** Returns the longest of the loops that lead from each number to the next. */
function longestLoop(next: Map<number, number>): readonly number[] {
  let longest: readonly number[] = []
  while (next.size > 0) {
    const loop: number[] = []
    for (let at = next.keys().next().value; at !== undefined; ) {
      const following = next.get(at)
      next.delete(at)
      loop.push(at)
      at = following !== undefined && next.has(following) ? following : undefined
    }
    if (loop.length > longest.length) longest = loop
  }
  return longest
}

/** Marks the cells of the connected part with the highest total. */
function mainPart(lead: Float32Array, { columns }: Cells): Uint8Array {
  const partOf = new Int32Array(lead.length)
  let best = 0
  let most = 0
  let count = 0
  for (let first = 0; first < lead.length; first++) {
    if ((lead[first] ?? 0) <= 0 || partOf[first] !== 0) continue
    const edge = [first]
    partOf[first] = ++count
    let total = 0
    for (let at = edge.pop(); at !== undefined; at = edge.pop()) {
      total += lead[at] ?? 0
      for (const near of [at - 1, at + 1, at - columns, at + columns])
        if ((lead[near] ?? 0) > 0 && partOf[near] === 0) {
          partOf[near] = count
          edge.push(near)
        }
    }
    if (total > most) [most, best] = [total, count]
  }
  return Uint8Array.from(partOf, (part) => Number(part === best && best > 0))
}

/** Number of times that each corner moves to the mean of itself and the next ones. */
const ROUNDS = 4

/** Smooths an outline. */
function rounded(points: readonly number[]): readonly number[] {
  let now = points
  for (let round = 0; round < ROUNDS; round++)
    now = now.map((at, index) => (at + (now.at(index - 2) ?? 0) * 0.5 + (now[(index + 2) % now.length] ?? 0) * 0.5) / 2)
  return now
}
