import { ByteReader, ByteWriter, compareBytes, DamagedWords } from './bytes.ts'

/** As the machine writes it: to one of another byte order it is another format. */
const FORMAT = 2

const HEAD_BYTES = 8

const DOCUMENT_BYTES = 20

/** A page of a segment. */
export interface Page {
  /** UTF-8 of the first stem: pages are looked up by it, as bytes. All forms of a stem are in one page. */
  readonly first: Uint8Array
  readonly data: Uint8Array
}

/** A part of a page, as offsets. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A word's share in a segment: its documents and counts, and apart from them where it stands. */
export interface Entry {
  readonly stem: Uint8Array
  readonly form: Uint8Array
  /** See `postings.ts`. */
  readonly postings: Uint8Array
  /** For each document the distances between its places, titles before the rest; each of both begins at 0. */
  readonly positions: Uint8Array
}

/** A page is closed before the stem that would make it longer; one stem's page may be much longer. */
const PAGE_BYTES = 4096

/** No stem or form is longer: 64 UTF-16 units are at most 192 bytes. */
const MAX_KEY = 192

/**
 * Packs entries, which come in the order of their stems and forms as bytes, into pages. An entry is: the stem as what it shares with
 * the stem before it and the rest; the form in the same way after its stem; lengths of postings and positions; both.
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
    const grown = this.#page.length + postings.length + positions.length
    if (grown > PAGE_BYTES && this.#page.length > 0 && compareBytes(stem, this.#stem) !== 0) this.close()
    if (this.#page.length === 0) this.#first = stem.slice()
    this.#key(this.#stem, stem)
    this.#key(stem, form)
    this.#stem = stem.slice()
    this.#page.varint(postings.length)
    this.#page.varint(positions.length)
    this.#page.bytes(postings)
    this.#page.bytes(positions)
  }

  /** Hands over what is left. */
  close(): void {
    if (this.#page.length === 0) return
    this.#emit({ first: this.#first, data: this.#page.copy() })
    this.#page.clear()
    this.#stem = EMPTY
  }

  /** The lengths share a byte, four bits each; 15 says that the rest follows. */
  #key(before: Uint8Array, key: Uint8Array): void {
    let shared = 0
    while (shared < key.length && before[shared] === key[shared]) shared++
    const own = key.length - shared
    this.#page.byte((Math.min(shared, 15) << 4) | Math.min(own, 15))
    if (shared >= 15) this.#page.varint(shared - 15)
    if (own >= 15) this.#page.varint(own - 15)
    this.#page.bytes(key, shared)
  }
}

const EMPTY = new Uint8Array(0)

/** Reads the entries of a page in order, without copying them. */
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

  /** Valid until the next entry is read. */
  get stem(): Uint8Array {
    return this.#stem.subarray(0, this.#stemLength)
  }

  /** Valid until the next entry is read. */
  get form(): Uint8Array {
    return this.#form.subarray(0, this.#formLength)
  }

  /** Made when they are asked for: most entries of a page are passed over. */
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

  /** Goes to the next entry of a stem; false where the page has no more of it. The first call may pass over others. */
  nextOf(stem: Uint8Array): boolean {
    while (this.next()) {
      const order = this.#compareStem(stem)
      if (order === 0) return true
      if (order > 0) return false
    }
    return false
  }

  #compareStem(other: Uint8Array): number {
    const own = this.#stem
    const shared = Math.min(this.#stemLength, other.length)
    for (let at = 0; at < shared; at++) {
      const difference = (own[at] as number) - (other[at] as number)
      if (difference !== 0) return difference
    }
    return this.#stemLength - other.length
  }

  #key(before: Uint8Array, beforeLength: number, into: Uint8Array): number {
    const reader = this.#reader
    const head = reader.byte()
    const shared = head >> 4 === 15 ? 15 + reader.varint() : head >> 4
    const own = (head & 15) === 15 ? 15 + reader.varint() : head & 15
    const length = shared + own
    if (shared > beforeLength || length > MAX_KEY) throw new DamagedWords('a word is out of range')
    if (into !== before) for (let at = 0; at < shared; at++) into[at] = before[at] as number
    const { bytes } = reader
    const start = reader.take(own)
    for (let at = 0; at < own; at++) into[shared + at] = bytes[start + at] as number
    return length
  }
}

/** The documents of a segment, one an ordinal; the arrays are of one length. */
export interface SegmentHeader {
  /** Each once. */
  readonly keys: Uint32Array
  readonly stamps: Float64Array
  /** Words of title and aliases. */
  readonly titleLengths: Uint32Array
  /** Words of everything else. */
  readonly bodyLengths: Uint32Array
}

/** Encodes the header: format and count, then the four arrays as in memory, so a start reads them without a loop. */
export function packHeader({ keys, stamps, titleLengths, bodyLengths }: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + keys.length * DOCUMENT_BYTES)
  new Uint32Array(bytes.buffer, 0, 2).set([FORMAT, keys.length])
  const header = listsIn(bytes.buffer, keys.length)
  header.keys.set(keys)
  header.stamps.set(stamps)
  header.titleLengths.set(titleLengths)
  header.bodyLengths.set(bodyLengths)
  return bytes
}

/** Reads what `packHeader` wrote; throws `DamagedWords`. */
export function unpackHeader(bytes: Uint8Array): SegmentHeader {
  // A copy begins where numbers may lie.
  const { buffer } = new Uint8Array(bytes)
  if (bytes.length < HEAD_BYTES) throw new DamagedWords('a segment has no header')
  const [format, count = 0] = new Uint32Array(buffer, 0, 2)
  if (format !== FORMAT) throw new DamagedWords('a segment is of another format')
  if (bytes.length !== HEAD_BYTES + count * DOCUMENT_BYTES) throw new DamagedWords('a segment is not as long as it says')
  return listsIn(buffer, count)
}

function listsIn(buffer: ArrayBuffer, count: number): SegmentHeader {
  const keysStart = HEAD_BYTES + count * Float64Array.BYTES_PER_ELEMENT
  const list = (at: number) => new Uint32Array(buffer, keysStart + at * count * Uint32Array.BYTES_PER_ELEMENT, count)
  return { keys: list(0), stamps: new Float64Array(buffer, HEAD_BYTES, count), titleLengths: list(1), bodyLengths: list(2) }
}

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
