/** Labels as bits: a set of all of a million takes 125 kB, and a millisecond or two to fill. */
export class LabelSet {
  #words = new Uint32Array(32)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(label: number): boolean {
    return (((this.#words[label >>> 5] ?? 0) >>> (label & 31)) & 1) === 1
  }

  add(label: number): void {
    if (this.has(label)) return
    this.#reserve((label >>> 5) + 1)
    this.#words[label >>> 5] = (this.#words[label >>> 5] as number) | (1 << (label & 31))
    this.#size++
  }

  addAll(labels: Iterable<number>): void {
    for (const label of labels) this.add(label)
  }

  /** @returns whether it was there. */
  delete(label: number): boolean {
    if (!this.has(label)) return false
    this.#words[label >>> 5] = (this.#words[label >>> 5] as number) & ~(1 << (label & 31))
    this.#size--
    return true
  }

  clear(): void {
    this.#words = new Uint32Array(32)
    this.#size = 0
  }

  /** Ascending. The set may change during iteration; labels added below the last one are not seen. */
  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#words.length; at++) {
      if (this.#words[at] === 0) continue
      for (let label = 32 * at; label < 32 * (at + 1); label++) if (this.has(label)) yield label
    }
  }

  #reserve(words: number): void {
    if (words <= this.#words.length) return
    const grown = new Uint32Array(Math.max(words, 2 * this.#words.length))
    grown.set(this.#words)
    this.#words = grown
  }
}
