export type Box = readonly [left: number, top: number, right: number, bottom: number]

export interface Words {
  readonly text: string
  readonly lines: readonly string[]
  readonly font: string
  readonly spacing: number
  readonly width: number
  readonly height: number
}

export type Point = readonly [x: number, y: number]

export interface Placing {
  /** The maximum number of grid cells with notes to hide. The default is 0. */
  readonly mostHidden?: number
  /** The distance in pixels within which other notes are avoided, if possible. The default is 0. */
  readonly clear?: number
  readonly isAllowed?: ((center: Point) => boolean) | undefined
}

export interface Label extends Words {
  readonly box: Box
}

export interface Labels {
  readonly width: number
  readonly height: number
  readonly covered: Box[]
  readonly dots: Dots
  /** The lines, which labels avoid only if the positions are otherwise equal. */
  readonly lines?: Dots | undefined
  readonly placed: Label[]
}

/** Places a label at the center that hides the fewest notes, or the first of several. @returns undefined if no center is free */
export function placeLabel(labels: Labels, words: Words, centers: readonly Point[], placing: Placing = {}): Label | undefined {
  const { mostHidden = 0, clear = 0, isAllowed } = placing
  const { width, height } = words
  const { covered, dots, lines, placed, ...view } = labels
  let best: Box | undefined
  let least = Infinity
  for (const center of centers) {
    const [x, y] = center
    const box: Box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
    if (box[0] < EDGE || box[2] > view.width - EDGE || box[1] < 2 || box[3] > view.height - 2) continue
    if (covered.some((other) => overlap(box, other)) || placed.some(({ box: other }) => overlap(box, other))) continue
    if (isAllowed?.(center) === false) continue
    const hidden = dots.below(box, Math.min(mostHidden, least))
    if (hidden > mostHidden || hidden >= least) continue
    const around: Box = [box[0] - clear, box[1] - clear, box[2] + clear, box[3] + clear]
    const near = clear > 0 ? LINE_COST * dots.below(around, (least - hidden) / LINE_COST) : 0
    const cost = hidden + near + LINE_COST * (lines?.below(box, (least - hidden - near) / LINE_COST) ?? 0)
    if (cost >= least) continue
    best = box
    least = cost
    if (cost === 0) break
  }
  if (best === undefined) return undefined
  const label = { ...words, box: best }
  placed.push(label)
  return label
}

/** Returns the position closest to `at` where something of this length is inside. */
export function within(at: number, size: number, length: number): number {
  return Math.min(size - length / 2 - EDGE, Math.max(length / 2 + EDGE, at))
}

/** Matches the places where a line may end: after a space, or after a hyphen that follows a letter. */
const BREAKS = /(?<=\s|\p{L}-)(?=\S)/u

/** Returns the narrowest way to wrap a text for each number of lines, up to three. */
export function wrapped(text: string): readonly (readonly string[])[] {
  const words = text.split(BREAKS)
  const breaks = words.slice(1).map((_, at) => at + 1)
  const pairs = breaks.flatMap((at) => breaks.filter((next) => next > at).map((next) => [at, next]))
  const ways = [[], ...breaks.map((at) => [at]), ...(words.length > 3 ? pairs : [])].map((ends: readonly number[]) =>
    [0, ...ends].map((from, at) => words.slice(from, ends[at]).join('').trimEnd()),
  )
  const longest = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length))
  const narrowest = (some: (readonly string[])[]) => some.sort((a, b) => longest(a) - longest(b)).slice(0, 1)
  return [1, 2, 3].flatMap((count) => narrowest(ways.filter(({ length }) => length === count)))
}

/** Minimum distance from the sides of the view, in pixels. */
const EDGE = 8

/** The cost of covering a line, or of coming near a note, relative to covering a note. */
const LINE_COST = 0.01

/** The size of a grid cell in pixels. */
const SQUARE = 2

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

  /** Counts the grid cells with notes in a box, and stops at `most`. */
  below(box: Box, most = Infinity): number {
    let taken = 0
    for (const [first, end] of this.#rowsIn(box)) {
      for (let at = first; at < end; at++) taken += this.#isTaken[at] ?? 0
      if (taken > most) return taken
    }
    return taken
  }

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
