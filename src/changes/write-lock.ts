import { chmodSync, closeSync, constants, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RouxError } from '../core/errors.ts'
import { makeFolder } from '../core/make-folder.ts'
import { quietly } from '../core/quietly.ts'
import type { Database } from '../core/sql-database.ts'
import { identityOf, isBusy, type OpenDatabase } from './record/state-database.ts'

export interface Owner {
  readonly pid: number
  /** The start of the process, in milliseconds since the Unix epoch. */
  readonly started: number
  readonly host: string
}

export interface WriteLock {
  release(): void
}

export interface LockOptions {
  readonly openDatabase: OpenDatabase
  /** Milliseconds to wait for the lock. */
  readonly timeout: number
}

export const thisOwner: Owner = { pid: process.pid, started: Math.round(performance.timeOrigin), host: hostname() }

// The first wait in milliseconds. A change takes about 10 ms, an import seconds.
const FIRST_WAIT = 2
const MAX_WAIT = 50
/** The share of the timeout for which others let the next in line go first. It may be suspended, and then it would block them all. */
const COURTESY = 0.2

/**
 * Acquires the lock, which is an SQLite transaction on an empty database. It works across threads and processes on every
 * platform, and the operating system releases it if the holder dies. A suspended holder keeps it. Waiting does not block the
 * thread, which may hold the lock itself.
 *
 * The next in line holds a second lock of this kind, so a process that has just released the first cannot retake it before
 * the next in line polls. The file of the second lock exists only while someone waits, so a free lock costs one look for it.
 * @throws RouxError `TIMEOUT`, which names the holder
 */
export async function acquireWriteLock(path: string, { openDatabase, timeout }: LockOptions): Promise<WriteLock> {
  makeFolder(dirname(path), { mkdirSync, dirname })
  const started = performance.now()
  const turnPath = `${path}.next`
  const nextInLine = quietly(() => identityOf(turnPath))
  let isContended = nextInLine !== undefined
  let turn: Database | undefined
  try {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      if (isContended) turn ??= tryTurn(turnPath, openDatabase)
      const waited = performance.now() - started
      const mayLock = !isContended || turn !== undefined || waited >= timeout * COURTESY
      const database = mayLock ? tryLock(path, openDatabase) : undefined
      if (database !== undefined) {
        // The same process is next in line as at the start, but leaves the lock free. It is suspended, so nobody else waits for it.
        if (nextInLine !== undefined && turn === undefined && quietly(() => identityOf(turnPath)) === nextInLine)
          quietly(() => rmSync(turnPath))
        quietly(() => writeHolder(path))
        return { release: () => release(database) }
      }
      if (waited >= timeout) throw lockTimeoutError(path, timeout)
      isContended = true
      // The wait is random, so two waiting processes do not retry at the same time.
      await sleep(wait * (0.5 + Math.random()))
    }
  } finally {
    if (turn !== undefined) {
      // Windows does not remove an open file. Elsewhere, the file of a released lock may belong to the next process.
      if (process.platform === 'win32') release(turn)
      quietly(() => rmSync(turnPath))
      release(turn)
    }
  }
}

/** A file that is no lock, because it is damaged or belongs to another user, is removed. */
function tryTurn(path: string, openDatabase: OpenDatabase): Database | undefined {
  try {
    return tryLock(path, openDatabase)
  } catch {
    quietly(() => rmSync(path))
    return undefined
  }
}

function tryLock(path: string, openDatabase: OpenDatabase): Database | undefined {
  const database = openDatabase(path)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    const identity = identityOf(path)
    database.exec('BEGIN IMMEDIATE')
    // The first transaction creates the file. If the path no longer refers to it, the lock excludes nobody.
    const locked = identityOf(path)
    if (locked !== undefined && (identity === undefined || identity === locked)) {
      quietly(() => chmodSync(path, 0o600))
      return database
    }
    release(database)
    return undefined
  } catch (error) {
    quietly(() => database.close())
    if (isBusy(error)) return undefined
    throw error
  }
}

function release(database: Database): void {
  quietly(() => database.exec('ROLLBACK'))
  quietly(() => database.close())
}

/** Descriptions are padded to this length, so a shorter one overwrites the previous one completely. */
const HOLDER_LENGTH = 400

// Writes the holder to a separate file, because closing the locked file would release the lock (POSIX, fcntl).
function writeHolder(path: string): void {
  const text = JSON.stringify({ ...thisOwner, since: Date.now() }).padEnd(HOLDER_LENGTH)
  // The file is overwritten in place, because file systems sync a truncated or replaced file at once.
  const fd = openSync(`${path}.holder`, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    writeSync(fd, text, 0)
  } finally {
    closeSync(fd)
  }
}

function lockTimeoutError(path: string, timeout: number): RouxError {
  return new RouxError(
    'TIMEOUT',
    `Another process is holding the vault's write lock: ${describeHolder(path)}. Nothing was written.`,
    {
      hint: `Roux waited ${timeout / 1000} s. Call again. If that process is stuck, end it; its unfinished change will be rolled back.`,
    },
  )
}

function describeHolder(path: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(`${path}.holder`, 'utf8')) as Owner & { since: number }
    const place = host === hostname() ? '' : ` on ${host}`
    return `process ${pid}${place}, since ${new Date(since).toISOString()}`
  } catch {
    return 'unknown process'
  }
}
