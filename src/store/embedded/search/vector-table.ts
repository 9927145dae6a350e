import type { NoteChunks, VectorState } from '../../../core/search.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import { ChunkGraph, type ChunkGraphOptions } from './chunk-graph.ts'
import type { CoarseNote } from './coarse-part.ts'
import type { StoredVector, StoredVectors } from './search-rows.ts'
import { VectorSlots, type VectorTableHit } from './vector-slots.ts'

/** Reads a note's stored vectors. */
export type ReadVectors = (key: number) => StoredVectors | undefined

/** Which file a key must mean for its vectors to count: see `stampOf`. */
export type AcceptNote = (key: number, stamp: number) => boolean

export interface VectorTableOptions {
  readonly dimensions: number
  readonly read: ReadVectors
  /** How a graph over the vectors of chunks is kept; without it everything is compared with everything. */
  readonly graph?: Omit<ChunkGraphOptions, 'dimensions'> | undefined
}

/** The vectors of one embedder, chunks and names apart, each under a slot of its own. */
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

  /** How chunks are compared now. */
  get state(): Pick<VectorState, 'index' | 'reason'> {
    return this.#graph?.state ?? { index: 'exact' }
  }

  /** To be waited for before the first `set`. */
  async prepare(): Promise<void> {
    await this.#graph?.prepare()
  }

  /** All that there is now is set: what works in the background may go on. @throws DamagedIndex that it found. */
  endLoading(): void {
    this.#chunks.endLoading()
    this.#graph?.follow()
  }

  /** Notes that have vectors. */
  get notes(): number {
    return this.#stamps.size
  }

  /** Replaces the facts of the note's key. */
  set({ key, stamp, chunks, names }: CoarseNote): void {
    this.#stamps.set(key, stamp)
    this.#chunks.set(key, chunks)
    this.#names.set(key, names)
  }

  /** Drops the facts of the key. */
  delete(key: number): void {
    this.#stamps.delete(key)
    this.#chunks.delete(key)
    this.#names.delete(key)
  }

  /** The notes that have vectors. */
  keys(): Iterable<number> {
    return this.#stamps.keys()
  }

  /** The vectors of a note's chunks; `undefined` where it has none, or where they are of another file. */
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

  /** Gives the memory back; nothing is found any more. */
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
