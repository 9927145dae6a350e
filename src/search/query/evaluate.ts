import type { Condition, Lookup } from '../../core/query.ts'
import { countBits } from '../number-list.ts'

/** Looks up notes by their properties. A lookup may return notes outside of `all`, which are ignored. */
export interface QuerySource {
  /** Notes that may be returned. */
  all(): KeySet
  lookUp(lookup: Exclude<Lookup, SetLookup>): KeySet
  /** Returns the files that link to any of these files, or are linked from one, not counting links of a file to itself. */
  linked(field: SetLookup['field'], keys: KeySet): KeySet
  /** The source for conditions of sets, which apply to all listed files. Always the same one. */
  sets(): QuerySource
}

type SetLookup = Extract<Lookup, { readonly kind: 'set' }>

/** Returns the notes that match a condition. Performs each lookup at most once, and only if it can affect the result. */
export function evaluate(condition: Condition, source: QuerySource): KeySet {
  return new Evaluation(source).within(source.all(), condition)
}

/** Evaluates conditions against one source, with cached lookups. */
class Evaluation {
  readonly #source: QuerySource
  readonly #known = new Map<string, KeySet>()
  #sets: Evaluation | undefined

  constructor(source: QuerySource) {
    this.#source = source
  }

  /** Returns the notes in `notes` that match, so no lookups are made for notes that are already excluded. */
  within(notes: KeySet, condition: Condition): KeySet {
    if (notes.isEmpty) return notes
    switch (condition.kind) {
      case 'and':
        return cheapestFirst(condition.parts).reduce((left, part) => this.within(left, part), notes)
      case 'or':
        return notes.andNot(condition.parts.reduce((left, part) => left.andNot(this.within(left, part)), notes))
      case 'not':
        return notes.andNot(this.within(notes, condition.part))
      default:
        return notes.and(this.#lookUp(condition))
    }
  }

  #lookUp(lookup: Lookup): KeySet {
    const name = JSON.stringify(lookup)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const found = lookup.kind === 'set' ? this.#linked(lookup) : this.#source.lookUp(lookup)
    this.#known.set(name, found)
    return found
  }

  #linked({ field, condition }: SetLookup): KeySet {
    const source = this.#source.sets()
    // All sets share one evaluation, so a set that occurs twice is evaluated once.
    this.#sets ??= source === this.#source ? this : new Evaluation(source)
    return this.#source.linked(field, this.#sets.within(source.all(), condition))
  }
}

function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  return parts
    .map((part) => ({ part, cost: cost(part) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ part }) => part)
}

/**
 * Relative cost of a condition. Only the order matters: metadata indexes, then a single posting list, then conditions that scan all
 * paths, many lists, or full text, and finally sets, which are queries of their own.
 */
function cost(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.reduce((most, part) => Math.max(most, cost(part)), 0)
    case 'not':
      return cost(condition.part)
    case 'word':
      return condition.word.match === 'prefix' ? 3 : 1
    case 'path':
    case 'folder':
      return 2
    case 'phrase':
      return 4
    case 'set':
      return 5
    default:
      return 0
  }
}

/** An immutable set of small integers (keys of notes) with one bit each. 120,000 keys take 15 KB. */
export class KeySet {
  readonly #bits: Uint32Array
  #size: number | undefined

  private constructor(bits: Uint32Array) {
    this.#bits = bits
  }

  static readonly EMPTY = new KeySet(new Uint32Array(0))

  /**
   * Creates a set of keys in any order. Memory depends on the highest key. @throws RangeError for a key that is not an integer from 0
   * to 2³² − 1
   */
  static of(keys: Iterable<number>): KeySet {
    let bits = new Uint32Array(64)
    let length = 0
    for (const key of keys) {
      if (key >>> 0 !== key) throw new RangeError(`${key} is no key.`)
      const at = key >>> 5
      if (at >= length) length = at + 1
      if (at >= bits.length) bits = resized(bits, 2 * length)
      bits[at] = (bits[at] ?? 0) | (1 << (key & 31))
    }
    return length === 0 ? KeySet.EMPTY : new KeySet(bits.slice(0, length))
  }

  /** Number of keys. Computed once. */
  get size(): number {
    this.#size ??= sizeOf(this.#bits)
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#size === undefined ? this.#bits.every((word) => word === 0) : this.#size === 0
  }

  has(key: number): boolean {
    return key >>> 0 === key && ((this.#bits[key >>> 5] ?? 0) & (1 << (key & 31))) !== 0
  }

  /** Returns the intersection. */
  and(other: KeySet): KeySet {
    const [a, b] = byLength(this.#bits, other.#bits)
    const bits = new Uint32Array(a.length)
    for (let at = 0; at < bits.length; at++) bits[at] = (a[at] ?? 0) & (b[at] ?? 0)
    return new KeySet(bits)
  }

  /** Returns the union. */
  or(other: KeySet): KeySet {
    const [short, long] = byLength(this.#bits, other.#bits)
    const bits = long.slice()
    for (let at = 0; at < short.length; at++) bits[at] = (long[at] ?? 0) | (short[at] ?? 0)
    return new KeySet(bits)
  }

  /** Returns the difference. */
  andNot(other: KeySet): KeySet {
    const bits = this.#bits.slice()
    const shared = Math.min(bits.length, other.#bits.length)
    for (let at = 0; at < shared; at++) bits[at] = (bits[at] ?? 0) & ~(other.#bits[at] ?? 0)
    return new KeySet(bits)
  }

  /** Iterates over the keys in ascending order. */
  *[Symbol.iterator](): IterableIterator<number> {
    for (let at = 0; at < this.#bits.length; at++) {
      for (let rest = this.#bits[at] ?? 0; rest !== 0; rest &= rest - 1) yield at * 32 + 31 - Math.clz32(rest & -rest)
    }
  }
}

function resized(bits: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(bits)
  return larger
}

function byLength(a: Uint32Array, b: Uint32Array): readonly [short: Uint32Array, long: Uint32Array] {
  return a.length <= b.length ? [a, b] : [b, a]
}

function sizeOf(bits: Uint32Array): number {
  let size = 0
  for (const word of bits) size += countBits(word)
  return size
}
