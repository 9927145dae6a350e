import { statSync } from 'node:fs'

/** The part of `node:sqlite`'s interface that the journal and the lock use. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  run(...values: readonly SqlValue[]): unknown
  get(...values: readonly SqlValue[]): unknown
  all(...values: readonly SqlValue[]): unknown[]
}

export type SqlValue = string | number | null | Uint8Array

/** Opens a database file, making it where there is none. */
export type OpenDatabase = (path: string) => Database

/** Whether an error means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return /database is locked|database is busy|SQLITE_BUSY/i.test(String(error))
}

/** Does what may fail after something else has failed: the error that led here says more. */
export function attempt(action: () => void): void {
  try {
    action()
  } catch {}
}

/** Tells one file of a path from another that took its place; `undefined` where there is none. */
export function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}
