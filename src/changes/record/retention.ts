import type { Database } from './database.ts'
import { pragma } from './migrations.ts'

/** How long what was changed can be undone. */
export interface Retention {
  readonly days: number
  /** Limit of the whole record, for all vaults. */
  readonly bytes: number
}

const DAY = 86_400_000

/** Drops the oldest changes until the rest is young and small enough; never one that is being applied, and never the newest ended one. */
export function prune(database: Database, { days, bytes }: Retention, now: number): void {
  const ended = `SELECT id FROM changes WHERE state <> 'applying'`
  const newest = `(SELECT max(id) FROM changes WHERE state <> 'applying')`
  const old = database.prepare(`${ended} AND time < ? AND id <> ${newest}`).all(now - days * DAY) as { id: string }[]
  drop(database, old)
  while (usedBytes(database) > bytes) {
    // Drops a batch at a time: slightly more than necessary, but cheap.
    const oldest = database.prepare(`${ended} AND id <> ${newest} ORDER BY id LIMIT 20`).all() as { id: string }[]
    if (oldest.length === 0) break
    drop(database, oldest)
  }
}

function usedBytes(database: Database): number {
  return (pragma(database, 'page_count') - pragma(database, 'freelist_count')) * pragma(database, 'page_size')
}

/** Contents that other changes use stay. */
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
