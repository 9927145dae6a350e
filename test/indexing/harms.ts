import { truncateSync, writeFileSync } from 'node:fs'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'

/** What can happen to a database file, each with a name. */
export type Harm = readonly [name: string, harm: (file: string) => void]

export function changeBySql(file: string, sql: string): void {
  const database = openSqlite(file)
  database.exec(sql)
  database.close()
}

/** Harms that any database of Roux must survive. */
export const HARMS: readonly Harm[] = [
  ['empty', (file) => truncateSync(file, 0)],
  ['some text', (file) => writeFileSync(file, 'This is no database.\n'.repeat(500))],
  ['zeroes', (file) => writeFileSync(file, Buffer.alloc(40_960))],
  ['a newer format', (file) => changeBySql(file, 'PRAGMA user_version = 99')],
  ['an older format', (file) => changeBySql(file, 'PRAGMA user_version = 1')],
  ['another program’s', (file) => changeBySql(file, 'PRAGMA application_id = 7')],
]
