import type { Trashed } from '../core/changes.ts'
import type { SqlValue } from './record/database.ts'

/** Runs a query on the record; no rows where there is none. */
export type Query = (sql: string, ...values: readonly SqlValue[]) => readonly unknown[]

/** A file that is restored was deleted a moment ago, as a rule. */
const FIRST_PAGE = 20
const PAGE = 2_000
/** Sorts after every id. */
const LAST_ID = '~'

/** From the newest change on, and in it from its last entry on: `.trash0` is the first name after all that begin with `.trash/`. */
const DELETIONS = `SELECT c.id, e.position, e.path, e.target FROM changes c CROSS JOIN entries e ON e.change = c.id
  WHERE c.vault = ? AND c.id <= ? AND (c.id < ? OR e.position < ?) AND c.state = 'done'
    AND e.kind = 'move' AND e.target >= '.trash/' AND e.target < '.trash0'
  ORDER BY c.id DESC, e.position DESC LIMIT ?`

interface DeletionRow {
  readonly id: string
  readonly position: number
  readonly path: string
  readonly target: string
}

/**
 * Files that changes of a vault moved to the trash and that were not restored, newest first; reads lazily, page by
 * page.
 */
export function* deletionsOf(vault: string, query: Query): Generator<Trashed> {
  let last: DeletionRow | undefined
  for (let limit = FIRST_PAGE; ; limit = PAGE) {
    const { id, position } = last ?? { id: LAST_ID, position: 0 }
    const rows = query(DELETIONS, vault, id, id, position, limit) as readonly DeletionRow[]
    for (const { path, target } of rows) yield { trash: target, path }
    last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
  }
}
