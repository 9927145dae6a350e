import type { Phrase, PhraseWord, WordField } from '../../core/query.ts'
import { ByteReader, DamagedWords } from './index/bytes.ts'
import type { PageCursor } from './index/page.ts'
import type { Segment, WordKey } from './index/segment.ts'

/** Ordinals of the segment's live documents that hold a phrase, in no order. An empty phrase is nowhere. */
export function documentsWithPhrase(segment: Segment, phrase: Phrase, field: WordField): Iterable<number> {
  const words = phrase.words.map((word) => ({ word, size: sizeOf(segment, word) })).sort((a, b) => a.size - b.size)
  let starts: Starts | undefined
  for (const { word } of words) {
    starts = narrow(segment, word, { field, starts })
    if (starts.size === 0) break
  }
  return starts?.keys() ?? []
}

/** For each document where the phrase may begin: twice the position and 1 in the body. */
type Starts = Map<number, Set<number>>

interface Narrowing {
  readonly field: WordField
  /** Where the words read so far allow it; `undefined`: anywhere. */
  readonly starts: Starts | undefined
}

function narrow(segment: Segment, word: PhraseWord, { field, starts }: Narrowing): Starts {
  const found: Starts = new Map()
  segment.visit(keyOf(word), (entry) => {
    readPlaces(segment, entry, (ordinal, places) => {
      if (segment.live[ordinal] === 0) return
      const allowed = starts?.get(ordinal)
      if (starts !== undefined && allowed === undefined) return
      for (const place of places()) {
        const start = place - 2 * word.offset
        if (start < 0 || (field === 'title' && start % 2 === 1) || (allowed !== undefined && !allowed.has(start))) continue
        const known = found.get(ordinal)
        if (known === undefined) found.set(ordinal, new Set([start]))
        else known.add(start)
      }
    })
  })
  return found
}

/** Visits each document of an entry with its places, which are decoded only when asked for. */
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
  if (!reader.isAtEnd) throw new DamagedWords('a word has more places than it says')
}

function* decode(reader: ByteReader, title: number, body: number): Generator<number> {
  for (const [count, field] of [
    [title, 0],
    [body, 1],
  ] as const) {
    let position = 0
    for (let left = count; left > 0; left--) {
      position += reader.varint()
      yield position * 2 + field
    }
  }
}

/** Bytes of a word's documents: the cheapest word is read first. */
function sizeOf(segment: Segment, word: PhraseWord): number {
  let size = 0
  segment.visit(keyOf(word), ({ postings }) => {
    size += postings.end - postings.start
  })
  return size
}

function keyOf({ form, stem, isPrefix }: PhraseWord): WordKey {
  return { form, stem, match: isPrefix ? 'prefix' : 'form' }
}
