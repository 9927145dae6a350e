/**
 * Files by mentioned name. Names are stored as hashes, because a large vault has a million mentions. On a hash collision,
 * `sources` returns the files of both names.
 */
export class Mentions {
  /** The hashes of mentioned names. A file's entries are adjacent. */
  #hashes = new Int32Array(FEW)
  /** The file key of each entry, or `WITHDRAWN`. */
  #keys = new Int32Array(FEW)
  /** The next entry in the bucket, or `END`. */
  #next = new Int32Array(FEW)
  #entries = 0
  #withdrawn = 0
  /** The first entry of each bucket. The number of buckets is a power of two. */
  #buckets = new Int32Array(FEW).fill(END)
  #starts = new Int32Array(FEW)
  #counts = new Int32Array(FEW)

  get entries(): number {
    return this.#entries
  }

  get isEmpty(): boolean {
    return this.#entries === this.#withdrawn
  }

  has(key: number): boolean {
    return (this.#counts[key] ?? 0) > 0
  }

  /** Returns keys in ascending order. */
  sources(name: string): readonly number[] {
    const hash = hashOf(name)
    const keys: number[] = []
    for (let at = this.#buckets[this.#bucketOf(hash)] as number; at !== END; at = this.#next[at] as number) {
      const key = this.#keys[at] as number
      if (this.#hashes[at] === hash && key !== WITHDRAWN) keys.push(key)
    }
    return keys.sort((a, b) => a - b)
  }

  set(key: number, names: readonly string[]): void {
    const hashes = names.map(hashOf)
    if (this.#isSame(key, hashes)) return
    this.#withdraw(key)
    if (hashes.length === 0) return
    this.#makeRoom(key, hashes.length)
    this.#starts[key] = this.#entries
    this.#counts[key] = hashes.length
    for (const hash of hashes) {
      this.#hashes[this.#entries] = hash
      this.#keys[this.#entries] = key
      this.#link(this.#entries++)
    }
  }

  #isSame(key: number, hashes: readonly number[]): boolean {
    if (hashes.length !== (this.#counts[key] ?? 0)) return false
    const start = this.#starts[key] ?? 0
    return hashes.every((hash, at) => this.#hashes[start + at] === hash)
  }

  #withdraw(key: number): void {
    const count = this.#counts[key] ?? 0
    if (count === 0) return
    const start = this.#starts[key] as number
    this.#keys.fill(WITHDRAWN, start, start + count)
    this.#counts[key] = 0
    this.#withdrawn += count
    if (this.#withdrawn > FEW + (this.#entries - this.#withdrawn) / 4) this.#compact()
  }

  #compact(): void {
    let end = 0
    for (let at = 0; at < this.#entries; at++) {
      const key = this.#keys[at] as number
      if (key === WITHDRAWN) continue
      if (this.#starts[key] === at) this.#starts[key] = end
      this.#hashes[end] = this.#hashes[at] as number
      this.#keys[end++] = key
    }
    this.#entries = end
    this.#withdrawn = 0
    this.#linkAll(this.#buckets.length)
  }

  #makeRoom(key: number, count: number): void {
    if (key >= this.#starts.length) {
      this.#starts = enlarged(this.#starts, key + 1)
      this.#counts = enlarged(this.#counts, key + 1)
    }
    const length = this.#entries + count
    if (length > this.#hashes.length) {
      this.#hashes = enlarged(this.#hashes, length)
      this.#keys = enlarged(this.#keys, length)
      this.#next = enlarged(this.#next, length)
    }
    if (length > this.#buckets.length * 2) this.#linkAll(this.#buckets.length * 4)
  }

  #linkAll(buckets: number): void {
    this.#buckets = new Int32Array(buckets).fill(END)
    for (let at = 0; at < this.#entries; at++) if (this.#keys[at] !== WITHDRAWN) this.#link(at)
  }

  #link(at: number): void {
    const bucket = this.#bucketOf(this.#hashes[at] as number)
    this.#next[at] = this.#buckets[bucket] as number
    this.#buckets[bucket] = at
  }

  #bucketOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#buckets.length - 1)
  }
}

const END = -1
const WITHDRAWN = -1
const FEW = 256

/** Returns the FNV-1a hash over UTF-16 units. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash
}

function enlarged(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(Math.max(length, Math.ceil(array.length * 1.5)))
  copy.set(array)
  return copy
}
