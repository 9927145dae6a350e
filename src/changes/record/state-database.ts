import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../../core/errors.ts'
import { makeFolder } from '../../core/make-folder.ts'
import { quietly } from '../../core/quietly.ts'
import { type Database, inTransaction, pragma } from '../../core/sql-database.ts'

export type OpenDatabase = (path: string) => Database

export function isBusy(error: unknown): boolean {
  return /database is locked|database is busy|SQLITE_BUSY/i.test(String(error))
}

/** Returns a value that changes when the file is replaced, or `undefined` if there is no file. */
export function identityOf(path: string): string | undefined {
  try {
    // The option `throwIfNoEntry: false` is avoided, because since Node 22 it also hides the error for a parent that is a file.
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export interface StateFormat {
  /** The value of SQLite's `application_id`. */
  readonly applicationId: number
  /** There is one migration per version. Never edit a released one. */
  readonly migrations: readonly string[]
  /** Milliseconds to wait for another writer. */
  readonly busyTimeout: number
  /** Pragmas that SQLite stores in a new file. */
  readonly created?: string
  /** Pragmas for each connection. */
  readonly connected?: string
}

/** An error for another kind of database, or a later version. */
export class ForeignDatabase extends Error {
  constructor() {
    super('it was created by another version or program')
  }
}

/**
 * Migrates an existing database, or creates one with mode 0600.
 * @throws ForeignDatabase, and errors from SQLite and the file system
 */
export function openStateDatabase(path: string, format: StateFormat, openDatabase: OpenDatabase): Database {
  makeFolder(dirname(path), { mkdirSync, dirname })
  // SQLite gives its auxiliary files the same mode as the database.
  quietly(() => closeSync(openSync(path, 'wx', 0o600)))
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${format.busyTimeout}`)
    requireFormat(database, format)
    if (pragma(database, 'user_version') === 0) {
      database.exec(format.created ?? '')
      quietly(() => chmodSync(path, 0o600))
    }
    database.exec(format.connected ?? '')
    migrate(database, format)
    return database
  } catch (error) {
    quietly(() => database.close())
    throw error
  }
}

export function requireFormat(database: Database, { applicationId, migrations }: StateFormat): void {
  const version = pragma(database, 'user_version')
  const application = pragma(database, 'application_id')
  const isEmpty = application === 0 && version === 0
  if (version > migrations.length || (application !== applicationId && !isEmpty)) throw new ForeignDatabase()
}

function migrate(database: Database, { applicationId, migrations }: StateFormat): void {
  if (pragma(database, 'user_version') === migrations.length) return
  inTransaction(database, () => {
    // Another process may have migrated the database in the meantime.
    for (const migration of migrations.slice(pragma(database, 'user_version'))) database.exec(migration)
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
  })
}

/** A database file whose connection stays open. If the file is deleted or replaced, it is created or opened again. */
export class StateFile {
  readonly path: string
  readonly #format: StateFormat
  readonly #openDatabase: OpenDatabase
  #database: Database | undefined
  #identity: string | undefined

  constructor(path: string, format: StateFormat, openDatabase: OpenDatabase) {
    this.path = path
    this.#format = format
    this.#openDatabase = openDatabase
  }

  get opened(): Database | undefined {
    return this.#database
  }

  /** Opens or creates the database. @throws like `openStateDatabase` */
  open(): Database {
    const identity = identityOf(this.path)
    if (this.#database !== undefined && identity !== undefined && identity === this.#identity) return this.#database
    this.close()
    const database = openStateDatabase(this.path, this.#format, this.#openDatabase)
    this.#identity = identityOf(this.path)
    this.#database = database
    return database
  }

  /** Returns `undefined` if there is no file. @throws like `openStateDatabase` */
  openExisting(): Database | undefined {
    return identityOf(this.path) === undefined ? undefined : this.open()
  }

  close(): void {
    const database = this.#database
    this.#database = undefined
    if (database === undefined) return
    quietly(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    quietly(() => database.close())
  }
}

export function usedBytes(database: Database): number {
  return (pragma(database, 'page_count') - pragma(database, 'freelist_count')) * pragma(database, 'page_size')
}
