import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Recent } from '../../../core/recent.ts'
import type { VectorState } from '../../../core/search.ts'
import type { Database } from '../../../core/sql-database.ts'
import type { VectorGraphs } from '../../../core/vectors.ts'
import type { Graph } from '../../../graph/graph.ts'
import { type SegmentHeader, unpackHeader } from '../../../search/words/index/page.ts'
import type { PageSource } from '../../../search/words/index/segment.ts'
import { WordIndex } from '../../../search/words/index/word-index.ts'
import { readAtOnce, requireKind } from '../database-file.ts'
import { FollowedDatabase } from '../followed-database.ts'
import type { Location } from '../location.ts'
import { DamagedIndex } from '../sqlite.ts'
import type { VectorIndexKind } from './chunk-graph.ts'
import { LoadedVectors } from './loaded-vectors.ts'
import { countVectors, headerPlace, pagePlace, SEARCH, stampOf, unsealBytes } from './search-rows.ts'

export interface SearchIndexOptions {
  readonly kind: VectorIndexKind
  /** If omitted, this thread builds the graphs. */
  readonly graphs?: VectorGraphs | undefined
  onDamage?(): void
}

/** Read access to the search index, including commits by other processes. */
export class SearchIndex {
  readonly file: FollowedDatabase<Statements>
  readonly words: WordIndex
  readonly #graph: () => Graph
  readonly #vectorIndex: SearchIndexOptions
  /** The embedders are cached until the next commit. */
  #embedders: readonly EmbedderRow[] | undefined
  #headers: ReadonlyMap<number, SegmentHeader> = new Map()
  /** Segments never change, so pages remain valid. */
  readonly #recentPages = new Recent<string, Uint8Array | undefined>(PAGE_CACHE_BYTES, (page) => page?.length ?? 0)
  /** Stamps by key, which are cached because a search needs thousands of them. */
  readonly #stamps: ({ readonly path: string; readonly stamp: number } | undefined)[] = []
  readonly #tables = new Map<string, LoadedVectors>()

  constructor(location: Location, graph: () => Graph, vectorIndex: SearchIndexOptions) {
    const forget = (): void => this.#forget()
    const { onDamage } = vectorIndex
    this.file = new FollowedDatabase(location, { name: 'search index', cache: 2_000, prepare, forget, onDamage })
    this.#graph = graph
    this.#vectorIndex = vectorIndex
    this.words = new WordIndex(this.#pages(), (key) => this.#stampOf(key))
  }

  /** Reads new commits, and is cheap if there are none. @throws DamagedIndex, DamagedWords */
  refresh(): void {
    this.file.load((open) => this.#takeOver(open))
  }

  /** Runs a read in one transaction. Segments remain readable while they are merged. @throws DamagedIndex, DamagedWords */
  read<T>(action: () => T): T {
    const open = this.file.open()
    if (open === undefined) return action()
    return readAtOnce(open.database, () => {
      this.file.loadWithin(open, () => this.#takeOver(open))
      return action()
    })
  }

  #takeOver(open: OpenSearch): void {
    const stored = open.segments.all() as { id: number; rank: number }[]
    this.#headers = new Map(stored.map(({ id, rank }) => [id, this.#headers.get(id) ?? readHeader(open, id, rank)]))
    this.words.setSegments([...this.#headers].map(([id, header]) => ({ id, header })))
    this.#embedders = undefined
    for (const table of this.#tables.values()) table.onCommit()
  }

  /** Loads new vectors in short slices. @returns `undefined` if the embedder has none @throws DamagedIndex */
  async vectors(embedder: string): Promise<LoadedVectors | undefined> {
    const open = this.file.open()
    if (open === undefined) return undefined
    const version = this.file.version(open)
    const current = this.#tables.get(embedder)
    const table = current?.isLoaded(version) === true ? current : this.#tableOf(open, embedder)
    await table?.load(version)
    return table
  }

  embedders(): readonly VectorState[] {
    const open = this.file.open()
    if (this.#embedders === undefined) {
      this.#embedders = (open?.embedders.all() ?? []) as EmbedderRow[]
      this.#forgetOthers(this.#embedders)
    }
    return this.#embedders.map(({ embedder, notes }) => ({
      embedder,
      notes,
      ...(this.#tables.get(embedder)?.state ?? { index: 'exact' }),
    }))
  }

  isCurrent(key: number, stamp: number): boolean {
    return this.#stampOf(key) === stamp
  }

  #forget(): void {
    this.#closeTables()
    this.#embedders = undefined
    this.#headers = new Map()
    this.words.setSegments([])
    this.#recentPages.clear()
  }

  releaseMemory(): void {
    this.#recentPages.clear()
    for (const table of this.#tables.values()) table.releaseMemory()
    this.file.releaseMemory()
  }

  close(): void {
    this.#closeTables()
    this.file.close()
  }

  #closeTables(): void {
    for (const table of this.#tables.values()) table.close()
    this.#tables.clear()
  }

  #tableOf(open: OpenSearch, embedder: string): LoadedVectors | undefined {
    const row = open.embedder.get(embedder) as { id: number; dimensions: number } | undefined
    if (row === undefined) return undefined
    const current = this.#tables.get(embedder)
    return current?.id === row.id ? current : this.#newTable(open, row, embedder)
  }

  #newTable(open: OpenSearch, row: { readonly id: number; readonly dimensions: number }, embedder: string): LoadedVectors {
    const { kind, graphs } = this.#vectorIndex
    const path = graphPath(this.file.location, embedder)
    const graph = kind === 'exact' ? undefined : { kind, embedder, path, graphs }
    const table = new LoadedVectors(open, { ...row, graph })
    this.#tables.get(embedder)?.close()
    this.#tables.set(embedder, table)
    const names = open.database.prepare('SELECT name FROM embedder').all() as { name: string }[]
    void sweepGraphs(
      this.file.location,
      names.map(({ name }) => name),
    )
    return table
  }

  #forgetOthers(embedders: readonly EmbedderRow[]): void {
    const removed = [...this.#tables].filter(
      ([embedder, { id }]) => !embedders.some((row) => row.id === id && row.embedder === embedder),
    )
    for (const [embedder, table] of removed) {
      table.close()
      this.#tables.delete(embedder)
    }
    if (removed.length === 0) return
    void sweepGraphs(
      this.file.location,
      embedders.map(({ embedder }) => embedder),
    )
  }

  #stampOf(key: number): number | undefined {
    const path = this.#graph().row(key)?.path
    if (path === undefined) return undefined
    const cached = this.#stamps[key]
    if (cached?.path === path) return cached.stamp
    const stamp = stampOf(path)
    this.#stamps[key] = { path, stamp }
    return stamp
  }

  #pages(): PageSource {
    const read = (segment: number, row: unknown): Uint8Array => {
      const { first, data } = row as { first: Uint8Array; data: unknown }
      return unsealBytes(pagePlace(segment, first), data)
    }
    return {
      page: (segment, stem) => {
        const name = `${segment}:${Buffer.from(stem).toString('latin1')}`
        return this.#recentPages.get(name, () => {
          const row = this.file.opened?.page.get(segment, stem)
          return row === undefined ? undefined : read(segment, row)
        })
      },
      pages: (segment, from, to) => {
        const before = this.file.opened?.page.get(segment, from)
        const rows = this.file.opened?.pages.all(segment, from, to) ?? []
        return [...(before === undefined ? [] : [before]), ...rows].map((row) => read(segment, row))
      },
    }
  }
}

function prepare(database: Database) {
  requireKind(database, SEARCH)
  return {
    segments: database.prepare('SELECT id, rank FROM segment ORDER BY rank'),
    header: database.prepare('SELECT header FROM segment WHERE id = ?'),
    page: database.prepare('SELECT first, data FROM page WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1'),
    pages: database.prepare('SELECT first, data FROM page WHERE segment = ? AND first > ? AND first < ? ORDER BY first'),
    embedder: database.prepare('SELECT id, dimensions FROM embedder WHERE name = ?'),
    embedders: database.prepare(
      `SELECT id, name AS embedder, ${countVectors('e.id')} AS notes FROM embedder AS e ORDER BY id DESC`,
    ),
    newCoarse: database.prepare(
      'SELECT revision, data FROM coarse WHERE embedder = ? AND revision > ? ORDER BY revision LIMIT 1',
    ),
    vectors: database.prepare('SELECT data FROM vector WHERE embedder = ? AND key = ?'),
    vectorCount: database.prepare(`SELECT ${countVectors('?1')} AS notes`),
    // The keys are joined to one string, because each row would take a call.
    vectorKeys: database.prepare('SELECT group_concat(key) AS keys FROM vector WHERE embedder = ?'),
  }
}

const PAGE_CACHE_BYTES = 4 << 20

type Statements = ReturnType<typeof prepare>
type OpenSearch = Statements & { readonly database: Database }

interface EmbedderRow {
  readonly id: number
  readonly embedder: string
  readonly notes: number
}

/** @throws DamagedIndex, DamagedWords */
function readHeader({ header }: OpenSearch, id: number, rank: number) {
  const row = header.get(id) as { header: unknown } | undefined
  if (row === undefined) throw new DamagedIndex('a segment is missing')
  return unpackHeader(unsealBytes(headerPlace(id, rank), row.header))
}

/** Returns the path of the saved graph, or `undefined` if the search index is in memory. */
export function graphPath(location: Location, embedder: string): string | undefined {
  return location.kind === 'memory' ? undefined : graphPrefix(location.path) + digest(embedder)
}

/** Deletes the saved graphs of embedders without vectors, and ignores errors. */
export async function sweepGraphs(location: Location, embedders: readonly string[]): Promise<void> {
  if (location.kind === 'memory') return
  const folder = dirname(location.path)
  const prefix = basename(graphPrefix(location.path))
  const keptPrefixes = embedders.map((embedder) => prefix + digest(embedder))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || keptPrefixes.some((path) => name === path || name.startsWith(`${path}-`))) continue
    await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function graphPrefix(path: string): string {
  return `${path}.hnsw-`
}

function digest(embedder: string): string {
  return createHash('sha256').update(embedder).digest('hex').slice(0, 16)
}
