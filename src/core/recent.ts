/** A least-recently-used cache with a maximum total size. */
export class Recent<Key, Value> {
  /** The most recently used entry is last. */
  readonly #entries = new Map<Key, Value>()
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  constructor(most: number, sizeOf: (value: Value) => number) {
    this.#most = most
    // Charge a fixed overhead per entry, so many small entries also fill the cache.
    this.#sizeOf = (value) => sizeOf(value) + 64
  }

  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** Returns the cached value for the given key. Reads and caches it if necessary. */
  get(key: Key, read: () => Value): Value {
    const kept = this.#entries.get(key)
    const value = kept === undefined ? read() : kept
    this.keep(key, value)
    return value
  }

  keep(key: Key, value: Value): void {
    this.drop(key)
    this.#entries.set(key, value)
    this.#size += this.#sizeOf(value)
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#most || oldest === key) break
      this.drop(oldest)
    }
  }

  drop(key: Key): void {
    const kept = this.#entries.get(key)
    if (kept === undefined && !this.#entries.has(key)) return
    this.#size -= this.#sizeOf(kept as Value)
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }
}
