import { acquireWriteLock, type WriteLock } from '../changes/write-lock.ts'
import { RouxError } from '../core/errors.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'

/**
 * Locks a file for as long as this process runs.
 * @param timeout milliseconds to wait for another process
 * @returns `undefined` if another process still holds the lock
 */
export async function lockServer(path: string, timeout: number): Promise<WriteLock | undefined> {
  try {
    return await acquireWriteLock(path, { openDatabase: (file) => openSqlite(file), timeout })
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TIMEOUT') return undefined
    throw error
  }
}
