import { createRequire } from 'node:module'

/** The part of `node:sqlite`'s interface that we use; `@photostructure/sqlite` offers the same with binaries for Node 20. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  run(...values: readonly SqlValue[]): unknown
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>
}

export type SqlValue = string | number | null | Uint8Array

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

/** SQLite's own words for a file that is damaged or no database at all. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedIndex || /malformed|not a database|corrupt|no such table|no such column/i.test(String(error))
}

/** SQLite's own words for a place that cannot be written. */
export function isUnwritable(error: unknown): boolean {
  return /readonly|read-only|unable to open|disk is full|disk I\/O|EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST/i.test(String(error))
}

/** A row whose checksum is not that of its content. */
export class DamagedIndex extends Error {}
