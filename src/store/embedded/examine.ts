import { databasePath, identityOf, type Location } from './location.ts'
import { APPLICATION_ID, FORMAT, unpackHot } from './rows.ts'
import { openSqlite } from './sqlite.ts'
import { readMeta, readTexts, requireKeys } from './writer.ts'

export interface IndexCondition {
  readonly state: 'absent' | 'present' | 'damaged' | 'foreign' | 'newer'
  readonly message?: string
}

/** Looks at an index without changing it: every row is read. */
export function examineIndex(location: Location): IndexCondition {
  if (!isThere(location)) return { state: 'absent' }
  try {
    const database = openSqlite(databasePath(location), { readOnly: true })
    try {
      const [application] = database.prepare('PRAGMA application_id').all() as { application_id: number }[]
      const [user] = database.prepare('PRAGMA user_version').all() as { user_version: number }[]
      if (application?.application_id !== APPLICATION_ID) return { state: 'foreign' }
      if ((user?.user_version ?? 0) > FORMAT) return { state: 'newer' }
      readMeta(database)
      const { texts, keySum } = readTexts(database, 'hot', 'WHERE TRUE')
      requireKeys(texts.map(unpackHot), keySum)
      return { state: 'present' }
    } finally {
      database.close()
    }
  } catch (error) {
    return { state: 'damaged', message: error instanceof Error ? error.message : String(error) }
  }
}

/** A folder that cannot even be looked into holds no index; that it cannot is told elsewhere. */
function isThere(location: Location): boolean {
  try {
    return identityOf(location) !== undefined
  } catch {
    return false
  }
}

/** The version of SQLite that the binding brings, or why it does not load. */
export function sqliteVersion(): { readonly version?: string; readonly message?: string } {
  try {
    const database = openSqlite(':memory:')
    const [row] = database.prepare('SELECT sqlite_version() AS version').all() as { version: string }[]
    database.close()
    return row === undefined ? {} : { version: row.version }
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}
