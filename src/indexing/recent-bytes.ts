/**
 * Maximum number of bytes to keep, enough for an edit or a small vault. With 16 MB, building a first index would need 25 MB more at
 * its peak.
 */
const MAX_BYTES = 1 << 20

/**
 * Keeps the bytes of notes that the graph has just indexed, so search does not have to read them again. `take` removes an entry. If
 * there is no room, `keep` does nothing.
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
