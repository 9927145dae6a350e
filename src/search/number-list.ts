/** A list of whole numbers from 0 to 2³² − 1 that grows at its end: four bytes each, and no object a number. */
export class NumberList {
  #items: Uint32Array
  #length = 0

  constructor(capacity = 4) {
    this.#items = new Uint32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** The numbers, and room behind them; another array after `push`. */
  get items(): Uint32Array {
    return this.#items
  }

  push(value: number): void {
    if (this.#length === this.#items.length) {
      const grown = new Uint32Array(Math.ceil(this.#length * 1.5) + 4)
      grown.set(this.#items)
      this.#items = grown
    }
    this.#items[this.#length++] = value
  }
}
