import { foldName } from '../core/fold.ts'

/** A name that may be meant, and whose it is. */
export interface SimilarName {
  readonly key: number
  readonly name: string
  /** 0–1. */
  readonly score: number
}

/** Whose names are looked for. */
export interface NamedFiles {
  accept(key: number): boolean
  id(key: number): string
}

interface NameEntry {
  readonly key: number
  readonly name: string
  readonly folded: string
  /** Character pairs, with repetitions. */
  readonly pairs: number
  /** A pair stands in it more than once. */
  readonly repeats: boolean
}

/**
 * Finds names by the Dice coefficient on their character pairs (Dice 1945; on strings Adamson, Boreham 1974):
 * twice the shared pairs through all pairs of both. An inverted index of pairs keeps a look-up to the names that share some.
 */
export class SimilarNames {
  readonly #entries: (NameEntry | undefined)[] = []
  readonly #byKey = new Map<number, number[]>()
  readonly #byPair = new Map<number, number[]>()
  readonly #byFolded = new Map<string, number[]>()
  #shared = new Uint16Array(1024)
  #dead = 0

  /** Replaces the names of a key; none: it is forgotten. */
  set(key: number, names: readonly string[]): void {
    for (const number of this.#byKey.get(key) ?? []) {
      this.#entries[number] = undefined
      this.#dead++
    }
    if (names.length === 0) this.#byKey.delete(key)
    else
      this.#byKey.set(
        key,
        names.map((name) => this.#add(key, name)),
      )
    if (this.#dead > 1024 && this.#dead > this.#entries.length / 4) this.#compact()
  }

  #add(key: number, name: string): number {
    const folded = foldName(name)
    const pairs = pairsOf(folded)
    const number = this.#entries.length
    this.#entries.push({ key, name, folded, pairs: pairs.length, repeats: new Set(pairs).size < pairs.length })
    for (const pair of pairs) append(this.#byPair, pair, number)
    append(this.#byFolded, folded, number)
    return number
  }

  #compact(): void {
    const entries = this.#entries.filter((entry) => entry !== undefined)
    this.#entries.length = 0
    this.#byKey.clear()
    this.#byPair.clear()
    this.#byFolded.clear()
    this.#dead = 0
    for (const { key, name } of entries) {
      const numbers = this.#byKey.get(key) ?? []
      numbers.push(this.#add(key, name))
      this.#byKey.set(key, numbers)
    }
  }

  /**
   * Names at least this similar, best first, then by id; a key once, under its best name.
   * @param files which keys are wanted, and their ids · @param range `minimum` is 0–1; names that share nothing are never found
   */
  find(name: string, files: NamedFiles, { limit, minimum }: { limit: number; minimum: number }): readonly SimilarName[] {
    const folded = foldName(name)
    const pairs = pairsOf(folded)
    const repeats = new Set(pairs).size < pairs.length
    const best = new Map<number, SimilarName>()
    for (const { number, bound } of this.#candidates(pairs, minimum)) {
      const entry = this.#entries[number]
      if (entry === undefined || !files.accept(entry.key)) continue
      // The bound is the figure itself where no pair is repeated.
      const likeness = repeats || entry.repeats ? dice(pairs, pairsOf(entry.folded)) : bound
      const score = entry.folded === folded ? 1 : Math.min(ALMOST, likeness)
      if (score < minimum || score === 0) continue
      const known = best.get(entry.key)
      if (known === undefined || known.score < score || (known.score === score && entry.name < known.name))
        best.set(entry.key, { key: entry.key, name: entry.name, score })
    }
    return [...best.values()].sort((a, b) => b.score - a.score || (files.id(a.key) < files.id(b.key) ? -1 : 1)).slice(0, limit)
  }

  /** Names that are equal when folded; by id, a key once. */
  equal(name: string, files: NamedFiles): readonly SimilarName[] {
    const best = new Map<number, SimilarName>()
    for (const number of this.#byFolded.get(foldName(name)) ?? []) {
      const entry = this.#entries[number]
      if (entry === undefined || best.has(entry.key) || !files.accept(entry.key)) continue
      best.set(entry.key, { key: entry.key, name: entry.name, score: 1 })
    }
    return [...best.values()].sort((a, b) => (files.id(a.key) < files.id(b.key) ? -1 : 1))
  }

  /**
   * Entries that could reach the minimum, by an upper bound of their score. Who reaches it shares so many pairs that it has at least
   * one of the rarest: only these make an entry a candidate, the common ones (hundreds of times as many entries have them) just count.
   */
  #candidates(pairs: readonly number[], minimum: number): readonly { readonly number: number; readonly bound: number }[] {
    if (this.#shared.length < this.#entries.length) this.#shared = new Uint16Array(this.#entries.length * 2)
    const shared = this.#shared
    const touched: number[] = []
    const lists = pairs.map((pair) => this.#byPair.get(pair) ?? NO_NUMBERS).sort((a, b) => a.length - b.length)
    // Of n pairs in all, at least (minimum / (2 - minimum)) n are shared with whatever reaches the minimum.
    const least = Math.max(1, Math.ceil((minimum / (2 - minimum)) * pairs.length - ROUNDING))
    lists.forEach((numbers, at) => {
      const isRare = at <= pairs.length - least
      for (const number of numbers) {
        if (shared[number] === 0) {
          if (!isRare) continue
          touched.push(number)
        }
        shared[number]!++
      }
    })
    const found: { number: number; bound: number }[] = []
    for (const number of touched) {
      const entry = this.#entries[number]
      const common = shared[number] as number
      shared[number] = 0
      if (entry === undefined) continue
      const bound = (2 * Math.min(common, pairs.length, entry.pairs)) / (pairs.length + entry.pairs)
      if (bound >= minimum) found.push({ number, bound })
    }
    return found
  }
}

/** Names that differ can share all their pairs (`ab c`, `a bc`); only equal ones score 1. */
const ALMOST = 0.999

const NO_NUMBERS: readonly number[] = []
const ROUNDING = 1e-9

function append<K>(map: Map<K, number[]>, name: K, number: number): void {
  const numbers = map.get(name)
  if (numbers === undefined) map.set(name, [number])
  else numbers.push(number)
}

/** The Dice coefficient of two lists of pairs, 0–1; repeated pairs count as often as both have them. */
function dice(a: readonly number[], b: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const pair of a) counts.set(pair, (counts.get(pair) ?? 0) + 1)
  let shared = 0
  for (const pair of b) {
    const left = counts.get(pair) ?? 0
    if (left === 0) continue
    counts.set(pair, left - 1)
    shared++
  }
  return (2 * shared) / (a.length + b.length)
}

/** Longer names are compared by this many characters: a name of a megabyte must not hold anyone up. */
const MAX_NAME = 512

/** Pairs of neighbouring UTF-16 units as numbers, white space left out; a single character is a pair with nothing. */
function pairsOf(folded: string): number[] {
  const text = folded.slice(0, MAX_NAME).replace(/\s+/g, '')
  if (text.length === 1) return [text.charCodeAt(0)]
  const pairs: number[] = []
  for (let at = 0; at + 1 < text.length; at++) pairs.push(text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1))
  return pairs
}
