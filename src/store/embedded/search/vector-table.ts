import type { NoteChunks, VectorState } from '../../../core/search.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import { ChunkGraph, type ChunkGraphOptions } from './chunk-graph.ts'
import type { CoarseNote } from './coarse-part.ts'
import type { StoredVector, StoredVectors } from './search-rows.ts'
import { VectorSlots, type VectorTableHit } from './vector-slots.ts'

export type ReadVectors = (key: number) => StoredVectors | undefined

/** Checks whether a key still refers to the file for which its vectors were stored; see `stampOf`. */
export type AcceptNote = (key: number, stamp: number) => boolean

export interface VectorTableOptions {
  readonly dimensions: number
  readonly read: ReadVectors
  /** Options for a graph of chunk vectors. If omitted, vectors are compared one by one. */
  readonly graph?: Omit<ChunkGraphOptions, 'dimensions'> | undefined
}

/** An embedder's vectors. Chunks and names have separate slots. */
export class VectorTable {
  readonly #dimensions: number
  readonly #read: ReadVectors
  readonly #stamps = new Map<number, number>()
  readonly #chunks: VectorSlots
  readonly #names: VectorSlots
  readonly #graph: ChunkGraph | undefined

  constructor({ dimensions, read, graph }: VectorTableOptions) {
    this.#dimensions = dimensions
    this.#read = read
    this.#chunks = new VectorSlots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.chunks[ordinal]))
    this.#names = new VectorSlots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.names[ordinal]))
    this.#graph = graph === undefined ? undefined : new ChunkGraph(this.#chunks, { ...graph, dimensions })
  }

  /** How chunk vectors are compared at the moment. */
  get state(): Pick<VectorState, 'index' | 'reason'> {
    return this.#graph?.state ?? { index: 'exact' }
  }

  /** Prepares the graph. The first `set` must wait for it. */
  async prepare(): Promise<void> {
    await this.#graph?.prepare()
  }

  /**
   * Ends loading and starts background work.
   * @throws DamagedIndex if earlier background work found damage
   */
  endLoading(): void {
    this.#chunks.endLoading()
    this.#graph?.follow()
  }

  get notes(): number {
    return this.#stamps.size
  }

  set({ key, stamp, chunks, names }: CoarseNote): void {
    this.#stamps.set(key, stamp)
    this.#chunks.set(key, chunks)
    this.#names.set(key, names)
  }

  delete(key: number): void {
    this.#stamps.delete(key)
    this.#chunks.delete(key)
    this.#names.delete(key)
  }

  keys(): Iterable<number> {
    return this.#stamps.keys()
  }

  /** Returns the chunk vectors of a note, or `undefined` if there are none or they belong to another file. */
  vectors(key: number, stamp: number): NoteChunks | undefined {
    const stored = this.#stamps.get(key) === stamp ? this.#read(key) : undefined
    if (stored === undefined) return undefined
    const chunks = stored.chunks.map(({ packed, start, end, startLine, endLine }) => ({
      start,
      end,
      startLine,
      endLine,
      vector: unpackVector(packed, this.#dimensions),
    }))
    return { content: stored.content, chunks }
  }

  nearestChunks(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#chunks.nearest(vector, limit, this.#accepting(accept))
  }

  nearestNames(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#names.nearest(vector, limit, this.#accepting(accept))
  }

  /** Frees the memory. Later searches find nothing. */
  close(): void {
    this.#graph?.close()
    this.#stamps.clear()
    this.#chunks.close()
    this.#names.close()
  }

  #accepting(accept: AcceptNote): (key: number) => boolean {
    return (key) => accept(key, this.#stamps.get(key) ?? -1)
  }

  #fine(stored: StoredVector | undefined): Float32Array | undefined {
    return stored === undefined ? undefined : unpackVector(stored.packed, this.#dimensions)
  }
}
