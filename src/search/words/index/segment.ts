import { LANGUAGES } from '../../../core/languages.ts'
import type { WordTerm } from '../../../core/query.ts'
import { placesOfPrefix, stemsOf } from '../stem.ts'
import { languagesIn, PageCursor, PostingCursor, type SegmentHeader } from './page.ts'

export interface PageSource {
  /** Returns the last page whose `first` is at most `stem`, compared bytewise. */
  page(segment: number, stem: Uint8Array): Uint8Array | undefined
  /** Returns `page(segment, from)`, then the pages with a `first` between `from` and `to`, in order. */
  pages(segment: number, from: Uint8Array, to: Uint8Array): Iterable<Uint8Array>
}

export type WordKey = Pick<WordTerm, 'form' | 'match'>

/** A callback for entries. The cursor is valid only during the call. */
type EntryVisitor = (entry: PageCursor) => void

export class Segment {
  readonly id: number
  readonly header: SegmentHeader
  readonly languages: readonly string[]
  /** The value is 1 for live documents, by ordinal. */
  readonly live: Uint8Array
  liveCount = 0
  /** All keys are below this number. */
  readonly end: number
  /** Number of documents by language, including dead ones. The index is that of `SegmentHeader.languages`. */
  readonly languageCounts = new Uint32Array(LANGUAGES.length + 1)
  /** Number of title words in live documents. */
  titleWords = 0
  bodyWords = 0
  readonly #pages: PageSource
  readonly #ordinals: ReadonlyMap<number, number>

  constructor(id: number, header: SegmentHeader, pages: PageSource) {
    this.id = id
    this.header = header
    this.languages = languagesIn(header)
    this.live = new Uint8Array(header.keys.length)
    this.#pages = pages
    const ordinals = new Map<number, number>()
    let end = 0
    header.keys.forEach((key, ordinal) => {
      ordinals.set(key, ordinal)
      end = Math.max(end, key + 1)
    })
    this.#ordinals = ordinals
    this.end = end
    for (const number of header.languages) this.languageCounts[number] = (this.languageCounts[number] as number) + 1
  }

  ordinalOf(key: number): number | undefined {
    return this.#ordinals.get(key)
  }

  setLive(ordinal: number, isLive: boolean): void {
    if ((this.live[ordinal] === 1) === isLive) return
    const change = isLive ? 1 : -1
    this.live[ordinal] = isLive ? 1 : 0
    this.liveCount += change
    this.titleWords += change * (this.header.titleLengths[ordinal] as number)
    this.bodyWords += change * (this.header.bodyLengths[ordinal] as number)
  }

  /** Returns the postings of an entry, including those of dead documents. */
  postings(entry: PageCursor): PostingCursor {
    return new PostingCursor(entry.bytes, entry.postings, this.header.keys.length)
  }

  /** Visits all forms of the stem, the exact form, or all forms with the prefix, depending on `match`. */
  visit({ match, form }: WordKey, visitor: EntryVisitor): void {
    const bytes = Buffer.from(form)
    if (match === 'prefix') this.#visitPrefix(form, bytes, visitor)
    else {
      for (const stem of stemsOf(form, this.languages)) {
        this.#visitStem(Buffer.from(stem), (entry) => {
          if (match === 'stem' || bytes.equals(entry.form)) visitor(entry)
        })
      }
    }
  }

  /** Returns the size of the lists in bytes, including dead documents, or 0 if no document is in the language. */
  sizeIn(language: string, stem: string): number {
    let size = 0
    if (!this.languages.includes(language)) return size
    this.#visitStem(Buffer.from(stem), ({ postings }) => {
      size += postings.end - postings.start
    })
    return size
  }

  #visitStem(stem: Uint8Array, visitor: EntryVisitor): void {
    const page = this.#pages.page(this.id, stem)
    if (page === undefined) return
    const cursor = new PageCursor(page)
    while (cursor.nextOf(stem)) visitor(cursor)
  }

  #visitPrefix(prefix: string, bytes: Uint8Array, visitor: EntryVisitor): void {
    const { stems, from, to } = placesOfPrefix(prefix, this.languages)
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

/** Consecutive numbers (slots) for the documents of all segments. */
export interface Slots {
  readonly size: number
  readonly segments: readonly Segment[]
  readonly bases: readonly number[]
  readonly keys: Uint32Array
  /** All keys are below this number. */
  readonly end: number
  readonly titleLengths: Uint32Array
  readonly bodyLengths: Uint32Array
  readonly language: string | undefined
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
    end: segments.reduce((max, { end }) => Math.max(max, end), 0),
    titleLengths: new Uint32Array(size),
    bodyLengths: new Uint32Array(size),
    language: mostFrequentLanguage(segments),
  }
  segments.forEach(({ header }, at) => {
    const base = bases[at] as number
    slots.keys.set(header.keys, base)
    slots.titleLengths.set(header.titleLengths, base)
    slots.bodyLengths.set(header.bodyLengths, base)
  })
  return slots
}

function mostFrequentLanguage(segments: readonly Segment[]): string | undefined {
  const counts = Array.from({ length: LANGUAGES.length + 1 }, (_, number) =>
    segments.reduce((sum, { languageCounts }) => sum + (languageCounts[number] as number), 0),
  )
  return LANGUAGES[counts.indexOf(Math.max(...counts)) - 1]
}
