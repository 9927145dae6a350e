/** Maximum bytes kept: those of an edit or a small vault. Sixteen times as many cost 25 MB at the peak of a first index. */
const MOST_BYTES = 1 << 20

/** The bytes of notes that the graph was just made of, for search, which would read them once more: each until it is taken, as many as fit. */
export class RecentBytes {
  readonly #byHash = new Map<string, Uint8Array>()
  #size = 0

  keep(hash: string, bytes: Uint8Array): void {
    if (this.#size + bytes.length > MOST_BYTES || this.#byHash.has(hash)) return
    this.#byHash.set(hash, bytes)
    this.#size += bytes.length
  }

  take(hash: string): Uint8Array | undefined {
    const bytes = this.#byHash.get(hash)
    if (bytes === undefined) return undefined
    this.#byHash.delete(hash)
    this.#size -= bytes.length
    return bytes
  }

  clear(): void {
    this.#byHash.clear()
    this.#size = 0
  }
}
