import { FNV_BASIS, hashByte, PieceIndex } from './piece-index.ts'
import { type PieceCounts, RowCounts } from './row-counts.ts'

/** The character ends the word. */
const BETWEEN = 1

/** The character is part of a word, but no letter: a digit or a mark. */
const PART = 2

const LETTER = 3

const LATIN_LETTER = 4

const CODE_POINTS = 0x110000

/** Zero-width joiners hold words together, for example in Persian and Bengali. */
const IN_WORD = /[\p{L}\p{N}\p{M}\u200c\u200d]/u

/** Most words. They need not be normalized. */
const ASCII = /^[a-z0-9]*$/i

const NOT_IN_WORD = /[^\p{L}\p{N}\p{M}\u200c\u200d]+/u

/** Marks the start of a word. */
const WORD_START = '\u2581'

/** Longer words are cut, because putting many marks in order takes quadratic time. */
const MAX_WORD = 256

/** An unknown character costs this much more than the least likely piece, so it is used only if nothing else fits. */
const UNKNOWN_PENALTY = 10

/** Longer words are mostly noise such as keys, and each is seen once. */
const MAX_KEPT_WORD = 32

/** Shorter slices are copies of their text, and longer ones would keep it in memory. */
const SHORTEST_SLICE = 13

const MAX_KEPT_WORDS = 20_000

/** Pieces of a text, and how much of it is in Latin script. */
export interface SentencePieceCounts extends PieceCounts {
  /** Share of the letters that are Latin, 0–1. It is 1 if there are no letters. */
  readonly latin: number
}

/**
 * Cuts words into the pieces with the greatest sum of log probabilities, as SentencePiece does (unigram model; Kudo 2018), and counts
 * the pieces. Text is lowercased and brought to NFKC first. Words consist of letters, digits and marks. Unknown characters contribute
 * nothing. Takes linear time: every character of a word starts one search, with as many steps as the longest piece has bytes.
 */
export class SentencePieces {
  readonly #index: PieceIndex
  readonly #scores: Float32Array
  readonly #unknownScore: number
  /** The row for the start of a word alone, or -1. */
  readonly #startRow: number
  readonly #counts: RowCounts
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #kept = new Map<string, readonly number[]>()
  readonly #encoder = new TextEncoder()
  readonly #word: Uint8Array
  readonly #best: Float64Array
  readonly #from: Int32Array
  readonly #row: Int32Array

  /** `vocabulary`: UTF-8, one piece per line, without a trailing line break. `scores`: the log probability of each. */
  constructor(vocabulary: Uint8Array, scores: Float32Array) {
    // A character has at most 3 bytes per UTF-16 unit, and NFKC makes at most 18 characters of one.
    const most = 3 * (WORD_START.length + 18 * MAX_WORD)
    this.#word = new Uint8Array(most)
    this.#best = new Float64Array(most + 1)
    this.#from = new Int32Array(most + 1)
    this.#row = new Int32Array(most + 1)
    this.#index = new PieceIndex(vocabulary, this.#word)
    this.#scores = scores
    this.#unknownScore = scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY
    this.#counts = new RowCounts(this.#index.size)
    this.#startRow = this.#cut('').at(0) ?? -1
  }

  /** Number of pieces, one per row. */
  get size(): number {
    return this.#index.size
  }

  /** Counts the pieces of the text. The result is valid until the next call. */
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

  /** Returns the rows of the word's pieces in order. */
  #countWord(word: string): void {
    for (const row of this.#piecesOf(word)) this.#counts.add(row)
  }

  #piecesOf(word: string): readonly number[] {
    if (word.length > MAX_KEPT_WORD) return this.#read(word)
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const rows = this.#read(word)
    if (this.#kept.size >= MAX_KEPT_WORDS) this.#kept.clear()
    this.#kept.set(word.length < SHORTEST_SLICE ? word : Buffer.from(word, 'utf16le').toString('utf16le'), rows)
    return rows
  }

  /** Normalizes a word, which may split it, and cuts it into pieces. */
  #read(word: string): readonly number[] {
    if (ASCII.test(word)) return this.#withoutLoneStart(this.#cut(word.toLowerCase()))
    // Turkish İ becomes i with a dot above in lower case.
    const normal = word.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i')
    return normal.split(NOT_IN_WORD).flatMap((part) => (part === '' ? [] : this.#withoutLoneStart(this.#cut(part))))
  }

  /** The start alone tells nothing of a word in an unknown script. */
  #withoutLoneStart(rows: readonly number[]): readonly number[] {
    return rows.length === 1 && rows[0] === this.#startRow ? [] : rows
  }

  /** Viterbi's algorithm over the bytes of the word. Pieces start and end at whole characters. */
  #cut(word: string): number[] {
    const bytes = this.#word
    const best = this.#best
    const end = this.#encoder.encodeInto(WORD_START + word, bytes).written
    best.fill(Number.NEGATIVE_INFINITY, 1, end + 1)
    best[0] = 0
    for (let start = 0; start < end; start++) {
      if (isInside(bytes[start] as number)) continue
      const most = Math.min(end, start + this.#index.longest)
      let hash = FNV_BASIS
      for (let at = start; at < most; ) {
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

  /** Keeps a piece if it makes the best way to its end. A row of -1 is an unknown character. */
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

/** True for the bytes of a character except its first. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function roleOf(character: string): number {
  if (!IN_WORD.test(character.normalize('NFKC'))) return BETWEEN
  if (!/\p{L}/u.test(character)) return PART
  return /\p{Script=Latin}/u.test(character) ? LATIN_LETTER : LETTER
}
