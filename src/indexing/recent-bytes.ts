/**
 * Maximum number of bytes to keep, enough for an edit or a small vault. A limit sixteen times as large would add 25 MB to the peak
 * memory of a first index.
 */
const MOST_BYTES = 1 << 20

/**
 * Keeps the bytes of notes just indexed in the graph, so search does not have to read them again. Each entry is kept until it is
 * taken, within a size limit.
 */
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
