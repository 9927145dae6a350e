import { type Box, type Camera, cleared, type Frame } from './map-scene.ts'

export interface Label {
  readonly text: string
  readonly box: Box
}

interface Placing {
  readonly isMoving: boolean
  /** Writes the names and returns where. */
  readonly write: (context: CanvasRenderingContext2D) => readonly Label[]
}

/** While the view moves by no more than this share of its size, names are moved with it. */
const MOVES = 0.12

/** An image of names. They are written once and then only moved. */
export class NameLayer {
  readonly #image = document.createElement('canvas')
  #camera: Camera | undefined
  #placed: readonly Label[] = []

  get placed(): readonly Label[] {
    return this.#placed
  }

  /** Makes the next frame write the names again. */
  forget(): void {
    this.#camera = undefined
  }

  /** Copies the names to a view, and writes them first if needed. */
  place(context: CanvasRenderingContext2D, { camera, width, height, ratio }: Frame, { isMoving, write }: Placing): void {
    const shift = (): readonly [x: number, y: number] => [
      ((this.#camera?.x ?? 0) - camera.x) * camera.scale,
      ((this.#camera?.y ?? 0) - camera.y) * camera.scale,
    ]
    const [x, y] = shift()
    const most = isMoving ? MOVES : 0
    const isNear = Math.abs(x) <= width * most && Math.abs(y) <= height * most
    if (this.#camera?.scale !== camera.scale || !isNear) {
      const own = cleared(this.#image, Math.ceil(width * ratio), Math.ceil(height * ratio))
      if (own === undefined) return
      own.setTransform(ratio, 0, 0, ratio, 0, 0)
      this.#placed = write(own)
      this.#camera = camera
    }
    context.drawImage(this.#image, ...shift(), this.#image.width / ratio, this.#image.height / ratio)
  }
}

/** A text to place, and its size in pixels. */
export interface Words {
  readonly text: string
  readonly width: number
  readonly height: number
}

interface Taken {
  /** Where labels are forbidden. */
  readonly covered: readonly Box[]
  /** Notes that labels must not hide. */
  readonly large: Dots
  /** Notes that labels hide only if there is no other room, and only if they may. */
  readonly small: Dots
}

/** The labels of a frame. They overlap neither each other nor large notes. */
export class Labels {
  readonly placed: Label[] = []
  readonly #width: number
  readonly #height: number
  readonly #taken: Taken

  constructor({ width, height }: { readonly width: number; readonly height: number }, taken: Taken) {
    this.#width = width
    this.#height = height
    this.#taken = taken
  }

  /**
   * Uses the preferred position (left end, middle line) that is free, fully in view and hides the least of small notes, at most
   * `mayHide`. Ties go to the first. Returns `undefined` if there is none.
   */
  place({ text, width, height }: Words, wishes: readonly (readonly [x: number, y: number])[], mayHide: number): Box | undefined {
    const { covered, large, small } = this.#taken
    let best: Box | undefined
    let least = mayHide + 1
    for (const [x, y] of wishes) {
      const box: Box = [x, y - height / 2, x + width, y + height / 2]
      if (box[0] < 0 || box[2] > this.#width || box[1] < 0 || box[3] > this.#height) continue
      if (covered.some((other) => overlap(box, other)) || this.placed.some(({ box: other }) => overlap(box, other))) continue
      const hidden = large.below(box) > 0 ? Number.POSITIVE_INFINITY : small.below(box)
      if (hidden >= least) continue
      least = hidden
      best = box
      if (hidden === 0) break
    }
    if (best !== undefined) this.placed.push({ text, box: best })
    return best
  }
}

/** Size in pixels of the grid cells that record where notes are. */
const SQUARE = 4

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
    this.#eachRow(box, (from, to) => this.#isTaken.fill(1, from, to))
  }

  /** Returns how much of the notes a box would cover. */
  below(box: Box): number {
    let squares = 0
    this.#eachRow(box, (from, to) => {
      for (let at = from; at < to; at++) squares += this.#isTaken[at] ?? 0
    })
    return squares
  }

  #eachRow([left, top, right, bottom]: Box, use: (from: number, to: number) => void): void {
    const first = Math.max(0, Math.floor(left / SQUARE))
    const end = Math.min(this.#columns, Math.ceil(right / SQUARE))
    const last = Math.min(this.#rows, Math.ceil(bottom / SQUARE))
    if (first >= end) return
    for (let row = Math.max(0, Math.floor(top / SQUARE)); row < last; row++)
      use(row * this.#columns + first, row * this.#columns + end)
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] + 4 && a[2] > b[0] - 4 && a[1] < b[3] && a[3] > b[1]
}
