import { LANGUAGES } from '../../../core/languages.ts'
import { ByteReader, ByteWriter, compareBytes, DamagedWords } from './bytes.ts'

/** The format number is stored in native byte order, so machines with another byte order reject the data. */
const FORMAT = 3

const HEAD_BYTES = 8

const DOCUMENT_BYTES = 21

export interface Page {
  /** The first stem in UTF-8, which is the key of the page. A stem never spans two pages. */
  readonly first: Uint8Array
  readonly data: Uint8Array
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The entry of a word: documents with the number of occurrences, and separately the positions. */
export interface Entry {
  readonly stem: Uint8Array
  readonly form: Uint8Array
  /** The number of occurrences in each document; see `PostingWriter`. */
  readonly postings: Uint8Array
  /** The deltas between positions: for each document, one sequence for the title and one for the body, both starting at 0. */
  readonly positions: Uint8Array
}

/** The size of a page in bytes. A page with a single stem may be larger. */
const PAGE_BYTES = 4096

/** The maximum size of a key in bytes: 192 for 64 UTF-16 units, and 3 for the language. */
const MAX_KEY = 195

/**
 * A writer of pages. Entries must be sorted bytewise by stem and form. An entry consists of the stem relative to the previous one
 * (the length of the shared prefix, then the rest), the form relative to the stem, the lengths of postings and positions, the
 * postings, and the positions.
 */
export class PageWriter {
  readonly #emit: (page: Page) => void
  readonly #page = new ByteWriter(2 * PAGE_BYTES)
  #first: Uint8Array = EMPTY
  #stem: Uint8Array = EMPTY

  constructor(emit: (page: Page) => void) {
    this.#emit = emit
  }

  add({ stem, form, postings, positions }: Entry): void {
    const newLength = this.#page.length + postings.length + positions.length
    if (newLength > PAGE_BYTES && this.#page.length > 0 && compareBytes(stem, this.#stem) !== 0) this.close()
    if (this.#page.length === 0) this.#first = stem.slice()
    this.#key(this.#stem, stem)
    this.#key(stem, form)
    this.#stem = stem.slice()
    this.#page.varint(postings.length)
    this.#page.varint(positions.length)
    this.#page.bytes(postings)
    this.#page.bytes(positions)
  }

  close(): void {
    if (this.#page.length === 0) return
    this.#emit({ first: this.#first, data: this.#page.copy() })
    this.#page.clear()
    this.#stem = EMPTY
  }

  /** Writes a key, starting with both lengths in one byte, with four bits each. 15 means that the rest of the length follows. */
  #key(before: Uint8Array, key: Uint8Array): void {
    let shared = 0
    while (shared < key.length && before[shared] === key[shared]) shared++
    const suffixLength = key.length - shared
    this.#page.byte((Math.min(shared, 15) << 4) | Math.min(suffixLength, 15))
    if (shared >= 15) this.#page.varint(shared - 15)
    if (suffixLength >= 15) this.#page.varint(suffixLength - 15)
    this.#page.bytes(key, shared)
  }
}

const EMPTY = new Uint8Array(0)

/** A cursor that reads entries in order, without copying. */
export class PageCursor {
  readonly bytes: Uint8Array
  readonly #reader: ByteReader
  readonly #stem = new Uint8Array(MAX_KEY)
  readonly #form = new Uint8Array(MAX_KEY)
  #stemLength = 0
  #formLength = 0
  #start = 0
  #middle = 0
  #end = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#reader = new ByteReader(bytes)
  }

  /** The bytes are valid until the next entry is read. */
  get stem(): Uint8Array {
    return this.#stem.subarray(0, this.#stemLength)
  }

  /** The bytes are valid until the next entry is read. */
  get form(): Uint8Array {
    return this.#form.subarray(0, this.#formLength)
  }

  /** The range is computed on demand, because most entries are skipped. */
  get postings(): Span {
    return { start: this.#start, end: this.#middle }
  }

  get positions(): Span {
    return { start: this.#middle, end: this.#end }
  }

  next(): boolean {
    const reader = this.#reader
    if (reader.isAtEnd) return false
    this.#stemLength = this.#key(this.#stem, this.#stemLength, this.#stem)
    this.#formLength = this.#key(this.#stem, this.#stemLength, this.#form)
    const postings = reader.varint()
    const positions = reader.varint()
    this.#start = reader.take(postings)
    this.#middle = reader.take(positions)
    this.#end = this.#middle + positions
    return true
  }

  /**
   * Advances to the next entry of a stem. The first call may skip entries of other stems.
   * @returns false if there are no more entries
   */
  nextOf(stem: Uint8Array): boolean {
    while (this.next()) {
      const order = this.#compareStem(stem)
      if (order === 0) return true
      if (order > 0) return false
    }
    return false
  }

  #compareStem(other: Uint8Array): number {
    const stem = this.#stem
    const shared = Math.min(this.#stemLength, other.length)
    for (let at = 0; at < shared; at++) {
      const difference = (stem[at] as number) - (other[at] as number)
      if (difference !== 0) return difference
    }
    return this.#stemLength - other.length
  }

  #key(before: Uint8Array, beforeLength: number, into: Uint8Array): number {
    const reader = this.#reader
    const head = reader.byte()
    const shared = head >> 4 === 15 ? 15 + reader.varint() : head >> 4
    const suffixLength = (head & 15) === 15 ? 15 + reader.varint() : head & 15
    const length = shared + suffixLength
    if (shared > beforeLength || length > MAX_KEY) throw new DamagedWords('a word is out of range')
    if (into !== before) for (let at = 0; at < shared; at++) into[at] = before[at] as number
    const { bytes } = reader
    const start = reader.take(suffixLength)
    for (let at = 0; at < suffixLength; at++) into[shared + at] = bytes[start + at] as number
    return length
  }
}

/** The header of a segment, with arrays of the same length, indexed by ordinal. */
export interface SegmentHeader {
  readonly keys: Uint32Array
  readonly stamps: Float64Array
  /** The length of each title in words, including aliases. */
  readonly titleLengths: Uint32Array
  readonly bodyLengths: Uint32Array
  /** One-based indexes in `LANGUAGES`, where 0 means unknown. */
  readonly languages: Uint8Array
}

export function languageAt({ languages }: SegmentHeader, ordinal: number): string | undefined {
  return LANGUAGES[(languages[ordinal] as number) - 1]
}

export function languagesIn({ languages }: SegmentHeader): readonly string[] {
  return [...new Set(languages)].flatMap((number) => LANGUAGES[number - 1] ?? [])
}

/** Packs the format and the number of documents, then the arrays in native byte order, which avoids a loop when reading. */
export function packHeader({ keys, stamps, titleLengths, bodyLengths, languages }: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + keys.length * DOCUMENT_BYTES)
  new Uint32Array(bytes.buffer, 0, 2).set([FORMAT, keys.length])
  const header = listsIn(bytes.buffer, keys.length)
  header.keys.set(keys)
  header.stamps.set(stamps)
  header.titleLengths.set(titleLengths)
  header.bodyLengths.set(bodyLengths)
  header.languages.set(languages)
  return bytes
}

/** Throws `DamagedWords`. */
export function unpackHeader(bytes: Uint8Array): SegmentHeader {
  // Typed arrays need aligned memory, so copy the bytes.
  const { buffer } = new Uint8Array(bytes)
  if (bytes.length < HEAD_BYTES) throw new DamagedWords('a segment has no header')
  const [format, count = 0] = new Uint32Array(buffer, 0, 2)
  if (format !== FORMAT) throw new DamagedWords('a segment has another format')
  if (bytes.length !== HEAD_BYTES + count * DOCUMENT_BYTES) throw new DamagedWords('the length of a segment is wrong')
  return listsIn(buffer, count)
}

function listsIn(buffer: ArrayBuffer, count: number): SegmentHeader {
  const keysStart = HEAD_BYTES + count * Float64Array.BYTES_PER_ELEMENT
  const list = (at: number) => new Uint32Array(buffer, keysStart + at * count * Uint32Array.BYTES_PER_ELEMENT, count)
  return {
    keys: list(0),
    stamps: new Float64Array(buffer, HEAD_BYTES, count),
    titleLengths: list(1),
    bodyLengths: list(2),
    languages: new Uint8Array(buffer, HEAD_BYTES + count * (DOCUMENT_BYTES - 1), count),
  }
}

/**
 * Writes the number of occurrences of a word in each document. The first number is `skipped << 2 | code`, where `skipped` is the
 * number of documents between this one and the previous one. Codes 1 and 2 mean that many occurrences in the body and none in the
 * title. Code 0 means none in the title, and the number in the body follows. After code 3, a number follows: the lowest two bits
 * are the number in the title minus 1 (3 means that the rest follows), and the other bits are the number in the body.
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

export class PostingCursor {
  ordinal = -1
  title = 0
  body = 0
  readonly #reader: ByteReader
  readonly #documents: number

  constructor(bytes: Uint8Array, span: { readonly start: number; readonly end: number }, documents: number) {
    this.#reader = new ByteReader(bytes, span.start, span.end)
    this.#documents = documents
  }

  next(): boolean {
    const reader = this.#reader
    if (reader.at >= reader.end) return false
    // This is the fast path of the innermost loop. The number is usually a single byte.
    let head = reader.bytes[reader.at] as number
    if (head < 128) reader.at++
    else head = reader.varint()
    const code = head & 3
    this.ordinal += 1 + (head > 0x7fffffff ? Math.floor(head / 4) : head >> 2)
    if (this.ordinal >= this.#documents) throw new DamagedWords('a word occurs in a document that does not exist')
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
