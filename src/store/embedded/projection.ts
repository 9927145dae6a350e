import type { FileInfo, ResolvedLink } from '../../core/index-writer.ts'
import { fileStemOf } from '../../core/paths.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import type { FileStat, OutsideLink } from '../../core/vault.ts'
import { takeTurns } from '../../core/waiting.ts'
import { FolderIndex } from '../../graph/folder-index.ts'
import { Graph, type GraphRow } from '../../graph/graph.ts'
import { TagIndex } from '../../graph/tag-index.ts'
import { SimilarNames } from '../../search/similar-names.ts'
import { requireKind } from './database-file.ts'
import { FollowedDatabase } from './followed-database.ts'
import { closeAsOf, isNamed, type LinksAsOf, linksAsOfNow, openAsOfNow } from './links-as-of.ts'
import type { Location } from './location.ts'
import { SEPARATOR, type StoredState, unpackHot, unpackInfo, unpackLinks, unpackStat } from './rows.ts'
import { DamagedIndex } from './sqlite.ts'
import { INDEX, NOTHING, readMeta, readTexts, requireKeys, type Texts, textSlices } from './writer.ts'

interface NamesAhead {
  readonly names: SimilarNames
  next: number
}

const MANY_LINKS = 100

const CACHED_HUBS = 32

const CACHED_VALUES = 16

/** The number of rows between checks of the clock. */
const CLOCK_INTERVAL = 32

/** If there are more new rows, a table scan is faster than the index. */
const MANY_ROWS = 20_000

/** The number of rows to load between yields. */
const ROWS_AT_ONCE = 500

interface ProjectionOptions {
  /** The prefix of every id. It is omitted if there is only one vault. */
  readonly vault?: string | undefined
  /** A callback for a replaced index. Keys may refer to other files afterwards. */
  onReplaced?(): void
  onDamage?(): void
}

/** The graph, tags and names of one generation, in memory. Node details stay in the database. */
export class Projection {
  readonly file: FollowedDatabase<Statements>
  readonly #options: ProjectionOptions
  #state = NOTHING
  #graph: Graph
  #tags: TagIndex | undefined
  #folders: FolderIndex | undefined
  #names: SimilarNames | undefined
  #namesAhead: NamesAhead | undefined
  readonly #computed = new Map<string, unknown>()
  readonly #links = new Map<number, readonly ResolvedLink[]>()

  constructor(location: Location, options: ProjectionOptions = {}) {
    this.#options = options
    this.#graph = new Graph(options.vault)
    const forget = (): void => this.#forget()
    this.file = new FollowedDatabase(location, { name: 'index', cache: 8_000, prepare, forget, onDamage: options.onDamage })
  }

  get generation(): number {
    return this.#state.generation
  }

  /** False until every file of the vault has been read. */
  get isComplete(): boolean {
    return this.#state.complete
  }

  get lineage(): string | undefined {
    return this.#state.lineage
  }

  get graph(): Graph {
    return this.#graph
  }

  get outside(): readonly OutsideLink[] {
    return this.#state.outside
  }

  /**
   * Loads the index for the first time, in slices of a few milliseconds. An index in memory is left to `refresh`, which loads it
   * at once.
   * @param onLoaded called with the loaded keys before the first read
   * @throws DamagedIndex, or SQLite's errors
   */
  async load(onLoaded: (keys: readonly number[]) => void): Promise<void> {
    const open = this.file.open()
    const { location } = this.file
    if (open === undefined || !isNamed(location, open)) return
    const database = openAsOfNow(location)
    try {
      const state = readMeta(database)
      const graph = new Graph(this.#options.vault)
      const keys: number[] = []
      const turn = takeTurns()
      for (const texts of textSlices(database, 'hot', 'NOT INDEXED WHERE true', ROWS_AT_ONCE)) {
        const rows = unpackRows(texts)
        graph.apply(rows)
        for (const { key } of rows) keys.push(key)
        await turn()
        if (this.file.opened !== open || this.generation > 0) return
      }
      if (!isNamed(location, open)) return
      this.#enter(state, keys.length)
      this.#replaceGraph(graph)
      onLoaded(keys)
    } finally {
      closeAsOf(database)
    }
  }

  /** Loads newer commits. @returns the keys of changed files @throws DamagedIndex, or SQLite's errors */
  refresh(): readonly number[] {
    const rows = this.file.load(({ database }) => this.#newRows(database)) ?? []
    if (rows.length > 0) this.#apply(rows)
    return rows.map((row) => row.key)
  }

  #newRows(database: Database): readonly GraphRow[] {
    const state = readMeta(database)
    const { generation } = this
    const rows = state.generation === generation ? [] : unpackRows(readNewTexts(database, generation))
    this.#enter(state, rows.length)
    return rows
  }

  /** @throws DamagedIndex */
  #enter(state: StoredState, count: number): void {
    if (this.generation === 0 && state.rows !== count) throw new DamagedIndex('rows are missing')
    this.#state = state
  }

  #apply(rows: readonly GraphRow[]): void {
    this.#links.clear()
    this.#computed.clear()
    this.#applyToGraph(rows)
    for (const row of rows) {
      this.#tags?.add(row)
      this.#folders?.add(row)
      const names = this.#names ?? (row.key < (this.#namesAhead?.next ?? 0) ? this.#namesAhead?.names : undefined)
      names?.set(row.key, namesOf(row))
    }
  }

  #applyToGraph(rows: readonly GraphRow[]): void {
    for (const { key } of rows) {
      const row = this.#graph.row(key)
      if (row === undefined) continue
      this.#tags?.remove(row)
      this.#folders?.remove(row)
    }
    this.#graph.apply(rows)
  }

  tags(): TagIndex {
    if (this.#tags === undefined) {
      this.#tags = new TagIndex()
      for (const row of this.#rows()) this.#tags.add(row)
    }
    return this.#tags
  }

  folders(): FolderIndex {
    if (this.#folders === undefined) {
      this.#folders = new FolderIndex()
      for (const row of this.#rows()) this.#folders.add(row)
    }
    return this.#folders
  }

  /** Computes a value at most once per generation. */
  once<T>(name: string, compute: () => T): T {
    if (!this.#computed.has(name)) {
      const value = compute()
      if (this.#computed.size >= CACHED_VALUES) this.#computed.clear()
      this.#computed.set(name, value)
    }
    return this.#computed.get(name) as T
  }

  notesWithProblems(): readonly number[] {
    return this.once('problems', () => findNotesWithProblems(this.#graph))
  }

  names(): SimilarNames {
    if (this.#names !== undefined) return this.#names
    const ahead = this.#namesAhead ?? { names: new SimilarNames(), next: 0 }
    this.#addNames(ahead, Number.POSITIVE_INFINITY)
    return ahead.names
  }

  /**
   * Builds a lookup table before its first use, until a deadline (`performance.now()`).
   * @returns whether the table is complete
   */
  prepare(part: 'names' | 'similar names', until: number): boolean {
    if (this.#names === undefined) {
      this.#namesAhead ??= { names: new SimilarNames(), next: 0 }
      if (!this.#addNames(this.#namesAhead, until)) return false
    }
    return part === 'names' || this.names().prepare(until)
  }

  #addNames(ahead: NamesAhead, until: number): boolean {
    while (ahead.next < this.#graph.size) {
      const row = this.#graph.row(ahead.next++)
      if (row !== undefined) ahead.names.set(row.key, namesOf(row))
      if (ahead.next % CLOCK_INTERVAL === 0 && performance.now() > until) return false
    }
    this.#names = ahead.names
    this.#namesAhead = undefined
    return true
  }

  *#rows(): IterableIterator<GraphRow> {
    for (let key = 0; key < this.#graph.size; key++) {
      const row = this.#graph.row(key)
      if (row !== undefined) yield row
    }
  }

  /** Returns a file's links, ordered by position. */
  links(key: number): readonly ResolvedLink[] {
    const cached = this.#links.get(key)
    if (cached !== undefined) return cached
    const links = this.#readLinks(key)
    // The links of hubs are cached, because hubs are requested often and reading thousands of links takes milliseconds.
    if (links.length >= MANY_LINKS) {
      if (this.#links.size >= CACHED_HUBS) this.#links.clear()
      this.#links.set(key, links)
    }
    return links
  }

  #readLinks(key: number): readonly ResolvedLink[] {
    const row = this.file.opened?.links.get(key) as { data: string } | undefined
    return linksOf(key, row?.data, this.#graph.row(key))
  }

  /**
   * Returns the links of the newest generation, which may be newer than this one. The caller must close them.
   * @returns `undefined` before the first commit
   */
  linksAsOfNow(): LinksAsOf | undefined {
    const { opened, location } = this.file
    return opened === undefined ? undefined : linksAsOfNow(location, opened)
  }

  /** Returns `undefined` for a file that was not read. */
  info(key: number): FileInfo | undefined {
    const row = this.file.opened?.info.get(key) as { data: string } | undefined
    if (row !== undefined) return unpackInfo(key, row.data)
    if (this.#graph.row(key)?.kind === 'note') throw new DamagedIndex('a note is missing')
    return undefined
  }

  /** Returns the SHA-256 in hex, or an empty string for files that were not read. */
  hash(key: number): string {
    return (this.file.opened?.hash.get(key) as { hash: string } | undefined)?.hash ?? ''
  }

  stat(key: number): FileStat | undefined {
    const row = this.file.opened?.stat.get(key) as { stat: string } | undefined
    return row === undefined || row.stat === '' ? undefined : unpackStat(row.stat).stat
  }

  releaseMemory(): void {
    this.#links.clear()
    this.#computed.clear()
    this.file.releaseMemory()
  }

  #forget(): void {
    this.#state = NOTHING
    this.#replaceGraph(new Graph(this.#options.vault))
    this.#options.onReplaced?.()
  }

  #replaceGraph(graph: Graph): void {
    this.#graph = graph
    this.#links.clear()
    this.#tags = undefined
    this.#folders = undefined
    this.#names = undefined
    this.#namesAhead = undefined
    this.#computed.clear()
  }
}

type Statements = Readonly<Record<'links' | 'info' | 'hash' | 'stat', Statement>>

function prepare(database: Database): Statements {
  requireKind(database, INDEX)
  return {
    links: database.prepare('SELECT data FROM links WHERE key = ?'),
    info: database.prepare('SELECT data FROM info WHERE key = ?'),
    hash: database.prepare('SELECT hash FROM file WHERE key = ?'),
    stat: database.prepare('SELECT stat FROM file WHERE key = ?'),
  }
}

/** Unpacks the links of a file. @throws DamagedIndex if the graph has targets but the links are missing */
export function linksOf(key: number, data: string | undefined, row: GraphRow | undefined): readonly ResolvedLink[] {
  if (data !== undefined) return unpackLinks(key, data)
  if (row !== undefined && row.targets.length + row.missing.length > 0) throw new DamagedIndex('links are missing')
  return []
}

function unpackRows({ texts, keySum }: Texts): readonly GraphRow[] {
  return requireKeys(texts.map(unpackHot), keySum)
}

function readNewTexts(database: Database, generation: number): Texts {
  // All rows are read without the index, because a damaged one could silently omit one row and repeat another.
  if (generation === 0 || countNewer(database, generation) > MANY_ROWS) {
    return readTexts(database, 'hot', `NOT INDEXED WHERE generation > ${generation}`)
  }
  // The hint `INDEXED BY` prevents a table scan, which takes 13 ms for 100,000 rows.
  const select = database.prepare(
    `SELECT group_concat(hot, char(10)) AS texts, total(key) AS keySum
     FROM (SELECT key, hot FROM file INDEXED BY file_generation WHERE generation > ?)`,
  )
  const [joined] = select.all(generation) as { texts: string | null; keySum: number }[]
  return { texts: joined?.texts?.split(SEPARATOR) ?? [], keySum: joined?.keySum ?? 0 }
}

function countNewer(database: Database, generation: number): number {
  const [newer] = database.prepare('SELECT count(*) AS rows FROM file WHERE generation > ?').all(generation) as { rows: number }[]
  return newer?.rows ?? 0
}

function namesOf(row: GraphRow): readonly string[] {
  if (row.path === undefined) return []
  const stem = fileStem(row)
  return stem === undefined || row.title === stem ? [row.title, ...row.aliases] : [row.title, ...row.aliases, stem]
}

export function fileStem(row: Pick<GraphRow, 'path' | 'kind'> | undefined): string | undefined {
  if (row?.path === undefined || row.kind !== 'note') return undefined
  return fileStemOf(row.path)
}

function findNotesWithProblems(graph: Graph): readonly number[] {
  return graph
    .order()
    .filter((key) => graph.problemCount(key) > 0 || (graph.isListedNote(key) && (isOrphan(graph, key) || graph.hasTwins(key))))
}

export function isOrphan(graph: Graph, key: number): boolean {
  return graph.inDegree(key) === 0 && graph.outDegree(key) === 0
}
