import { Recent } from '../../../core/recent.ts'
import type { NoteChunks, VectorState } from '../../../core/search.ts'
import type { Statement } from '../../../core/sql-database.ts'
import { DamagedIndex } from '../sqlite.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import { ChunkGraph, type ChunkGraphOptions } from './chunk-graph.ts'
import { type CoarseNote, unpackCoarse } from './coarse-part.ts'
import { type StoredVector, type StoredVectors, unpackVectors } from './search-rows.ts'
import { VectorSlots, type VectorTableHit } from './vector-slots.ts'

/** The first parameter of each statement is the embedder's id. */
export interface VectorRows {
  readonly newCoarse: Statement
  readonly vectors: Statement
  readonly vectorCount: Statement
  /** The keys, separated by commas, or NULL. */
  readonly vectorKeys: Statement
}

export interface LoadedVectorsOptions {
  readonly id: number
  readonly dimensions: number
  /** If omitted, searches compare all vectors. */
  readonly graph?: Omit<ChunkGraphOptions, 'dimensions'> | undefined
}

/** Checks that a key still refers to the same file; see `stampOf`. */
export type AcceptNote = (key: number, stamp: number) => boolean

/** An embedder's vectors in memory, possibly still loading. Chunks and names have separate slots. */
export class LoadedVectors {
  readonly id: number
  /** Resolves once vectors can be set. */
  readonly prepared: Promise<void>
  readonly #rows: VectorRows
  readonly #dimensions: number
  readonly #recent = new Recent<number, StoredVectors | undefined>(CACHE_BYTES, sizeOf)
  readonly #stamps = new Map<number, number>()
  readonly #chunks: VectorSlots
  readonly #names: VectorSlots
  readonly #graph: ChunkGraph | undefined
  /** The last loaded revision. */
  #revision = 0
  /** The last `data_version` that was loaded completely. */
  #version = Number.NaN
  /** True if notes may have been deleted since the last check. */
  #mayHaveDeletions = true
  #isClosed = false

  constructor(rows: VectorRows, { id, dimensions, graph }: LoadedVectorsOptions) {
    this.#rows = rows
    this.id = id
    this.#dimensions = dimensions
    this.#chunks = new VectorSlots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.chunks[ordinal]))
    this.#names = new VectorSlots(dimensions, (key, ordinal) => this.#fine(this.#read(key)?.names[ordinal]))
    this.#graph = graph && new ChunkGraph(this.#chunks, { ...graph, dimensions })
    this.prepared = this.#graph?.prepare() ?? Promise.resolve()
  }

  get state(): Pick<VectorState, 'index' | 'reason'> {
    return this.#graph?.state ?? { index: 'exact' }
  }

  isLoaded(version: number): boolean {
    return this.#version === version && !this.#mayHaveDeletions
  }

  /** Loads new parts in short slices, at least up to `version`. @throws DamagedIndex */
  async load(version: number): Promise<void> {
    await this.prepared
    const isNew = !this.isLoaded(version)
    while (isNew && !this.#isClosed && this.#loadNew()) await new Promise((resolve) => setImmediate(resolve))
    if (this.#isClosed) return
    if (this.#mayHaveDeletions) this.#forgetGone()
    this.#version = version
    this.endLoading()
  }

  /** Starts background work. @throws DamagedIndex if earlier background work found damage */
  endLoading(): void {
    this.#chunks.endLoading()
    this.#graph?.follow()
  }

  /** Reports a commit, after which the next `load` drops deleted notes. */
  onCommit(): void {
    this.#mayHaveDeletions = true
  }

  set({ key, stamp, chunks, names }: CoarseNote): void {
    this.#recent.drop(key)
    this.#stamps.set(key, stamp)
    this.#chunks.set(key, chunks)
    this.#names.set(key, names)
  }

  delete(key: number): void {
    this.#recent.drop(key)
    this.#stamps.delete(key)
    this.#chunks.delete(key)
    this.#names.delete(key)
  }

  /** Returns `undefined` if there are no vectors or they belong to another file. */
  vectors(key: number, stamp: number): NoteChunks | undefined {
    const stored = this.#stamps.get(key) === stamp ? this.#read(key) : undefined
    if (stored === undefined) return undefined
    const chunks = stored.chunks.map(({ packed, start, end, startLine, endLine }) => {
      return { start, end, startLine, endLine, vector: unpackVector(packed, this.#dimensions) }
    })
    return { content: stored.content, chunks }
  }

  nearestChunks(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#chunks.nearest(vector, limit, this.#accepting(accept))
  }

  nearestNames(vector: Float32Array, limit: number, accept: AcceptNote): readonly VectorTableHit[] {
    return this.#names.nearest(vector, limit, this.#accepting(accept))
  }

  releaseMemory(): void {
    this.#recent.clear()
  }

  /** Frees the memory, after which searches return nothing. */
  close(): void {
    this.#isClosed = true
    this.#graph?.close()
    this.#stamps.clear()
    this.#chunks.close()
    this.#names.close()
  }

  /** Loads a batch of vectors, which takes a millisecond or two. @returns whether there may be more */
  #loadNew(): boolean {
    const part = this.#rows.newCoarse.get(this.id, this.#revision) as { revision: number; data: unknown } | undefined
    if (part === undefined) return false
    const { revision, data } = part
    for (const note of unpackCoarse({ embedder: this.id, revision }, data)) this.set(note)
    this.#revision = revision
    return true
  }

  #forgetGone(): void {
    this.#mayHaveDeletions = false
    const { notes } = this.#rows.vectorCount.get(this.id) as { notes: number }
    if (this.#stamps.size === notes) return
    const { keys } = this.#rows.vectorKeys.get(this.id) as { keys: string | null }
    const stored = new Set(keys?.split(',').map(Number))
    for (const key of [...this.#stamps.keys()].filter((loadedKey) => !stored.has(loadedKey))) this.delete(key)
    // If vectors were committed since the last load, they are in newer parts.
    if (this.#stamps.size < stored.size) while (this.#loadNew());
    if (this.#stamps.size < stored.size) throw new DamagedIndex("a note's vectors are missing")
  }

  #read(key: number): StoredVectors | undefined {
    return this.#recent.get(key, () => {
      const row = this.#rows.vectors.get(this.id, key) as { data: unknown } | undefined
      return row === undefined ? undefined : unpackVectors(this.id, key, row.data)
    })
  }

  #accepting(accept: AcceptNote): (key: number) => boolean {
    return (key) => accept(key, this.#stamps.get(key) ?? -1)
  }

  #fine(stored: StoredVector | undefined): Float32Array | undefined {
    return stored === undefined ? undefined : unpackVector(stored.packed, this.#dimensions)
  }
}

/** The size of the cache in bytes. Candidates are often chunks of the same few notes. */
const CACHE_BYTES = 4 << 20

function sizeOf(row: StoredVectors | undefined): number {
  return row === undefined ? 0 : 560 * (row.chunks.length + row.names.length)
}
