import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { makeFolder } from '../core/make-folder.ts'

/**
 * Replaces a small file that several processes read, change and write. `change` runs while no other process changes the file: it reads
 * the file and returns the new text, or `undefined` to leave the file as it is. Only the user can read the result.
 * @throws RouxError `TIMEOUT` when another process keeps the lock; what `change` and the file system throw
 */
export function changeStateFile(path: string, change: () => string | undefined): void {
  const folder = dirname(path)
  makeFolder(folder, { mkdirSync, dirname })
  // `mkdir` keeps the mode of a folder that exists.
  chmodSync(folder, 0o700)
  withFileLock(`${path}.lock`, (requireHeld) => {
    const text = change()
    if (text === undefined) return
    const draft = `${path}.${process.pid}.tmp`
    try {
      writeFileSync(draft, text, { mode: 0o600, flush: true })
      requireHeld()
      renameSync(draft, path)
    } finally {
      rmSync(draft, { force: true })
    }
  })
}

/** How long to wait for another process, ms. It holds the lock for some milliseconds. */
const PATIENCE_MS = 15_000
/** A lock that is older than this was left by a process that died on another computer, or whose number is in use again. */
const ABANDONED_MS = 10_000
const LONGEST_PAUSE_MS = 50

/**
 * Runs `act` while this process alone has the lock file. `requireHeld` throws when another process took the lock because this one was
 * suspended for too long.
 * @throws RouxError `TIMEOUT`; what `act` and the file system throw
 */
export function withFileLock<T>(path: string, act: (requireHeld: () => void) => T): T {
  const holder = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() })
  takeLock(path, holder)
  try {
    return act(() => {
      if (readIfThere(path) !== holder) throw lockLost(path)
    })
  } finally {
    if (readIfThere(path) === holder) rmSync(path, { force: true })
  }
}

function takeLock(path: string, holder: string): void {
  const deadline = performance.now() + PATIENCE_MS
  for (let pause = 1; !isCreated(path, holder); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (isAbandoned(path) && isRemoved(path)) continue
    if (performance.now() > deadline) throw lockKept(path)
    // Random: two processes must not retry at the same moments.
    pauseThread(pause * (0.5 + Math.random()))
  }
}

function isCreated(path: string, holder: string): boolean {
  try {
    writeFileSync(path, holder, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function isAbandoned(path: string): boolean {
  const pid = localHolder(readIfThere(path))
  if (pid !== undefined && !isRunning(pid)) return true
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS
}

/** Removes an abandoned lock, unless another process was faster. */
function isRemoved(path: string): boolean {
  const aside = `${path}.${randomUUID()}`
  try {
    renameSync(path, aside)
  } catch {
    return false
  }
  const wasAbandoned = isAbandoned(aside)
  // Another process removed it first and made this one: the new holder gets its lock back.
  if (!wasAbandoned) quietly(() => linkSync(aside, path))
  rmSync(aside, { force: true })
  return wasAbandoned
}

/** The process that holds a lock, if it runs on this computer. */
function localHolder(text: string | undefined): number | undefined {
  const holder: unknown = quietly(() => JSON.parse(text ?? ''))
  return isRecord(holder) && holder.host === hostname() && typeof holder.pid === 'number' ? holder.pid : undefined
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function readIfThere(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'utf8'))
}

function pauseThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

function lockKept(path: string): RouxError {
  const pid = localHolder(readIfThere(path))
  const who = pid === undefined ? 'Another process' : `Process ${pid}`
  return new RouxError('TIMEOUT', `${who} keeps ${path}.`, {
    hint: `Run the command again. If no other command of Roux runs, delete that file.`,
  })
}

function lockLost(path: string): RouxError {
  return new RouxError('CONFLICT', `Another process took over ${path}. Nothing was written.`, { hint: 'Run the command again.' })
}
