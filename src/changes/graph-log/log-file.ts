import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RouxError } from '../../core/errors.ts'
import { makeFolder } from '../../core/make-folder.ts'
import { isNotJournal } from '../failures.ts'
import { attempt, type Database, type OpenDatabase } from '../record/database.ts'
import { isOfKind, migrate, pragma, type StateDatabase } from '../record/migrations.ts'

/** Tells the file from other databases: "Roux" in ASCII, and 2 for the log of changes. */
const APPLICATION_ID = 0x526f7802

/**
 * The migration to each version. `base` equals `generation` in a row that only records a generation. At most one
 * process logs a commit, but one may start to write when another has just logged the same generation.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE commits (
    id INTEGER PRIMARY KEY,
    vault TEXT NOT NULL,
    lineage TEXT NOT NULL,
    generation INTEGER NOT NULL,
    base INTEGER NOT NULL,
    time INTEGER NOT NULL,
    deflated INTEGER NOT NULL,
    sum TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (lineage, generation, base)
  ) STRICT;
  CREATE INDEX commits_by_time ON commits (time);
  CREATE INDEX commits_of_vault ON commits (vault, time);
  `,
]

const LOG: StateDatabase = { applicationId: APPLICATION_ID, migrations: MIGRATIONS }

/** How long one process waits for another that writes, ms; a late row is better than a blocked commit. */
const BUSY_TIMEOUT = 500

/** Where the log of all vaults is kept. */
export function graphLogFile(stateFolder: string): string {
  return join(stateFolder, 'graph-log.db')
}

/** Opens the log to write, and makes it where there is none; one that is damaged is emptied. @throws what SQLite and the file system say */
export function openLog(path: string, openDatabase: OpenDatabase): Database {
  makeFolder(dirname(path), { mkdirSync, dirname })
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
    requireOurs(database)
    if (pragma(database, 'user_version') === 0) {
      database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL')
      for (const ending of ['', '-wal', '-shm']) attempt(() => chmodSync(path + ending, 0o600))
    }
    // A power cut leaves a gap that is detected.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    migrate(database, LOG)
    return database
  } catch (error) {
    attempt(() => database.close())
    throw error
  }
}

/** @throws RouxError `PROVIDER_ERROR` for another kind of database, or one of a newer version */
export function requireOurs(database: Database): void {
  if (!isOfKind(database, LOG)) throw new RouxError('PROVIDER_ERROR', 'the file was made by another version or program')
}

/** Whether a log is unusable; then nothing of it is worth keeping. */
export function isDamagedLog(error: unknown): boolean {
  return isNotJournal(error) || /no such (?:table|column|index)/i.test(String(error))
}
