import { createHash } from 'node:crypto'
import { vi } from 'vitest'
import type { EmbeddedText } from '../../../../src/core/search-writer.ts'
import type { Statement } from '../../../../src/core/sql-database.ts'
import type { ChunkGraphOptions } from '../../../../src/store/embedded/search/chunk-graph.ts'
import { type CoarseNote, packCoarse, unpackCoarse } from '../../../../src/store/embedded/search/coarse-part.ts'
import { LoadedVectors, type VectorRows } from '../../../../src/store/embedded/search/loaded-vectors.ts'
import {
  packVectors,
  type StoredVectors,
  stampOf,
  toStored,
  unpackVectors,
} from '../../../../src/store/embedded/search/search-rows.ts'
import { unpackVector } from '../../../../src/store/embedded/vectors/packed-vector.ts'
import { PATIENCE } from '../../../support/patience.ts'
import { cosine } from '../vectors/draw-vectors.ts'

export const DIMENSIONS = 16

/** Stands for the database: the stored vectors of notes by key. */
export class VectorNotes {
  readonly rows = new Map<number, StoredVectors>()

  set(key: number, chunks: readonly Float32Array[], names: readonly Float32Array[] = []): CoarseNote {
    const place = { start: 0, end: 0, startLine: 1, endLine: 1 }
    const note = { key, path: `${key}.md`, version: 1, content: '00'.repeat(32) }
    const texts = { chunks: chunks.map((vector) => ({ ...embedded(vector), ...place })), names: names.map(embedded) }
    const row = unpackVectors(1, key, packVectors(1, key, toStored({ ...note, ...texts })))
    this.rows.set(key, row)
    return this.coarse(key)
  }

  /** A note in the form a table loads. */
  coarse(key: number): CoarseNote {
    const place = { embedder: 1, revision: 1 }
    const stored = this.rows.get(key) as StoredVectors
    return unpackCoarse(place, packCoarse(place, [{ key, stored }], DIMENSIONS))[0] as CoarseNote
  }

  /** A table over these notes, loaded in this order of keys, idle until `endLoading`. */
  async open(graph?: Omit<ChunkGraphOptions, 'dimensions' | 'embedder'>, keys = [...this.rows.keys()]): Promise<LoadedVectors> {
    const rest = () => new Promise((resolve) => setImmediate(resolve))
    const table = new LoadedVectors(this.#statements(), {
      id: 1,
      dimensions: DIMENSIONS,
      ...(graph === undefined ? undefined : { graph: { embedder: 'test:16', rest, ...graph } }),
    })
    await table.prepared
    for (const key of keys) table.set(this.coarse(key))
    return table
  }

  #statements(): VectorRows {
    const get = (_: unknown, key: unknown) => {
      const stored = this.rows.get(Number(key))
      return stored && { data: packVectors(1, Number(key), stored) }
    }
    const vectors = { get } as unknown as Statement
    return { vectors, newCoarse: vectors, vectorCount: vectors, vectorKeys: vectors }
  }

  /** Every chunk of the accepted notes with its cosine, best first. */
  truth(query: Float32Array, accept: (key: number) => boolean = () => true) {
    return [...this.rows]
      .filter(([key]) => accept(key))
      .flatMap(([key, { chunks }]) =>
        chunks.map(({ packed }, ordinal) => ({ key, ordinal, score: cosine(query, unpackVector(packed, DIMENSIONS)) })),
      )
      .filter(({ score }) => !Number.isNaN(score))
      .sort((a, b) => b.score - a.score)
  }
}

/** Returns a filter that accepts notes whose vectors are current and that `accept` allows. */
export function current(accept: (key: number) => boolean = () => true) {
  return (key: number, stamp: number) => stamp === stampOf(`${key}.md`) && accept(key)
}

/** Waits for background work. */
export async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: PATIENCE, interval: 1 })
}

/** Waits until the graph contains all vectors. */
export async function untilBuilt(table: LoadedVectors): Promise<void> {
  await until(() => table.state.index === 'hnsw' && table.state.reason === undefined)
}

function embedded(vector: Float32Array): EmbeddedText {
  const hash = createHash('sha256').update(new Uint8Array(vector.buffer)).digest('hex').slice(0, 32)
  return { hash, vector }
}
