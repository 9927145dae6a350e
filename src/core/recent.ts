/** A least-recently-used cache with a maximum total size. */
export class Recent<Key, Value> {
  /** The most recently used entry is last. */
  readonly #entries = new Map<Key, Value>()
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  constructor(maxSize: number, sizeOf: (value: Value) => number) {
    this.#maxSize = maxSize
    // Charge a fixed overhead per entry, so many small entries also fill the cache.
    this.#sizeOf = (value) => sizeOf(value) + 64
  }

  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** Returns the cached value for the given key. Reads and caches it if necessary. */
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
