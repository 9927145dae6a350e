/** How long is read before others have their turn, ms. */
const SLICE_MS = 8

/** Keys whose facts are to be read again: at first all, then those that changed. */
export class StaleKeys {
  #keys: Set<number> | undefined

  /** Before anything was read all are stale anyway. */
  add(keys: Iterable<number>): void {
    if (this.#keys !== undefined) for (const key of keys) this.#keys.add(key)
  }

  /** All are stale again. */
  reset(): void {
    this.#keys = undefined
  }

  /** Reads what is stale, a few milliseconds at a time; what becomes stale meanwhile, too. */
  async flush(all: () => Iterable<number>, read: (key: number) => void): Promise<void> {
    for (;;) {
      this.#keys ??= new Set(all())
      const keys = this.#keys
      const started = performance.now()
      for (const key of keys) {
        read(key)
        keys.delete(key)
        if (performance.now() - started > SLICE_MS) break
      }
      if (this.#keys?.size === 0) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
