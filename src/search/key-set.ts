import { countBits } from './number-list.ts'

/** An immutable bit set of note keys. 120,000 keys take 15 KB. */
export class KeySet {
  readonly #bits: Uint32Array
  #size: number | undefined

  private constructor(bits: Uint32Array) {
    this.#bits = bits
  }

  static readonly EMPTY = new KeySet(new Uint32Array(0))

  /** Creates a set that takes ownership of `bits`. The lowest bit of the first number is key 0. */
  static ofBits(bits: Uint32Array): KeySet {
    return new KeySet(bits)
  }

  /**
   * Creates a set of keys. Its memory depends on the highest key.
   * @throws RangeError if a key is not an integer from 0 to 2³² − 1
   */
  static of(keys: Iterable<number>): KeySet {
    let bits = new Uint32Array(64)
    let length = 0
    for (const key of keys) {
      if (key >>> 0 !== key) throw new RangeError(`${key} is not a key.`)
      const at = key >>> 5
      if (at >= length) length = at + 1
      if (at >= bits.length) bits = resized(bits, 2 * length)
      bits[at] = (bits[at] ?? 0) | (1 << (key & 31))
    }
    return length === 0 ? KeySet.EMPTY : new KeySet(bits.slice(0, length))
  }

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

  and(other: KeySet): KeySet {
    const [a, b] = byLength(this.#bits, other.#bits)
    const bits = new Uint32Array(a.length)
    for (let at = 0; at < bits.length; at++) bits[at] = (a[at] ?? 0) & (b[at] ?? 0)
    return new KeySet(bits)
  }

  andNot(other: KeySet): KeySet {
    const bits = this.#bits.slice()
    const shared = Math.min(bits.length, other.#bits.length)
    for (let at = 0; at < shared; at++) bits[at] = (bits[at] ?? 0) & ~(other.#bits[at] ?? 0)
    return new KeySet(bits)
  }

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
