export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A text to place: its lines, and its size in pixels. */
export interface Words {
  readonly text: string
  readonly lines: readonly string[]
  readonly font: string
  readonly width: number
  readonly height: number
}

export type Point = readonly [x: number, y: number]

export interface Placing {
  /** How much of notes may be hidden, in grid cells. The center that hides the least is used. By default, no note may be hidden. */
  readonly mostHidden?: number
  /** Checks a center. */
  readonly isAllowed?: (centre: Point) => boolean
}

export interface Label extends Words {
  readonly box: Box
}

/** The labels of a frame. They overlap neither each other nor notes. */
export class Labels {
  readonly placed: Label[] = []
  readonly #view: { readonly width: number; readonly height: number }
  readonly #covered: readonly Box[]
  readonly #dots: Dots

  /** `covered`: where labels are forbidden. */
  constructor(view: { readonly width: number; readonly height: number }, covered: readonly Box[], dots: Dots) {
    this.#view = view
    this.#covered = covered
    this.#dots = dots
  }

  /** Uses the free center in view that hides the least of notes, or the first of several. Returns `undefined` if there is none. */
  place(words: Words, centres: readonly Point[], { mostHidden = 0, isAllowed }: Placing = {}): Label | undefined {
    const { width, height } = words
    let best: Box | undefined
    let least = mostHidden + 1
    for (const centre of centres) {
      const [x, y] = centre
      const box: Box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
      if (box[0] < 0 || box[2] > this.#view.width || box[1] < 0 || box[3] > this.#view.height) continue
      const hidden = this.#dots.below(box)
      if (hidden >= least || isAllowed?.(centre) === false) continue
      if (this.#covered.some((other) => overlap(box, other)) || this.placed.some(({ box: other }) => overlap(box, other)))
        continue
      best = box
      least = hidden
      if (hidden === 0) break
    }
    if (best === undefined) return undefined
    const label = { ...words, box: best }
    this.placed.push(label)
    return label
  }
}

/** Returns the ways to write a text in up to three lines, each as narrow as possible. */
export function wrapped(text: string): readonly (readonly string[])[] {
  const words = text.split(' ')
  const breaks = words.slice(1).map((_, at) => at + 1)
  const ways: (readonly number[])[] = [
    [],
    ...breaks.map((at) => [at]),
    ...breaks.flatMap((at) => breaks.filter((next) => next > at).map((next) => [at, next])),
  ]
  const best = new Map<number, readonly string[]>()
  const longest = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length))
  for (const way of ways) {
    const lines = [0, ...way].map((from, at) => words.slice(from, way[at]).join(' '))
    const known = best.get(lines.length)
    if (known === undefined || longest(lines) < longest(known)) best.set(lines.length, lines)
  }
  return [...best.values()]
}

/** Leaves out the first words that three or more of the names share, if what is left can be a name. */
export function withoutSharedStart(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const words = name.split(' ')
    for (let count = words.length - 1; count > 0; count--) {
      const rest = words.slice(count).join(' ')
      const start = `${words.slice(0, count).join(' ')} `
      if (/^[\p{Lu}\p{N}]/u.test(rest) && names.filter((other) => other.startsWith(start)).length >= 3) return rest
    }
    return name
  })
}

/** Size in pixels of the grid cells that record where notes are. */
const SQUARE = 2

/** Records where notes are in a view, by grid cell. */
export class Dots {
  readonly #columns: number
  readonly #rows: number
  readonly #isTaken: Uint8Array
  /** For each corner of the grid, the number of taken cells above and to the left. */
  #taken: Int32Array | undefined

  constructor(width: number, height: number) {
    this.#columns = Math.ceil(width / SQUARE)
    this.#rows = Math.ceil(height / SQUARE)
    this.#isTaken = new Uint8Array(this.#columns * this.#rows)
  }

  add(box: Box): void {
    const [first, top, end, bottom] = this.#cellsIn(box)
    for (let row = top; row < bottom && first < end; row++)
      this.#isTaken.fill(1, row * this.#columns + first, row * this.#columns + end)
    this.#taken = undefined
  }

  /** Returns how many cells below a box are taken. */
  below(box: Box): number {
    this.#taken ??= this.#counted()
    const [first, top, end, bottom] = this.#cellsIn(box)
    const at = (column: number, row: number): number => this.#taken?.[row * (this.#columns + 1) + column] ?? 0
    return at(end, bottom) - at(first, bottom) - at(end, top) + at(first, top)
  }

  #counted(): Int32Array {
    const wide = this.#columns + 1
    const counts = new Int32Array(wide * (this.#rows + 1))
    for (let row = 0; row < this.#rows; row++) {
      let sum = 0
      for (let column = 0; column < this.#columns; column++) {
        sum += this.#isTaken[row * this.#columns + column] ?? 0
        counts[(row + 1) * wide + column + 1] = (counts[row * wide + column + 1] ?? 0) + sum
      }
    }
    return counts
  }

  #cellsIn([left, top, right, bottom]: Box): Box {
    const within = (at: number, most: number): number => Math.min(most, Math.max(0, at))
    return [
      within(Math.floor(left / SQUARE), this.#columns),
      within(Math.floor(top / SQUARE), this.#rows),
      within(Math.ceil(right / SQUARE), this.#columns),
      within(Math.ceil(bottom / SQUARE), this.#rows),
    ]
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] + 4 && a[2] > b[0] - 4 && a[1] < b[3] + 1 && a[3] > b[1] - 1
}
