import { threadId } from 'node:worker_threads'
import type { Batch, FileRecord, IndexState, IndexWriter, KnownFile, LinkStyle } from '../../core/index-writer.ts'
import type { VaultPath } from '../../core/ids.ts'
import type { FileStat, OutsideLink } from '../../core/vault.ts'
import { databasePath, deleteDatabase, identityOf, type Location, makeRoom, publish } from './location.ts'
import {
  APPLICATION_ID,
  type DocumentColumns,
  EXCLUDED,
  FORMAT,
  flagsOf,
  type HotColumns,
  packDocument,
  packHot,
  packLinks,
  SCHEMA,
  unpackHot,
  unpackLinks,
} from './rows.ts'
import { DamagedIndex, type Database, openSqlite, type Statement } from './sqlite.ts'

/** The writing side of the embedded store. Nothing is made on disk before the first commit. */
export function openIndexWriter(location: Location): IndexWriter {
  return new SqliteWriter(location)
}

const NOTHING: IndexState = { generation: 0, outside: [] }

class SqliteWriter implements IndexWriter {
  readonly #location: Location
  #database: Database | undefined
  #identity: string | undefined

  constructor(location: Location) {
    this.#location = location
  }

  async state(): Promise<IndexState> {
    const database = this.#open()
    return database === undefined ? NOTHING : readMeta(database)
  }

  async files(): Promise<readonly KnownFile[]> {
    const rows = this.#all<StatColumns>(
      'SELECT key, path, flags, mtime, ctime, birthtime, size, wikilinks, relative FROM file WHERE path IS NOT NULL',
    )
    return rows.map((row) => ({
      key: row.key,
      path: row.path as VaultPath,
      excluded: (row.flags & EXCLUDED) !== 0,
      stat: statOf(row),
      style: styleOf(row),
    }))
  }

  async names(): Promise<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]> {
    const rows = this.#all<HotColumns>('SELECT key, path, flags, hot, targets, crc FROM file WHERE path IS NOT NULL')
    return rows.map((row) => {
      const { key, aliases, pageTitle } = unpackHot(row)
      return { key, path: row.path as VaultPath, aliases, ...(pageTitle === undefined ? {} : { pageTitle }) }
    })
  }

  async mentions(): Promise<readonly Pick<FileRecord, 'key' | 'mentions'>[]> {
    const rows = this.#all<{ key: number; mentions: string }>("SELECT key, mentions FROM file WHERE mentions <> ''")
    return rows.map(({ key, mentions }) => ({ key, mentions: JSON.parse(mentions) as string[] }))
  }

  async hashes(keys: readonly number[]): Promise<readonly string[]> {
    const database = this.#open()
    if (database === undefined) return keys.map(() => '')
    const find = database.prepare('SELECT hash FROM file WHERE key = ?')
    return keys.map((key) => (find.get(key) as { hash: string } | undefined)?.hash ?? '')
  }

  async records(keys: readonly number[]): Promise<readonly FileRecord[]> {
    const database = this.#open()
    if (database === undefined) return []
    const findFile = database.prepare('SELECT * FROM file WHERE key = ? AND path IS NOT NULL')
    const findLinks = database.prepare('SELECT data, crc FROM links WHERE key = ?')
    return keys.flatMap((key) => {
      const row = findFile.get(key) as (HotColumns & StatColumns & OtherColumns) | undefined
      if (row === undefined) return []
      const { kind, excluded, archived, conflict, title, aliases, tags, problems, pageTitle } = unpackHot(row)
      const links = findLinks.get(key) as DocumentColumns | undefined
      return {
        key,
        path: row.path as VaultPath,
        kind: kind as FileRecord['kind'],
        stat: statOf(row),
        hash: row.hash,
        excluded,
        archived,
        conflict,
        title,
        ...(pageTitle === undefined ? {} : { pageTitle }),
        aliases,
        tags,
        links: links === undefined ? [] : unpackLinks(links),
        mentions: row.mentions === '' ? [] : (JSON.parse(row.mentions) as string[]),
        style: styleOf(row),
        malformed: problems[2],
      }
    })
  }

  async commit(batch: Batch, base: number): Promise<number | undefined> {
    const database = this.#open() ?? this.#create()
    database.exec('BEGIN IMMEDIATE')
    try {
      const { generation: current } = readMeta(database)
      if (current !== base) {
        database.exec('ROLLBACK')
        return undefined
      }
      const isSeen = batch.put.length > 0 || batch.remove.length > 0
      const generation = isSeen || base === 0 ? base + 1 : base
      write(database, batch, generation)
      database.exec('COMMIT')
      return generation
    } catch (error) {
      // What failed may have ended the transaction itself (a full disk does).
      attempt(() => database.exec('ROLLBACK'))
      throw error
    }
  }

  async reset(): Promise<void> {
    const damaged = this.#identity
    this.#close()
    if (this.#location.kind === 'memory') return
    // Another process may have replaced it already.
    if (damaged === undefined || damaged === identityOf(this.#location)) deleteDatabase(this.#location.path)
  }

  async close(): Promise<void> {
    const database = this.#database
    // The log is emptied by hand: the binding cannot end its statements, so SQLite does not see the last connection close.
    if (database !== undefined) attempt(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    this.#close()
  }

  #close(): void {
    const database = this.#database
    this.#database = undefined
    this.#identity = undefined
    if (database !== undefined) attempt(() => database.close())
  }

  #all<Row>(sql: string): Row[] {
    const database = this.#open()
    return database === undefined ? [] : (database.prepare(sql).all() as Row[])
  }

  /** @returns undefined when nothing was ever committed here. @throws DamagedIndex when it is not an index of ours. */
  #open(): Database | undefined {
    const identity = identityOf(this.#location)
    if (this.#database !== undefined) {
      if (identity === this.#identity) return this.#database
      this.#close()
    }
    if (identity === undefined) return undefined
    this.#identity = identity
    const database = openSqlite(databasePath(this.#location))
    try {
      if (this.#location.kind === 'memory') makeSchema(database)
      requireSchema(database)
      configure(database)
      this.#database = database
      return database
    } catch (error) {
      attempt(() => database.close())
      throw error
    }
  }

  /** A new index gets its name when it is whole: nobody ever opens one that is being made. */
  #create(): Database {
    if (this.#location.kind === 'file') {
      const { path } = this.#location
      makeRoom(path)
      const draft = `${path}.${process.pid}-${threadId}.new`
      deleteDatabase(draft)
      const database = openSqlite(draft)
      try {
        makeSchema(database)
        database.exec('PRAGMA journal_mode = WAL')
      } finally {
        database.close()
      }
      publish(draft, path)
    }
    const database = this.#open()
    if (database === undefined) throw new Error('the index file vanished while it was being made')
    return database
  }
}

interface StatColumns {
  readonly key: number
  readonly path: string
  readonly flags: number
  readonly mtime: number
  readonly ctime: number
  readonly birthtime: number
  readonly size: number
  readonly wikilinks: number
  readonly relative: number
}

function statOf({ mtime, ctime, birthtime, size }: StatColumns): FileStat {
  return { mtime, ctime, birthtime, size }
}

function styleOf({ wikilinks, relative }: StatColumns): LinkStyle {
  return { wikilinks, relativeLinks: relative }
}

interface OtherColumns {
  readonly hash: string
  readonly mentions: string
}

/** What is derived may be lost with the power, but never torn: WAL with NORMAL. */
function configure(database: Database): void {
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')
}

/** @throws DamagedIndex when a database is not an index of this format. */
export function requireSchema(database: Database): void {
  const [application] = database.prepare('PRAGMA application_id').all() as { application_id: number }[]
  const [user] = database.prepare('PRAGMA user_version').all() as { user_version: number }[]
  if (application?.application_id !== APPLICATION_ID || user?.user_version !== FORMAT) {
    throw new DamagedIndex('the file is no index of this version')
  }
}

function makeSchema(database: Database): void {
  const [tables] = database.prepare('SELECT count(*) AS n FROM sqlite_master').all() as { n: number }[]
  if (tables?.n !== 0) return
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}; COMMIT`)
}

export function readMeta(database: Database): IndexState {
  const rows = database.prepare('SELECT key, value FROM meta').all() as { key: string; value: string | number }[]
  const meta = new Map(rows.map(({ key, value }) => [key, value]))
  const mode = meta.get('mode')
  return {
    generation: Number(meta.get('generation') ?? 0),
    ...(mode === undefined ? {} : { mode: String(mode) }),
    outside: JSON.parse(String(meta.get('outside') ?? '[]')) as OutsideLink[],
  }
}

function write(database: Database, batch: Batch, generation: number): void {
  const remove = database.prepare(
    `UPDATE file SET path = NULL, generation = ?, hot = '', targets = NULL, mentions = '', wikilinks = 0, relative = 0
     WHERE key = ?`,
  )
  const forget = ['info', 'links'].map((table) => database.prepare(`DELETE FROM ${table} WHERE key = ?`))
  for (const key of batch.remove) {
    remove.run(generation, key)
    for (const statement of forget) statement.run(key)
  }
  const statements: PutStatements = {
    file: database.prepare(`INSERT OR REPLACE INTO file VALUES (${Array(15).fill('?').join()})`),
    info: database.prepare('INSERT OR REPLACE INTO info VALUES (?, ?, ?)'),
    links: database.prepare('INSERT OR REPLACE INTO links VALUES (?, ?, ?)'),
    noLinks: database.prepare('DELETE FROM links WHERE key = ?'),
  }
  for (const record of batch.put) put(statements, record, generation)
  const touch = database.prepare('UPDATE file SET mtime = ?, ctime = ?, birthtime = ?, size = ? WHERE key = ?')
  for (const { key, stat } of batch.touch) touch.run(stat.mtime, stat.ctime, stat.birthtime, stat.size, key)
  const setMeta = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  setMeta.run('generation', generation)
  setMeta.run('mode', batch.mode)
  setMeta.run('outside', JSON.stringify(batch.outside))
}

interface PutStatements {
  readonly file: Statement
  readonly info: Statement
  readonly links: Statement
  readonly noLinks: Statement
}

function put(statements: PutStatements, record: FileRecord, generation: number): void {
  const { hot, targets, crc } = packHot(record)
  const { stat, style } = record
  statements.file.run(
    record.key,
    record.path,
    generation,
    flagsOf(record),
    stat.mtime,
    stat.ctime,
    stat.birthtime,
    stat.size,
    record.hash,
    style.wikilinks,
    style.relativeLinks,
    hot,
    targets,
    record.mentions.length === 0 ? '' : JSON.stringify(record.mentions),
    crc,
  )
  if (record.info !== undefined) {
    const info = packDocument(record.info)
    statements.info.run(record.key, info.data, info.crc)
  }
  if (record.links.length === 0) {
    statements.noLinks.run(record.key)
    return
  }
  const links = packLinks(record.links)
  statements.links.run(record.key, links.data, links.crc)
}

function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // The error that led here says more.
  }
}
