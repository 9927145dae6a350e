import { statSync, utimesSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { quietly } from '../../core/quietly.ts'
import { type Database, inTransaction, pragma } from '../../core/sql-database.ts'
import { databasePath, deleteDatabase, identityOf, type Location, makeRoom, publish } from './location.ts'
import { BUSY_TIMEOUT, DamagedIndex, letReadersContinue, openSqlite } from './sqlite.ts'

/** Logs below this size, in bytes, are not worth truncating. */
const LARGE_LOG = 4_000_000

/** Release this many free `pages` at a time, for at most `within` milliseconds, because edits have to wait meanwhile. */
const RELEASE = { pages: 200, within: 200 }

export interface DatabaseKind {
  /** Distinguishes Roux's databases from others. */
  readonly applicationId: number
  /** Increment it with every change to the schema or the content. Each format has its own file. */
  readonly format: number
  readonly schema: string
  /** Page size in bytes. If omitted, SQLite decides. */
  readonly pageSize?: number
}

/**
 * The writer's connection to a database that can be rebuilt at any time. The file is created on the first commit, and reopened if
 * another process has replaced it.
 */
export class DatabaseFile {
  readonly #location: Location
  readonly #kind: DatabaseKind
  #database: Database | undefined
  #identity: string | undefined
  #isTouched = false

  constructor(location: Location, kind: DatabaseKind) {
    this.#location = location
    this.#kind = kind
  }

  get location(): Location {
    return this.#location
  }

  /** @returns `undefined` if nothing has been committed yet @throws DamagedIndex if the file is not a database of this kind */
  open(): Database | undefined {
    const identity = identityOf(this.#location)
    if (this.#database !== undefined) {
      if (identity === this.#identity) return this.#database
      this.#close()
    }
    if (identity === undefined) return undefined
    this.#identity = identity
    const database = openSqlite(databasePath(this.#location))
    try {
      if (this.#location.kind === 'memory') makeSchema(database, this.#kind)
      requireKind(database, this.#kind)
      configure(database)
      this.#database = database
      return database
    } catch (error) {
      quietly(() => database.close())
      throw error
    }
  }

  /**
   * Opens the database, and creates it if necessary. A new file gets its final name when it is complete, so no process opens an
   * incomplete one.
   */
  make(): Database {
    return this.open() ?? this.#create()
  }

  #create(): Database {
    if (this.#location.kind === 'file') {
      const { path } = this.#location
      makeRoom(path)
      const draft = `${path}.${process.pid}-${threadId}.new`
      deleteDatabase(draft)
      const database = openSqlite(draft)
      try {
        makeSchema(database, this.#kind)
        database.exec('PRAGMA journal_mode = WAL')
      } finally {
        database.close()
      }
      publish(draft, path)
    }
    const database = this.open()
    if (database === undefined) throw new Error('the index file disappeared while it was being created')
    return database
  }

  write<T>(action: (database: Database) => T): T {
    const result = inTransaction(this.make(), action)
    if (this.#location.kind === 'memory') letReadersContinue()
    return result
  }

  /**
   * Cleans up. Call it when idle.
   * @returns whether this is the first call for this file on disk
   */
  tidy(): boolean {
    if (this.#database === undefined || this.#location.kind === 'memory') return false
    releasePages(this.#database)
    this.#checkpoint(this.#database, this.#location.path)
    if (this.#isTouched) return false
    this.#isTouched = true
    // Update the file's time, because reading does not. Files with an old time are considered unused and deleted.
    const now = new Date()
    const { path } = this.#location
    quietly(() => utimesSync(path, now, now))
    return true
  }

  /** Checkpoints the log, and truncates it if it is large, because it does not shrink by itself. Releases cached pages. */
  #checkpoint(database: Database, path: string): void {
    database.exec('PRAGMA shrink_memory')
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < LARGE_LOG) {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
      return
    }
    // SQLite does not truncate while another connection is reading.
    quietly(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'))
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
  }

  /** Deletes the database, unless another process has replaced it. */
  delete(): void {
    const damaged = this.#identity
    this.#close()
    if (this.#location.kind === 'memory') return
    if (damaged === undefined || damaged === identityOf(this.#location)) deleteDatabase(this.#location.path)
  }

  close(): void {
    const database = this.#database
    // Truncate the log here. The binding cannot finalize statements, so SQLite does not notice when the last connection closes.
    if (database !== undefined) quietly(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    this.#close()
  }

  #close(): void {
    const database = this.#database
    this.#database = undefined
    this.#identity = undefined
    if (database !== undefined) quietly(() => database.close())
  }
}

/** @throws DamagedIndex if the database is not of this kind */
export function requireKind(database: Database, { applicationId, format }: DatabaseKind): void {
  const stamp = kindOf(database)
  if (stamp.applicationId !== applicationId || stamp.format !== format) {
    throw new DamagedIndex('the file is not an index of this version')
  }
}

export function kindOf(database: Database): Pick<DatabaseKind, 'applicationId' | 'format'> {
  return { applicationId: pragma(database, 'application_id'), format: pragma(database, 'user_version') }
}

/** Checks whether a database contains any tables. */
export function hasTables(database: Database): boolean {
  const [tables] = database.prepare('SELECT count(*) AS n FROM sqlite_master').all() as { n: number }[]
  return tables?.n !== 0
}

/** Removes free pages from the file, which SQLite does not do by itself. */
function releasePages(database: Database): void {
  const deadline = performance.now() + RELEASE.within
  while (pragma(database, 'freelist_count') > 0 && performance.now() < deadline)
    database.prepare(`PRAGMA incremental_vacuum(${RELEASE.pages})`).all()
}

function makeSchema(database: Database, { applicationId, format, schema, pageSize }: DatabaseKind): void {
  if (hasTables(database)) return
  if (pageSize !== undefined) database.exec(`PRAGMA page_size = ${pageSize}`)
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`)
}

/**
 * Uses WAL with `synchronous = NORMAL`, because after a power failure the database may lack derived data but must not be corrupt.
 * The log is checkpointed when idle (`tidy`), or at 40 MB.
 */
function configure(database: Database): void {
  database.exec(
    'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 10000',
  )
}

/** Runs several reads on one consistent snapshot. */
export function readAtOnce<T>(database: Database, read: () => T): T {
  database.exec('BEGIN')
  try {
    return read()
  } finally {
    // If the read found damage, the database may have been closed.
    quietly(() => database.exec('COMMIT'))
  }
}
