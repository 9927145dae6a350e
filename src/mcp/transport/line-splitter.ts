/** The maximum length in bytes. Longer lines are discarded. */
const MAX_LINE = 10 * 1024 * 1024

/** The number of bytes to keep at both ends of a discarded line, where a request's id may be. */
export const KEPT_ENDS = 256

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  /** A line that was too long. Only its start and end are kept. */
  | { readonly kind: 'discarded'; readonly head: string; readonly tail: string }

/** Splits input into lines. Characters that span chunks stay intact, and invalid UTF-8 is replaced. */
export class LineSplitter {
  readonly #maxLine: number
  #chunks: Buffer[] = []
  #size = 0
  #head: string | undefined
  #tail: Buffer = Buffer.alloc(0)

  constructor(maxLine = MAX_LINE) {
    this.#maxLine = maxLine
  }

  *push(chunk: Buffer): Generator<Line> {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end))
      yield this.#take()
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  *end(): Generator<Line> {
    if (this.#size > 0) yield this.#take()
  }

  #add(part: Buffer): void {
    this.#size += part.length
    if (this.#head === undefined && this.#size <= this.#maxLine) {
      this.#chunks.push(part)
      return
    }
    // A single chunk is not copied, because Node 24 collects copies later than Node 20.
    const line = this.#chunks.length === 0 ? part : Buffer.concat([...this.#chunks, part])
    this.#head ??= line.toString('utf8', 0, KEPT_ENDS)
    this.#tail = Buffer.concat([this.#tail, line.subarray(-KEPT_ENDS)]).subarray(-KEPT_ENDS)
    this.#chunks = []
  }

  #take(): Line {
    const head = this.#head
    const line: Line =
      head === undefined
        ? { kind: 'line', text: Buffer.concat(this.#chunks).toString() }
        : { kind: 'discarded', head, tail: this.#tail.toString() }
    this.#chunks = []
    this.#size = 0
    this.#head = undefined
    this.#tail = Buffer.alloc(0)
    return line
  }
}
