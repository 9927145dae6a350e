import { acquireWriteLock, type WriteLock } from '../changes/write-lock.ts'
import { RouxError } from '../core/errors.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'

/** Locks a file as long as this process runs. Returns `undefined` if another process has locked it. */
export async function lockServer(path: string): Promise<WriteLock | undefined> {
  try {
    return await acquireWriteLock(path, { openDatabase: (file) => openSqlite(file), timeout: 0 })
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TIMEOUT') return undefined
    throw error
  }
}
