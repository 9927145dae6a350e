import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { messageOf, RouxError } from '../core/errors.ts'
import {
  type GraphChanges,
  type GraphLog,
  type GraphLogWriter,
  type LoggedCommit,
  NO_CHANGES,
} from '../core/insight/graph-changes.ts'
import { quietly } from '../core/quietly.ts'
import { type Database, inTransaction, pragma, type Statement } from '../core/sql-database.ts'
import { isNotJournal } from './failures.ts'
import type { Retention } from './record/journal-rows.ts'
import { identityOf, type OpenDatabase, requireFormat, StateFile, type StateFormat, usedBytes } from './record/state-database.ts'

/** The ASCII characters `Rox`, followed by 2. */
const APPLICATION_ID = 0x526f7802

/**
 * There is one migration per version. Never edit a released one. If `base` equals `generation`, the row only records that the
 * generation existed. Another process may have recorded it before.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE commits (
    id INTEGER PRIMARY KEY,
    vault TEXT NOT NULL,
    lineage TEXT NOT NULL,
    generation INTEGER NOT NULL,
    base INTEGER NOT NULL,
    time INTEGER NOT NULL,
    deflated INTEGER NOT NULL,
    sum TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (lineage, generation, base)
  ) STRICT;
  CREATE INDEX commits_by_time ON commits (time);
  CREATE INDEX commits_of_vault ON commits (vault, time);
  `,
]

/** The timeout in milliseconds is short, because a commit must not wait for the log. */
const BUSY_TIMEOUT = 500

/** The log is not synced, so a power cut can leave a gap, which readers detect. */
export const GRAPH_LOG: StateFormat = {
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  busyTimeout: BUSY_TIMEOUT,
  created: 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL',
  connected: 'PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON',
}

/** Returns the path of the change log, which all vaults share. */
export function graphLogFile(stateFolder: string): string {
  return join(stateFolder, 'graph-log.db')
}

interface CommitRow extends Omit<LoggedCommit, 'changes'> {
  readonly deflated: number
  /** Checksum of the data and its owner. */
  readonly sum: string
  readonly data: Uint8Array
}

type Place = Pick<CommitRow, 'lineage' | 'generation' | 'base'>

/** Data of more than this many bytes is compressed. */
const DEFLATE_ABOVE = 500

const LEVEL = 1

const SUM_DIGITS = 16

function packCommit(place: Place, changes: GraphChanges | undefined): Pick<CommitRow, 'deflated' | 'sum' | 'data'> {
  const text = changes === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(changes))
  const deflated = text.length > DEFLATE_ABOVE
  // The bytes are copied, because some versions of the binding reject a view into the middle of a buffer.
  const data = Uint8Array.from(deflated ? deflateRawSync(text, { level: LEVEL }) : text)
  return { deflated: deflated ? 1 : 0, sum: sumOf(place, data), data }
}

/** Unpacks a row. A damaged row yields a commit without changes. */
function unpackCommit({ deflated, sum, data, ...commit }: CommitRow): LoggedCommit {
  return { ...commit, changes: sum === sumOf(commit, data) ? readChanges(data, deflated === 1) : undefined }
}

function readChanges(data: Uint8Array, deflated: boolean): GraphChanges | undefined {
  if (data.length === 0) return NO_CHANGES
  return quietly(() => JSON.parse(Buffer.from(deflated ? inflateRawSync(data) : data).toString('utf8')) as GraphChanges)
}

function sumOf({ lineage, generation, base }: Place, data: Uint8Array): string {
  const hash = createHash('sha256').update(`${lineage} ${generation} ${base} `).update(data)
  return hash.digest('hex').slice(0, SUM_DIGITS)
}

export interface HistoryPlace {
  readonly stateFolder: string
  /** The vault's real path, which identifies its rows. With the path of a symbolic link, it would get a second history. */
  readonly root: string
  readonly openDatabase: OpenDatabase
}

const ROWS = 200

/** Creates nothing on disk and keeps no file open. */
export function openLogReader({ stateFolder, root, openDatabase }: HistoryPlace): GraphLog {
  const path = graphLogFile(stateFolder)
  const withDatabase = <T>(fallback: T, read: (database: Database) => T): T => {
    try {
      if (identityOf(path) === undefined) return fallback
      const database = openDatabase(path)
      try {
        requireFormat(database, GRAPH_LOG)
        // A database at version 0 is still being created by another process.
        return pragma(database, 'user_version') === 0 ? fallback : read(database)
      } finally {
        quietly(() => database.close())
      }
    } catch (error) {
      const reason = messageOf(error)
      throw new RouxError('PROVIDER_ERROR', `The log of changes (${path}) cannot be read: ${reason}.`, {
        hint: 'Move the file away; later changes are recorded in a new log.',
        cause: error,
      })
    }
  }
  return {
    async *commits(lineage, upTo) {
      let last = { generation: upTo, base: Number.MAX_SAFE_INTEGER }
      for (;;) {
        const part = withDatabase<readonly LoggedCommit[]>([], (database) => {
          const rows = database
            .prepare(`SELECT lineage, generation, base, time, deflated, sum, data FROM commits
              WHERE lineage = ? AND (generation < ? OR (generation = ? AND base < ?)) ORDER BY generation DESC, base DESC LIMIT ?`)
            .all(lineage, last.generation, last.generation, last.base, ROWS) as readonly CommitRow[]
          return rows.map(unpackCommit)
        })
        if (part.length > 0) yield part
        last = part.at(-1) ?? last
        if (part.length < ROWS) return
      }
    },
    async ownerOf(lineage) {
      const [row] = withDatabase<readonly { readonly vault: string }[]>([], (database) => {
        return database.prepare('SELECT vault FROM commits WHERE lineage = ? LIMIT 1').all(lineage) as { vault: string }[]
      })
      if (row === undefined) return undefined
      return row.vault === root ? 'this vault' : 'another vault'
    },
  }
}

export interface LogWriterOptions extends HistoryPlace {
  readonly retention: Retention
  /** A callback that receives a reason when logging starts to fail, and `undefined` when it recovers. */
  readonly onProblem?: (reason: string | undefined) => void
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now?: () => number
}

type Waiting = Omit<LoggedCommit, 'time'>

/** Number of commits to keep in memory while writing fails. If older ones are dropped, the log has a gap. */
const MAX_WAITING = 100

const DAY = 86_400_000

const DROPPED_AT_ONCE = 50

/** The log's size is checked after this many commits or milliseconds. */
const PRUNE_AFTER = { commits: 50, time: 3_600_000 }

/**
 * Opens the log for writing. A failed write is retried with the next commit. Nothing is created on disk before the first commit.
 */
export function openLogWriter(options: LogWriterOptions): LogWriter {
  return new LogWriter(options)
}

export class LogWriter implements GraphLogWriter {
  readonly #options: LogWriterOptions
  readonly #file: StateFile
  #statements: (LogStatements & { readonly database: Database }) | undefined
  #pruned = { commits: 0, time: 0 }
  #waiting: readonly Waiting[] = []
  #isFailing = false
  #isFlushScheduled = false

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#file = new StateFile(graphLogFile(options.stateFolder), GRAPH_LOG, options.openDatabase)
  }

  append(commit: Waiting): void {
    this.#waiting = [...this.#waiting, commit].slice(-MAX_WAITING)
    this.#flush()
  }

  mark(lineage: string, generation: number): void {
    this.#waiting = [...this.#waiting, { lineage, base: generation, generation, changes: undefined }].slice(-MAX_WAITING)
    if (this.#isFlushScheduled) return
    // The flush is deferred, because callers are waiting for answers.
    this.#isFlushScheduled = true
    setImmediate(() => {
      this.#isFlushScheduled = false
      this.#flush()
    })
  }

  close(): void {
    this.#flush()
    this.#file.close()
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    try {
      this.#write()
    } catch (error) {
      // The connection is closed after an error, because the file may have been replaced.
      this.#file.close()
      const isDamaged = isNotJournal(error) || /no such (?:table|column|index)/i.test(String(error))
      if (isDamaged) quietly(() => this.#deleteFile())
      this.#report(messageOf(error))
      return
    }
    this.#waiting = []
    this.#report(undefined)
  }

  #report(reason: string | undefined): void {
    const isFailing = reason !== undefined
    if (isFailing !== this.#isFailing) this.#options.onProblem?.(reason)
    this.#isFailing = isFailing
  }

  #write(): void {
    const database = this.#file.open()
    if (this.#statements?.database !== database) this.#statements = { database, ...statementsOf(database) }
    const statements = this.#statements
    inTransaction(database, () => {
      const now = (this.#options.now ?? Date.now)()
      const newest = statements.last.get(this.#options.root) as { readonly time: number | null }
      // The clock may have been set back, but the times of rows must stay in order.
      const time = Math.max(now, newest.time ?? 0)
      for (const waitingCommit of this.#waiting) this.#insert(statements, waitingCommit, time)
      if (this.#shouldPrune(now)) prune(database, this.#options.retention, now)
    })
  }

  #shouldPrune(now: number): boolean {
    const { commits, time } = this.#pruned
    const isDue = commits >= PRUNE_AFTER.commits || Math.abs(now - time) >= PRUNE_AFTER.time
    this.#pruned = isDue ? { commits: 1, time: now } : { commits: commits + 1, time }
    return isDue
  }

  #insert({ known, insert }: LogStatements, commit: Waiting, time: number): void {
    const { lineage, base, generation, changes } = commit
    // The log already contains the commit.
    if (base === generation && known.get(lineage, generation) !== undefined) return
    const { deflated, sum, data } = packCommit(commit, changes)
    insert.run(this.#options.root, lineage, generation, base, time, deflated, sum, data)
  }

  #deleteFile(): void {
    for (const ending of ['-wal', '-shm', '']) rmSync(this.#file.path + ending, { force: true })
  }
}

interface LogStatements {
  readonly last: Statement
  readonly known: Statement
  readonly insert: Statement
}

function statementsOf(database: Database): LogStatements {
  return {
    last: database.prepare('SELECT max(time) AS time FROM commits WHERE vault = ?'),
    known: database.prepare('SELECT 1 FROM commits WHERE lineage = ? AND generation = ?'),
    insert: database.prepare(`INSERT OR IGNORE INTO commits (vault, lineage, generation, base, time, deflated, sum, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
  }
}

/** Deletes expired entries of all vaults, and then the oldest ones until the log is small enough. */
function prune(database: Database, { days, bytes }: Retention, now: number): void {
  database.prepare('DELETE FROM commits WHERE time < ?').run(now - days * DAY)
  let isDropped = false
  while (usedBytes(database) > bytes) {
    isDropped = true
    database.prepare('DELETE FROM commits WHERE id IN (SELECT id FROM commits ORDER BY time, id LIMIT ?)').run(DROPPED_AT_ONCE)
    if (database.prepare('SELECT 1 FROM commits LIMIT 1').get() === undefined) break
  }
  if (isDropped) database.prepare('PRAGMA incremental_vacuum(2000)').all()
}
