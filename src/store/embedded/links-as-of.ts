import { quietly } from '../../core/quietly.ts'
import type { Database } from '../../core/sql-database.ts'
import { readAtOnce } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { openSqlite } from './sqlite.ts'
import { readMeta } from './writer.ts'

/** The links of all files in one generation, unaffected by later commits. */
export interface LinksAsOf {
  readonly generation: number
  /** Returns a file's links in stored form, or `undefined` if it has none. */
  data(key: number): string | undefined
  close(): void
}

export interface OpenIndex {
  readonly identity: string
  readonly database: Database
}

/**
 * Returns the links of the newest generation. If the index is a file, they are read within an open transaction, without copying. For
 * in-memory databases, where readers block the writer, and deleted files, they are copied as strings.
 */
export function linksAsOfNow(location: Location, open: OpenIndex): LinksAsOf {
  const isNamed = location.kind === 'file' && identityOf(location) === open.identity
  return isNamed ? readLinks(openSqlite(databasePath(location))) : copyLinks(open.database)
}

function readLinks(database: Database): LinksAsOf {
  try {
    database.exec('PRAGMA query_only = 1; PRAGMA cache_size = -2000; BEGIN')
    const { generation } = readMeta(database)
    const links = database.prepare('SELECT data FROM links WHERE key = ?')
    return {
      generation,
      data: (key) => (links.get(key) as { data: string } | undefined)?.data,
      close: () => {
        // A statement that is not finalized keeps the transaction open and blocks writers.
        quietly(() => database.exec('COMMIT'))
        database.close()
      },
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
