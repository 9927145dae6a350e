import { utimesSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import type { VaultPath } from '../../core/ids.ts'
import type { Batch, FileRecord, IndexState, IndexWriter, KnownFile } from '../../core/index-writer.ts'
import type { OutsideLink } from '../../core/vault.ts'
import { databasePath, deleteDatabase, identityOf, type Location, makeRoom, publish } from './location.ts'
import {
  APPLICATION_ID,
  FORMAT,
  packGone,
  packHot,
  packInfo,
  packLinks,
  packMentions,
  packStat,
  SCHEMA,
  SEPARATOR,
  unpackHot,
  unpackLinks,
  unpackMentions,
  unpackStat,
} from './rows.ts'
import { DamagedIndex, type Database, openSqlite, type Statement } from './sqlite.ts'
import { sweepOldIndexes } from './sweep.ts'

/** The writing side of the embedded store. Nothing is made on disk before the first commit. */
export function openIndexWriter(location: Location): IndexWriter {
  return new SqliteWriter(location)
}

const NOTHING: IndexState = { generation: 0, outside: [], nextKey: 0 }

class SqliteWriter implements IndexWriter {
  readonly #location: Location
  #database: Database | undefined
  #identity: string | undefined
  #isSwept = false

  constructor(location: Location) {
    this.#location = location
  }

  async state(): Promise<IndexState> {
    const database = this.#open()
    return database === undefined ? NOTHING : readMeta(database)
  }

  async files(): Promise<readonly KnownFile[]> {
    const { texts, keySum } = this.#texts('stat', "WHERE stat <> ''")
    return requireKeys(texts.map(unpackStat), keySum)
  }

  async freeKeys(): Promise<readonly number[]> {
    const rows = this.#open()?.prepare("SELECT key FROM file WHERE stat = ''").all() as { key: number }[] | undefined
    return rows?.map(({ key }) => key) ?? []
  }

  async names(): Promise<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]> {
    const rows = this.#texts('hot', "WHERE stat <> ''").texts.map(unpackHot)
    return rows.map(({ key, path, aliases, pageTitle }) => ({
      key,
      path: path as VaultPath,
      aliases,
      ...(pageTitle === undefined ? undefined : { pageTitle }),
    }))
  }

  async mentions(): Promise<readonly Pick<FileRecord, 'key' | 'mentions'>[]> {
    return this.#texts('mentions', "WHERE mentions <> ''").texts.map(unpackMentions)
  }

  async hashes(keys: readonly number[]): Promise<readonly string[]> {
    const database = this.#open()
    if (database === undefined || keys.length === 0) return keys.map(() => '')
    const find = database.prepare('SELECT hash FROM file WHERE key = ?')
    return keys.map((key) => (key < 0 ? '' : ((find.get(key) as { hash: string } | undefined)?.hash ?? '')))
  }

  async records(keys: readonly number[]): Promise<readonly FileRecord[]> {
    const database = this.#open()
    if (database === undefined || keys.length === 0) return []
    const findFile = database.prepare("SELECT hash, stat, hot, mentions FROM file WHERE key = ? AND stat <> ''")
    const findLinks = database.prepare('SELECT data FROM links WHERE key = ?')
    return keys.flatMap((key) => {
      const row = findFile.get(key) as { hash: string; stat: string; hot: string; mentions: string } | undefined
      if (row === undefined) return []
      const { kind, archived, conflict, title, aliases, tags, targets, missing, problems, pageTitle } = unpackHot(row.hot)
      const links = findLinks.get(key) as { data: string } | undefined
      if (links === undefined && targets.length + missing.length > 0) throw new DamagedIndex('links are missing')
      return {
        ...unpackStat(row.stat),
        kind: kind as FileRecord['kind'],
        hash: row.hash,
        archived,
        conflict,
        title,
        ...(pageTitle === undefined ? undefined : { pageTitle }),
        aliases,
        tags,
        links: links === undefined ? [] : unpackLinks(key, links.data),
        mentions: row.mentions === '' ? [] : unpackMentions(row.mentions).mentions,
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

  async tidy(): Promise<void> {
    if (this.#database === undefined) return
    this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    if (this.#location.kind !== 'file' || this.#isSwept) return
    this.#isSwept = true
    const { path } = this.#location
    attempt(() => {
      // A vault that is only read leaves no other trace of being used.
      utimesSync(path, new Date(), new Date())
      sweepOldIndexes(path)
    })
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

  #texts(column: TextColumn, condition: string): Texts {
    const database = this.#open()
    return database === undefined ? { texts: [], keySum: 0 } : readTexts(database, column, condition)
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

/**
 * What is derived may be lost with the power, but never torn: WAL with NORMAL. The log is copied into the database when nothing is
 * asked (`tidy`), or when it has grown to 40 MB.
 */
function configure(database: Database): void {
  database.exec(
    'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 10000',
  )
}

type TextColumn = 'stat' | 'hot' | 'mentions'

export interface Texts {
  readonly texts: readonly string[]
  /** Of the keys under which the texts are stored. */
  readonly keySum: number
}

/** One column of many rows, joined by the database: a call a slice instead of one a value. */
export function readTexts(database: Database, column: TextColumn, condition: string): Texts {
  const [range] = database.prepare('SELECT max(key) AS last FROM file').all() as { last: number | null }[]
  const select = database.prepare(
    `SELECT group_concat(${column}, char(10)) AS texts, total(key) AS keySum
     FROM (SELECT key, ${column} FROM file ${condition} AND key >= ? AND key < ?)`,
  )
  const texts: string[] = []
  let keySum = 0
  for (let from = 0; from <= (range?.last ?? -1); from += TEXTS_AT_ONCE) {
    const [row] = select.all(from, from + TEXTS_AT_ONCE) as { texts: string | null; keySum: number }[]
    if (row?.texts == null) continue
    keySum += row.keySum
    for (const text of row.texts.split(SEPARATOR)) texts.push(text)
  }
  return { texts, keySum }
}

/** @throws DamagedIndex when rows lie under other keys than those that they carry. */
export function requireKeys<T extends { readonly key: number }>(rows: readonly T[], keySum: number): readonly T[] {
  if (rows.reduce((sum, { key }) => sum + key, 0) !== keySum) throw new DamagedIndex('rows are not where they were written')
  return rows
}

/** Rows in one string: some megabytes. */
const TEXTS_AT_ONCE = 20_000

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

/** `rows`: how many there are in `file`, those of gone files among them. */
export function readMeta(database: Database): IndexState & { readonly rows: number } {
  const rows = database.prepare('SELECT key, value FROM meta').all() as { key: string; value: string | number }[]
  const meta = new Map(rows.map(({ key, value }) => [key, value]))
  const mode = meta.get('mode')
  return {
    generation: Number(meta.get('generation') ?? 0),
    ...(mode === undefined ? {} : { mode: String(mode) }),
    outside: JSON.parse(String(meta.get('outside') ?? '[]')) as OutsideLink[],
    nextKey: Number(meta.get('nextKey') ?? 0),
    rows: Number(meta.get('rows') ?? 0),
  }
}

function write(database: Database, batch: Batch, generation: number): void {
  const remove = database.prepare("UPDATE file SET generation = ?, hash = '', stat = '', hot = ?, mentions = '' WHERE key = ?")
  const forget = ['info', 'links'].map((table) => database.prepare(`DELETE FROM ${table} WHERE key = ?`))
  for (const key of batch.remove) {
    remove.run(generation, packGone(key), key)
    for (const statement of forget) statement.run(key)
  }
  const statements: PutStatements = {
    file: database.prepare('INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)'),
    info: database.prepare('INSERT OR REPLACE INTO info VALUES (?, ?)'),
    links: database.prepare('INSERT OR REPLACE INTO links VALUES (?, ?)'),
    noLinks: database.prepare('DELETE FROM links WHERE key = ?'),
  }
  for (const record of batch.put) put(statements, record, generation)
  const touch = database.prepare('UPDATE file SET stat = ? WHERE key = ?')
  for (const known of batch.touch) touch.run(packStat(known), known.key)
  const setMeta = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  setMeta.run('generation', generation)
  setMeta.run('mode', batch.mode)
  setMeta.run('nextKey', batch.nextKey)
  setMeta.run('outside', JSON.stringify(batch.outside))
  const [count] = database.prepare('SELECT count(*) AS rows FROM file').all() as { rows: number }[]
  setMeta.run('rows', count?.rows ?? 0)
}

interface PutStatements {
  readonly file: Statement
  readonly info: Statement
  readonly links: Statement
  readonly noLinks: Statement
}

function put(statements: PutStatements, record: FileRecord, generation: number): void {
  const { key, hash, mentions, links, info } = record
  const mentioned = mentions.length === 0 ? '' : packMentions(key, mentions)
  statements.file.run(key, generation, hash, packStat(record), packHot(record), mentioned)
  if (info !== undefined) statements.info.run(key, packInfo(key, info))
  if (links.length > 0) statements.links.run(key, packLinks(key, links))
  // A new index has none to delete.
  else if (generation > 1) statements.noLinks.run(key)
}

function attempt(action: () => void): void {
  try {
    action()
  } catch {
    // The error that led here says more.
  }
}
