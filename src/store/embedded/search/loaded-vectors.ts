import { Recent } from '../../../core/recent.ts'
import type { NoteChunks, VectorState } from '../../../core/search.ts'
import type { Statement } from '../../../core/sql-database.ts'
import { DamagedIndex } from '../sqlite.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import { ChunkGraph, type ChunkGraphOptions } from './chunk-graph.ts'
import { type CoarseNote, unpackCoarse } from './coarse-part.ts'
import { type StoredVector, type StoredVectors, unpackVectors } from './search-rows.ts'
import { VectorSlots, type VectorTableHit } from './vector-slots.ts'

/** Statements for the search index. Their first parameter is the id of the embedder. */
export interface VectorRows {
  /** Reads the first part with a higher revision. */
  readonly newCoarse: Statement
  readonly vectors: Statement
  readonly vectorCount: Statement
  /** Returns all keys, separated by commas, or NULL if there are none. */
  readonly vectorKeys: Statement
}

export interface LoadedVectorsOptions {
  /** The embedder's number. */
  readonly id: number
  readonly dimensions: number
  readonly graph?: Omit<ChunkGraphOptions, 'dimensions'> | undefined
}

/** The vectors of an embedder in memory. They may still be loading. */
export class LoadedVectors {
  /** The embedder's number. */
  readonly id: number
  readonly table: VectorTable
  readonly #rows: VectorRows
  readonly #recent = new Recent<number, StoredVectors | undefined>(CACHE_BYTES, sizeOf)
  readonly #prepared: Promise<void>
  /** Parts up to this revision have been loaded. */
  #revision = 0
  /** The last version of the database that has been loaded completely. */
  #version = Number.NaN
  /** True if notes may have been deleted since the last check. */
  #mayLack = true
  #isClosed = false

  constructor(rows: VectorRows, { id, ...options }: LoadedVectorsOptions) {
    this.#rows = rows
    this.id = id
    const read = (key: number) => this.#recent.get(key, () => this.#readRow(key))
    this.table = new VectorTable({ ...options, read })
    this.#prepared = this.table.prepare()
  }

  /** Checks whether a version of the database has been loaded completely. */
  isOf(version: number): boolean {
    return this.#version === version && !this.#mayLack
  }

  /**
   * Loads new parts a few milliseconds at a time, at least up to the given version of the database.
   * @throws DamagedIndex
   */
  async load(version: number): Promise<void> {
    await this.#prepared
    const isNew = !this.isOf(version)
    while (isNew && !this.#isClosed && this.#loadNew()) await new Promise((resolve) => setImmediate(resolve))
    if (this.#isClosed) return
    if (this.#mayLack) this.#forgetGone()
    this.#version = version
    this.table.endLoading()
  }

  /** Makes the next `load` drop deleted notes. Call it after a commit. */
  mayHaveGone(): void {
    this.#mayLack = true
  }

  /** Releases recently read data. */
  rest(): void {
    this.#recent.clear()
  }

  close(): void {
    this.#isClosed = true
    this.table.close()
  }

  /**
   * Loads one part, which takes a millisecond or two.
   * @returns whether there may be more
   */
  #loadNew(): boolean {
    const part = this.#rows.newCoarse.get(this.id, this.#revision) as { revision: number; data: unknown } | undefined
    if (part === undefined) return false
    const { revision, data } = part
    for (const note of unpackCoarse({ embedder: this.id, revision }, data)) {
      this.#recent.drop(note.key)
      this.table.set(note)
    }
    this.#revision = revision
    return true
  }

  #forgetGone(): void {
    this.#mayLack = false
    const { notes } = this.#rows.vectorCount.get(this.id) as { notes: number }
    if (this.table.notes === notes) return
    const { keys } = this.#rows.vectorKeys.get(this.id) as { keys: string | null }
    const stored = new Set(keys?.split(',').map(Number))
    for (const key of [...this.table.keys()].filter((loadedKey) => !stored.has(loadedKey))) {
      this.#recent.drop(key)
      this.table.delete(key)
    }
    // If the vectors were committed after the last part was loaded, they are in newer parts.
    if (this.table.notes < stored.size) while (this.#loadNew());
    if (this.table.notes < stored.size) throw new DamagedIndex("a note's vectors are missing")
  }

  #readRow(key: number): StoredVectors | undefined {
    const row = this.#rows.vectors.get(this.id, key) as { data: unknown } | undefined
    return row === undefined ? undefined : unpackVectors(this.id, key, row.data)
  }
}

/** Size of the cache for rows in bytes. The candidates of a search are often chunks of the same few notes. */
const CACHE_BYTES = 4 << 20

function sizeOf(row: StoredVectors | undefined): number {
  return row === undefined ? 0 : 560 * (row.chunks.length + row.names.length)
}

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
