/**
 * Maximum number of bytes to keep, which is enough for an edit or a small vault. Sixteen times as many would add 25 MB to the
 * first index's peak memory.
 */
const MAX_BYTES = 1 << 20

/**
 * Keeps the bytes of notes that the graph has just indexed, so search need not read them again. Taking an entry removes it.
 * Once the limit is reached, no more are added.
 */
export class RecentBytes {
  readonly #byHash = new Map<string, Uint8Array>()
  #size = 0

  keep(hash: string, bytes: Uint8Array): void {
    if (this.#size + bytes.length > MAX_BYTES || this.#byHash.has(hash)) return
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
