import { RouxError } from '../../core/errors.ts'
import type { GraphLog, LoggedCommit } from '../../core/insight/graph-changes.ts'
import { attempt, type Database, identityOf, type OpenDatabase } from '../record/database.ts'
import { pragma } from '../record/migrations.ts'
import { type CommitRow, unpackCommit } from './commit-rows.ts'
import { graphLogFile, requireOurs } from './log-file.ts'

export interface LogReaderOptions {
  readonly stateFolder: string
  /** The real path of the vault's root. */
  readonly root: string
  readonly openDatabase: OpenDatabase
}

/** Rows that are read at once: others have their turn between. */
const ROWS = 200

/** The log as it is on the disk; nothing is made there, and no file is kept open. */
export function openLogReader({ stateFolder, root, openDatabase }: LogReaderOptions): GraphLog {
  const path = graphLogFile(stateFolder)
  const use = <T>(none: T, read: (database: Database) => T): T => {
    try {
      if (identityOf(path) === undefined) return none
      const database = openDatabase(path)
      try {
        requireOurs(database)
        // It is being made at this moment.
        return pragma(database, 'user_version') === 0 ? none : read(database)
      } finally {
        attempt(() => database.close())
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new RouxError('PROVIDER_ERROR', `The log of changes (${path}) cannot be read: ${reason}.`, {
        hint: 'Move the file away: what changes from then on is logged in a new one.',
        cause: error,
      })
    }
  }
  return {
    async *commits(lineage, upTo) {
      let last = { generation: upTo, base: Number.MAX_SAFE_INTEGER }
      for (;;) {
        const part = use<readonly LoggedCommit[]>([], (database) => {
          const rows = database
            .prepare(`SELECT lineage, generation, base, time, deflated, sum, data FROM commits
              WHERE lineage = ? AND (generation < ? OR (generation = ? AND base < ?)) ORDER BY generation DESC, base DESC LIMIT ?`)
            .all(lineage, last.generation, last.generation, last.base, ROWS) as readonly CommitRow[]
          return rows.map(unpackCommit)
        })
        if (part.length > 0) yield part
        last = part.at(-1) ?? last
        if (part.length < ROWS) return
      }
    },
    async knows(lineage) {
      const [row] = use<readonly { readonly vault: string }[]>([], (database) => {
        return database.prepare('SELECT vault FROM commits WHERE lineage = ? LIMIT 1').all(lineage) as { vault: string }[]
      })
      if (row === undefined) return undefined
      return row.vault === root ? 'this vault' : 'another vault'
    },
  }
}
