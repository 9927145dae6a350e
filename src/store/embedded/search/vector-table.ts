import { ExactScan } from '../vectors/exact-scan.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import type { StoredVector, StoredVectors } from './search-rows.ts'

/** A note's chunk or name near to a vector. */
export interface VectorTableHit {
  readonly key: number
  /** Place among the note's chunks, or among its names. */
  readonly ordinal: number
  /** Cosine. */
  readonly score: number
}

/** Reads a note's stored vectors. */
export type ReadVectors = (key: number) => StoredVectors | undefined

/** Which file a key must mean for its vectors to count: see `stampOf`. */
export type AcceptNote = (key: number, stamp: number) => boolean

/** The vectors of one embedder, chunks and names apart, each under a slot of its own. */
export class VectorTable {
  readonly #dimensions: number
  readonly #read: ReadVectors
  readonly #stamps = new Map<number, number>()
  readonly #chunks: Slots
  readonly #names: Slots

  constructor(dimensions: number, read: ReadVectors) {
    this.#dimensions = dimensions
    this.#read = read
    this.#chunks = new Slots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.chunks[ordinal]))
    this.#names = new Slots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.names[ordinal]))
  }

  /** Notes that have vectors. */
  get notes(): number {
    return this.#stamps.size
  }

  get size(): number {
    return this.#chunks.size + this.#names.size
  }

  /** Takes the place of what was known of the key. */
  set(key: number, { stamp, chunks, names }: StoredVectors): void {
    this.#stamps.set(key, stamp)
    this.#chunks.set(key, chunks)
    this.#names.set(key, names)
  }

  delete(key: number): void {
    this.#stamps.delete(key)
    this.#chunks.set(key, [])
    this.#names.set(key, [])
  }

  keys(): Iterable<number> {
    return this.#stamps.keys()
  }

  /** The vectors of a note's chunks, in order; all zeros where the embedder knows nothing of the text. */
  vectors(key: number, stamp: number): readonly Float32Array[] {
    if (this.#stamps.get(key) !== stamp) return []
    return (this.#read(key)?.chunks ?? []).map(({ packed }) => unpackVector(packed, this.#dimensions))
  }

  nearestChunks(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#chunks.nearest(vector, limit, this.#accepting(accept))
  }

  nearestNames(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#names.nearest(vector, limit, this.#accepting(accept))
  }

  #accepting(accept: AcceptNote): (key: number) => boolean {
    return (key) => accept(key, this.#stamps.get(key) ?? -1)
  }

  #fine(stored: StoredVector | undefined): Float32Array | undefined {
    return stored === undefined ? undefined : unpackVector(stored.packed, this.#dimensions)
  }
}

/**
 * Candidates of a search that are scored with their stored vectors, the best first: each is a read from the database. What comes after
 * them keeps its estimate, which is off by some thousandths and decides nothing but the order of the rest.
 */
const FINE_READS = 40

/** Vectors under small dense integers, and whose they are. */
class Slots {
  readonly #index: ExactScan
  /** Reads of fine vectors that the search under way may still make. */
  #reads = 0
  readonly #ofKey = new Map<number, Int32Array>()
  readonly #free: number[] = []
  #keys = new Int32Array(64)
  #ordinals = new Uint16Array(64)
  #next = 0

  constructor(dimensions: number, fine: (key: number, ordinal: number) => Float32Array | undefined) {
    this.#index = new ExactScan({
      dimensions,
      exact: (slot) => (this.#reads-- > 0 ? fine(this.#keys[slot] as number, this.#ordinals[slot] as number) : undefined),
    })
  }

  get size(): number {
    return this.#index.size
  }

  set(key: number, vectors: readonly StoredVector[]): void {
    for (const slot of this.#ofKey.get(key) ?? []) {
      this.#index.delete(slot)
      this.#free.push(slot)
    }
    const slots: number[] = []
    vectors.forEach((vector, ordinal) => {
      if (isEmpty(vector)) return
      const slot = this.#take(key, ordinal)
      this.#index.load(slot, vector.packed)
      slots.push(slot)
    })
    if (slots.length === 0) this.#ofKey.delete(key)
    else this.#ofKey.set(key, Int32Array.from(slots))
  }

  nearest(vector: Float32Array, limit: number, accept: (key: number) => boolean): readonly VectorTableHit[] {
    this.#reads = FINE_READS
    return this.#index
      .search(vector, limit, (slot) => accept(this.#keys[slot] as number))
      .map(({ label, score }) => ({ key: this.#keys[label] as number, ordinal: this.#ordinals[label] as number, score }))
  }

  #take(key: number, ordinal: number): number {
    const slot = this.#free.pop() ?? this.#next++
    if (slot >= this.#keys.length) {
      const keys = new Int32Array(2 * this.#keys.length)
      const ordinals = new Uint16Array(keys.length)
      keys.set(this.#keys)
      ordinals.set(this.#ordinals)
      this.#keys = keys
      this.#ordinals = ordinals
    }
    this.#keys[slot] = key
    this.#ordinals[slot] = ordinal
    return slot
  }
}

/** A text of which the embedder knows nothing has a vector of zeros: its scale is 0. */
function isEmpty({ packed }: StoredVector): boolean {
  return packed[0] === 0 && packed[1] === 0 && packed[2] === 0 && packed[3] === 0
}
