import { statSync, utimesSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import type { Database } from '../../core/sql-database.ts'
import { databasePath, deleteDatabase, identityOf, type Location, makeRoom, publish } from './location.ts'
import { BUSY_TIMEOUT, DamagedIndex, openSqlite } from './sqlite.ts'

/** Bytes of the log that are worth emptying it. */
const LARGE_LOG = 4_000_000

/** The identity and format of one of our databases. */
export interface DatabaseKind {
  /** Tells our files from other databases. */
  readonly applicationId: number
  /** Increased with every change of the schema or content: another format is another file. */
  readonly format: number
  readonly schema: string
  /** Bytes; SQLite's own choice when absent. */
  readonly pageSize?: number
}

/**
 * A database that can always be made again, as its one writer sees it: made with the first commit, opened again when another process
 * replaced it.
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

  /** @returns undefined when nothing was ever committed here. @throws DamagedIndex when it is no database of this kind. */
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
      attempt(() => database.close())
      throw error
    }
  }

  /** Opens it, or creates it first. A new file gets its name when it is complete, so nobody opens an unfinished one. */
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
    if (database === undefined) throw new Error('the index file vanished while it was being made')
    return database
  }

  /** Runs a transaction of its own. */
  write<T>(action: (database: Database) => T): T {
    const database = this.make()
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = action(database)
      database.exec('COMMIT')
      return result
    } catch (error) {
      // The failure may have ended the transaction itself, as a full disk does.
      attempt(() => database.exec('ROLLBACK'))
      throw error
    }
  }

  /** For when nothing is to do. @returns whether it is the first time for this file on disk */
  tidy(): boolean {
    if (this.#database === undefined || this.#location.kind === 'memory') return false
    this.#checkpoint(this.#database, this.#location.path)
    if (this.#isTouched) return false
    this.#isTouched = true
    // Reading leaves no other trace of use, and unused indexes are swept.
    const now = new Date()
    const { path } = this.#location
    attempt(() => utimesSync(path, now, now))
    return true
  }

  /** Copies the log into the database, and gives up pages that were read. A large log is emptied, too: it keeps the size that it once had otherwise. */
  #checkpoint(database: Database, path: string): void {
    database.exec('PRAGMA shrink_memory')
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    if (log === undefined || log.size < LARGE_LOG) {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
      return
    }
    // Another connection that reads just now is not waited for: then it is done the next time.
    attempt(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'))
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
  }

  /** Throws it away, unless another process has replaced it already. */
  delete(): void {
    const damaged = this.#identity
    this.#close()
    if (this.#location.kind === 'memory') return
    if (damaged === undefined || damaged === identityOf(this.#location)) deleteDatabase(this.#location.path)
  }

  close(): void {
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
}

/** @throws DamagedIndex when a database is not of this kind. */
export function requireKind(database: Database, { applicationId, format }: DatabaseKind): void {
  const found = kindOf(database)
  if (found.applicationId !== applicationId || found.format !== format) {
    throw new DamagedIndex('the file is no index of this version')
  }
}

/** The identity a database claims. */
export function kindOf(database: Database): Pick<DatabaseKind, 'applicationId' | 'format'> {
  const [application] = database.prepare('PRAGMA application_id').all() as { application_id: number }[]
  const [user] = database.prepare('PRAGMA user_version').all() as { user_version: number }[]
  return { applicationId: application?.application_id ?? 0, format: user?.user_version ?? 0 }
}

/** Tells whether anything was made in a database. */
export function hasTables(database: Database): boolean {
  const [tables] = database.prepare('SELECT count(*) AS n FROM sqlite_master').all() as { n: number }[]
  return tables?.n !== 0
}

function makeSchema(database: Database, { applicationId, format, schema, pageSize }: DatabaseKind): void {
  if (hasTables(database)) return
  if (pageSize !== undefined) database.exec(`PRAGMA page_size = ${pageSize}`)
  database.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`)
}

/**
 * Derived data may be lost in a power cut, but never torn: WAL with NORMAL. The log is copied into the database when
 * idle (`checkpoint`), or at 40 MB.
 */
function configure(database: Database): void {
  database.exec(
    'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 10000',
  )
}

/** Reads as of one moment. */
export function readAtOnce<T>(database: Database, read: () => T): T {
  database.exec('BEGIN')
  try {
    return read()
  } finally {
    // Damage may have closed it.
    attempt(() => database.exec('COMMIT'))
  }
}

/** Does what may fail after something else has failed: the error that led here says more. */
export function attempt(action: () => void): void {
  try {
    action()
  } catch {}
}
