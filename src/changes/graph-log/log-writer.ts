import { rmSync } from 'node:fs'
import type { GraphChanges, GraphLogWriter, LoggedCommit } from '../../core/insight/graph-changes.ts'
import { attempt, type Database, identityOf, type OpenDatabase, type Statement } from '../record/database.ts'
import { pragma } from '../record/migrations.ts'
import type { Retention } from '../record/retention.ts'
import { packCommit } from './commit-rows.ts'
import { graphLogFile, isDamagedLog, openLog } from './log-file.ts'

export interface LogWriterOptions {
  readonly stateFolder: string
  /** The real path of the vault's root. */
  readonly root: string
  readonly openDatabase: OpenDatabase
  readonly retention: Retention
  /** Called with the reason when logging starts to fail, and with `undefined` when it works again. */
  readonly onProblem?: (reason: string | undefined) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A writer of the log that ends. */
export interface OpenLogWriter extends GraphLogWriter {
  close(): void
}

type Waiting = Omit<LoggedCommit, 'time' | 'changes'> & { readonly changes: GraphChanges | undefined }

/** Commits that wait until the disk takes them again; beyond them there is a gap. */
const MOST_WAITING = 100
const DAY = 86_400_000
/** Rows that are dropped at once where the log is too long. */
const DROPPED = 50
/** After how many commits, or ms, it is looked again how much is kept. */
const PRUNE_AFTER = { commits: 50, time: 3_600_000 }

/**
 * Logs commits after they were made. A failure is retried with the next commit and never reaches the committer. Creates
 * nothing on disk before there is something to log.
 */
export function openLogWriter(options: LogWriterOptions): OpenLogWriter {
  return new LogWriter(options)
}

class LogWriter implements OpenLogWriter {
  readonly #options: LogWriterOptions
  readonly #path: string
  #database: Database | undefined
  #statements: LogStatements | undefined
  /** When it was looked last how much is kept, and how many commits ago. */
  #pruned = { commits: 0, time: 0 }
  #identity: string | undefined
  #waiting: readonly Waiting[] = []
  #isFailing = false
  #isLater = false

  constructor(options: LogWriterOptions) {
    this.#options = options
    this.#path = graphLogFile(options.stateFolder)
  }

  append(commit: Waiting): void {
    this.#waiting = [...this.#waiting, commit].slice(-MOST_WAITING)
    this.#flush()
  }

  mark(lineage: string, generation: number): void {
    this.#waiting = [...this.#waiting, { lineage, base: generation, generation, changes: undefined }].slice(-MOST_WAITING)
    if (this.#isLater) return
    // It says what is so, and can wait until those are answered who wait for the vault.
    this.#isLater = true
    setImmediate(() => {
      this.#isLater = false
      this.#flush()
    })
  }

  close(): void {
    this.#flush()
    this.#closeFile()
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    try {
      this.#write()
    } catch (error) {
      // Begun once more, it may be another file, or none yet.
      this.#closeFile()
      if (isDamagedLog(error)) attempt(() => this.#deleteFile())
      this.#tell(error instanceof Error ? error.message : String(error))
      return
    }
    this.#waiting = []
    this.#tell(undefined)
  }

  #tell(reason: string | undefined): void {
    const isFailing = reason !== undefined
    if (isFailing !== this.#isFailing) this.#options.onProblem?.(reason)
    this.#isFailing = isFailing
  }

  #write(): void {
    const database = this.#open()
    this.#statements ??= statementsOf(database)
    const { begin, last, commit } = this.#statements
    begin.run()
    try {
      const now = (this.#options.now ?? Date.now)()
      const newest = last.get(this.#options.root) as { readonly time: number | null }
      // A clock that is set back must not reorder rows.
      const time = Math.max(now, newest.time ?? 0)
      for (const one of this.#waiting) this.#insert(this.#statements, one, time)
      if (this.#isToPrune(now)) prune(database, this.#options.retention, now)
      commit.run()
    } catch (error) {
      attempt(() => database.exec('ROLLBACK'))
      throw error
    }
  }

  #isToPrune(now: number): boolean {
    const { commits, time } = this.#pruned
    const isDue = commits >= PRUNE_AFTER.commits || Math.abs(now - time) >= PRUNE_AFTER.time
    this.#pruned = isDue ? { commits: 1, time: now } : { commits: commits + 1, time }
    return isDue
  }

  #insert({ known, insert }: LogStatements, commit: Waiting, time: number): void {
    const { lineage, base, generation, changes } = commit
    // A row without changes adds nothing if the commit is already known.
    if (base === generation && known.get(lineage, generation) !== undefined) return
    const { deflated, sum, data } = packCommit(commit, changes)
    insert.run(this.#options.root, lineage, generation, base, time, deflated, sum, data)
  }

  #open(): Database {
    const identity = identityOf(this.#path)
    if (this.#database !== undefined && identity === this.#identity && identity !== undefined) return this.#database
    // Someone emptied the folder: what is written to a file without a name is lost.
    this.#closeFile()
    this.#database = openLog(this.#path, this.#options.openDatabase)
    this.#identity = identityOf(this.#path)
    return this.#database
  }

  #closeFile(): void {
    const database = this.#database
    this.#database = undefined
    this.#statements = undefined
    if (database === undefined) return
    attempt(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
    attempt(() => database.close())
  }

  #deleteFile(): void {
    for (const ending of ['-wal', '-shm', '']) rmSync(this.#path + ending, { force: true })
  }
}

interface LogStatements {
  readonly begin: Statement
  readonly last: Statement
  readonly known: Statement
  readonly insert: Statement
  readonly commit: Statement
}

/** Made once: to make them takes longer than to run them. */
function statementsOf(database: Database): LogStatements {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    last: database.prepare('SELECT max(time) AS time FROM commits WHERE vault = ?'),
    known: database.prepare('SELECT 1 FROM commits WHERE lineage = ? AND generation = ?'),
    insert: database.prepare(`INSERT OR IGNORE INTO commits (vault, lineage, generation, base, time, deflated, sum, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    commit: database.prepare('COMMIT'),
  }
}

/** Drops what is too old, of all vaults, and of the rest the oldest until it is small enough. */
function prune(database: Database, { days, bytes }: Retention, now: number): void {
  database.prepare('DELETE FROM commits WHERE time < ?').run(now - days * DAY)
  let isDropped = false
  while (usedBytes(database) > bytes) {
    isDropped = true
    database.prepare('DELETE FROM commits WHERE id IN (SELECT id FROM commits ORDER BY time, id LIMIT ?)').run(DROPPED)
    if (database.prepare('SELECT 1 FROM commits LIMIT 1').get() === undefined) break
  }
  if (isDropped) database.prepare('PRAGMA incremental_vacuum(2000)').all()
}

function usedBytes(database: Database): number {
  return (pragma(database, 'page_count') - pragma(database, 'freelist_count')) * pragma(database, 'page_size')
}
