import { createRequire } from 'node:module'
import { errorCode } from '../../core/error-code.ts'
import type { Database } from '../../core/sql-database.ts'
import { DamagedWords } from '../../search/words/index/bytes.ts'

type DatabaseConstructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database

let binding: DatabaseConstructor | undefined

/** Loads the binding ahead of the first database. */
export function loadSqlite(): DatabaseConstructor {
  binding ??= (createRequire(import.meta.url)('@photostructure/sqlite') as { DatabaseSync: DatabaseConstructor }).DatabaseSync
  return binding
}

/** Opens a database file; the binding is loaded with the first one. */
export function openSqlite(path: string, options: { readOnly?: boolean } = {}): Database {
  const DatabaseSync = loadSqlite()
  return new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: BUSY_TIMEOUT })
}

/** How long a writer waits for another one, ms. */
export const BUSY_TIMEOUT = 10_000

/** True if an error means that a file is damaged or not our index, by SQLite or our own checks. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedIndex || error instanceof DamagedWords || sqliteSays(DAMAGED, error) || isTooLarge(error)
}

/** The last ones are of a header, schema or integer that is not what was written: our statements are always the same. */
const DAMAGED =
  /malformed|not a database|corrupt|no such (?:table|column|index)|unsupported file format|text encoding|datatype mismatch|\d columns|too large to be represented/i

/** For a single row the binding reports it differently. */
function isTooLarge(error: unknown): boolean {
  return errorCode(error) === 'ERR_OUT_OF_RANGE' && /^Value is too large to be represented/.test((error as Error).message)
}

/** True if an error means that a place cannot be written, by SQLite or the file system. */
export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(errorCode(error)) || sqliteSays(/readonly|unable to open|disk is full|disk I\/O/i, error)
}

const UNWRITABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST'])

/** By its words, because not every error of the binding carries SQLite's number; of its errors only, because others may quote what a caller wrote. */
function sqliteSays(words: RegExp, error: unknown): boolean {
  return errorCode(error) === 'ERR_SQLITE_ERROR' && words.test(String(error))
}

/** A row whose checksum is not that of its content. */
export class DamagedIndex extends Error {}
