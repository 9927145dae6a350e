import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Trashed } from '../../core/changes.ts'
import type { Database, SqlValue } from '../../core/sql-database.ts'
import type { Entry } from '../entry.ts'
import { usedBytes } from './state-database.ts'

const DAY = 86_400_000

/** The first page is small, because most restored files were deleted recently. */
const FIRST_PAGE = 20

const PAGE = 2_000

/** Sorts after all ids. */
const LAST_ID = '~'

/**
 * The newest change comes first, and within a change, the last entry. `.trash0` sorts after all names that start with `.trash/`.
 */
const DELETIONS = `SELECT c.id, e.position, e.path, e.target FROM changes c CROSS JOIN entries e ON e.change = c.id
  WHERE c.vault = ? AND c.id <= ? AND (c.id < ? OR e.position < ?) AND c.state = 'done'
    AND e.kind = 'move' AND e.target >= '.trash/' AND e.target < '.trash0'
  ORDER BY c.id DESC, e.position DESC LIMIT ?`

export interface EntryRow {
  readonly kind: string
  readonly path: string
  readonly target: string | null
  readonly before: string | null
  readonly after: string | null
  readonly mode: number | null
}

export interface ContentRow {
  readonly deflated: number
  readonly bytes: Uint8Array
}

export function entryOf(row: EntryRow): Entry {
  const { path } = row
  const before = row.before ?? ''
  const after = row.after ?? ''
  switch (row.kind) {
    case 'makeFolder':
    case 'removeFolder':
      return { kind: row.kind, path }
    case 'moveFolder':
      return { kind: row.kind, path, to: row.target ?? '' }
    case 'move':
      return { kind: row.kind, path, to: row.target ?? '', before }
    case 'create':
      return { kind: row.kind, path, after, mode: row.mode ?? undefined }
    case 'replace':
      return { kind: row.kind, path, before, after, mode: row.mode ?? 0o600 }
    case 'remove':
      return { kind: row.kind, path, before, mode: row.mode ?? 0o600 }
    default:
      throw new Error(`unknown kind of entry: ${row.kind}`)
  }
}

/** Content of up to this many bytes is not compressed, because it fits into a database page anyway. */
const DEFLATE_ABOVE = 4096

/** This level takes a third of the time of level 6, and the output is about 15 % larger. */
const LEVEL = 1

export function packContent(bytes: Uint8Array): ContentRow {
  if (bytes.length > DEFLATE_ABOVE) {
    const deflated = deflateRawSync(bytes, { level: LEVEL })
    if (deflated.length < bytes.length * 0.9) return { deflated: 1, bytes: deflated }
  }
  // The bytes are copied, because some versions of the binding reject a view into the middle of a buffer.
  return { deflated: 0, bytes: Uint8Array.from(bytes) }
}

export function unpackContent({ deflated, bytes }: ContentRow): Uint8Array {
  return deflated === 0 ? bytes : inflateRawSync(bytes)
}

export interface Retention {
  readonly days: number
  /** The maximum size of the record for all vaults, in bytes. */
  readonly bytes: number
}

/** Deletes the oldest changes beyond the limits. Changes in progress and the last completed change stay. */
export function prune(database: Database, { days, bytes }: Retention, now: number): void {
  const finished = `SELECT id FROM changes WHERE state <> 'applying'`
  const newest = `(SELECT max(id) FROM changes WHERE state <> 'applying')`
  const old = database.prepare(`${finished} AND time < ? AND id <> ${newest}`).all(now - days * DAY) as { id: string }[]
  drop(database, old)
  while (usedBytes(database) > bytes) {
    // Deleting in batches is cheaper, but may delete a few more changes than necessary.
    const oldest = database.prepare(`${finished} AND id <> ${newest} ORDER BY id LIMIT 20`).all() as { id: string }[]
    if (oldest.length === 0) break
    drop(database, oldest)
  }
}

/** Deletes changes with their contents, except contents that other changes use. */
function drop(database: Database, changes: readonly { readonly id: string }[]): void {
  if (changes.length === 0) return
  const hashesOf = database.prepare('SELECT before, after FROM entries WHERE change = ?')
  const dropChange = database.prepare('DELETE FROM changes WHERE id = ?')
  const dropContent = database.prepare(`DELETE FROM contents WHERE hash = ?1
    AND NOT EXISTS (SELECT 1 FROM entries WHERE before = ?1) AND NOT EXISTS (SELECT 1 FROM entries WHERE after = ?1)`)
  const hashes = new Set<string>()
  for (const { id } of changes) {
    for (const row of hashesOf.all(id) as { before: string | null; after: string | null }[]) {
      if (row.before !== null) hashes.add(row.before)
      if (row.after !== null) hashes.add(row.after)
    }
    dropChange.run(id)
  }
  for (const hash of hashes) dropContent.run(hash)
  database.prepare('PRAGMA incremental_vacuum(2000)').all()
}

export type Query = (sql: string, ...values: readonly SqlValue[]) => readonly unknown[]

interface DeletionRow {
  readonly id: string
  readonly position: number
  readonly path: string
  readonly target: string
}

/** Yields deleted files that have not been restored, newest first. The rows are read page by page. */
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
