/** An LRU cache with a maximum total size. */
export class Recent<Key, Value> {
  /** The most recently used entries come last. */
  readonly #entries = new Map<Key, Value>()
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  constructor(maxSize: number, sizeOf: (value: Value) => number) {
    this.#maxSize = maxSize
    // The overhead per entry limits the number of small entries.
    this.#sizeOf = (value) => sizeOf(value) + 64
  }

  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  get(key: Key, read: () => Value): Value {
    const found = this.#entries.get(key)
    const value = found === undefined ? read() : found
    this.keep(key, value)
    return value
  }

  keep(key: Key, value: Value): void {
    this.drop(key)
    this.#entries.set(key, value)
    this.#size += this.#sizeOf(value)
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize || oldest === key) break
      this.drop(oldest)
    }
  }

  drop(key: Key): void {
    const existing = this.#entries.get(key)
    if (existing === undefined && !this.#entries.has(key)) return
    this.#size -= this.#sizeOf(existing as Value)
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}
