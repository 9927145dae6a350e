import { ByteReader, type ByteWriter, DamagedWords } from './bytes.ts'

/**
 * One document's share in a word: `delta << 2 | code`, where delta counts the documents between it and the one before.
 * Code 1 and 2: so often in the body, not in the title. Code 0: the body's count follows. Code 3: a number follows whose lowest
 * two bits are the title's count less 1, 3 of them for another number of the rest, the other bits the body's count.
 */
export class PostingWriter {
  readonly #out: ByteWriter
  #before = -1

  constructor(out: ByteWriter) {
    this.#out = out
  }

  start(): void {
    this.#before = -1
  }

  add(ordinal: number, title: number, body: number): void {
    const delta = (ordinal - this.#before - 1) * 4
    this.#before = ordinal
    if (title > 0) {
      this.#out.varint(delta + 3)
      this.#out.varint(body * 4 + Math.min(title - 1, 3))
      if (title > 3) this.#out.varint(title - 4)
    } else if (body < 3) this.#out.varint(delta + body)
    else {
      this.#out.varint(delta)
      this.#out.varint(body)
    }
  }
}

/** Reads documents and counts from front to back. */
export class PostingCursor {
  ordinal = -1
  title = 0
  body = 0
  readonly #reader: ByteReader
  readonly #documents: number

  /** `documents` bounds the ordinals. */
  constructor(bytes: Uint8Array, span: { readonly start: number; readonly end: number }, documents: number) {
    this.#reader = new ByteReader(bytes, span.start, span.end)
    this.#documents = documents
  }

  next(): boolean {
    const reader = this.#reader
    if (reader.at >= reader.end) return false
    // Most heads are one byte: this is the innermost loop of a search.
    let head = reader.bytes[reader.at] as number
    if (head < 128) reader.at++
    else head = reader.varint()
    const code = head & 3
    this.ordinal += 1 + (head > 0x7fffffff ? Math.floor(head / 4) : head >> 2)
    if (this.ordinal >= this.#documents) throw new DamagedWords('a word stands in a document that does not exist')
    this.title = 0
    if (code === 0) this.body = reader.varint()
    else if (code < 3) this.body = code
    else this.#readBoth(reader)
    return true
  }

  #readBoth(reader: ByteReader): void {
    const both = reader.varint()
    this.title = (both % 4) + 1
    this.body = Math.floor(both / 4)
    if (this.title > 3) this.title += reader.varint()
  }
}
