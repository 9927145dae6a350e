import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { deleteDatabase } from './location.ts'

/** An index that no one opened for so long belongs to a vault, version or setting that is no more (ms). */
const MONTH = 30 * 24 * 3_600_000

/** Files of an index: of the graph, of search and what was saved beside that, of the vault as a whole. */
const INDEX = /^(index|search-\d+|insight-\d+)-[0-9a-f]{24}\.db(\.\d+-\d+\.new|\.hnsw-[0-9a-f]{16}(-.+)?)?$/
const DRAFT = /\.new$/

/** Deletes other indexes in the same folder that were not used for 30 days, and drafts that were left behind. */
export function sweepOldIndexes(path: string, now = Date.now()): void {
  const folder = dirname(path)
  const vault = /[0-9a-f]{24}/.exec(basename(path))?.[0] ?? basename(path)
  for (const name of readdirSync(folder)) {
    if (!INDEX.test(name) || (name.includes(vault) && !DRAFT.test(name))) continue
    const file = join(folder, name)
    // What was saved beside an index is used with it, and itself only read.
    const used = usedAt(file.replace(/\.hnsw-.*$/, '')) ?? usedAt(file)
    if (used !== undefined && now - used > MONTH) deleteDatabase(file)
  }
}

function usedAt(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.atimeMs)
}
