import { statSync } from 'node:fs'
import type { ChangeState, ChangeSummary, Trashed } from '../../core/changes.ts'
import { quietly } from '../../core/quietly.ts'
import { type Database, inTransaction } from '../../core/sql-database.ts'
import type { Entry } from '../entry.ts'
import { isNotJournal, journalError } from '../failures.ts'
import type { Owner } from '../write-lock.ts'
import {
  type ContentRow,
  deletionsOf,
  type EntryRow,
  entryOf,
  packContent,
  prune,
  type Retention,
  unpackContent,
} from './journal-rows.ts'
import { type OpenDatabase, StateFile, type StateFormat } from './state-database.ts'

/** Milliseconds to wait for another writer. */
const BUSY_TIMEOUT = 10_000

/** The ASCII characters `Rox`, followed by 1. */
const APPLICATION_ID = 0x526f7801

/**
 * There is one migration per version. Never edit a released one. Contents are stored once per hash, because consecutive changes
 * share them.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    vault TEXT NOT NULL,
    root_inode TEXT NOT NULL,
    time INTEGER NOT NULL,
    title TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('applying', 'done', 'undone', 'rolled_back')),
    undoes TEXT,
    owner TEXT NOT NULL
  ) STRICT;
  CREATE INDEX changes_of_vault ON changes (vault, id);
  CREATE INDEX changes_applying ON changes (vault) WHERE state = 'applying';
  CREATE INDEX changes_by_time ON changes (time);
  CREATE TABLE entries (
    change TEXT NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    target TEXT,
    before TEXT,
    after TEXT,
    mode INTEGER,
    PRIMARY KEY (change, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_before ON entries (before) WHERE before IS NOT NULL;
  CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;
  CREATE TABLE contents (
    hash TEXT PRIMARY KEY,
    deflated INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  `,
]

/** Every commit is synced, because the record must survive a power cut before the first file is touched. */
export const JOURNAL: StateFormat = {
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  busyTimeout: BUSY_TIMEOUT,
  created: 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL',
  connected: 'PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF',
}

export interface ChangeRecord extends Omit<ChangeSummary, 'files'> {
  /** The real path of the vault's root. */
  readonly vault: string
  /** The root's inode when the change started, because another folder may be mounted there later. */
  readonly rootInode: string
  readonly owner: Owner
  readonly entries: readonly Entry[]
}

export type NewChange = Omit<ChangeRecord, 'id' | 'time' | 'state'>

export interface JournalOptions {
  readonly openDatabase: OpenDatabase
  readonly retention: Retention
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number
}

/** The record of changes, one database for all vaults. A change is on disk before its first file is touched. */
export class Journal {
  readonly #file: StateFile
  readonly #options: JournalOptions

  constructor(path: string, options: JournalOptions) {
    this.#file = new StateFile(path, JOURNAL, options.openDatabase)
    this.#options = options
  }

  /** Records a change and syncs it to disk. Old changes may be deleted. @returns the id */
  begin(change: NewChange, contents: ReadonlyMap<string, Uint8Array>): string {
    return this.#use(true, (database) =>
      inTransaction(database, () => {
        const now = this.#options.now()
        prune(database, this.#options.retention, now)
        const { newest } = database.prepare('SELECT max(id) AS newest FROM changes').get() as { newest: string | null }
        const time = Math.max(now, newest === null ? 0 : Number.parseInt(newest.slice(0, TIME_DIGITS), 36) + 1)
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
   * Records the end of a change, without syncing. After a power cut, recovery may find a finished change as `applying` and
   * settles it again. Its files are then all changed, or all rolled back.
   * @returns false if the record no longer contains the change
   */
  finish(id: string, state: Exclude<ChangeState, 'applying'>): boolean {
    return this.#use(true, (database) => {
      database.exec('PRAGMA synchronous = NORMAL')
      try {
        return inTransaction(database, () => {
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

  /** Returns unfinished changes of a vault, newest first. */
  applying(vault: string): readonly ChangeRecord[] {
    // The query runs before every change. Without the hint, SQLite scans and sorts all changes of the vault.
    const sql = `SELECT * FROM changes INDEXED BY changes_applying WHERE vault = ? AND state = 'applying' ORDER BY id DESC`
    return this.#use(false, (database) => records(database, sql, vault))
  }

  /** Returns the ids of unfinished changes in all vaults. */
  unfinished(): ReadonlySet<string> {
    const rows = this.#use(false, (database) => database.prepare(`SELECT id FROM changes WHERE state = 'applying'`).all())
    return new Set((rows as readonly { readonly id: string }[]).map(({ id }) => id))
  }

  find(vault: string, id: string): ChangeRecord | undefined {
    return this.#use(false, (database) => records(database, 'SELECT * FROM changes WHERE vault = ? AND id = ?', vault, id))[0]
  }

  /** Returns the most recent changes of a vault, newest first. */
  list(vault: string, limit: number): readonly ChangeRecord[] {
    return this.#use(false, (database) =>
      records(database, 'SELECT * FROM changes WHERE vault = ? ORDER BY id DESC LIMIT ?', vault, limit),
    )
  }

  deletions(vault: string): Iterable<Trashed> {
    return deletionsOf(vault, (sql, ...values) => this.#use(false, (database) => database.prepare(sql).all(...values)))
  }

  /** Returns recorded bytes, or `undefined` if no change has recorded them. */
  content(hash: string): Uint8Array | undefined {
    const sql = 'SELECT deflated, bytes FROM contents WHERE hash = ?'
    const [row] = this.#use(false, (database) => database.prepare(sql).all(hash) as ContentRow[])
    return row === undefined ? undefined : unpackContent(row)
  }

  /** Truncates the write-ahead log, which never shrinks by itself. */
  tidy(): void {
    const log = statSync(`${this.#file.path}-wal`, { throwIfNoEntry: false })
    const database = this.#file.opened
    if (database === undefined || log === undefined || log.size < LARGE_LOG) return
    // The checkpoint fails harmlessly if another process is reading or writing.
    quietly(() => database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)'))
    quietly(() => database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`))
  }

  close(): void {
    this.#file.close()
  }

  /** Returns an empty list if there is no database. */
  #use<T>(make: true, action: (database: Database) => T): T
  #use<T>(make: false, action: (database: Database) => readonly T[]): readonly T[]
  #use<T>(make: boolean, action: (database: Database) => T | readonly T[]): T | readonly T[] {
    try {
      const database = make ? this.#file.open() : this.#file.openExisting()
      return database === undefined ? [] : action(database)
    } catch (error) {
      if (isNotJournal(error)) this.close()
      throw journalError(error, this.#file.path)
    }
  }
}

// Nine base-36 digits can hold a timestamp in milliseconds until the year 5188.
const TIME_DIGITS = 9

function idAt(time: number): string {
  const random = Math.floor(Math.random() * 36 ** 3)
  return `${time.toString(36).padStart(TIME_DIGITS, '0')}-${random.toString(36).padStart(3, '0')}`
}

function putEntries(database: Database, id: string, entries: readonly Entry[]): void {
  const insert = database.prepare(`INSERT INTO entries (change, position, kind, path, target, before, after, mode)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  entries.forEach((entry, position) => {
    const to = 'to' in entry ? entry.to : null
    const before = 'before' in entry ? entry.before : null
    const after = 'after' in entry ? entry.after : null
    const mode = 'mode' in entry ? (entry.mode ?? null) : null
    insert.run(id, position, entry.kind, entry.path, to, before, after, mode)
  })
}

function putContents(database: Database, contents: ReadonlyMap<string, Uint8Array>): void {
  const selectContent = database.prepare('SELECT 1 FROM contents WHERE hash = ?')
  const insert = database.prepare('INSERT INTO contents (hash, deflated, bytes) VALUES (?, ?, ?)')
  for (const [hash, bytes] of contents) {
    if (selectContent.get(hash) !== undefined) continue
    const row = packContent(bytes)
    insert.run(hash, row.deflated, row.bytes)
  }
}

/** Logs of up to this many bytes are not checkpointed. */
const LARGE_LOG = 4_000_000

interface ChangeRow extends Pick<ChangeRecord, 'id' | 'vault' | 'time' | 'title' | 'state'> {
  readonly root_inode: string
  readonly undoes: string | null
  readonly owner: string
}

function records(database: Database, sql: string, ...values: readonly (string | number)[]): readonly ChangeRecord[] {
  const entries = database.prepare('SELECT * FROM entries WHERE change = ? ORDER BY position')
  return (database.prepare(sql).all(...values) as ChangeRow[]).map(({ root_inode: rootInode, undoes, owner, ...row }) => ({
    ...row,
    rootInode,
    undoes: undoes ?? undefined,
    owner: JSON.parse(owner) as Owner,
    entries: (entries.all(row.id) as EntryRow[]).map(entryOf),
  }))
}
