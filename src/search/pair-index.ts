import { countBits, NumberList } from './number-list.ts'

/** The limit prevents a very long name from blocking other work. */
const MAX_LENGTH = 512

/**
 * The size of a signature in 32-bit words. Each character pair of a string sets one bit. In a signature of 64 bits, the 10–40
 * pairs of a name would set about half.
 */
const WORDS = 4

interface WantedPair {
  readonly texts: NumberList
  readonly count: number
}

interface PairQuery {
  readonly length: number
  readonly pairs: readonly WantedPair[]
}

/** An index of strings by pairs of adjacent characters. Strings and pairs are numbered in the order of insertion. */
export class PairIndex {
  readonly #numbers = new Map<number, number>()
  readonly #texts: NumberList[] = []
  readonly #pairs = new NumberList(1024)
  /** The start of the pairs of each string. The pairs of the next string follow. */
  readonly #starts = new NumberList(1024)
  readonly #repeats = new Set<number>()
  readonly #signatures = new NumberList(1024)
  #queryCounts = new Uint16Array(1024)
  readonly #wantedSignature = new Uint32Array(WORDS)
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
    // The new entries are zero.
    const signature = this.#signatures.extend(WORDS)
    const words = this.#signatures.items
    for (let at = 0; at < codes.length; at++) {
      const pair = this.#numberOf(codes[at] as number)
      const texts = this.#texts[pair] as NumberList
      this.#pairs.push(pair)
      setBit(words, signature, pair)
      // The pairs of a string are added together, so a repeated pair is at the end of its list.
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

  lengthOf(text: number): number {
    const starts = this.#starts.items
    return (starts[text + 1] as number) - (starts[text] as number)
  }

  setQuery(folded: string): PairQuery {
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

  /** Returns a lower bound for the number of query pairs that a string lacks. */
  missingPairs(text: number): number {
    const signatures = this.#signatures.items
    const querySignature = this.#wantedSignature
    let lacking = 0
    for (let word = 0, at = text * WORDS; word < WORDS; word++, at++) {
      lacking += countBits((querySignature[word] as number) & ~(signatures[at] as number))
    }
    return lacking
  }

  sharedPairs(text: number): number {
    const pairs = this.#pairs.items
    const queryCounts = this.#queryCounts
    const from = this.#starts.items[text] as number
    const to = this.#starts.items[text + 1] as number
    let shared = 0
    if (!this.#repeats.has(text)) {
      for (let at = from; at < to; at++) if (queryCounts[pairs[at] as number] !== 0) shared++
      return shared
    }
    // Decrement the counts and restore them, because a new table per string would be slow.
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

export class WantedPairs {
  readonly #counts = new Map<number, number>()
  readonly #length: number

  constructor(folded: string) {
    const codes = pairsOf(folded)
    this.#length = codes.length
    for (const code of codes) this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
  }

  /** Returns the Dice coefficient. */
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

function setBit(signatures: Uint32Array, from: number, pair: number): void {
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) spreads consecutive pairs.
  const bit = Math.imul(pair, 0x9e3779b1) >>> 25
  signatures[from + (bit >>> 5)]! |= 1 << (bit & 31)
}

/** Encodes pairs of UTF-16 units as numbers, without whitespace. A string of one unit has one pair. */
function pairsOf(folded: string): number[] {
  const text = folded.slice(0, MAX_LENGTH).replace(/\s+/g, '')
  if (text.length === 1) return [text.charCodeAt(0)]
  const pairs: number[] = []
  for (let at = 0; at + 1 < text.length; at++) pairs.push(text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1))
  return pairs
}
