/** A growable `Uint32Array`. */
export class NumberList {
  #items: Uint32Array
  #length = 0

  constructor(capacity = 4) {
    this.#items = new Uint32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** The array behind the list, which may be longer than the list. `push` may replace it. */
  get items(): Uint32Array {
    return this.#items
  }

  push(value: number): void {
    if (this.#length === this.#items.length) this.#grow(1)
    this.#items[this.#length++] = value
  }

  /** Extends the list. The caller must set the new numbers. @returns the index of the first one */
  extend(count: number): number {
    const at = this.#length
    if (at + count > this.#items.length) this.#grow(count)
    this.#length += count
    return at
  }

  copy(): Uint32Array {
    return this.#items.slice(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  #grow(count: number): void {
    const larger = new Uint32Array(Math.ceil(this.#length * 1.5) + 3 + count)
    larger.set(this.#items)
    this.#items = larger
  }
}

/** Counts the bits of a word (Warren, Hacker's Delight, 5-1). */
export function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
