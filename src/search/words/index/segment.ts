import type { WordTerm } from '../../../core/query.ts'
import { placesOfPrefix } from '../stem.ts'
import { PageCursor, PostingCursor, type SegmentHeader } from './page.ts'

/** Where pages are kept. */
export interface PageSource {
  /** The page with the greatest `first` that is not above `stem`, all compared as bytes; `undefined` when there is none. */
  page(segment: number, stem: Uint8Array): Uint8Array | undefined
  /** In order: the page that `page(segment, from)` gives, if any, and those whose `first` is above `from` and below `to`. */
  pages(segment: number, from: Uint8Array, to: Uint8Array): Iterable<Uint8Array>
}

/** Which word a look-up means. */
export type WordKey = Pick<WordTerm, 'form' | 'stem' | 'match'>

/** Takes an entry; the cursor stands at it and is valid during the call only. */
type EntryVisitor = (entry: PageCursor) => void

/** A stored segment and which of its documents are live. */
export class Segment {
  readonly id: number
  readonly header: SegmentHeader
  /** 1 for each live document, by ordinal. */
  readonly live: Uint8Array
  liveCount = 0
  /** Words of the live documents. */
  titleWords = 0
  bodyWords = 0
  readonly #pages: PageSource
  readonly #ordinals: ReadonlyMap<number, number>

  constructor(id: number, header: SegmentHeader, pages: PageSource) {
    this.id = id
    this.header = header
    this.live = new Uint8Array(header.keys.length)
    this.#pages = pages
    const ordinals = new Map<number, number>()
    header.keys.forEach((key, ordinal) => {
      ordinals.set(key, ordinal)
    })
    this.#ordinals = ordinals
  }

  ordinalOf(key: number): number | undefined {
    return this.#ordinals.get(key)
  }

  setLive(ordinal: number, isLive: boolean): void {
    if ((this.live[ordinal] === 1) === isLive) return
    const sign = isLive ? 1 : -1
    this.live[ordinal] = isLive ? 1 : 0
    this.liveCount += sign
    this.titleWords += sign * (this.header.titleLengths[ordinal] as number)
    this.bodyWords += sign * (this.header.bodyLengths[ordinal] as number)
  }

  /** The documents of an entry, dead ones too. */
  postings(entry: PageCursor): PostingCursor {
    return new PostingCursor(entry.bytes, entry.postings, this.header.keys.length)
  }

  /** Visits the entries of a word: all forms of its stem, its form alone, or all forms that begin with it. */
  visit({ match, stem, form }: WordKey, visitor: EntryVisitor): void {
    const bytes = Buffer.from(form)
    if (match === 'prefix') this.#visitPrefix(form, bytes, visitor)
    else {
      this.#visitStem(Buffer.from(stem), (entry) => {
        if (match === 'stem' || bytes.equals(entry.form)) visitor(entry)
      })
    }
  }

  #visitStem(stem: Uint8Array, visitor: EntryVisitor): void {
    const page = this.#pages.page(this.id, stem)
    if (page === undefined) return
    const cursor = new PageCursor(page)
    while (cursor.nextOf(stem)) visitor(cursor)
  }

  #visitPrefix(prefix: string, bytes: Uint8Array, visitor: EntryVisitor): void {
    const { stems, from, to } = placesOfPrefix(prefix)
    const ifBegins = (entry: PageCursor): void => {
      if (startsWith(entry.form, bytes)) visitor(entry)
    }
    for (const stem of stems) this.#visitStem(stem, ifBegins)
    for (const page of this.#pages.pages(this.id, from, to)) {
      const cursor = new PageCursor(page)
      while (cursor.next()) if (startsWith(cursor.stem, bytes)) ifBegins(cursor)
    }
  }
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false
  for (let at = 0; at < prefix.length; at++) if (bytes[at] !== prefix[at]) return false
  return true
}

/** The documents of all segments in one row; a document's slot is its ordinal behind the documents of earlier segments. */
export interface Slots {
  readonly size: number
  readonly segments: readonly Segment[]
  /** The first slot of each segment. */
  readonly bases: readonly number[]
  readonly keys: Uint32Array
  readonly titleLengths: Uint32Array
  readonly bodyLengths: Uint32Array
}

export function layOut(segments: readonly Segment[]): Slots {
  let size = 0
  const bases = segments.map(({ live }) => {
    size += live.length
    return size - live.length
  })
  const slots = {
    size,
    segments,
    bases,
    keys: new Uint32Array(size),
    titleLengths: new Uint32Array(size),
    bodyLengths: new Uint32Array(size),
  }
  segments.forEach(({ header }, at) => {
    const base = bases[at] as number
    slots.keys.set(header.keys, base)
    slots.titleLengths.set(header.titleLengths, base)
    slots.bodyLengths.set(header.bodyLengths, base)
  })
  return slots
}
