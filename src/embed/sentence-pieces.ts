import { FNV_BASIS, hashByte, type PieceCounts, PieceIndex, RowCounts } from './piece-index.ts'

const BETWEEN = 1

const PART = 2

const LETTER = 3

const LATIN_LETTER = 4

const CODE_POINTS = 0x110000

const IN_WORD = /[\p{L}\p{N}\p{M}\u200c\u200d]/u

/** Words that match need no normalization and take a fast path. */
const ASCII = /^[a-z0-9]*$/i

const NOT_IN_WORD = /[^\p{L}\p{N}\p{M}\u200c\u200d]+/u

/** This character marks the start of a word in SentencePiece. */
const WORD_START = '\u2581'

/** The maximum length of a word in UTF-16 units. Longer words are split, because normalization sorts marks in quadratic time. */
const MAX_WORD = 256

/** An unknown character scores this much less than the least likely piece. */
const UNKNOWN_PENALTY = 10

/** Longer words are not cached, because most are noise such as keys. */
const MAX_KEPT_WORD = 32

/** V8 copies substrings that are shorter than this. Longer ones are slices that keep the whole text in memory. */
const MIN_SLICE_LENGTH = 13

const MAX_KEPT_WORDS = 20_000

export interface SentencePieceCounts extends PieceCounts {
  /** The share of letters that are Latin, 0–1. A text without letters has 1. */
  readonly latin: number
}

/**
 * SentencePiece unigram segmentation (Kudo 2018) of NFKC-normalized lowercase text, in linear time. Unknown characters are
 * ignored.
 */
export class SentencePieces {
  readonly #index: PieceIndex
  readonly #scores: Float32Array
  readonly #unknownScore: number
  readonly #startRow: number
  readonly #counts: RowCounts
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #cache = new Map<string, readonly number[]>()
  readonly #encoder = new TextEncoder()
  readonly #word: Uint8Array
  readonly #best: Float64Array
  readonly #from: Int32Array
  readonly #row: Int32Array

  /** @param vocabulary UTF-8, one piece per line, without a trailing line break @param scores each piece's log probability */
  constructor(vocabulary: Uint8Array, scores: Float32Array) {
    // A character takes at most 3 bytes per UTF-16 unit, and NFKC expands a character to at most 18 characters.
    const maxLength = 3 * (WORD_START.length + 18 * MAX_WORD)
    this.#word = new Uint8Array(maxLength)
    this.#best = new Float64Array(maxLength + 1)
    this.#from = new Int32Array(maxLength + 1)
    this.#row = new Int32Array(maxLength + 1)
    this.#index = new PieceIndex(vocabulary, this.#word)
    this.#scores = scores
    this.#unknownScore = scores.reduce((min, score) => Math.min(min, score), 0) - UNKNOWN_PENALTY
    this.#counts = new RowCounts(this.#index.size)
    this.#startRow = this.#split('').at(0) ?? -1
  }

  get size(): number {
    return this.#index.size
  }

  /** Counts the pieces of a text. The result is valid until the next call. */
  count(text: string): SentencePieceCounts {
    this.#counts.clear()
    let letters = 0
    let latin = 0
    let start = -1
    const roles = this.#roles
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const codePoint = unit < 0xd800 ? unit : (text.codePointAt(at) as number)
      const role = roles[codePoint] || this.#classify(codePoint)
      if (start >= 0 && (role === BETWEEN || at - start >= MAX_WORD)) {
        this.#countWord(text.slice(start, at))
        start = -1
      }
      if (role !== BETWEEN && start < 0) start = at
      if (role >= LETTER) letters++
      if (role === LATIN_LETTER) latin++
      if (codePoint > 0xffff) at++
    }
    if (start >= 0) this.#countWord(text.slice(start))
    const { counts, rows, distinct } = this.#counts
    return { counts, rows, distinct, latin: letters === 0 ? 1 : latin / letters }
  }

  #countWord(word: string): void {
    for (const row of this.#piecesOf(word)) this.#counts.add(row)
  }

  #piecesOf(word: string): readonly number[] {
    if (word.length > MAX_KEPT_WORD) return this.#read(word)
    const cached = this.#cache.get(word)
    if (cached !== undefined) return cached
    const rows = this.#read(word)
    if (this.#cache.size >= MAX_KEPT_WORDS) this.#cache.clear()
    this.#cache.set(word.length < MIN_SLICE_LENGTH ? word : Buffer.from(word, 'utf16le').toString('utf16le'), rows)
    return rows
  }

  /** Returns the rows of a word, which normalization may split into several words. */
  #read(word: string): readonly number[] {
    if (ASCII.test(word)) return this.#withoutLoneStart(this.#split(word.toLowerCase()))
    // The Turkish İ in lower case is an i with a combining dot above.
    const normal = word.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i')
    return normal.split(NOT_IN_WORD).flatMap((part) => (part === '' ? [] : this.#withoutLoneStart(this.#split(part))))
  }

  /** Drops a start marker without other pieces, which means that the script is unknown. */
  #withoutLoneStart(rows: readonly number[]): readonly number[] {
    return rows.length === 1 && rows[0] === this.#startRow ? [] : rows
  }

  /** Splits a word by Viterbi's algorithm. Pieces start and end at whole characters. */
  #split(word: string): number[] {
    const bytes = this.#word
    const best = this.#best
    const end = this.#encoder.encodeInto(WORD_START + word, bytes).written
    best.fill(Number.NEGATIVE_INFINITY, 1, end + 1)
    best[0] = 0
    for (let start = 0; start < end; start++) {
      if (isInside(bytes[start] as number)) continue
      const lastEnd = Math.min(end, start + this.#index.longest)
      let hash = FNV_BASIS
      for (let at = start; at < lastEnd; ) {
        hash = hashByte(hash, bytes[at++] as number)
        if (at < end && isInside(bytes[at] as number)) continue
        if (!this.#index.isPrefix(hash)) break
        const row = this.#index.find(hash, start, at)
        if (row >= 0) this.#offer(start, at, row)
      }
      let next = start + 1
      while (next < end && isInside(bytes[next] as number)) next++
      this.#offer(start, next, -1)
    }
    const rows: number[] = []
    for (let at = end; at > 0; at = this.#from[at] as number)
      if ((this.#row[at] as number) >= 0) rows.push(this.#row[at] as number)
    return rows.reverse()
  }

  #offer(start: number, end: number, row: number): void {
    const score = (this.#best[start] as number) + (row < 0 ? this.#unknownScore : (this.#scores[row] as number))
    if (!(score > (this.#best[end] as number))) return
    this.#best[end] = score
    this.#from[end] = start
    this.#row[end] = row
  }

  #classify(codePoint: number): number {
    const character = String.fromCodePoint(codePoint)
    const role = roleOf(character)
    this.#roles[codePoint] = role
    return role
  }
}

function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function roleOf(character: string): number {
  if (!IN_WORD.test(character.normalize('NFKC'))) return BETWEEN
  if (!/\p{L}/u.test(character)) return PART
  return /\p{Script=Latin}/u.test(character) ? LATIN_LETTER : LETTER
}
