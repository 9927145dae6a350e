import { quietly } from '../../core/quietly.ts'
import type { Database } from '../../core/sql-database.ts'
import { readAtOnce } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { openSqlite } from './sqlite.ts'
import { readMeta } from './writer.ts'

/** The links of all files at one generation, unaffected by later commits. */
export interface LinksAsOf {
  readonly generation: number
  /** Returns a file's links, as packed by `packLinks`. */
  data(key: number): string | undefined
  close(): void
}

export interface OpenIndex {
  readonly identity: string
  readonly database: Database
}

/**
 * Reads the index file in a transaction. The links are copied if the file is gone, or if the index is in memory, where a reader
 * would block the writer.
 */
export function linksAsOfNow(location: Location, open: OpenIndex): LinksAsOf {
  return isNamed(location, open) ? readLinks(openAsOfNow(location)) : copyLinks(open.database)
}

export function isNamed(location: Location, open: OpenIndex): boolean {
  return location.kind === 'file' && identityOf(location) === open.identity
}

/** Begins a transaction that later commits do not affect. */
export function openAsOfNow(location: Location): Database {
  const database = openSqlite(databasePath(location))
  try {
    database.exec('PRAGMA query_only = 1; PRAGMA cache_size = -2000; BEGIN')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export function closeAsOf(database: Database): void {
  // The transaction must end here, because an unfinalized statement would keep it open and block writers.
  quietly(() => database.exec('COMMIT'))
  database.close()
}

function readLinks(database: Database): LinksAsOf {
  try {
    const { generation } = readMeta(database)
    const links = database.prepare('SELECT data FROM links WHERE key = ?')
    return {
      generation,
      data: (key) => (links.get(key) as { data: string } | undefined)?.data,
      close: () => closeAsOf(database),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function copyLinks(database: Database): LinksAsOf {
  return readAtOnce(database, () => {
    const { generation } = readMeta(database)
    const rows = database.prepare('SELECT key, data FROM links').all() as { key: number; data: string }[]
    const copied = new Map(rows.map(({ key, data }) => [key, data]))
    return { generation, data: (key) => copied.get(key), close: () => copied.clear() }
  })
}
