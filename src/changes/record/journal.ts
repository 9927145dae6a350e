import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ChangeState, Trashed } from '../../core/changes.ts'
import { makeFolder } from '../../core/make-folder.ts'
import { deletionsOf } from '../deletions.ts'
import type { Entry } from '../entry.ts'
import { isNotJournal, journalError } from '../failures.ts'
import type { Owner } from '../write-lock.ts'
import { attempt, type Database, identityOf, type OpenDatabase } from './database.ts'
import { type ContentRow, type EntryRow, entryOf, packContent, rowOf, unpackContent } from './journal-rows.ts'
import { BUSY_TIMEOUT, prepareJournal } from './journal-schema.ts'
import { prune, type Retention } from './retention.ts'

export interface ChangeRecord {
  /** Sorts by time. */
  readonly id: string
  /** The real path of the vault's root. */
  readonly vault: string
  /** The root's inode when the change began: another folder may be mounted there later. */
  readonly rootInode: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly title: string
  readonly state: ChangeState
  readonly undoes: string | undefined
  readonly owner: Owner
  readonly entries: readonly Entry[]
}

export type NewChange = Omit<ChangeRecord, 'id' | 'time' | 'state'>

export interface JournalOptions {
  readonly openDatabase: OpenDatabase
  readonly retention: Retention
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The record of writes, in one database for all vaults. It is on disk before the first file is touched, and migrated
 * when its format changes. Nothing is created before the first change.
 */
export class Journal {
  readonly #path: string
  readonly #options: JournalOptions
  #database: Database | undefined
  #identity: string | undefined

  constructor(path: string, options: JournalOptions) {
    this.#path = path
    this.#options = options
  }

  /** Records a change as `applying`, durably; old ones make room first. @returns its id. */
  begin(change: NewChange, contents: ReadonlyMap<string, Uint8Array>): string {
    return this.#use(true, (database) =>
      transaction(database, () => {
        const now = this.#options.now()
        prune(database, this.#options.retention, now)
        const { newest } = database.prepare('SELECT max(id) AS newest FROM changes').get() as { newest: string | null }
        const time = Math.max(now, newest === null ? 0 : timeOf(newest) + 1)
        const id = idAt(time)
        database
          .prepare(`INSERT INTO changes (id, vault, root_inode, time, title, state, undoes, owner)
            VALUES (?, ?, ?, ?, ?, 'applying', ?, ?)`)
          .run(id, change.vault, change.rootInode, time, change.title, change.undoes ?? null, JSON.stringify(change.owner))
        putEntries(database, id, change.entries)
        putContents(database, contents)
        return id
      }),
    )
  }

  /**
   * Ends a change. Not forced down to the disk: after a power cut the change is `applying` again, and recovery finds everything applied, or
   * everything rolled back.
   * @returns whether the record has the change: its folder may have been emptied since
   */
  finish(id: string, state: Exclude<ChangeState, 'applying'>): boolean {
    return this.#use(true, (database) => {
      database.exec('PRAGMA synchronous = NORMAL')
      try {
        return transaction(database, () => {
          const row = database.prepare('UPDATE changes SET state = ? WHERE id = ? RETURNING undoes').get(state, id) as
            | { undoes: string | null }
            | undefined
          if (state === 'done' && typeof row?.undoes === 'string') {
            database.prepare(`UPDATE changes SET state = 'undone' WHERE id = ?`).run(row.undoes)
          }
          return row !== undefined
        })
      } finally {
        database.exec('PRAGMA synchronous = FULL')
      }
    })
  }

  /** The changes of a vault that were begun and not ended, the newest first. */
  applying(vault: string): readonly ChangeRecord[] {
    // Asked before every change. Left to itself, SQLite goes through all changes of the vault, for their order.
    const sql = `SELECT * FROM changes INDEXED BY changes_applying WHERE vault = ? AND state = 'applying' ORDER BY id DESC`
    return this.#use(false, (database) => records(database, sql, vault))
  }

  /** The changes of all vaults that were begun and not ended. */
  unfinished(): ReadonlySet<string> {
    const rows = this.#use(false, (database) => database.prepare(`SELECT id FROM changes WHERE state = 'applying'`).all())
    return new Set((rows as readonly { readonly id: string }[]).map(({ id }) => id))
  }

  find(vault: string, id: string): ChangeRecord | undefined {
    return this.#use(false, (database) => records(database, 'SELECT * FROM changes WHERE vault = ? AND id = ?', vault, id))[0]
  }

  /** The newest changes of a vault, the newest first. */
  list(vault: string, limit: number): readonly ChangeRecord[] {
    return this.#use(false, (database) =>
      records(database, 'SELECT * FROM changes WHERE vault = ? ORDER BY id DESC LIMIT ?', vault, limit),
    )
  }

  /** Files that changes of a vault moved to the trash and that were not restored, newest first; page by page. */
  deletions(vault: string): Iterable<Trashed> {
    return deletionsOf(vault, (sql, ...values) => this.#use(false, (database) => database.prepare(sql).all(...values)))
  }

  /** The bytes of this hash, where some change recorded them. */
  content(hash: string): Uint8Array | undefined {
    const rows = this.#use(false, (database) => [
      database.prepare('SELECT deflated, bytes FROM contents WHERE hash = ?').get(hash),
    ])
    const row = rows[0] as ContentRow | undefined
    return row === undefined ? undefined : unpackContent(row)
  }

  /** Copies the log into the database and empties it: it keeps the size of the largest change otherwise. */
  tidy(): void {
    const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })
    if (this.#database === undefined || log === undefined || log.size < LARGE_LOG) return
    // Another process may be reading or writing: then it is done later.
    attempt(() => this.#database?.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'))
    attempt(() => this.#database?.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`))
  }

  close(): void {
    const database = this.#database
    this.#database = undefined
    if (database === undefined) return
    attempt(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    attempt(() => database.close())
  }

  /** Without a file there is nothing to read: an empty list. */
  #use<T>(make: true, action: (database: Database) => T): T
  #use<T>(make: false, action: (database: Database) => readonly T[]): readonly T[]
  #use<T>(make: boolean, action: (database: Database) => T | readonly T[]): T | readonly T[] {
    try {
      const database = this.#open(make)
      return database === undefined ? [] : action(database)
    } catch (error) {
      if (isNotJournal(error)) attempt(() => this.close())
      throw journalError(error, this.#path)
    }
  }

  #open(make: boolean): Database | undefined {
    const identity = identityOf(this.#path)
    if (this.#database !== undefined && identity === this.#identity && identity !== undefined) return this.#database
    // Someone emptied the folder: what is written to a file without a name is lost.
    this.close()
    if (identity === undefined && !make) return undefined
    makeFolder(dirname(this.#path), { mkdirSync, dirname })
    const database = this.#options.openDatabase(this.#path)
    try {
      prepareJournal(database, this.#path)
      if (identity === undefined) for (const ending of ['', '-wal', '-shm']) attempt(() => chmodSync(this.#path + ending, 0o600))
    } catch (error) {
      attempt(() => database.close())
      throw error
    }
    this.#identity = identityOf(this.#path)
    this.#database = database
    return database
  }
}

// Nine digits of base 36 hold milliseconds until the year 5188.
const TIME_DIGITS = 9

function idAt(time: number): string {
  const random = Math.floor(Math.random() * 36 ** 3)
  return `${time.toString(36).padStart(TIME_DIGITS, '0')}-${random.toString(36).padStart(3, '0')}`
}

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, TIME_DIGITS), 36)
}

function transaction<T>(database: Database, action: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = action()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // The failure may have ended the transaction itself, as a full disk does.
    attempt(() => database.exec('ROLLBACK'))
    throw error
  }
}

function putEntries(database: Database, id: string, entries: readonly Entry[]): void {
  const insert = database.prepare(`INSERT INTO entries (change, position, kind, path, target, before, after, mode)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  entries.forEach((entry, position) => {
    const { kind, path, target, before, after, mode } = rowOf(entry)
    insert.run(id, position, kind, path, target, before, after, mode)
  })
}

function putContents(database: Database, contents: ReadonlyMap<string, Uint8Array>): void {
  const known = database.prepare('SELECT 1 FROM contents WHERE hash = ?')
  const insert = database.prepare('INSERT INTO contents (hash, deflated, bytes) VALUES (?, ?, ?)')
  for (const [hash, bytes] of contents) {
    if (known.get(hash) !== undefined) continue
    const row = packContent(bytes)
    insert.run(hash, row.deflated, row.bytes)
  }
}

/** Bytes of the log that are worth a checkpoint of their own. */
const LARGE_LOG = 4_000_000

interface ChangeRow {
  readonly id: string
  readonly vault: string
  readonly root_inode: string
  readonly time: number
  readonly title: string
  readonly state: ChangeState
  readonly undoes: string | null
  readonly owner: string
}

function records(database: Database, sql: string, ...values: readonly (string | number)[]): readonly ChangeRecord[] {
  const entries = database.prepare('SELECT * FROM entries WHERE change = ? ORDER BY position')
  return (database.prepare(sql).all(...values) as ChangeRow[]).map((row) => ({
    id: row.id,
    vault: row.vault,
    rootInode: row.root_inode,
    time: row.time,
    title: row.title,
    state: row.state,
    undoes: row.undoes ?? undefined,
    owner: JSON.parse(row.owner) as Owner,
    entries: (entries.all(row.id) as EntryRow[]).map(entryOf),
  }))
}
