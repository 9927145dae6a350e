import { countBits, NumberList } from './number-list.ts'

/** Longer texts are compared by this many characters: a name of a megabyte must not hold anyone up. */
const MAX_LENGTH = 512

/**
 * Words of 32 bits in a text's signature, in which every pair sets one bit: a bit that only one of two texts has set stands for at
 * least one pair that the other does not have. Names have 10–40 pairs; with 64 bits half of the signatures' bits would be set.
 */
const WORDS = 4

/** A character pair of the query. */
interface WantedPair {
  /** The texts that have it. */
  readonly texts: NumberList
  /** How often the query contains it. */
  readonly count: number
}

/** The query as `PairIndex.want` prepares it. */
interface Wanted {
  /** Pairs of the text, those that no other has among them. */
  readonly length: number
  /** Pairs that other texts have too, the rarest first. */
  readonly pairs: readonly WantedPair[]
}

/**
 * Texts by their pairs of neighbouring characters. A text is known by its number: 0, 1, … in order of `add`. Pairs are numbered, too,
 * and kept both ways: the texts of each pair and the pairs of each text.
 */
export class PairIndex {
  readonly #numbers = new Map<number, number>()
  readonly #texts: NumberList[] = []
  readonly #pairs = new NumberList(1024)
  /** Where the pairs of a text begin; those of the next one begin where they end. */
  readonly #starts = new NumberList(1024)
  readonly #repeats = new Set<number>()
  readonly #signatures = new NumberList(1024)
  /** How often each pair is wanted, and the signature of those that are. */
  #wanted = new Uint16Array(1024)
  readonly #wantedSignature = new Uint32Array(WORDS)
  /** Query pairs met in a text. */
  readonly #used: number[] = []

  constructor() {
    this.#starts.push(0)
  }

  /** How many texts there are. */
  get size(): number {
    return this.#starts.length - 1
  }

  /** Adds a folded text. */
  add(folded: string): void {
    const text = this.size
    const codes = pairsOf(folded)
    // Room is zeros at first.
    const signature = this.#signatures.extend(WORDS)
    const words = this.#signatures.items
    for (let at = 0; at < codes.length; at++) {
      const pair = this.#numberOf(codes[at] as number)
      const texts = this.#texts[pair] as NumberList
      this.#pairs.push(pair)
      setBit(words, signature, pair)
      // Pairs of one text are added together: had this one been met, the text would be the last.
      if (texts.length > 0 && texts.items[texts.length - 1] === text) this.#repeats.add(text)
      else texts.push(text)
    }
    this.#starts.push(this.#pairs.length)
  }

  #numberOf(code: number): number {
    const known = this.#numbers.get(code)
    if (known !== undefined) return known
    this.#numbers.set(code, this.#texts.length)
    return this.#texts.push(new NumberList()) - 1
  }

  /** Pairs of a text, repeated ones as often as they stand in it. */
  lengthOf(text: number): number {
    const starts = this.#starts.items
    return (starts[text + 1] as number) - (starts[text] as number)
  }

  /** Makes a folded text the one that `shared` compares with. */
  want(folded: string): Wanted {
    if (this.#wanted.length < this.#texts.length) this.#wanted = new Uint16Array(this.#texts.length * 2)
    const wanted = this.#wanted.fill(0)
    const codes = pairsOf(folded)
    const numbers = codes.map((code) => this.#numbers.get(code)).filter((number) => number !== undefined)
    this.#wantedSignature.fill(0)
    for (const number of numbers) {
      wanted[number]!++
      setBit(this.#wantedSignature, 0, number)
    }
    const pairs = [...new Set(numbers)].map((number) => ({
      texts: this.#texts[number] as NumberList,
      count: wanted[number] as number,
    }))
    return { length: codes.length, pairs: pairs.sort((a, b) => a.texts.length - b.texts.length) }
  }

  /** At least so many of the wanted pairs that some text has are not in this one. */
  lacks(text: number): number {
    const signatures = this.#signatures.items
    const wanted = this.#wantedSignature
    let lacking = 0
    for (let word = 0, at = text * WORDS; word < WORDS; word++, at++) {
      lacking += countBits((wanted[word] as number) & ~(signatures[at] as number))
    }
    return lacking
  }

  /** How many pairs a text shares with the one that is wanted; repeated ones count as often as both have them. */
  shared(text: number): number {
    const pairs = this.#pairs.items
    const wanted = this.#wanted
    const from = this.#starts.items[text] as number
    const to = this.#starts.items[text + 1] as number
    let shared = 0
    if (!this.#repeats.has(text)) {
      for (let at = from; at < to; at++) if (wanted[pairs[at] as number] !== 0) shared++
      return shared
    }
    // Pairs are used up and put back: most searches meet hundreds of texts, and a table of counts for each is slow.
    for (let at = from; at < to; at++) {
      const pair = pairs[at] as number
      if (wanted[pair] === 0) continue
      shared++
      wanted[pair]!--
      this.#used.push(pair)
    }
    for (const pair of this.#used) wanted[pair]!++
    this.#used.length = 0
    return shared
  }
}

/** A text's pairs, to compare others with that are in no index. */
export class WantedPairs {
  readonly #counts = new Map<number, number>()
  readonly #length: number

  constructor(folded: string) {
    const codes = pairsOf(folded)
    this.#length = codes.length
    for (const code of codes) this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
  }

  /** Dice's coefficient: twice the pairs that both have through all pairs of both. */
  likeness(folded: string): number {
    const codes = pairsOf(folded)
    const used: number[] = []
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] as number
      const left = this.#counts.get(code)
      if (left === undefined || left === 0) continue
      used.push(code)
      this.#counts.set(code, left - 1)
    }
    for (const code of used) this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
    return (2 * used.length) / (this.#length + codes.length)
  }
}

/** Sets a pair's bit in the signature that begins there. */
function setBit(signatures: Uint32Array, from: number, pair: number): void {
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): pairs that were met together get bits far apart.
  const bit = Math.imul(pair, 0x9e3779b1) >>> 25
  signatures[from + (bit >>> 5)]! |= 1 << (bit & 31)
}

/** Pairs of neighbouring UTF-16 units as numbers, white space left out; a single character is a pair with nothing. */
function pairsOf(folded: string): number[] {
  const text = folded.slice(0, MAX_LENGTH).replace(/\s+/g, '')
  if (text.length === 1) return [text.charCodeAt(0)]
  const pairs: number[] = []
  for (let at = 0; at + 1 < text.length; at++) pairs.push(text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1))
  return pairs
}
