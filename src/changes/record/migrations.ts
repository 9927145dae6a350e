import { attempt, type Database } from './database.ts'

/** A kind of database in the state folder. */
export interface StateDatabase {
  /** Tells its files from other databases. */
  readonly applicationId: number
  /** The migration to each version; never edited once released, only added to. */
  readonly migrations: readonly string[]
}

/** Whether a database has this kind and no newer version; an empty one fits every kind. */
export function isOfKind(database: Database, { applicationId, migrations }: StateDatabase): boolean {
  const version = pragma(database, 'user_version')
  const application = pragma(database, 'application_id')
  return version <= migrations.length && (application === applicationId || (application === 0 && version === 0))
}

/** Brings a database of a kind to its newest version, all or nothing. */
export function migrate(database: Database, { applicationId, migrations }: StateDatabase): void {
  if (pragma(database, 'user_version') === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have been first.
    for (const migration of migrations.slice(pragma(database, 'user_version'))) database.exec(migration)
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    attempt(() => database.exec('ROLLBACK'))
    throw error
  }
}

export function pragma(database: Database, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] ?? 0
}
