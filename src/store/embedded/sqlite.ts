import { createRequire } from 'node:module'
import { errorCode, RouxError } from '../../core/errors.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import { pauseThread } from '../../core/waiting.ts'
import { DamagedWords } from '../../search/words/index/bytes.ts'

type DatabaseConstructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database

let binding: DatabaseConstructor | undefined
let guard: CallGuard | undefined

export interface CallGuard {
  run<T>(call: () => T): T
}

/** Sends all later SQLite calls of this thread through the guard. */
export function guardSqlite(calls: CallGuard): void {
  guard = calls
}

/** @throws RouxError `PROVIDER_ERROR` if the binding is missing or for another platform */
export function loadSqlite(): DatabaseConstructor {
  try {
    binding ??= (createRequire(import.meta.url)('@photostructure/sqlite') as { DatabaseSync: DatabaseConstructor }).DatabaseSync
    return binding
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n')
    throw new RouxError('PROVIDER_ERROR', `SQLite cannot be loaded: ${reason.replace(/\.$/, '')}.`, {
      hint: 'Reinstall Roux for this platform and version of Node: npm install.',
      cause: error,
    })
  }
}

export function openSqlite(path: string, { readOnly = false }: { readOnly?: boolean } = {}): Database {
  const DatabaseSync = loadSqlite()
  const open = (): Database => new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT })
  return guard === undefined ? open() : guarded(guard.run(open), guard)
}

/**
 * Opens an in-memory database that another thread writes. Readers do not rely on SQLite's own retries, which come every 100 ms
 * and would miss the pauses of a busy writer.
 */
export function openBetweenWrites(path: string): Database {
  const database = openSqlite(path)
  database.exec('PRAGMA busy_timeout = 0')
  return guarded(database, { run: tryUntilUnlocked })
}

function tryUntilUnlocked<T>(call: () => T): T {
  for (const deadline = performance.now() + BUSY_TIMEOUT; ; pauseThread(1)) {
    try {
      return call()
    } catch (error) {
      if (!matchesSqliteError(/database is locked/, error) || performance.now() >= deadline) throw error
    }
  }
}

/** The pauses of a writer in milliseconds. Readers of an in-memory database run during these pauses. */
export const PAUSE = { length: 3, every: 50 }

let pausedAt = Number.NEGATIVE_INFINITY

/** Pauses, so readers can continue. It must be called after each write to an in-memory database. */
export function letReadersContinue(): void {
  if (performance.now() - pausedAt < PAUSE.every) return
  pauseThread(PAUSE.length)
  pausedAt = performance.now()
}

function guarded(database: Database, calls: CallGuard): Database {
  return {
    exec: (sql) => calls.run(() => database.exec(sql)),
    prepare: (sql) =>
      guardedStatement(
        calls.run(() => database.prepare(sql)),
        calls,
      ),
    close: () => calls.run(() => database.close()),
  }
}

function guardedStatement(statement: Statement, calls: CallGuard): Statement {
  return {
    run: (...values) => calls.run(() => statement.run(...values)),
    get: (...values) => calls.run(() => statement.get(...values)),
    all: (...values) => calls.run(() => statement.all(...values)),
    *iterate(...values) {
      const rows = calls.run(() => statement.iterate(...values))
      const next = () => calls.run(() => rows.next())
      try {
        for (let row = next(); row.done !== true; row = next()) yield row.value
      } finally {
        calls.run(() => rows.return?.())
      }
    },
  }
}

/** Milliseconds to wait for another writer. */
export const BUSY_TIMEOUT = 10_000

/** Returns true for errors of damaged files and of files that are not an index. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedIndex || error instanceof DamagedWords || matchesSqliteError(DAMAGED, error) || isTooLarge(error)
}

/** Roux's SQL is constant, so the errors after `corrupt` also mean damage. */
const DAMAGED =
  /malformed|not a database|corrupt|no such (?:table|column|index)|unsupported file format|text encoding|datatype mismatch|\d columns|too large to be represented/i

/** Returns true for the error that the binding throws if a single row contains an integer that is too large. */
function isTooLarge(error: unknown): boolean {
  return errorCode(error) === 'ERR_OUT_OF_RANGE' && /^Value is too large to be represented/.test((error as Error).message)
}

export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(errorCode(error)) || matchesSqliteError(/readonly|unable to open|disk is full|disk I\/O/i, error)
}

const UNWRITABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST'])

/** The binding's errors often lack SQLite's code. Other errors are skipped, because they may quote user input. */
function matchesSqliteError(words: RegExp, error: unknown): boolean {
  return errorCode(error) === 'ERR_SQLITE_ERROR' && words.test(String(error))
}

/** An error for a row whose checksum does not match its content. */
export class DamagedIndex extends Error {}
