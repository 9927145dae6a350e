import { ByteReader, ByteWriter, compareBytes, DamagedWords } from './bytes.ts'

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
