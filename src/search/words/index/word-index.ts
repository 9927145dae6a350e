import type { Phrase, PhraseWord, WordField, WordTerm } from '../../../core/query.ts'
import type { NearWord } from '../../../core/search.ts'
import { KeySet } from '../../key-set.ts'
import { beginningsNear, inNearOrder, isOneSlipAway } from '../query-terms.ts'
import { type Ranking, type RankOptions, rankTerms } from '../rank.ts'
import { ByteReader, DamagedWords } from './bytes.ts'
import { languageAt, type PageCursor, type SegmentHeader } from './page.ts'
import { layOut, type PageSource, Segment, type Slots, type WordKey } from './segment.ts'

export interface StoredSegment {
  readonly id: number
  readonly header: SegmentHeader
}

/** Returns `undefined` if the file does not exist. */
export type StampOf = (key: number) => number | undefined

/**
 * The keyword index of a vault: segments, oldest first. A document is live if no newer segment contains its key and its stamp
 * equals the file's. Any method can throw `DamagedWords`.
 */
export class WordIndex {
  readonly #pages: PageSource
  readonly #stampOf: StampOf
  #segments: readonly Segment[] = []
  #slots: Slots = layOut([])
  #languages: ReadonlyMap<string, number> | undefined

  constructor(pages: PageSource, stampOf: StampOf) {
    this.#pages = pages
    this.#stampOf = stampOf
  }

  /** Sets the current segments, oldest first. The data of segments with known ids is kept, because ids are never reused. */
  setSegments(stored: readonly StoredSegment[]): void {
    const segmentsById = new Map(this.#segments.map((segment) => [segment.id, segment]))
    const next = stored.map(({ id, header }) => segmentsById.get(id) ?? new Segment(id, header, this.#pages))
    const nextSegments = new Set(next)
    const removed = this.#segments.filter((segment) => !nextSegments.has(segment))
    const come = next.filter((segment) => !segmentsById.has(segment.id))
    this.#segments = next
    this.#languages = undefined
    this.#slots = layOut(next)
    for (const { header } of [...removed, ...come]) this.changed(header.keys)
  }

  /** Callers must report keys whose stamps have changed. */
  changed(keys: Iterable<number>): void {
    this.#languages = undefined
    for (const key of keys) this.#markLive(key)
  }

  rank(terms: readonly WordTerm[], options: RankOptions): Ranking {
    return rankTerms(this.#slots, terms, options)
  }

  /** Returns keys of documents with any form of the stem, the exact form, or any form with the prefix, depending on `match`. */
  keysWith(word: WordKey, field: WordField = 'any'): KeySet {
    return this.#collect((segment, add) => {
      segment.visit(word, (entry) => {
        const postings = segment.postings(entry)
        while (postings.next()) if (field === 'any' || postings.title > 0) add(postings.ordinal)
      })
    })
  }

  keysWithPhrase(phrase: Phrase, field: WordField = 'any'): KeySet {
    return this.#collect((segment, add) => {
      for (const ordinal of documentsWithPhrase(segment, phrase, field)) add(ordinal)
    })
  }

  /** Returns words with one typo, in the order of `inNearOrder`. */
  wordsNear(word: string): readonly NearWord[] {
    const notes = new Map<string, number>()
    for (const segment of this.#segments) {
      for (const form of beginningsNear(word)) {
        segment.visit({ form, match: 'prefix' }, (entry) => {
          if (Math.abs(entry.form.length - Buffer.byteLength(word)) > MAX_BYTES) return
          const near = Buffer.from(entry.form).toString()
          if (isOneSlipAway(word, near)) notes.set(near, (notes.get(near) ?? 0) + liveCount(segment, entry))
        })
      }
    }
    return inNearOrder(notes)
  }

  languageOf(key: number): string | undefined {
    for (const segment of this.#segments) {
      const ordinal = segment.ordinalOf(key)
      if (ordinal !== undefined && segment.live[ordinal] === 1) return languageAt(segment.header, ordinal)
    }
    return undefined
  }

  languages(): ReadonlyMap<string, number> {
    this.#languages ??= countLanguages(this.#segments)
    return this.#languages
  }

  #markLive(key: number): void {
    let isNewest = true
    for (let at = this.#segments.length - 1; at >= 0; at--) {
      const segment = this.#segments[at] as Segment
      const ordinal = segment.ordinalOf(key)
      if (ordinal === undefined) continue
      segment.setLive(ordinal, isNewest && segment.header.stamps[ordinal] === this.#stampOf(key))
      isNewest = false
    }
  }

  #collect(find: (segment: Segment, put: (ordinal: number) => void) => void): KeySet {
    const bits = new Uint32Array((this.#slots.end + 31) >>> 5)
    for (const segment of this.#segments) {
      const { live } = segment
      const { keys } = segment.header
      find(segment, (ordinal) => {
        if (live[ordinal] === 0) return
        const key = keys[ordinal] as number
        bits[key >>> 5] = (bits[key >>> 5] as number) | (1 << (key & 31))
      })
    }
    return KeySet.ofBits(bits)
  }
}

function countLanguages(segments: readonly Segment[]): ReadonlyMap<string, number> {
  const notes = new Map<string, number>()
  for (const { header, live } of segments) {
    live.forEach((isLive, ordinal) => {
      const code = isLive === 1 ? languageAt(header, ordinal) : undefined
      if (code !== undefined) notes.set(code, (notes.get(code) ?? 0) + 1)
    })
  }
  return notes
}

/** Returns ordinals in no particular order. An empty phrase matches nothing. */
function documentsWithPhrase(segment: Segment, phrase: Phrase, field: WordField): Iterable<number> {
  const words = phrase.words.map((word) => ({ word, size: sizeOf(segment, word) })).sort((a, b) => a.size - b.size)
  let starts: StartsByDocument | undefined
  for (const { word } of words) {
    starts = narrow(segment, word, { field, starts })
    if (starts.size === 0) break
  }
  return starts?.keys() ?? []
}

/** Maximum length of a letter in UTF-8. */
const MAX_BYTES = 4

function liveCount(segment: Segment, entry: PageCursor): number {
  const postings = segment.postings(entry)
  let count = 0
  while (postings.next()) count += segment.live[postings.ordinal] as number
  return count
}

/** The starts of a phrase by document. A start is twice the position, plus 1 in the body. */
type StartsByDocument = Map<number, Set<number>>

interface PhraseSearch {
  readonly field: WordField
  /** The possible starts after the words read so far. Before the first word, they are undefined. */
  readonly starts: StartsByDocument | undefined
}

function narrow(segment: Segment, word: PhraseWord, { field, starts }: PhraseSearch): StartsByDocument {
  const startsByDocument: StartsByDocument = new Map()
  segment.visit(keyOf(word), (entry) => {
    readPlaces(segment, entry, (ordinal, places) => {
      if (segment.live[ordinal] === 0) return
      const allowed = starts?.get(ordinal)
      if (starts !== undefined && allowed === undefined) return
      for (const place of places()) {
        const start = place - 2 * word.offset
        if (start < 0 || (field === 'title' && start % 2 === 1) || (allowed !== undefined && !allowed.has(start))) continue
        const startsOfDocument = startsByDocument.get(ordinal)
        if (startsOfDocument === undefined) startsByDocument.set(ordinal, new Set([start]))
        else startsOfDocument.add(start)
      }
    })
  })
  return startsByDocument
}

function readPlaces(segment: Segment, entry: PageCursor, visit: (ordinal: number, places: () => Iterable<number>) => void): void {
  const documents = segment.postings(entry)
  const reader = new ByteReader(entry.bytes, entry.positions.start, entry.positions.end)
  while (documents.next()) {
    const { title, body } = documents
    const start = reader.at
    reader.skipVarints(title + body)
    const end = reader.at
    visit(documents.ordinal, () => decode(new ByteReader(entry.bytes, start, end), title, body))
  }
  if (!reader.isAtEnd) throw new DamagedWords('a word has more positions than occurrences')
}

function* decode(reader: ByteReader, title: number, body: number): Generator<number> {
  for (const [count, field] of [
    [title, 0],
    [body, 1],
  ] as const) {
    let position = 0
    for (let remaining = count; remaining > 0; remaining--) {
      position += reader.varint()
      yield position * 2 + field
    }
  }
}

/** Returns the size of a word's lists. The word with the smallest lists is read first. */
function sizeOf(segment: Segment, word: PhraseWord): number {
  let size = 0
  segment.visit(keyOf(word), ({ postings }) => {
    size += postings.end - postings.start
  })
  return size
}

function keyOf({ form, isPrefix }: PhraseWord): WordKey {
  return { form, match: isPrefix ? 'prefix' : 'form' }
}
