import type { RouxError } from '../../core/errors.ts'
import { messageOf } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import type { Database } from '../../core/sql-database.ts'
import { unpackHeader } from '../../search/words/index/page.ts'
import { type DatabaseKind, kindOf } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { unpackHot, unpackInfo, unpackLinks, unpackMentions, unpackStat } from './rows.ts'
import { unpackCoarse } from './search/coarse-part.ts'
import { headerPlace, pagePlace, SEARCH, unpackVectors, unsealBytes } from './search/search-rows.ts'
import { DamagedIndex, openSqlite } from './sqlite.ts'
import { INDEX, readMeta, readTexts, requireKeys } from './writer.ts'

export interface IndexCondition {
  /** The state of the file. `foreign`: written by another program. `newer`, `older`: written by another version of Roux. */
  readonly state: 'absent' | 'present' | 'damaged' | 'foreign' | 'newer' | 'older'
  readonly message?: string
}

/** Examines an index by reading every row, which detects damage. */
export function examineIndex(location: Location): IndexCondition {
  return examineDatabase(location, INDEX, readEverything)
}

function examineDatabase(
  location: Location,
  kind: Pick<DatabaseKind, 'applicationId' | 'format'>,
  readAll: (database: Database) => void,
): IndexCondition {
  // An unreadable folder is reported by a separate check.
  if (quietly(() => identityOf(location)) === undefined) return { state: 'absent' }
  try {
    const database = openSqlite(databasePath(location), { readOnly: true })
    try {
      const { applicationId, format } = kindOf(database)
      if (applicationId !== kind.applicationId) return { state: 'foreign' }
      if (format > kind.format) return { state: 'newer' }
      if (format < kind.format) return { state: 'older' }
      // The transaction keeps the rows consistent, because a server may be writing.
      database.exec('BEGIN')
      readAll(database)
      return { state: 'present' }
    } finally {
      database.close()
    }
  } catch (error) {
    return { state: 'damaged', message: messageOf(error) }
  }
}

/** Reads all rows. @throws DamagedIndex, or SQLite's errors */
function readEverything(database: Database): void {
  const { rows } = readMeta(database)
  const hot = readTexts(database, 'hot', 'WHERE TRUE')
  const files = requireKeys(hot.texts.map(unpackHot), hot.keySum)
  if (files.length !== rows) throw new DamagedIndex('rows are missing')
  const stat = readTexts(database, 'stat', "WHERE stat <> ''")
  requireKeys(stat.texts.map(unpackStat), stat.keySum)
  const mentions = readTexts(database, 'mentions', "WHERE mentions <> ''")
  requireKeys(mentions.texts.map(unpackMentions), mentions.keySum)
  const describedKeys = keysOf(database, 'info', unpackInfo)
  const linking = keysOf(database, 'links', unpackLinks)
  for (const { key, path, kind, targets, missing } of files) {
    if (path !== undefined && kind === 'note' && !describedKeys.has(key)) throw new DamagedIndex('a note is missing')
    if (targets.length + missing.length > 0 && !linking.has(key)) throw new DamagedIndex('links are missing')
  }
}

function keysOf(
  database: Database,
  table: 'info' | 'links',
  unpack: (key: number, data: unknown) => unknown,
): ReadonlySet<number> {
  const keys = new Set<number>()
  for (const row of database.prepare(`SELECT key, data FROM ${table}`).iterate()) {
    const { key, data } = row as { key: number; data: unknown }
    unpack(key, data)
    keys.add(key)
  }
  return keys
}

export interface SqliteCondition {
  readonly version?: string
  readonly message?: string
  readonly hint?: string | undefined
}

export function sqliteVersion(): SqliteCondition {
  try {
    const database = openSqlite(':memory:')
    const [row] = database.prepare('SELECT sqlite_version() AS version').all() as { version: string }[]
    database.close()
    return row === undefined ? {} : { version: row.version }
  } catch (error) {
    const { message, hint } = error as Partial<RouxError> & Error
    return { message, hint }
  }
}

/** Examines a search index by reading every row, which detects damage. */
export function examineSearchIndex(location: Location): IndexCondition {
  return examineDatabase(location, SEARCH, readSearchRows)
}

/** Reads all rows. @throws DamagedIndex, DamagedWords, or SQLite's errors */
function readSearchRows(database: Database): void {
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
  for (const row of database.prepare('SELECT embedder, revision, data FROM coarse').iterate()) {
    const { data, ...place } = row as { embedder: number; revision: number; data: unknown }
    unpackCoarse(place, data)
  }
}
