export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A text to place: its lines, and its size in pixels. */
export interface Words {
  readonly text: string
  readonly lines: readonly string[]
  readonly font: string
  /** Space between letters in pixels. */
  readonly spacing: number
  readonly width: number
  readonly height: number
}

export type Point = readonly [x: number, y: number]

export interface Placing {
  /** How much of notes may be hidden, in grid cells. The center that hides the least is used. By default, no note may be hidden. */
  readonly mostHidden?: number
  /** Checks a center. */
  readonly isAllowed?: ((centre: Point) => boolean) | undefined
}

export interface Label extends Words {
  readonly box: Box
}

/** A view, and what labels should not hide there. */
export interface Room {
  readonly width: number
  readonly height: number
  /** Where labels are forbidden. */
  readonly covered: readonly Box[]
  readonly dots: Dots
  /** Hidden only by labels that would hide as much of notes elsewhere. */
  readonly lines?: Dots | undefined
}

/** The labels of a frame. They overlap neither each other nor notes. */
export class Labels {
  readonly placed: Label[] = []
  readonly room: Room

  constructor(room: Room) {
    this.room = room
  }

  /** Uses the free center in view that hides the least of notes, or the first of several. Returns `undefined` if there is none. */
  place(words: Words, centres: readonly Point[], { mostHidden = 0, isAllowed }: Placing = {}): Label | undefined {
    const { width, height } = words
    const { covered, dots, lines, ...view } = this.room
    let best: Box | undefined
    let least = Infinity
    for (const centre of centres) {
      const [x, y] = centre
      const box: Box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
      if (box[0] < EDGE || box[2] > view.width - EDGE || box[1] < 2 || box[3] > view.height - 2) continue
      if (covered.some((other) => overlap(box, other)) || this.placed.some(({ box: other }) => overlap(box, other))) continue
      if (isAllowed?.(centre) === false) continue
      const hidden = dots.below(box, Math.min(mostHidden, least))
      if (hidden > mostHidden || hidden >= least) continue
      const cost = hidden + LINE_COST * (lines?.below(box, (least - hidden) / LINE_COST) ?? 0)
      if (cost >= least) continue
      best = box
      least = cost
      if (cost === 0) break
    }
    if (best === undefined) return undefined
    const label = { ...words, box: best }
    this.placed.push(label)
    return label
  }
}

/** Where a line may end: after a space, or after a hyphen behind a letter. */
const BREAKS = /(?<=\s|\p{L}-)(?=\S)/u

/** Returns the ways to write a text in up to three lines, and two for three words, each as narrow as possible. */
export function wrapped(text: string): readonly (readonly string[])[] {
  const words = text.split(BREAKS)
  const breaks = words.slice(1).map((_, at) => at + 1)
  const ways: (readonly number[])[] = [
    [],
    ...breaks.map((at) => [at]),
    ...breaks
      .slice(words.length > 3 ? 0 : breaks.length)
      .flatMap((at) => breaks.filter((next) => next > at).map((next) => [at, next])),
  ]
  const best = new Map<number, readonly string[]>()
  const longest = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length))
  for (const way of ways) {
    const lines = [0, ...way].map((from, at) => words.slice(from, way[at]).join('').trimEnd())
    const known = best.get(lines.length)
    if (known === undefined || longest(lines) < longest(known)) best.set(lines.length, lines)
  }
  return [...best.values()]
}

/** Minimum distance between a label and the sides of the view, in pixels. */
export const EDGE = 8

/** Cost of hiding a grid cell of a line, compared with one of a note. */
const LINE_COST = 0.01

/** Size in pixels of the grid cells that record where notes are. */
const SQUARE = 2

/** Records where notes are in a view, by grid cell. */
export class Dots {
  readonly #columns: number
  readonly #rows: number
  readonly #isTaken: Uint8Array

  constructor(width: number, height: number) {
    this.#columns = Math.ceil(width / SQUARE)
    this.#rows = Math.ceil(height / SQUARE)
    this.#isTaken = new Uint8Array(this.#columns * this.#rows)
  }

  add(box: Box): void {
    for (const [first, end] of this.#rowsIn(box)) this.#isTaken.fill(1, first, end)
  }

  /** Adds a curve with a control point. */
  addCurve([x, y]: Point, [overX, overY]: Point, [toX, toY]: Point): void {
    const steps = Math.ceil(Math.hypot(toX - x, toY - y) / SQUARE)
    for (let step = 0; step <= steps; step++) {
      const share = step / steps
      const along = (from: number, over: number, to: number): number =>
        (1 - share) ** 2 * from + 2 * share * (1 - share) * over + share ** 2 * to
      const [px, py] = [along(x, overX, toX), along(y, overY, toY)]
      this.add([px, py, px + 1, py + 1])
    }
  }

  /** Returns how many cells below a box are taken, or some number above `most` if there are more. */
  below(box: Box, most = Infinity): number {
    let taken = 0
    for (const [first, end] of this.#rowsIn(box)) {
      for (let at = first; at < end; at++) taken += this.#isTaken[at] ?? 0
      if (taken > most) return taken
    }
    return taken
  }

  /** Yields the first cell of a box in each row, and the one after its last. */
  *#rowsIn([left, top, right, bottom]: Box): Generator<readonly [first: number, end: number]> {
    const first = Math.max(0, Math.floor(left / SQUARE))
    const end = Math.min(this.#columns, Math.ceil(right / SQUARE))
    const low = Math.min(this.#rows, Math.ceil(bottom / SQUARE))
    for (let row = Math.max(0, Math.floor(top / SQUARE)); row < low && first < end; row++)
      yield [row * this.#columns + first, row * this.#columns + end]
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] + 6 && a[2] > b[0] - 6 && a[1] < b[3] + 2 && a[3] > b[1] - 2
}
