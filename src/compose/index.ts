import { acquireWriteLock, type WriteLock } from '../changes/write-lock.ts'
import type { Settings } from '../config/settings.ts'
import type { KeySource } from '../core/chat.ts'
import { RouxError } from '../core/errors.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'
import type { AiDesk } from '../workers/ai-desk.ts'

export type { AiDesk, NamedModel } from '../workers/ai-desk.ts'
export { type Diagnosis, diagnose, type IndexDiagnosis } from './diagnose.ts'
export { type FeederLease, openFeederLease, removeFed } from './engine.ts'
export { forgetHistory, type History, indexFile, measureIndexes, readHistory } from './index-files.ts'
export { openCore } from './open-core.ts'
export type { OpenOptions } from './open-options.ts'
export { type SharedParts, shareParts } from './open-options.ts'

export async function openAiDesk(settings: Settings, key?: KeySource): Promise<AiDesk> {
  const { AiDesk } = await import('../workers/ai-desk.ts')
  return new AiDesk(settings, key)
}

/**
 * Acquires a lock that lasts until the process exits.
 * @param timeout in milliseconds
 * @returns `undefined` if another process holds the lock
 */
export async function lockServer(path: string, timeout: number): Promise<WriteLock | undefined> {
  try {
    return await acquireWriteLock(path, { openDatabase: (file) => openSqlite(file), timeout })
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TIMEOUT') return undefined
    throw error
  }
}
