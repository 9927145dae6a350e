import { foldName } from '../core/text/fold.ts'
import { editDistance } from '../core/text/nearest.ts'
import { NumberList } from './number-list.ts'
import { PairIndex, WantedPairs } from './pair-index.ts'
import { foldLetters } from './words/fold-word.ts'

/** Characters that a sentence or quotation puts around a name; signs such as # and + belong to a name. */
const AROUND = new Set(' .,;:!?…¿¡。、，！？：；"\'“”„‘’‚«»‹›()[]')

/** Characters that need normalisation: letters beyond ASCII, white space, and punctuation around the name. */
const TO_DO = /[^ -~]| {2}|^[ .,;:!?"'()[\]]|[ .,;:!?"'()[\]]$/

/** So similar is what was meant. */
const ALIKE = 0.75

/** A slip makes another word of a shorter one. */
const SHORTEST_WORD = 4

/** Which names to look at. Nearly all that are one slip apart share so many pairs; to look at those that share fewer takes many times as long. */
export const LOOKED_AT = { minimum: 0.5, limit: 20 } as const

/** A file with its names. */
export interface NamedFiles {
  accept(key: number): boolean
  id(key: number): string
}

/** How many names are wanted, and how similar (0–1) they are at least. */
interface SimilarityBounds {
  readonly limit: number
  readonly minimum: number
  /** Leaves out names that, plain, are longer or shorter by more letters. */
  readonly slips?: number | undefined
}

/**
 * Finds names by the Dice coefficient on their character pairs (Dice 1945; on strings Adamson, Boreham 1974): twice the shared pairs
 * through all pairs of both. An inverted index of pairs gives the candidates, and bounds from set-similarity joins (prefix and length
 * filters: Chaudhuri, Ganti, Kaushik 2006; raised by the worst of the best found so far: Xiao, Wang, Lin, Shang 2009) leave most out.
 */
export class SimilarNames {
  /** The pairs of the first names. */
  #index = new PairIndex()
  /**
   * True if pairs of all names were made; that takes twice as long as everything else, and exact lookups do not need
   * them.
   */
  #isPaired = false
  #lookUpsWithout = 0
  /** The file and name by the name's number in the index; an empty name is unused. */
  #keys: number[] = []
  #names: (string | undefined)[] = []
  /** Letters of each when plain. */
  #lengths = new NumberList(1024)
  /** The number of a key's first name; the others follow it. */
  readonly #firstOf = new Map<number, number>()
  /** The numbers of names that are others when plain. */
  #plain = new Map<string, number[]>()
  /** The look-up that came to a name last. */
  #seen = new Uint32Array(1024)
  #lookUp = 0
  #dead = 0

  /** Replaces the names of a key; none: it is forgotten. */
  set(key: number, names: readonly string[]): void {
    const known = this.#numbersOf(key)
    if (known.length === names.length && known.every((number, at) => this.#names[number] === names[at])) return
    for (const number of known) this.#names[number] = undefined
    this.#dead += known.length
    this.#firstOf.delete(key)
    this.#add(key, names)
    if (this.#dead > 1024 && this.#dead > this.#names.length / 4) this.#compact()
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
   * Makes the pairs of names that are missing, until a moment (of `performance.now()`): `find` without `slips` would have to wait for them.
   * @returns whether there are all.
   */
  prepare(until = Number.POSITIVE_INFINITY): boolean {
    for (let number = this.#index.size; number < this.#names.length; number++) {
      this.#index.add(foldName(this.#names[number] ?? ''))
      if (number % LOOK_AT_CLOCK === 0 && performance.now() > until) return false
    }
    this.#isPaired = true
    return true
  }

  /** True to search by pairs: they exist already, or many searches went without them, which costs as much. */
  #goesByPairs(): boolean {
    return (this.#isPaired || ++this.#lookUpsWithout > MOST_WITHOUT) && this.prepare()
  }

  /** Adds what the next name is when plain, where that is another. @returns how long it is. */
  #addPlain(name: string): number {
    const plain = plainName(name)
    if (plain === foldName(name)) return plain.length
    const known = this.#plain.get(plain)
    if (known === undefined) this.#plain.set(plain, [this.#names.length])
    else known.push(this.#names.length)
    return plain.length
  }

  #compact(): void {
    const known = [...this.#firstOf.keys()].map((key) => ({
      key,
      names: this.#numbersOf(key).map((number) => this.#names[number] ?? ''),
    }))
    this.#index = new PairIndex()
    this.#plain = new Map()
    this.#keys = []
    this.#names = []
    this.#lengths = new NumberList(1024)
    this.#seen.fill(0)
    this.#lookUp = 0
    this.#dead = 0
    for (const { key, names } of known) this.#add(key, names)
  }

  /**
   * Names at least this similar, best first, then by id; a key once, under its best name.
   * @param files which keys are wanted, and their ids · @param bounds names that share nothing are never found
   */
  find(name: string, files: NamedFiles, { limit, minimum, slips }: SimilarityBounds): readonly SimilarName[] {
    const best = new BestNames(limit, files.id)
    if (limit <= 0) return best.list()
    const folded = foldName(name)
    const visit = (number: number, likeness: number): void => {
      const key = this.#keys[number] as number
      const found = this.#names[number]
      if (found === undefined || !files.accept(key)) return
      // Names that differ can share all their pairs (`ab c`, `a bc`): only equal ones score 1.
      const score = likeness < 1 ? Math.min(ALMOST, likeness) : foldName(found) === folded ? 1 : ALMOST
      if (score >= minimum) best.offer({ key, name: found, score })
    }
    const least = () => best.least(minimum)
    if (slips === undefined) this.#visit(folded, least, visit)
    else this.#visitAsLong(folded, { letters: plainName(name).length, slips }, { least, visit })
    return best.list()
  }

  /** Names that are equal when folded; by id, a key once. */
  equal(name: string, files: NamedFiles): readonly SimilarName[] {
    return this.#listEqual(foldName(name), files, [])
  }

  /** Names that are equal when plain (see `plainName`); by id, a key once. */
  equalPlain(name: string, files: NamedFiles): readonly SimilarName[] {
    const plain = plainName(name)
    return plain === '' ? [] : this.#listEqual(plain, files, this.#plain.get(plain) ?? [])
  }

  /** Names that are this when folded, and those of these numbers. */
  #listEqual(folded: string, files: NamedFiles, others: readonly number[]): readonly SimilarName[] {
    const found = new Map<number, SimilarName>()
    const add = (number: number): void => {
      const key = this.#keys[number] as number
      const equal = this.#names[number]
      if (equal === undefined || found.has(key) || !files.accept(key)) return
      found.set(key, { key, name: equal, score: 1 })
    }
    const visit = (number: number): void => {
      if (foldName(this.#names[number] ?? '') === folded) add(number)
    }
    if (this.#goesByPairs()) this.#visit(folded, () => 1, visit)
    // A name without padding has the same length when plain.
    else if (folded.trim() !== '') this.#asLong(plainName(folded).length, 0).forEach(visit)
    for (const number of others) add(number)
    return [...found.values()].sort((a, b) => (files.id(a.key) < files.id(b.key) ? -1 : 1))
  }

  /**
   * Visits each name that may be as similar as `least()` currently requires, once.
   * Of n pairs, r are in lists not visited yet: a name first met now shares at most r of them. With m pairs of its own
   * its coefficient is at most 2 min(m, r) / (n + m). That excludes names that are too short or too long, and finally
   * all: the visited lists are the short ones, of rare pairs.
   */
  #visit(folded: string, least: () => number, visit: (number: number, likeness: number) => void): void {
    this.prepare()
    const index = this.#index
    const { length, pairs } = index.want(folded)
    this.#beginLookUp()
    const all = pairs.reduce((sum, { count }) => sum + count, 0)
    let left = all
    let minimum = least()
    for (const { texts, count } of pairs) {
      let lengths = lengthsThatReach(minimum, length, left)
      if (lengths.from > lengths.to) return
      const numbers = texts.items
      for (let at = 0, end = texts.length; at < end; at++) {
        const number = numbers[at] as number
        const own = index.lengthOf(number)
        if (own < lengths.from || own > lengths.to) continue
        // The same bound with what the text's signature leaves to be shared, which is looked at before the text itself.
        if (2 * (all - index.lacks(number)) < minimum * (length + own) - ROUNDING) continue
        if (this.#seen[number] === this.#lookUp) continue
        this.#seen[number] = this.#lookUp
        const likeness = (2 * index.shared(number)) / (length + own)
        if (likeness < minimum) continue
        visit(number, likeness)
        minimum = least()
        lengths = lengthsThatReach(minimum, length, left)
      }
      left -= count
    }
  }

  /** Likewise those that are about as long when plain. They are few: to look at each takes a fifth of the time that going through lists takes. */
  #visitAsLong(
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
    if (!this.#goesByPairs()) {
      const wanted = new WantedPairs(folded)
      for (const number of this.#asLong(letters, slips)) offer(number, wanted.likeness(foldName(this.#names[number] ?? '')))
      return
    }
    const index = this.#index
    const { length, pairs } = index.want(folded)
    const all = pairs.reduce((sum, { count }) => sum + count, 0)
    const lengths = this.#lengths.items
    for (let number = 0; number < this.#names.length; number++) {
      if (Math.abs((lengths[number] as number) - letters) > slips) continue
      const own = index.lengthOf(number)
      if (2 * (all - index.lacks(number)) < minimum * (length + own) - ROUNDING) continue
      offer(number, (2 * index.shared(number)) / (length + own))
    }
  }

  /** Numbers of names whose plain length differs by at most so many letters. */
  #asLong(letters: number, slips: number): readonly number[] {
    const lengths = this.#lengths.items
    const numbers: number[] = []
    for (let number = 0; number < this.#names.length; number++) {
      if (Math.abs((lengths[number] as number) - letters) <= slips) numbers.push(number)
    }
    return numbers
  }

  #beginLookUp(): void {
    if (this.#seen.length < this.#names.length) this.#seen = new Uint32Array(this.#names.length * 2)
    this.#lookUp++
  }
}

/** Look-ups that all names are gone through for; a search makes three. */
const MOST_WITHOUT = 30

/** Names between two looks at the clock. */
const LOOK_AT_CLOCK = 32

const ALMOST = 0.999

const ROUNDING = 1e-9

/** The numbers of pairs m for which 2 min(m, shared) / (length + m) reaches the least likeness. */
function lengthsThatReach(least: number, length: number, shared: number): { readonly from: number; readonly to: number } {
  return { from: (least * length) / (2 - least) - ROUNDING, to: (2 * shared) / least - length + ROUNDING }
}

/** A name that may be meant, and whose it is. */
export interface SimilarName {
  readonly key: number
  readonly name: string
  /** 0–1. */
  readonly score: number
}

/** The best of the names offered so far, best first, then by id; a key once, under its best name. */
class BestNames {
  readonly #limit: number
  readonly #idOf: (key: number) => string
  readonly #names: SimilarName[] = []

  constructor(limit: number, idOf: (key: number) => string) {
    this.#limit = limit
    this.#idOf = idOf
  }

  /** The similarity a name needs; `minimum` while there is room. */
  least(minimum: number): number {
    const last = this.#names.length < this.#limit ? undefined : this.#names[this.#limit - 1]
    return last === undefined ? minimum : last.score
  }

  offer(name: SimilarName): void {
    if (name.score < this.least(0)) return
    const known = this.#names.findIndex(({ key }) => key === name.key)
    const other = this.#names[known]
    if (other !== undefined) {
      if (other.score > name.score || (other.score === name.score && other.name <= name.name)) return
      this.#names.splice(known, 1)
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

/** Similar names that may have been meant: close, or one typo in a word apart. */
export function nearHits<T extends { readonly name: string; readonly score: number }>(
  written: string,
  hits: readonly T[],
): readonly T[] {
  return hits.filter(({ name, score }) => isNear(written, name, score))
}

/** Texts that may have been meant, best first. */
export function nearTexts(texts: readonly string[], written: string): readonly string[] {
  const names = new SimilarNames()
  for (const [at, text] of texts.entries()) names.set(at, [text])
  const inOrder = { accept: () => true, id: (at: number) => String(at).padStart(8, '0') }
  return nearHits(written, names.find(written, inOrder, LOOKED_AT)).map(({ key }) => texts[key] ?? '')
}

function isNear(written: string, name: string, score: number): boolean {
  // Another number is another thing: the day before, the next part.
  return digitsOf(written) === digitsOf(name) && (score >= ALIKE || isOneSlipApart(written, name))
}

/** True if two names differ by one letter of one word, or by two swapped neighbours. */
function isOneSlipApart(a: string, b: string): boolean {
  const left = plainName(a).split(' ')
  const right = plainName(b).split(' ')
  if (left.length !== right.length) return false
  const [differing, ...more] = left.flatMap((word, at) => (word === right[at] ? [] : [[word, right[at] ?? ''] as const]))
  if (differing === undefined) return true
  const isLong = Math.min(...differing.map((word) => word.length)) >= SHORTEST_WORD
  return more.length === 0 && isLong && editDistance(...differing, 1) !== undefined
}

/** The numbers in a name. */
export function digitsOf(name: string): string {
  return (foldName(name).match(/\p{N}+/gu) ?? []).join(' ')
}

/**
 * A name as it is typed in a hurry: letters as they are indexed, without accents, white space as one blank, and nothing around it that a
 * sentence would put there. `Café  latte?` and `cafe latte` are the same.
 */
export function plainName(name: string): string {
  const text = foldLetters(name).replace(/\s+/g, ' ')
  let start = 0
  let end = text.length
  while (start < end && AROUND.has(text.charAt(start))) start++
  while (end > start && AROUND.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** True if a name is plain apart from upper case, as most are; creates no other text. */
export function isPlain(name: string): boolean {
  return !TO_DO.test(name)
}
