import type { FileInfo, ResolvedLink } from '../../core/index-writer.ts'
import { fileStemOf } from '../../core/paths.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import type { FileStat, OutsideLink } from '../../core/vault.ts'
import { takeTurns } from '../../core/waiting.ts'
import { FolderIndex } from '../../graph/folder-index.ts'
import { Graph, type GraphRow } from '../../graph/graph.ts'
import { TagIndex } from '../../graph/tag-index.ts'
import { SimilarNames } from '../../search/similar-names.ts'
import { FollowedDatabase } from './followed-database.ts'
import { closeAsOf, isNamed, type LinksAsOf, linksAsOfNow, openAsOfNow } from './links-as-of.ts'
import type { Location } from './location.ts'
import { SEPARATOR, type StoredState, unpackHot, unpackInfo, unpackLinks, unpackStat } from './rows.ts'
import { DamagedIndex } from './sqlite.ts'
import { readMeta, readTexts, requireKeys, requireSchema, type Texts, textSlices } from './writer.ts'

/** Names that have been built so far, of the files with keys below `next`. */
interface NamesAhead {
  readonly names: SimilarNames
  next: number
}

const MANY_LINKS = 100

const CACHED_HUBS = 32

const CACHED_VALUES = 16

/** Number of rows between checks of the clock. */
const CLOCK_INTERVAL = 32

/** For more new rows than this, scan the whole table rather than its index. */
const MANY_ROWS = 20_000

/** Number of rows to load before yielding. They take a few milliseconds. */
const ROWS_AT_ONCE = 500

interface ProjectionOptions {
  /** The vault's name, which is part of every id. Omitted if there is only one vault. */
  readonly vault?: string | undefined
  /** Called after the index has been replaced, when keys may refer to other files. */
  onReplaced?(): void
  onDamage?(): void
}

/**
 * The in-memory state of one generation: graph, tags and names. `refresh` loads newer commits, by any process. Details of a node
 * are read from the database.
 */
export class Projection {
  readonly file: FollowedDatabase<Statements>
  readonly #options: ProjectionOptions
  #generation = 0
  #outsideLinks: readonly OutsideLink[] = []
  #isComplete = false
  #lineage: string | undefined
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
    return this.#generation
  }

  /** False while the vault is still being read, because this generation then covers only a part of it. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get lineage(): string | undefined {
    return this.#lineage
  }

  get graph(): Graph {
    return this.#graph
  }

  /** Symbolic links that point outside the vault. */
  get outside(): readonly OutsideLink[] {
    return this.#outsideLinks
  }

  /**
   * Loads the index for the first time, a few milliseconds at a time. If the index is in memory, or is replaced meanwhile, does
   * nothing and leaves it to `refresh`, which loads everything at once.
   * @param onLoaded receives the keys of the rows before anyone reads the rows
   * @throws DamagedIndex, or SQLite's errors for a damaged file
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
        if (this.file.opened !== open || this.#generation > 0) return
      }
      if (!isNamed(location, open)) return
      this.#enter(state, keys.length)
      this.#replaceGraph(graph)
      onLoaded(keys)
    } finally {
      closeAsOf(database)
    }
  }

  /**
   * Loads newer commits.
   * @returns the keys of the files that have changed
   * @throws DamagedIndex, or SQLite's errors for a damaged file
   */
  refresh(): readonly number[] {
    const rows = this.file.load(({ database }) => this.#newRows(database)) ?? []
    if (rows.length > 0) this.#apply(rows)
    return rows.map((row) => row.key)
  }

  #newRows(database: Database): readonly GraphRow[] {
    const state = readMeta(database)
    this.#lineage = state.lineage
    if (state.generation === this.#generation) return []
    const rows = unpackRows(readNewTexts(database, this.#generation))
    this.#enter(state, rows.length)
    return rows
  }

  /**
   * Switches to a generation after its rows have been read.
   * @throws DamagedIndex
   */
  #enter({ generation, outside, complete, lineage, rows }: StoredState, count: number): void {
    if (this.#generation === 0 && rows !== count) throw new DamagedIndex('rows are missing')
    this.#lineage = lineage
    this.#generation = generation
    this.#outsideLinks = outside
    this.#isComplete = complete
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

  /** Returns a value that is computed from the graph, at most once per generation. */
  once<T>(name: string, compute: () => T): T {
    if (!this.#computed.has(name)) {
      const value = compute()
      if (this.#computed.size >= CACHED_VALUES) this.#computed.clear()
      this.#computed.set(name, value)
    }
    return this.#computed.get(name) as T
  }

  /** Returns the keys of the files with problems, ordered by id. */
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
   * Builds the data for looking up names, or similar names, ahead of the first lookup. Stops at the given time
   * (`performance.now()`).
   * @returns whether all data has been built
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
    // Cache the links of hubs. They are requested again and again, and reading thousands of links takes milliseconds.
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
   * Returns the links of the newest generation, which may be newer than this one. Returns `undefined` if there is none yet. Later
   * commits do not affect them. The caller must close them.
   */
  linksAsOfNow(): LinksAsOf | undefined {
    const { opened, location } = this.file
    return opened === undefined ? undefined : linksAsOfNow(location, opened)
  }

  /** Returns what is stored about a note's text, or `undefined` for a file that was not read. */
  info(key: number): FileInfo | undefined {
    const row = this.file.opened?.info.get(key) as { data: string } | undefined
    if (row !== undefined) return unpackInfo(key, row.data)
    if (this.#graph.row(key)?.kind === 'note') throw new DamagedIndex('a note is missing')
    return undefined
  }

  /** Returns the hex SHA-256 of a file's bytes as last read, or an empty string. */
  hash(key: number): string {
    return (this.file.opened?.hash.get(key) as { hash: string } | undefined)?.hash ?? ''
  }

  stat(key: number): FileStat | undefined {
    const row = this.file.opened?.stat.get(key) as { stat: string } | undefined
    return row === undefined || row.stat === '' ? undefined : unpackStat(row.stat).stat
  }

  rest(): void {
    this.#links.clear()
    this.#computed.clear()
    this.file.rest()
  }

  #forget(): void {
    this.#generation = 0
    this.#outsideLinks = []
    this.#isComplete = false
    this.#lineage = undefined
    this.#replaceGraph(new Graph(this.#options.vault))
    this.#options.onReplaced?.()
  }

  /** Replaces the graph and everything derived from it. */
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
  requireSchema(database)
  return {
    links: database.prepare('SELECT data FROM links WHERE key = ?'),
    info: database.prepare('SELECT data FROM info WHERE key = ?'),
    hash: database.prepare('SELECT hash FROM file WHERE key = ?'),
    stat: database.prepare('SELECT stat FROM file WHERE key = ?'),
  }
}

/**
 * Parses the stored links of a file.
 * @throws DamagedIndex if there are none although the file's row has targets
 */
export function linksOf(key: number, data: string | undefined, row: GraphRow | undefined): readonly ResolvedLink[] {
  if (data !== undefined) return unpackLinks(key, data)
  if (row !== undefined && row.targets.length + row.missing.length > 0) throw new DamagedIndex('links are missing')
  return []
}

function unpackRows({ texts, keySum }: Texts): readonly GraphRow[] {
  return requireKeys(texts.map(unpackHot), keySum)
}

function readNewTexts(database: Database, generation: number): Texts {
  // Read the rows without an index. A damaged one could silently omit a row and return another one twice.
  if (generation === 0 || countNewer(database, generation) > MANY_ROWS) {
    return readTexts(database, 'hot', `NOT INDEXED WHERE generation > ${generation}`)
  }
  // Without INDEXED BY, SQLite scans the table, which takes 13 ms for 100,000 rows.
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

/** Returns the names of a file: its title, its aliases, and the file name. */
function namesOf(row: GraphRow): readonly string[] {
  if (row.path === undefined) return []
  // People may know a note by its file name only.
  const stem = fileStem(row)
  return stem === undefined || row.title === stem ? [row.title, ...row.aliases] : [row.title, ...row.aliases, stem]
}

export function fileStem(row: Pick<GraphRow, 'path' | 'kind'> | undefined): string | undefined {
  if (row?.path === undefined || row.kind !== 'note') return undefined
  return fileStemOf(row.path)
}

/** Returns the keys of the files with problems of any kind, ordered by id. */
function findNotesWithProblems(graph: Graph): readonly number[] {
  return graph
    .order()
    .filter((key) => graph.problemCount(key) > 0 || (graph.isListedNote(key) && (isOrphan(graph, key) || graph.hasTwins(key))))
}

export function isOrphan(graph: Graph, key: number): boolean {
  return graph.inDegree(key) === 0 && graph.outDegree(key) === 0
}
