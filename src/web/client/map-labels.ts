export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A text to place: its lines, and its size in pixels. */
export interface Words {
  readonly text: string
  readonly lines: readonly string[]
  readonly font: string
  readonly width: number
  readonly height: number
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

  /** Uses the first center that is free and completely in view. Returns `undefined` if there is none. */
  place(words: Words, centres: Iterable<readonly [x: number, y: number]>, mayHideNotes = false): Label | undefined {
    const { width, height } = words
    for (const [x, y] of centres) {
      const box: Box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
      if (box[0] < 0 || box[2] > this.#view.width || box[1] < 0 || box[3] > this.#view.height) continue
      if (!mayHideNotes && this.#dots.areBelow(box)) continue
      if (this.#covered.some((other) => overlap(box, other)) || this.placed.some(({ box: other }) => overlap(box, other)))
        continue
      const label = { ...words, box }
      this.placed.push(label)
      return label
    }
    return undefined
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
  readonly #isTaken: Uint8Array

  constructor(width: number, height: number) {
    this.#columns = Math.ceil(width / SQUARE)
    this.#isTaken = new Uint8Array(this.#columns * Math.ceil(height / SQUARE))
  }

  add(box: Box): void {
    this.#someRow(box, (from, to) => {
      this.#isTaken.fill(1, from, to)
      return false
    })
  }

  areBelow(box: Box): boolean {
    return this.#someRow(box, (from, to) => this.#isTaken.subarray(from, to).includes(1))
  }

  #someRow([left, top, right, bottom]: Box, check: (from: number, to: number) => boolean): boolean {
    const first = Math.max(0, Math.floor(left / SQUARE))
    const end = Math.min(this.#columns, Math.ceil(right / SQUARE))
    const last = Math.min(this.#isTaken.length / this.#columns, Math.ceil(bottom / SQUARE))
    for (let row = Math.max(0, Math.floor(top / SQUARE)); row < last && first < end; row++)
      if (check(row * this.#columns + first, row * this.#columns + end)) return true
    return false
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] + 4 && a[2] > b[0] - 4 && a[1] < b[3] + 1 && a[3] > b[1] - 1
}
