import { quietly } from './quietly.ts'

/** The part of `node:sqlite` in use. `@photostructure/sqlite` provides the same API for Node 20. */
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

export function pragma(database: Database, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0
}

/** Runs an action in a transaction, which is rolled back if the action fails. */
export function inTransaction<T>(database: Database, action: (database: Database) => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = action(database)
    database.exec('COMMIT')
    return result
  } catch (error) {
    quietly(() => database.exec('ROLLBACK'))
    throw error
  }
}
