import { LANGUAGES } from '../core/languages.ts'
import type { WordSink } from '../core/search-writer.ts'
import { lineNumber } from '../core/text/line-number.ts'
import { markProse, OPEN, SILENT } from '../markdown/inline-spans.ts'
import { languageOf } from '../search/languages/language-of.ts'
import { NumberList } from '../search/number-list.ts'
import { ByteReader, ByteWriter, DamagedWords } from '../search/words/index/bytes.ts'
import { WORD } from '../search/words/joined-word.ts'
import { scanWords } from '../search/words/scan.ts'

/** A note's words by line. In encoded form, a word takes about three bytes. */
export interface NoteRecord {
  /** The ISO 639-1 code of the language, or `undefined` if it is unclear. */
  readonly language: string | undefined
  /** The distinct folded words, in order of first appearance. */
  readonly forms: readonly string[]
  /** The one-based numbers of the lines with words, in ascending order. */
  readonly lines: Uint32Array
  /** The hash of each line. Lines with the same words have the same one. */
  readonly hashes: Uint32Array
  /** The exclusive end of each line in `words`. */
  readonly ends: Uint32Array
  /** The words in order: `form << FLAG_BITS`, plus `IS_CLOSED` if a link cannot be inserted. */
  readonly words: Uint32Array
}

export const IS_CLOSED = 1
export const FLAG_BITS = 1

/** A callback for words. `line` is one-based. `start` and `end` are UTF-16 offsets. */
export type PlacedWordSink = (word: {
  readonly line: number
  readonly start: number
  readonly end: number
  readonly form: string
  readonly flags: number
}) => void

export interface RecordSource {
  readonly text: string
  readonly bodyStart: number
}

/** Reads the words of a note's body, without link destinations and HTML tags. The function takes linear time and never throws. */
export function readWords(source: RecordSource, sink: PlacedWordSink): void {
  scanNote(source, (form, flags, line, start, end) => sink({ line, start, end, form, flags }))
}

/** Passes words as positional arguments, which avoids an object per word. */
function scanNote({ text, bodyStart }: RecordSource, sink: WordSink): void {
  const marks = markProse(text, bodyStart)
  const silences = new Silences(marks)
  let line = lineNumber(text, bodyStart)
  for (let from = bodyStart; from < text.length; line++) {
    const newline = text.indexOf('\n', from)
    const to = newline === -1 ? text.length : newline
    for (let start = silences.endAt(from, to); start < to; ) {
      const end = Math.min(to, silences.next(start))
      scanPiece({ text, marks, line, start, end }, sink)
      start = silences.endAt(end, to)
    }
    from = to + 1
  }
}

interface Piece {
  readonly text: string
  readonly marks: Uint8Array
  readonly line: number
  readonly start: number
  readonly end: number
}

function scanPiece({ text, marks, line, start: base, end: limit }: Piece, sink: WordSink): void {
  const piece = text.slice(base, limit)
  scanWords(piece, (form, kind, _position, start, end) => {
    if (kind !== WORD) return
    sink(form, marks[base + start] === OPEN ? 0 : IS_CLOSED, line, base + start, base + end)
  })
}

/** A lookup of silent text. Offsets must be ascending. */
class Silences {
  readonly #marks: Uint8Array
  #next = -1

  constructor(marks: Uint8Array) {
    this.#marks = marks
  }

  next(from: number): number {
    if (this.#next < from) {
      const position = this.#marks.indexOf(SILENT, from)
      this.#next = position === -1 ? this.#marks.length : position
    }
    return this.#next
  }

  endAt(from: number, to: number): number {
    let at = from
    while (at < to && this.#marks[at] === SILENT) at++
    return at
  }
}

/** The arrays are reused, because allocating new ones would cost a tenth of the time. */
const scratch = {
  formHashes: new NumberList(),
  lines: new NumberList(),
  hashes: new NumberList(),
  ends: new NumberList(),
  words: new NumberList(),
}

export function noteRecord(source: RecordSource, languages?: readonly string[]): NoteRecord {
  const numbers = new Map<string, number>()
  const { formHashes, lines, hashes, ends, words } = scratch
  for (const list of Object.values(scratch)) list.clear()
  let hash = HASH_SEED
  let current = 0
  const endLine = (): void => {
    if (lines.length === ends.length) return
    ends.push(words.length)
    hashes.push(spreadBits(hash))
    hash = HASH_SEED
  }
  scanNote(source, (form, flags, line) => {
    if (line !== current) {
      current = line
      endLine()
      lines.push(line)
    }
    let number = numbers.get(form)
    if (number === undefined) {
      number = numbers.size
      numbers.set(form, number)
      formHashes.push(hashOf(form))
    }
    hash = Math.imul(hash ^ (formHashes.items[number] as number), HASH_PRIME)
    words.push(number * (1 << FLAG_BITS) + flags)
  })
  endLine()
  return {
    language: languageOf(source.text.slice(source.bodyStart), languages)?.code,
    forms: [...numbers.keys()],
    lines: lines.copy(),
    hashes: hashes.copy(),
    ends: ends.copy(),
    words: words.copy(),
  }
}

export function encodeRecord({ language, forms, lines, hashes, ends, words }: NoteRecord): Uint8Array {
  const writer = new ByteWriter(1024)
  writer.varint(language === undefined ? 0 : LANGUAGES.indexOf(language) + 1)
  const text = Buffer.from(forms.join('\n'))
  writer.varint(forms.length)
  writer.varint(text.length)
  writer.bytes(text)
  writer.varint(lines.length)
  let line = 0
  let at = 0
  for (let n = 0; n < lines.length; n++) {
    const end = ends[n] as number
    writer.varint((lines[n] as number) - line)
    writer.varint(hashes[n] as number)
    writer.varint(end - at)
    for (; at < end; at++) writer.varint(words[at] as number)
    line = lines[n] as number
  }
  return writer.copy()
}

/** @throws DamagedWords if the record is corrupt */
export function decodeRecord(bytes: Uint8Array): NoteRecord {
  const reader = new ByteReader(bytes)
  const language = LANGUAGES[reader.varint() - 1]
  const formCount = reader.varint()
  const textLength = reader.varint()
  const start = reader.take(textLength)
  const forms =
    formCount === 0
      ? []
      : Buffer.from(bytes.buffer, bytes.byteOffset + start, textLength)
          .toString()
          .split('\n')
  if (forms.length !== formCount) throw new DamagedWords('the words of a record do not match their count')
  const count = requireCount(reader, reader.varint())
  const lines = new Uint32Array(count)
  const hashes = new Uint32Array(count)
  const ends = new Uint32Array(count)
  // Each word takes at least one byte.
  const words = new Uint32Array(reader.end - reader.at)
  let line = 0
  let at = 0
  for (let n = 0; n < count; n++) {
    line += reader.varint()
    lines[n] = line
    hashes[n] = reader.varint()
    const end = at + requireCount(reader, reader.varint())
    for (; at < end; at++) {
      const word = reader.varint()
      if (word >>> FLAG_BITS >= formCount) throw new DamagedWords('a record refers to a word that it does not contain')
      words[at] = word
    }
    ends[n] = end
  }
  if (!reader.isAtEnd) throw new DamagedWords('a record has data after its end')
  return { language, forms, lines, hashes, ends, words: words.slice(0, at) }
}

/** Checks a count against the remaining bytes, because each item takes at least one. */
function requireCount(reader: ByteReader, count: number): number {
  if (count > reader.end - reader.at) throw new DamagedWords('it ends too early')
  return count
}

const HASH_SEED = 0x811c9dc5
const HASH_PRIME = 0x01000193

/** Returns the FNV-1a hash over UTF-16 units. */
function hashOf(form: string): number {
  let hash = HASH_SEED
  for (let at = 0; at < form.length; at++) hash = Math.imul(hash ^ form.charCodeAt(at), HASH_PRIME)
  return spreadBits(hash)
}

/** Mixes the bits by the finalizer of MurmurHash3. */
export function spreadBits(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
