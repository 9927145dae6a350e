import { ExactScan } from '../vectors/exact-scan.ts'
import type { HnswIndex } from '../vectors/hnsw-index.ts'
import type { CoarseVectors } from './coarse-part.ts'

export interface VectorTableHit {
  readonly key: number
  /** The index among the note's chunks or names. */
  readonly ordinal: number
  /** The cosine similarity. */
  readonly score: number
}

/** Returns `undefined` if the vector no longer exists. */
export type ReadFullPrecision = (key: number, ordinal: number) => Float32Array | undefined

/** The maximum number of candidates to rescore, with a read each. Other scores are off by a few thousandths. */
const FINE_READS = 16

/** An assignment of small integers (slots) to vectors. Unchanged vectors of a note keep their slots. */
export class VectorSlots {
  readonly scan: ExactScan
  readonly #read: ReadFullPrecision
  #index: ExactScan | HnswIndex
  /** Number of reads left for the current search. */
  #readCount = 0
  #searches = 0
  /** A list per key takes a fifth of the memory of a typed array, because most keys have one slot. */
  readonly #ofKey = new Map<number, readonly number[]>()
  #free: number[] = []
  #keys = new Int32Array(64)
  #ordinals = new Uint16Array(64)
  #marks: Float64Array<ArrayBuffer> = new Float64Array(64).fill(FREE)
  #next = 0
  #reserved: ReservedSlots | undefined

  constructor(dimensions: number, read: ReadFullPrecision) {
    this.#read = read
    this.scan = new ExactScan({
      dimensions,
      fineReads: FINE_READS,
      exact: (slot) => (this.#readCount-- > 0 ? this.fine(slot) : undefined),
    })
    this.#index = this.scan
  }

  get size(): number {
    return this.scan.size
  }

  get searches(): number {
    return this.#searches
  }

  fine(slot: number): Float32Array | undefined {
    return this.#read(this.#keys[slot] as number, this.#ordinals[slot] as number)
  }

  searchWith(index: HnswIndex): void {
    this.#index = index
  }

  set(key: number, vectors: CoarseVectors): void {
    const before = this.#slotsByMark(key)
    const slots: number[] = []
    for (let at = 0; at < vectors.length; at++) {
      const mark = vectors.mark(at)
      const kept = before?.get(mark)
      before?.delete(mark)
      const slot = kept ?? this.#take(key, mark)
      this.#ordinals[slot] = vectors.ordinal(at)
      if (kept === undefined || !this.scan.has(kept)) this.#index.set(slot, vectors.vector(at))
      slots.push(slot)
    }
    for (const slot of before?.values() ?? []) this.#release(slot)
    if (slots.length === 0) this.#ofKey.delete(key)
    // The array is copied, because a grown one has unused capacity.
    else this.#ofKey.set(key, slots.slice())
  }

  delete(key: number): void {
    for (const slot of this.#ofKey.get(key) ?? []) this.#release(slot)
    this.#ofKey.delete(key)
  }

  nearest(vector: Float32Array, limit: number, accept: (key: number) => boolean): readonly VectorTableHit[] {
    this.#readCount = FINE_READS
    this.#searches++
    return this.#index
      .search(vector, limit, (slot) => accept(this.#keys[slot] as number))
      .map(({ label, score }) => ({ key: this.#keys[label] as number, ordinal: this.#ordinals[label] as number, score }))
  }

  /** Returns one mark per slot, with NaN for empty slots. */
  marks(): Float64Array<ArrayBuffer> {
    return this.#marks.slice(0, this.#next)
  }

  /** Reserves slots before loading. Vectors get their slots from `marks` until `endLoading`. */
  async reserve(marks: Float64Array): Promise<void> {
    this.#reserved = await ReservedSlots.of(marks)
    this.#grow(marks.length)
    this.#next = marks.length
  }

  /** Frees the slots that are still reserved. */
  endLoading(): void {
    if (this.#reserved === undefined) return
    this.#reserved = undefined
    this.#free = []
    for (let slot = this.#next - 1; slot >= 0; slot--) if (Number.isNaN(this.#marks[slot])) this.#free.push(slot)
  }

  changedSince(marks: Float64Array): readonly number[] {
    const changed: number[] = []
    for (let slot = 0; slot < Math.min(this.#next, marks.length); slot++) {
      const mark = this.#marks[slot] as number
      if (!Number.isNaN(mark) && mark !== marks[slot]) changed.push(slot)
    }
    return changed
  }

  close(): void {
    this.#index.close()
    this.#ofKey.clear()
  }

  #slotsByMark(key: number): Map<number, number> | undefined {
    const known = this.#ofKey.get(key)
    if (known === undefined) return undefined
    const slots = new Map<number, number>()
    for (const slot of known) {
      const mark = this.#marks[slot] as number
      if (slots.has(mark)) this.#release(slot)
      else slots.set(mark, slot)
    }
    return slots
  }

  #take(key: number, mark: number): number {
    const slot = this.#reserved?.take(mark) ?? this.#free.pop() ?? this.#next++
    this.#grow(slot + 1)
    this.#keys[slot] = key
    this.#marks[slot] = mark
    return slot
  }

  #release(slot: number): void {
    this.#index.delete(slot)
    this.#marks[slot] = FREE
    this.#free.push(slot)
  }

  #grow(count: number): void {
    if (count <= this.#keys.length) return
    const length = Math.max(count, 2 * this.#keys.length)
    const [keys, ordinals, marks] = [this.#keys, this.#ordinals, this.#marks]
    this.#keys = new Int32Array(length)
    this.#ordinals = new Uint16Array(length)
    this.#marks = new Float64Array(length).fill(FREE)
    this.#keys.set(keys)
    this.#ordinals.set(ordinals)
    this.#marks.set(marks)
  }
}

const FREE = Number.NaN

class ReservedSlots {
  readonly #first = new Map<number, number>()
  /** The next slot with the same mark, or −1. */
  readonly #next: Int32Array

  private constructor(count: number) {
    this.#next = new Int32Array(count).fill(-1)
  }

  static async of(marks: Float64Array): Promise<ReservedSlots> {
    const reserved = new ReservedSlots(marks.length)
    for (let slot = marks.length - 1; slot >= 0; slot--) {
      const mark = marks[slot] as number
      if (!Number.isNaN(mark)) {
        reserved.#next[slot] = reserved.#first.get(mark) ?? -1
        reserved.#first.set(mark, slot)
      }
      if (slot % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return reserved
  }

  take(mark: number): number | undefined {
    const slot = this.#first.get(mark)
    if (slot === undefined) return undefined
    const next = this.#next[slot] as number
    if (next === -1) this.#first.delete(mark)
    else this.#first.set(mark, next)
    return slot
  }
}

/** The number of slots to process between yields. */
const AT_ONCE = 16_384
