import type { NoteVectors, SearchWriter, StemOf, WordBatch } from '../../../core/search-writer.ts'
import type { Database } from '../../../core/sql-database.ts'
import { SegmentBuilder } from '../../../search/words/index/builder.ts'
import { DatabaseFile } from '../database-file.ts'
import type { Location } from '../location.ts'
import { unpackVector } from '../vectors/packed-vector.ts'
import { CoarseRewrite, putCoarse } from './coarse-part.ts'
import { Compaction, insertPages, insertSegment, nextNumber } from './compaction.ts'
import { isEmpty, packVectors, SEARCH, stampOf, toStored, unpackVectors } from './search-rows.ts'

/** Writes nothing before the first commit. */
export function openSearchWriter(location: Location): SearchWriter {
  return new SqliteSearchWriter(location)
}

/** The number of rows to delete per transaction. */
const DELETED_AT_ONCE = 256

/** The index on `vector` starts with the embedder, so listing all embedders avoids a table scan. */
export const FORGET_KEY = [
  'DELETE FROM note WHERE key = ?',
  'DELETE FROM vector WHERE embedder IN (SELECT id FROM embedder) AND key = ?',
]

class SqliteSearchWriter implements SearchWriter {
  readonly #file: DatabaseFile
  #database: Database | undefined
  #version = -1
  /** True once data has been written, so the file must exist. */
  #hasWritten = false
  #compaction: Compaction | undefined
  #rewrite: CoarseRewrite | undefined

  constructor(location: Location) {
    this.#file = new DatabaseFile(location, SEARCH)
  }

  async wordVersions(): Promise<ReadonlyMap<number, number>> {
    return versions(this.#file.open()?.prepare('SELECT key, version FROM note').all())
  }

  async vectorVersions(embedder: string): Promise<ReadonlyMap<number, number>> {
    const database = this.#file.open()
    const row = database && findEmbedder(database, embedder)
    return versions(row && database.prepare('SELECT key, version FROM vector WHERE embedder = ?').all(row.id))
  }

  async isOutdated(): Promise<boolean> {
    const database = this.#file.open()
    const [row] = (database?.prepare('PRAGMA data_version').all() ?? []) as { data_version: number }[]
    const version = row?.data_version ?? -1
    const isGone = database === undefined && this.#hasWritten
    const isOutdated = isGone || database !== this.#database || version !== this.#version
    this.#hasWritten = false
    this.#database = database
    this.#version = version
    return isOutdated
  }

  async beginWords(stemOf: StemOf): Promise<WordBatch> {
    const builder = new SegmentBuilder(stemOf)
    const versions = new Map<number, number>()
    return {
      put: async (notes) => {
        for (const { key, path, version, language, title, body } of notes) {
          builder.add({ key, stamp: stampOf(path), language, title, body })
          versions.set(key, version)
        }
      },
      commit: async () => this.#putWords(builder, versions),
    }
  }

  async vectorsOf(embedder: string, keys: readonly number[]): Promise<ReadonlyMap<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>()
    const database = this.#file.open()
    const known = database && findEmbedder(database, embedder)
    if (database === undefined || known === undefined) return vectors
    const { id, dimensions } = known
    const select = database.prepare('SELECT data FROM vector WHERE embedder = ? AND key = ?')
    for (const key of keys) {
      const row = select.get(id, key) as { data: Uint8Array } | undefined
      if (row === undefined) continue
      const { chunks, names } = unpackVectors(id, key, row.data)
      for (const vector of [...chunks, ...names]) {
        if (!isEmpty(vector)) vectors.set(Buffer.from(vector.hash).toString('hex'), unpackVector(vector.packed, dimensions))
      }
    }
    return vectors
  }

  async putVectors(embedder: string, notes: readonly NoteVectors[]): Promise<void> {
    if (notes.length === 0) return
    this.#write((database) => {
      const { id, dimensions } = requireEmbedder(database, embedder, notes)
      const revision = nextNumber(database, 'revision')
      const insert = database.prepare('INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)')
      const rows = notes.map((note) => ({ key: note.key, version: note.version, stored: toStored(note) }))
      for (const { key, version, stored } of rows) insert.run(id, key, version, packVectors(id, key, stored))
      putCoarse(database, { embedder: id, dimensions, revision }, rows)
    })
  }

  async forget(keys: readonly number[]): Promise<void> {
    this.#write((database) => {
      nextNumber(database, 'revision')
      const statements = FORGET_KEY.map((sql) => database.prepare(sql))
      for (const key of keys) for (const statement of statements) statement.run(key)
    })
  }

  async keepOnly(embedder: string): Promise<void> {
    const database = this.#file.open()
    if (database === undefined) return
    const [other] = database.prepare('SELECT id FROM embedder WHERE name <> ? LIMIT 1').all(embedder)
    if (other !== undefined) {
      this.#write((open) => {
        nextNumber(open, 'revision')
        open.prepare('DELETE FROM embedder WHERE name <> ?').run(embedder)
      })
    }
    // Rows are deleted in batches, because deleting all at once would block other writers for seconds.
    while (this.#deleteOrphans()) await new Promise((resolve) => setImmediate(resolve))
  }

  /** @returns whether there may be more */
  #deleteOrphans(): boolean {
    const database = this.#file.open()
    if (database === undefined) return false
    for (const table of ['vector', 'coarse']) {
      const orphans = database.prepare(`SELECT DISTINCT embedder FROM ${table} EXCEPT SELECT id FROM embedder`).all()
      const [first] = orphans as { embedder: number }[]
      if (first === undefined) continue
      this.#write((open) => {
        open
          .prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE embedder = ? LIMIT ${DELETED_AT_ONCE})`)
          .run(first.embedder)
      })
      return true
    }
    return false
  }

  async maintain(): Promise<boolean> {
    if (this.#file.open() === undefined) return false
    this.#compaction ??= new Compaction(this.#file)
    this.#rewrite ??= new CoarseRewrite(this.#file)
    const isMore = this.#compaction.step() || this.#rewrite.step()
    if (!isMore) this.#forgetMaintenance()
    return isMore
  }

  #forgetMaintenance(): void {
    this.#compaction = undefined
    this.#rewrite = undefined
  }

  async tidy(): Promise<void> {
    this.#file.tidy()
  }

  async reset(): Promise<void> {
    this.#forgetMaintenance()
    this.#file.delete()
  }

  async close(): Promise<void> {
    this.#file.close()
  }

  #write(action: (database: Database) => void): void {
    this.#hasWritten = true
    this.#file.write(action)
  }

  #putWords(builder: SegmentBuilder, notes: ReadonlyMap<number, number>): void {
    this.#write((database) => {
      const id = nextNumber(database, 'segment')
      insertPages(database, id, builder.pages())
      insertSegment(database, { id, rank: id, header: builder.header() })
      const note = database.prepare('INSERT OR REPLACE INTO note VALUES (?, ?)')
      for (const [key, version] of notes) note.run(key, version)
    })
  }
}

function versions(rows: readonly unknown[] | undefined): ReadonlyMap<number, number> {
  return new Map((rows as { key: number; version: number }[] | undefined)?.map(({ key, version }) => [key, version]))
}

interface EmbedderRow {
  readonly id: number
  readonly dimensions: number
}

function findEmbedder(database: Database, name: string): EmbedderRow | undefined {
  return database.prepare('SELECT id, dimensions FROM embedder WHERE name = ?').get(name) as EmbedderRow | undefined
}

/** Returns the id of an embedder, which is assigned with its first vectors. */
function requireEmbedder(database: Database, name: string, notes: readonly NoteVectors[]): EmbedderRow {
  const row = findEmbedder(database, name)
  if (row !== undefined) return row
  const dimensions = notes.flatMap(({ chunks, names }) => [...chunks, ...names])[0]?.vector.length ?? 0
  // Readers identify embedders by id, so ids are never reused.
  const id = nextNumber(database, 'embedder')
  database.prepare('INSERT INTO embedder VALUES (?, ?, ?)').run(id, name, dimensions)
  return { id, dimensions }
}
