import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { errorCode, RouxError } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { isRunning } from '../core/is-running.ts'
import { makeFolder } from '../core/make-folder.ts'
import { parseJson, quietly } from '../core/quietly.ts'
import { pauseThread } from '../core/waiting.ts'

/**
 * Changes a file that only the current user can read. Other processes are locked out during `change`.
 * @param change returns the new text, or `undefined` to leave the file unchanged
 * @throws RouxError `TIMEOUT` if another process holds the lock for too long, and errors from `change` and the file system
 */
export function changeStateFile(path: string, change: () => string | undefined): void {
  const folder = dirname(path)
  makeFolder(folder, { mkdirSync, dirname })
  // The mode is set explicitly, because `mkdir` does not change the mode of existing folders.
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

/** Locks are usually held for a few milliseconds. */
const LOCK_TIMEOUT_MS = 15_000
/**
 * A lock that is older than this is considered abandoned. Its process may have died on another computer, or its id may have been
 * reused.
 */
const ABANDONED_MS = 10_000
const MAX_PAUSE_MS = 50

/**
 * Calls `act` while holding a lock. `requireHeld` throws if another process has taken the lock while this process was suspended.
 * @throws RouxError `TIMEOUT`, and errors from `act` and the file system
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
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  for (let pause = 1; !isCreated(path, holder); pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    if (isAbandoned(path) && isRemoved(path)) continue
    if (performance.now() > deadline) throw lockKept(path)
    // The pause is random, so processes do not retry in lockstep.
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

/** Removes an abandoned lock. Returns false if another process was first. */
function isRemoved(path: string): boolean {
  const renamedPath = `${path}.${randomUUID()}`
  try {
    renameSync(path, renamedPath)
  } catch {
    return false
  }
  const wasAbandoned = isAbandoned(renamedPath)
  // Another process has already replaced the lock, so it is restored for its new holder.
  if (!wasAbandoned) quietly(() => linkSync(renamedPath, path))
  rmSync(renamedPath, { force: true })
  return wasAbandoned
}

function localHolder(text: string | undefined): number | undefined {
  const holder = parseJson(text ?? '')
  return isRecord(holder) && holder.host === hostname() && typeof holder.pid === 'number' ? holder.pid : undefined
}

function readIfThere(path: string): string | undefined {
  return quietly(() => readFileSync(path, 'utf8'))
}

function lockKept(path: string): RouxError {
  const pid = localHolder(readIfThere(path))
  const holder = pid === undefined ? 'another process' : `process ${pid}`
  return new RouxError('TIMEOUT', `The lock ${path} is held by ${holder}.`, {
    hint: 'Run the command again. If no other Roux command is running, delete this lock file.',
  })
}

function lockLost(path: string): RouxError {
  return new RouxError('CONFLICT', `Another process has taken over ${path}. Nothing was written.`, {
    hint: 'Run the command again.',
  })
}
