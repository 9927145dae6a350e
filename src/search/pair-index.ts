import { countBits, NumberList } from './number-list.ts'

/** Maximum length of compared strings, so a huge name does not block other work. */
const MAX_LENGTH = 512

/**
 * Size of a string's signature in 32-bit words. Each character pair sets one bit. A bit that is set in only one of two signatures
 * means that the other string lacks a pair. With 10–40 pairs in a name, 64 bits would be about half set.
 */
const WORDS = 4

interface WantedPair {
  /** Numbers of the strings that contain the pair. */
  readonly texts: NumberList
  /** How often the query contains the pair. */
  readonly count: number
}

/** The result of `PairIndex.want`. */
interface PairQuery {
  /** Number of pairs in the query, even if no indexed string contains them. */
  readonly length: number
  /** The query's pairs that occur in indexed strings, rarest first. */
  readonly pairs: readonly WantedPair[]
}

/**
 * An index of strings by their pairs of adjacent characters. It stores which strings contain a pair, and which pairs a string
 * contains. Strings and pairs are numbered in the order in which they are added.
 */
export class PairIndex {
  readonly #numbers = new Map<number, number>()
  readonly #texts: NumberList[] = []
  readonly #pairs = new NumberList(1024)
  /** Start of each string's pairs. They end where the next string's pairs start. */
  readonly #starts = new NumberList(1024)
  readonly #repeats = new Set<number>()
  readonly #signatures = new NumberList(1024)
  /** How often the query contains each pair, by the number of the pair. */
  #queryCounts = new Uint16Array(1024)
  readonly #wantedSignature = new Uint32Array(WORDS)
  /** The pairs of the query that the current string contains. */
  readonly #usedCodes: number[] = []

  constructor() {
    this.#starts.push(0)
  }

  get size(): number {
    return this.#starts.length - 1
  }

  add(folded: string): void {
    const text = this.size
    const codes = pairsOf(folded)
    // New entries are zero.
    const signature = this.#signatures.extend(WORDS)
    const words = this.#signatures.items
    for (let at = 0; at < codes.length; at++) {
      const pair = this.#numberOf(codes[at] as number)
      const texts = this.#texts[pair] as NumberList
      this.#pairs.push(pair)
      setBit(words, signature, pair)
      // All pairs of a string are added together, so if a pair is repeated, its list ends with this string.
      if (texts.length > 0 && texts.items[texts.length - 1] === text) this.#repeats.add(text)
      else texts.push(text)
    }
    this.#starts.push(this.#pairs.length)
  }

  #numberOf(code: number): number {
    const number = this.#numbers.get(code)
    if (number !== undefined) return number
    this.#numbers.set(code, this.#texts.length)
    return this.#texts.push(new NumberList()) - 1
  }

  /** Returns a string's number of pairs, counting repetitions. */
  lengthOf(text: number): number {
    const starts = this.#starts.items
    return (starts[text + 1] as number) - (starts[text] as number)
  }

  /** Sets the query for `lacks` and `shared`. `folded` must be folded. */
  want(folded: string): PairQuery {
    if (this.#queryCounts.length < this.#texts.length) this.#queryCounts = new Uint16Array(this.#texts.length * 2)
    const queryCounts = this.#queryCounts.fill(0)
    const codes = pairsOf(folded)
    const numbers = codes.map((code) => this.#numbers.get(code)).filter((number) => number !== undefined)
    this.#wantedSignature.fill(0)
    for (const number of numbers) {
      queryCounts[number]!++
      setBit(this.#wantedSignature, 0, number)
    }
    const pairs = [...new Set(numbers)].map((number) => ({
      texts: this.#texts[number] as NumberList,
      count: queryCounts[number] as number,
    }))
    return { length: codes.length, pairs: pairs.sort((a, b) => a.texts.length - b.texts.length) }
  }

  /** Returns a lower bound for the number of the query's pairs that a string lacks. */
  lacks(text: number): number {
    const signatures = this.#signatures.items
    const querySignature = this.#wantedSignature
    let lacking = 0
    for (let word = 0, at = text * WORDS; word < WORDS; word++, at++) {
      lacking += countBits((querySignature[word] as number) & ~(signatures[at] as number))
    }
    return lacking
  }

  /** Returns the number of pairs that a string shares with the query, counting repetitions. */
  shared(text: number): number {
    const pairs = this.#pairs.items
    const queryCounts = this.#queryCounts
    const from = this.#starts.items[text] as number
    const to = this.#starts.items[text + 1] as number
    let shared = 0
    if (!this.#repeats.has(text)) {
      for (let at = from; at < to; at++) if (queryCounts[pairs[at] as number] !== 0) shared++
      return shared
    }
    // Decrement the counts and restore them later. A new table for each of hundreds of strings would be slow.
    for (let at = from; at < to; at++) {
      const pair = pairs[at] as number
      if (queryCounts[pair] === 0) continue
      shared++
      queryCounts[pair]!--
      this.#usedCodes.push(pair)
    }
    for (const pair of this.#usedCodes) queryCounts[pair]!++
    this.#usedCodes.length = 0
    return shared
  }
}

/** The pairs of a query, for comparison with strings outside the index. */
export class WantedPairs {
  readonly #counts = new Map<number, number>()
  readonly #length: number

  constructor(folded: string) {
    const codes = pairsOf(folded)
    this.#length = codes.length
    for (const code of codes) this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
  }

  /** Returns the Dice coefficient: twice the number of shared pairs, divided by the sum of both strings' pairs. */
  likeness(folded: string): number {
    const codes = pairsOf(folded)
    const ownCodes: number[] = []
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] as number
      const remaining = this.#counts.get(code)
      if (remaining === undefined || remaining === 0) continue
      ownCodes.push(code)
      this.#counts.set(code, remaining - 1)
    }
    for (const code of ownCodes) this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
    return (2 * ownCodes.length) / (this.#length + codes.length)
  }
}

/** Sets the bit for a pair in the signature at `from`. */
function setBit(signatures: Uint32Array, from: number, pair: number): void {
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) maps consecutive pairs to bits that are far apart.
  const bit = Math.imul(pair, 0x9e3779b1) >>> 25
  signatures[from + (bit >>> 5)]! |= 1 << (bit & 31)
}

/** Returns the pairs of adjacent UTF-16 units, each encoded as a number, without whitespace. A string of one unit has one pair. */
function pairsOf(folded: string): number[] {
  const text = folded.slice(0, MAX_LENGTH).replace(/\s+/g, '')
  if (text.length === 1) return [text.charCodeAt(0)]
  const pairs: number[] = []
  for (let at = 0; at + 1 < text.length; at++) pairs.push(text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1))
  return pairs
}
