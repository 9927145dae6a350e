import { foldName } from '../core/text/fold.ts'
import { editDistance } from '../core/text/nearest.ts'
import { NumberList } from './number-list.ts'
import { PairIndex, WantedPairs } from './pair-index.ts'
import { foldLetters } from './words/fold-word.ts'

/** The punctuation around a name. Symbols such as # and + belong to the name. */
const AROUND = new Set(' .,;:!?…¿¡。、，！？：；"\'“”„‘’‚«»‹›()[]')

/** Matches characters that `plainName` changes or removes. */
const NEEDS_FOLDING = /[^ -~]| {2}|^[ .,;:!?"'()[\]]|[ .,;:!?"'()[\]]$/

const SIMILAR_ABOVE = 0.75

/** The minimum length for typos. In a shorter word, a different letter is rarely one. */
const MIN_WORD_LENGTH = 4

/** Almost all names with one typo reach this minimum. A lower one would make a search many times slower. */
export const DEFAULT_SEARCH = { minimum: 0.5, limit: 20 } as const

export interface NamedFiles {
  accept(key: number): boolean
  id(key: number): string
}

/** The limits of a search. `minimum` is a similarity, 0–1. */
interface SimilarityBounds {
  readonly limit: number
  readonly minimum: number
  /** Maximum difference in length, in letters. */
  readonly slips?: number | undefined
}

/**
 * Finds names by the Dice coefficient of character pairs (Dice 1945; Adamson, Boreham 1974). An inverted index provides
 * candidates. Prefix and length filters exclude most of them (Chaudhuri, Ganti, Kaushik 2006; with a rising threshold: Xiao,
 * Wang, Lin, Shang 2009).
 */
export class SimilarNames {
  #index = new PairIndex()
  /** Pairs are indexed later, because exact lookups do not need them. */
  #isPaired = false
  #lookUpsWithout = 0
  #nextPairing = 0
  /** The keys by name number. A number without a text is unused. */
  #keys: number[] = []
  #names: (string | undefined)[] = []
  #lengths = new NumberList(1024)
  /** The first name number of each key. Its other names follow. */
  readonly #firstOf = new Map<number, number>()
  /** The numbers of names whose plain form differs from the folded name. */
  #plain = new Map<string, number[]>()
  #seenRound = new Uint32Array(1024)
  #lookUp = 0
  #deletedCount = 0

  /** Replaces the names of a key. An empty list removes the key. */
  set(key: number, names: readonly string[]): void {
    const numbers = this.#numbersOf(key)
    if (numbers.length === names.length && numbers.every((number, at) => this.#names[number] === names[at])) return
    for (const number of numbers) this.#names[number] = undefined
    this.#deletedCount += numbers.length
    this.#firstOf.delete(key)
    this.#add(key, names)
    if (this.#deletedCount > 1024 && this.#deletedCount > this.#names.length / 4) this.#compact()
  }

  #numbersOf(key: number): readonly number[] {
    const numbers: number[] = []
    for (let number = this.#firstOf.get(key) ?? this.#keys.length; this.#keys[number] === key; number++) numbers.push(number)
    return numbers
  }

  #add(key: number, names: readonly string[]): void {
    if (names.length > 0) this.#firstOf.set(key, this.#names.length)
    for (const name of names) {
      this.#lengths.push(isPlain(name) ? name.length : this.#addPlain(name))
      this.#names.push(name)
      this.#keys.push(key)
    }
  }

  /**
   * Indexes pairs until the given time (`performance.now()`), ahead of the first search without `slips`.
   * @returns true if all pairs are indexed
   */
  prepare(until = Number.POSITIVE_INFINITY): boolean {
    for (let number = this.#index.size; number < this.#names.length; number++) {
      this.#index.add(foldName(this.#names[number] ?? ''))
      if (number % CLOCK_INTERVAL === 0 && performance.now() > until) return false
    }
    this.#isPaired = true
    return true
  }

  /** Indexing a large vault at once takes a second, so after `MAX_SKIPPED` lookups, each lookup indexes some names. */
  #shouldUsePairs(): boolean {
    if (this.#isPaired) return this.prepare()
    const now = performance.now()
    if (++this.#lookUpsWithout <= MAX_SKIPPED || now < this.#nextPairing) return false
    this.#nextPairing = now + PAIRING.every
    return this.prepare(now + PAIRING.slice)
  }

  #addPlain(name: string): number {
    const plain = plainName(name)
    if (plain === foldName(name)) return plain.length
    const sameName = this.#plain.get(plain)
    if (sameName === undefined) this.#plain.set(plain, [this.#names.length])
    else sameName.push(this.#names.length)
    return plain.length
  }

  #compact(): void {
    const filesWithNames = [...this.#firstOf.keys()].map((key) => ({
      key,
      names: this.#numbersOf(key).map((number) => this.#names[number] ?? ''),
    }))
    this.#index = new PairIndex()
    this.#plain = new Map()
    this.#keys = []
    this.#names = []
    this.#lengths = new NumberList(1024)
    this.#seenRound.fill(0)
    this.#lookUp = 0
    this.#deletedCount = 0
    for (const { key, names } of filesWithNames) this.#add(key, names)
  }

  /**
   * Returns the best name of each key, best first, with ties ordered by id. Only names that share a pair with the query are
   * found.
   */
  find(name: string, files: NamedFiles, { limit, minimum, slips }: SimilarityBounds): readonly SimilarName[] {
    const best = new BestNames(limit, files.id)
    if (limit <= 0) return best.list()
    const folded = foldName(name)
    const visit = (number: number, likeness: number): void => {
      const key = this.#keys[number] as number
      const name = this.#names[number]
      if (name === undefined || !files.accept(key)) return
      // Different names can have the same pairs (`ab c`, `a bc`), so only equal names get a score of 1.
      const score = likeness < 1 ? Math.min(NEARLY_ONE, likeness) : foldName(name) === folded ? 1 : NEARLY_ONE
      if (score >= minimum) best.offer({ key, name, score })
    }
    const minScore = () => best.least(minimum)
    if (slips === undefined) this.#visit(folded, minScore, visit)
    else this.#visitByLength(folded, { letters: plainName(name).length, slips }, { least: minScore, visit })
    return best.list()
  }

  equal(name: string, files: NamedFiles): readonly SimilarName[] {
    return this.#listEqual(foldName(name), files, [])
  }

  /** Returns one name per key, sorted by id. */
  equalPlain(name: string, files: NamedFiles): readonly SimilarName[] {
    const plain = plainName(name)
    return plain === '' ? [] : this.#listEqual(plain, files, this.#plain.get(plain) ?? [])
  }

  #listEqual(folded: string, files: NamedFiles, others: readonly number[]): readonly SimilarName[] {
    const bestByKey = new Map<number, SimilarName>()
    const add = (number: number): void => {
      const key = this.#keys[number] as number
      const equal = this.#names[number]
      if (equal === undefined || bestByKey.has(key) || !files.accept(key)) return
      bestByKey.set(key, { key, name: equal, score: 1 })
    }
    const visit = (number: number): void => {
      if (foldName(this.#names[number] ?? '') === folded) add(number)
    }
    if (this.#shouldUsePairs()) this.#visit(folded, () => 1, visit)
    // The lengths of plain forms are equal for names that are equal after folding.
    else if (folded.trim() !== '') this.#withLength(plainName(folded).length, 0).forEach(visit)
    for (const number of others) add(number)
    return [...bestByKey.values()].sort((a, b) => (files.id(a.key) < files.id(b.key) ? -1 : 1))
  }

  /**
   * Visits names whose similarity may reach `minScore()`, which may rise meanwhile. A name first seen when r of the query's n
   * pairs are unread shares at most r pairs. With m pairs, its coefficient is at most 2 min(m, r) / (n + m). Reading rare pairs
   * first makes long lists unnecessary in most cases.
   */
  #visit(folded: string, minScore: () => number, visit: (number: number, likeness: number) => void): void {
    this.prepare()
    const index = this.#index
    const { length, pairs } = index.setQuery(folded)
    this.#beginLookUp()
    const all = pairs.reduce((sum, { count }) => sum + count, 0)
    let remaining = all
    let minimum = minScore()
    for (const { texts, count } of pairs) {
      let lengths = lengthsThatReach(minimum, length, remaining)
      if (lengths.from > lengths.to) return
      const numbers = texts.items
      for (let at = 0, end = texts.length; at < end; at++) {
        const number = numbers[at] as number
        const nameLength = index.lengthOf(number)
        if (nameLength < lengths.from || nameLength > lengths.to) continue
        // The signature gives a tighter bound, which is cheaper than comparing pairs.
        if (2 * (all - index.missingPairs(number)) < minimum * (length + nameLength) - ROUNDING_ERROR) continue
        if (this.#seenRound[number] === this.#lookUp) continue
        this.#seenRound[number] = this.#lookUp
        const likeness = (2 * index.sharedPairs(number)) / (length + nameLength)
        if (likeness < minimum) continue
        visit(number, likeness)
        minimum = minScore()
        lengths = lengthsThatReach(minimum, length, remaining)
      }
      remaining -= count
    }
  }

  /** Visits names with a plain form of similar length, which is five times as fast as reading the lists of pairs. */
  #visitByLength(
    folded: string,
    { letters, slips }: { readonly letters: number; readonly slips: number },
    { least, visit }: { readonly least: () => number; readonly visit: (number: number, likeness: number) => void },
  ): void {
    let minimum = least()
    const offer = (number: number, likeness: number): void => {
      if (likeness < minimum) return
      visit(number, likeness)
      minimum = least()
    }
    if (!this.#shouldUsePairs()) {
      const queryPairs = new WantedPairs(folded)
      for (const number of this.#withLength(letters, slips))
        offer(number, queryPairs.likeness(foldName(this.#names[number] ?? '')))
      return
    }
    const index = this.#index
    const { length, pairs } = index.setQuery(folded)
    const all = pairs.reduce((sum, { count }) => sum + count, 0)
    const lengths = this.#lengths.items
    for (let number = 0; number < this.#names.length; number++) {
      if (Math.abs((lengths[number] as number) - letters) > slips) continue
      const nameLength = index.lengthOf(number)
      if (2 * (all - index.missingPairs(number)) < minimum * (length + nameLength) - ROUNDING_ERROR) continue
      offer(number, (2 * index.sharedPairs(number)) / (length + nameLength))
    }
  }

  #withLength(letters: number, slips: number): readonly number[] {
    const lengths = this.#lengths.items
    const numbers: number[] = []
    for (let number = 0; number < this.#names.length; number++) {
      if (Math.abs((lengths[number] as number) - letters) <= slips) numbers.push(number)
    }
    return numbers
  }

  #beginLookUp(): void {
    if (this.#seenRound.length < this.#names.length) this.#seenRound = new Uint32Array(this.#names.length * 2)
    this.#lookUp++
  }
}

/** Number of lookups before pairs are indexed. A search makes three. */
const MAX_SKIPPED = 30

/** Times in milliseconds that keep searches fast while pairs are indexed. */
const PAIRING = { slice: 4, every: 16 } as const

const CLOCK_INTERVAL = 32

const NEARLY_ONE = 0.999

const ROUNDING_ERROR = 1e-9

/** Returns the range of m in which 2 min(m, shared) / (length + m) reaches `minScore`. */
function lengthsThatReach(minScore: number, length: number, shared: number): { readonly from: number; readonly to: number } {
  return { from: (minScore * length) / (2 - minScore) - ROUNDING_ERROR, to: (2 * shared) / minScore - length + ROUNDING_ERROR }
}

export interface SimilarName {
  readonly key: number
  readonly name: string
  /** The similarity, 0–1. */
  readonly score: number
}

/** A list of the best name of each key, best first, with ties ordered by id. */
class BestNames {
  readonly #limit: number
  readonly #idOf: (key: number) => string
  readonly #names: SimilarName[] = []

  constructor(limit: number, idOf: (key: number) => string) {
    this.#limit = limit
    this.#idOf = idOf
  }

  /** Minimum similarity of the next name, which rises when the list is full. */
  least(minimum: number): number {
    const last = this.#names.length < this.#limit ? undefined : this.#names[this.#limit - 1]
    return last === undefined ? minimum : last.score
  }

  offer(name: SimilarName): void {
    if (name.score < this.least(0)) return
    const index = this.#names.findIndex(({ key }) => key === name.key)
    const other = this.#names[index]
    if (other !== undefined) {
      if (other.score > name.score || (other.score === name.score && other.name <= name.name)) return
      this.#names.splice(index, 1)
    }
    let low = 0
    let high = this.#names.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#comesBefore(this.#names[middle] as SimilarName, name)) low = middle + 1
      else high = middle
    }
    this.#names.splice(low, 0, name)
    if (this.#names.length > this.#limit) this.#names.pop()
  }

  #comesBefore(a: SimilarName, b: SimilarName): boolean {
    return a.score > b.score || (a.score === b.score && this.#idOf(a.key) < this.#idOf(b.key))
  }

  list(): readonly SimilarName[] {
    return this.#names
  }
}

/** Returns very similar names, and names with a typo in one word. */
export function nearHits<T extends { readonly name: string; readonly score: number }>(
  text: string,
  hits: readonly T[],
): readonly T[] {
  return hits.filter(({ name, score }) => isNear(text, name, score))
}

/** Returns the most similar texts, best first. */
export function nearTexts(texts: readonly string[], query: string): readonly string[] {
  const names = new SimilarNames()
  for (const [at, text] of texts.entries()) names.set(at, [text])
  const inOrder = { accept: () => true, id: (at: number) => String(at).padStart(8, '0') }
  return nearHits(query, names.find(query, inOrder, DEFAULT_SEARCH)).map(({ key }) => texts[key] ?? '')
}

function isNear(text: string, name: string, score: number): boolean {
  // Two names with different numbers are rarely typos, such as two days or two parts.
  return digitsOf(text) === digitsOf(name) && (score >= SIMILAR_ABOVE || isOneSlipApart(text, name))
}

/** Returns true if the names differ by one wrong letter, or two swapped letters, in a single word. */
function isOneSlipApart(a: string, b: string): boolean {
  const remaining = plainName(a).split(' ')
  const right = plainName(b).split(' ')
  if (remaining.length !== right.length) return false
  const [differing, ...more] = remaining.flatMap((word, at) => (word === right[at] ? [] : [[word, right[at] ?? ''] as const]))
  if (differing === undefined) return true
  const isLong = Math.min(...differing.map((word) => word.length)) >= MIN_WORD_LENGTH
  return more.length === 0 && isLong && editDistance(...differing, 1) !== undefined
}

export function digitsOf(name: string): string {
  return (foldName(name).match(/\p{N}+/gu) ?? []).join(' ')
}

/** Folds a name, removes accents and surrounding punctuation, and collapses spaces: `Café latte?` becomes `cafe latte`. */
export function plainName(name: string): string {
  const text = foldLetters(name).replace(/\s+/g, ' ')
  let start = 0
  let end = text.length
  while (start < end && AROUND.has(text.charAt(start))) start++
  while (end > start && AROUND.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Checks whether a name differs from its plain form only in case, without allocating a string. */
export function isPlain(name: string): boolean {
  return !NEEDS_FOLDING.test(name)
}
