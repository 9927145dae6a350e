import { RouxError } from '../../core/errors.ts'
import type { Database } from './database.ts'
import { isOfKind, migrate, pragma, type StateDatabase } from './migrations.ts'

/** How long to wait for another process that writes, ms. */
export const BUSY_TIMEOUT = 10_000

/** Tells the file from other databases: "Roux" in ASCII, and 1 for state. */
const APPLICATION_ID = 0x526f7801

/**
 * The migration to each version; never edited once released, only added to. Contents are stored once by hash: the
 * result of one change is the start of the next.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    vault TEXT NOT NULL,
    root_inode TEXT NOT NULL,
    time INTEGER NOT NULL,
    title TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('applying', 'done', 'undone', 'rolled_back')),
    undoes TEXT,
    owner TEXT NOT NULL
  ) STRICT;
  CREATE INDEX changes_of_vault ON changes (vault, id);
  CREATE INDEX changes_applying ON changes (vault) WHERE state = 'applying';
  CREATE INDEX changes_by_time ON changes (time);
  CREATE TABLE entries (
    change TEXT NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    target TEXT,
    before TEXT,
    after TEXT,
    mode INTEGER,
    PRIMARY KEY (change, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_before ON entries (before) WHERE before IS NOT NULL;
  CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;
  CREATE TABLE contents (
    hash TEXT PRIMARY KEY,
    deflated INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  `,
]

const JOURNAL: StateDatabase = { applicationId: APPLICATION_ID, migrations: MIGRATIONS }

/**
 * Brings a database to this version and sets it up; an empty one becomes a journal.
 * @throws RouxError `PROVIDER_ERROR` when it is another kind of database, or of a newer version.
 */
export function prepareJournal(database: Database, path: string): void {
  // A record must survive a power cut before the first file is touched.
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA foreign_keys = ON`)
  if (pragma(database, 'user_version') === 0 && pragma(database, 'application_id') === 0) {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL')
  }
  database.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF')
  if (!isOfKind(database, JOURNAL)) {
    throw new RouxError('PROVIDER_ERROR', `The record of changes (${path}) was made by another version or program.`, {
      hint: 'Use the newest version. If the file is not needed, move it away; what is in it can then no longer be undone.',
    })
  }
  migrate(database, JOURNAL)
}
