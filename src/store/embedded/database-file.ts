import { statSync, utimesSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { quietly } from '../../core/quietly.ts'
import { type Database, inTransaction, pragma } from '../../core/sql-database.ts'
import { databasePath, deleteDatabase, identityOf, type Location, makeRoom, publish } from './location.ts'
import { BUSY_TIMEOUT, DamagedIndex, letReadersContinue, openSqlite } from './sqlite.ts'

/** Logs of up to this many bytes are not truncated. */
const LARGE_LOG = 4_000_000

/** The pages per step and the milliseconds per call. Writers are blocked meanwhile. */
const RELEASE = { pages: 200, within: 200 }

export interface DatabaseKind {
  /** The value of SQLite's `application_id`. */
  readonly applicationId: number
  /** Increment with every change to the schema or the data. */
  readonly format: number
  readonly schema: string
  /** The page size in bytes. The default is SQLite's own. */
  readonly pageSize?: number
}

/** The writer's connection to a cache database. The file is reopened if another process replaces it. */
export class DatabaseFile {
  readonly location: Location
  readonly #kind: DatabaseKind
  #database: Database | undefined
  #identity: string | undefined
  #isTouched = false

  constructor(location: Location, kind: DatabaseKind) {
    this.location = location
    this.#kind = kind
  }

  /** @returns `undefined` before the first commit @throws DamagedIndex if the file is not a database of this kind */
  open(): Database | undefined {
    const identity = identityOf(this.location)
    if (this.#database !== undefined) {
      if (identity === this.#identity) return this.#database
      this.#close()
    }
    if (identity === undefined) return undefined
    this.#identity = identity
    const database = openSqlite(databasePath(this.location))
    try {
      if (this.location.kind === 'memory') makeSchema(database, this.#kind)
      requireKind(database, this.#kind)
      configure(database)
      this.#database = database
      return database
    } catch (error) {
      quietly(() => database.close())
      throw error
    }
  }

  /** Creates the file under a temporary name and renames it, so no process opens an incomplete file. */
  make(): Database {
    return this.open() ?? this.#create()
  }

  #create(): Database {
    if (this.location.kind === 'file') {
      const { path } = this.location
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
    if (this.location.kind === 'memory') letReadersContinue()
    return result
  }

  /** Tidies the file. Call this method when the process is idle. @returns whether this is the first call for this file */
  tidy(): boolean {
    if (this.#database === undefined || this.location.kind === 'memory') return false
    releasePages(this.#database)
    this.#checkpoint(this.#database, this.location.path)
    if (this.#isTouched) return false
    this.#isTouched = true
    // The mtime is updated here, because reads do not update it and files with an old mtime are deleted as unused.
    const now = new Date()
    const { path } = this.location
    quietly(() => utimesSync(path, now, now))
    return true
  }

  /** Truncates SQLite's log, which never shrinks by itself. */
  #checkpoint(database: Database, path: string): void {
    database.exec('PRAGMA shrink_memory')
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < LARGE_LOG) {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
      return
    }
    // The call fails harmlessly while another connection is reading.
    quietly(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'))
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
  }

  delete(): void {
    const damaged = this.#identity
    this.#close()
    if (this.location.kind === 'memory') return
    if (damaged === undefined || damaged === identityOf(this.location)) deleteDatabase(this.location.path)
  }

  close(): void {
    const database = this.#database
    // SQLite does not checkpoint on close, because the binding cannot finalize statements.
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

/** Checks the kind of a database. @throws DamagedIndex if it is not of this kind */
export function requireKind(database: Database, { applicationId, format }: DatabaseKind): void {
  const stamp = kindOf(database)
  if (stamp.applicationId !== applicationId || stamp.format !== format) {
    throw new DamagedIndex('the file is not an index of this version')
  }
}

export function kindOf(database: Database): Pick<DatabaseKind, 'applicationId' | 'format'> {
  return { applicationId: pragma(database, 'application_id'), format: pragma(database, 'user_version') }
}

export function hasTables(database: Database): boolean {
  const [tables] = database.prepare('SELECT count(*) AS n FROM sqlite_master').all() as { n: number }[]
  return tables?.n !== 0
}

/** Releases free pages, which SQLite does not do by itself. */
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
 * Configures a connection. With `synchronous = NORMAL`, a power failure may lose derived data, but must not corrupt the file.
 * SQLite checkpoints the log at 40 MB, and `tidy` when idle.
 */
function configure(database: Database): void {
  database.exec(
    'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 10000',
  )
}

/** Calls `read` in one transaction. */
export function readAtOnce<T>(database: Database, read: () => T): T {
  database.exec('BEGIN')
  try {
    return read()
  } finally {
    // The database may be closed if the read has found damage.
    quietly(() => database.exec('COMMIT'))
  }
}
