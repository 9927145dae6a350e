import type { VectorState } from '../../../core/search.ts'
import type { Graph } from '../../../graph/graph.ts'
import { type SegmentHeader, unpackHeader } from '../../../search/words/header.ts'
import type { PageSource } from '../../../search/words/segment.ts'
import { WordIndex } from '../../../search/words/word-index.ts'
import { hasTables, requireKind } from '../database-file.ts'
import { databasePath, identityOf, type Location } from '../location.ts'
import { DamagedIndex, type Database, openSqlite, type Statement } from '../sqlite.ts'
import { headerPlace, pagePlace, SEARCH, stampOf, unpackVectors, unsealBytes } from './search-rows.ts'
import { VectorTable } from './vector-table.ts'

/** The search indexes as readers see them: what is small in memory, the rest read when asked for. Loads what others committed. */
export class SearchIndex {
  readonly words: WordIndex
  readonly #graph: () => Graph
  #location: Location
  #database: OpenDatabase | undefined
  #version = -1
  #headers: ReadonlyMap<number, SegmentHeader> = new Map()
  readonly #tables = new Map<number, LoadedTable>()

  constructor(location: Location, graph: () => Graph) {
    this.#location = location
    this.#graph = graph
    this.words = new WordIndex(this.#pages(), (key) => this.#stampOf(key))
  }

  /** Takes over what was committed; cheap when nothing was. @throws DamagedIndex, DamagedWords */
  refresh(): void {
    const open = this.#open()
    if (open === undefined) return
    const version = this.#location.kind === 'file' ? (open.version.get() as { data_version: number }).data_version : -1
    if (version === this.#version && version !== -1) return
    open.database.exec('BEGIN')
    try {
      const stored = open.segments.all() as { id: number; rank: number }[]
      this.#headers = new Map(stored.map(({ id, rank }) => [id, this.#headers.get(id) ?? readHeader(open, id, rank)]))
      this.words.setSegments([...this.#headers].map(([id, header]) => ({ id, header })))
    } finally {
      open.database.exec('COMMIT')
    }
    this.#version = version
  }

  /** The files behind these keys changed. */
  graphChanged(keys: Iterable<number>): void {
    this.words.changed(keys)
  }

  /**
   * The vectors of an embedder as they are now; `undefined` when there are none. What is new is loaded a few milliseconds at a time.
   * @throws DamagedIndex
   */
  async vectors(embedder: string): Promise<VectorTable | undefined> {
    const open = this.#open()
    const row = open?.embedder.get(embedder) as { id: number; dimensions: number } | undefined
    if (open === undefined || row === undefined) return undefined
    const loaded = this.#tables.get(row.id) ?? newTable(open, row.id, row.dimensions)
    this.#tables.set(row.id, loaded)
    while (this.#database === open && loadNew(open, loaded)) await new Promise((resolve) => setImmediate(resolve))
    return loaded.table
  }

  /** Embedders that vectors are of, the newest first. */
  embedders(): readonly VectorState[] {
    return (this.#open()?.embedders.all() ?? []) as VectorState[]
  }

  /** Whether a key stands for the file that something was indexed of. */
  isCurrent(key: number, stamp: number): boolean {
    return this.#stampOf(key) === stamp
  }

  /** Forgets everything: what is behind it was replaced. */
  reopen(location = this.#location): void {
    this.close()
    this.#location = location
    this.#version = -1
    this.#headers = new Map()
    this.words.setSegments([])
    this.#tables.clear()
  }

  close(): void {
    const open = this.#database
    this.#database = undefined
    open?.database.close()
  }

  #stampOf(key: number): number | undefined {
    const path = this.#graph().row(key)?.path
    return path === undefined ? undefined : stampOf(path)
  }

  #pages(): PageSource {
    const read = (segment: number, row: unknown): Uint8Array => {
      const { first, data } = row as { first: Uint8Array; data: unknown }
      return unsealBytes(pagePlace(segment, first), data)
    }
    return {
      page: (segment, stem) => {
        const row = this.#database?.page.get(segment, stem)
        return row === undefined ? undefined : read(segment, row)
      },
      pages: (segment, from, to) => {
        const before = this.#database?.page.get(segment, from)
        const rows = this.#database?.pages.all(segment, from, to) ?? []
        return [...(before === undefined ? [] : [before]), ...rows].map((row) => read(segment, row))
      },
    }
  }

  #open(): OpenDatabase | undefined {
    const identity = identityOf(this.#location)
    if (this.#database !== undefined) {
      if (identity === undefined || identity === this.#database.identity) return this.#database
      this.reopen()
    }
    if (identity === undefined) return undefined
    const database = openSqlite(databasePath(this.#location))
    try {
      if (this.#location.kind === 'memory' && !hasTables(database)) {
        database.close()
        return undefined
      }
      database.exec('PRAGMA query_only = 1; PRAGMA cache_size = -8000')
      requireKind(database, SEARCH)
      this.#database = prepare(database, identity)
      return this.#database
    } catch (error) {
      database.close()
      throw error
    }
  }
}

function prepare(database: Database, identity: string): OpenDatabase {
  return {
    database,
    identity,
    version: database.prepare('PRAGMA data_version'),
    segments: database.prepare('SELECT id, rank FROM segment ORDER BY rank'),
    header: database.prepare('SELECT header FROM segment WHERE id = ?'),
    page: database.prepare('SELECT first, data FROM page WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1'),
    pages: database.prepare('SELECT first, data FROM page WHERE segment = ? AND first > ? AND first < ? ORDER BY first'),
    embedder: database.prepare('SELECT id, dimensions FROM embedder WHERE name = ?'),
    embedders: database.prepare(
      'SELECT name AS embedder, (SELECT count(*) FROM vector WHERE embedder = e.id) AS notes FROM embedder AS e ORDER BY id DESC',
    ),
    newVectors: database.prepare(
      'SELECT key, revision, data FROM vector WHERE embedder = ? AND (revision, key) > (?, ?) ORDER BY revision, key LIMIT ?',
    ),
    vectors: database.prepare('SELECT data FROM vector WHERE embedder = ? AND key = ?'),
  }
}

interface OpenDatabase {
  readonly identity: string
  readonly database: Database
  readonly version: Statement
  readonly segments: Statement
  readonly header: Statement
  readonly page: Statement
  readonly pages: Statement
  readonly embedder: Statement
  readonly embedders: Statement
  readonly newVectors: Statement
  readonly vectors: Statement
}

interface LoadedTable {
  readonly id: number
  readonly table: VectorTable
  /** Up to this row everything is loaded. */
  revision: number
  key: number
}

function newTable(open: OpenDatabase, id: number, dimensions: number): LoadedTable {
  const read = (key: number) => {
    const row = open.vectors.get(id, key) as { data: unknown } | undefined
    return row === undefined ? undefined : unpackVectors(id, key, row.data)
  }
  return { id, table: new VectorTable(dimensions, read), revision: 0, key: -1 }
}

/** Rows that are loaded at once: a few milliseconds. */
const ROWS_AT_ONCE = 250

/** @returns whether there may be more. */
function loadNew({ newVectors }: OpenDatabase, loaded: LoadedTable): boolean {
  const rows = newVectors.all(loaded.id, loaded.revision, loaded.key, ROWS_AT_ONCE) as VectorRow[]
  for (const { key, revision, data } of rows) {
    loaded.table.set(key, unpackVectors(loaded.id, key, data))
    loaded.revision = revision
    loaded.key = key
  }
  return rows.length === ROWS_AT_ONCE
}

interface VectorRow {
  readonly key: number
  readonly revision: number
  readonly data: unknown
}

/** @throws DamagedIndex, DamagedWords */
function readHeader({ header }: OpenDatabase, id: number, rank: number) {
  const row = header.get(id) as { header: unknown } | undefined
  if (row === undefined) throw new DamagedIndex('a segment is missing')
  return unpackHeader(unsealBytes(headerPlace(id, rank), row.header))
}
