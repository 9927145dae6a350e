import { join } from 'node:path'
import { quietly } from '../core/quietly.ts'
import { type Database, inTransaction } from '../core/sql-database.ts'
import { journalError } from './failures.ts'
import { GRAPH_LOG, graphLogFile } from './graph-log.ts'
import { JOURNAL } from './record/journal.ts'
import { identityOf, type OpenDatabase, openStateDatabase } from './record/state-database.ts'

export interface HistoryOptions {
  readonly stateFolder: string
  readonly root: string
  readonly openDatabase: OpenDatabase
}

export interface History {
  readonly changes: number
  /** Number of rows in the change log. */
  readonly commits: number
  /** Changes in progress or incomplete. Their data is never deleted. */
  readonly unfinished: number
}

/** @throws RouxError if the files cannot be used */
export function readHistory(options: HistoryOptions): History {
  return {
    ...onJournal(options, (database) => countChanges(database, options.root)),
    commits: onLog(options, (database) => countCommits(database, options.root)) ?? 0,
  }
}

/** Cannot be undone. @returns what was deleted @throws like `readHistory` */
export function forgetHistory(options: HistoryOptions): History {
  const { root } = options
  const changes = onJournal(options, (database) => {
    const counts = countChanges(database, root)
    inTransaction(database, () => {
      database.prepare(`DELETE FROM changes WHERE vault = ? AND state <> 'applying'`).run(root)
      database.exec(`DELETE FROM contents WHERE hash NOT IN (SELECT before FROM entries WHERE before IS NOT NULL)
        AND hash NOT IN (SELECT after FROM entries WHERE after IS NOT NULL)`)
    })
    clean(database)
    return counts
  })
  const commits = onLog(options, (database) => {
    const count = countCommits(database, root)
    database.prepare('DELETE FROM commits WHERE vault = ?').run(root)
    clean(database)
    return count
  })
  return { ...changes, commits: commits ?? 0 }
}

type ChangeCounts = Pick<History, 'changes' | 'unfinished'>

function onJournal({ stateFolder, openDatabase }: HistoryOptions, read: (database: Database) => ChangeCounts): ChangeCounts {
  const path = join(stateFolder, 'state.db')
  if (identityOf(path) === undefined) return { changes: 0, unfinished: 0 }
  try {
    const database = openStateDatabase(path, JOURNAL, openDatabase)
    try {
      return read(database)
    } finally {
      quietly(() => database.close())
    }
  } catch (error) {
    throw journalError(error, path)
  }
}

function onLog<T>({ stateFolder, openDatabase }: HistoryOptions, read: (database: Database) => T): T | undefined {
  const path = graphLogFile(stateFolder)
  if (identityOf(path) === undefined) return undefined
  const database = openStateDatabase(path, GRAPH_LOG, openDatabase)
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
