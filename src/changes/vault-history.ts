import { join } from 'node:path'
import { quietly } from '../core/quietly.ts'
import { type Database, inTransaction } from '../core/sql-database.ts'
import { journalError } from './failures.ts'
import { GRAPH_LOG, graphLogFile, type HistoryPlace } from './graph-log.ts'
import { JOURNAL } from './record/journal.ts'
import { identityOf, openStateDatabase } from './record/state-database.ts'

export interface History {
  readonly changes: number
  /** Number of rows in the change log. */
  readonly commits: number
  /** Number of changes that are in progress or incomplete. Their data is never deleted. */
  readonly unfinished: number
}

/** Reads the size of the history. @throws RouxError if the files cannot be used */
export function readHistory(place: HistoryPlace): History {
  return {
    ...onJournal(place, (database) => countChanges(database, place.root)),
    commits: onLog(place, (database) => countCommits(database, place.root)) ?? 0,
  }
}

/** Deletes the history for good. @returns what was deleted @throws like `readHistory` */
export function forgetHistory(place: HistoryPlace): History {
  const { root } = place
  const changes = onJournal(place, (database) => {
    const counts = countChanges(database, root)
    inTransaction(database, () => {
      database.prepare(`DELETE FROM changes WHERE vault = ? AND state <> 'applying'`).run(root)
      database.exec(`DELETE FROM contents WHERE hash NOT IN (SELECT before FROM entries WHERE before IS NOT NULL)
        AND hash NOT IN (SELECT after FROM entries WHERE after IS NOT NULL)`)
    })
    clean(database)
    return counts
  })
  const commits = onLog(place, (database) => {
    const count = countCommits(database, root)
    database.prepare('DELETE FROM commits WHERE vault = ?').run(root)
    clean(database)
    return count
  })
  return { ...changes, commits: commits ?? 0 }
}

type ChangeCounts = Pick<History, 'changes' | 'unfinished'>

function onJournal({ stateFolder, openDatabase }: HistoryPlace, read: (database: Database) => ChangeCounts): ChangeCounts {
  const path = join(stateFolder, 'state.db')
  try {
    const counts = withFile(path, () => openStateDatabase(path, JOURNAL, openDatabase), read)
    return counts ?? { changes: 0, unfinished: 0 }
  } catch (error) {
    throw journalError(error, path)
  }
}

function onLog<T>({ stateFolder, openDatabase }: HistoryPlace, read: (database: Database) => T): T | undefined {
  const path = graphLogFile(stateFolder)
  return withFile(path, () => openStateDatabase(path, GRAPH_LOG, openDatabase), read)
}

/** Returns `undefined` if there is no file. */
function withFile<T>(path: string, open: () => Database, read: (database: Database) => T): T | undefined {
  if (identityOf(path) === undefined) return undefined
  const database = open()
  try {
    return read(database)
  } finally {
    quietly(() => database.close())
  }
}

function countChanges(database: Database, root: string): ChangeCounts {
  const sql = `SELECT count(*) FILTER (WHERE state <> 'applying') AS changes, count(*) FILTER (WHERE state = 'applying') AS unfinished
    FROM changes WHERE vault = ?`
  return { ...(database.prepare(sql).get(root) as ChangeCounts) }
}

function countCommits(database: Database, root: string): number {
  const sql = 'SELECT count(*) AS commits FROM commits WHERE vault = ? AND base <> generation'
  return (database.prepare(sql).get(root) as { commits: number }).commits
}

/** Removes deleted data from the file, and truncates SQLite's auxiliary files. */
function clean(database: Database): void {
  database.exec('VACUUM')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
