import { unpackHeader } from '../../../search/words/header.ts'
import { kindOf } from '../database-file.ts'
import type { IndexCondition } from '../examine.ts'
import { databasePath, identityOf, type Location } from '../location.ts'
import { type Database, openSqlite } from '../sqlite.ts'
import { headerPlace, pagePlace, SEARCH, unpackVectors, unsealBytes } from './search-rows.ts'

/** Looks at a search index without changing it: every row is read once. */
export function examineSearchIndex(location: Location): IndexCondition {
  try {
    if (identityOf(location) === undefined) return { state: 'absent' }
    const database = openSqlite(databasePath(location), { readOnly: true })
    try {
      const { applicationId, format } = kindOf(database)
      if (applicationId !== SEARCH.applicationId) return { state: 'foreign' }
      if (format > SEARCH.format) return { state: 'newer' }
      if (format < SEARCH.format) return { state: 'damaged', message: `it is of format ${format} instead of ${SEARCH.format}` }
      readEverything(database)
      return { state: 'present' }
    } finally {
      database.close()
    }
  } catch (error) {
    return { state: 'damaged', message: error instanceof Error ? error.message : String(error) }
  }
}

/** @throws what SQLite says, DamagedIndex, DamagedWords */
function readEverything(database: Database): void {
  // In one transaction: a server may merge segments meanwhile.
  database.exec('BEGIN')
  for (const row of database.prepare('SELECT id, rank, header FROM segment').iterate()) {
    const { id, rank, header } = row as { id: number; rank: number; header: unknown }
    unpackHeader(unsealBytes(headerPlace(id, rank), header))
  }
  for (const row of database.prepare('SELECT segment, first, data FROM page').iterate()) {
    const { segment, first, data } = row as { segment: number; first: Uint8Array; data: unknown }
    unsealBytes(pagePlace(segment, first), data)
  }
  for (const row of database.prepare('SELECT embedder, key, data FROM vector').iterate()) {
    const { embedder, key, data } = row as { embedder: number; key: number; data: unknown }
    unpackVectors(embedder, key, data)
  }
  database.exec('COMMIT')
}
