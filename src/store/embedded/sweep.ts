import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { deleteDatabase } from './location.ts'

/** An index that nobody opened for so long belongs to a vault, version or setting that is no more (ms). */
const MONTH = 30 * 24 * 3_600_000

/** Deletes other indexes in the same folder that were not used for 30 days, and drafts that were left behind. */
export function sweepOldIndexes(path: string, now = Date.now()): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    const isIndex = /^index-[0-9a-f]{24}\.db$/.test(name) && name !== basename(path)
    if (!isIndex && !/^index-[0-9a-f]{24}\.db\.\d+-\d+\.new$/.test(name)) continue
    const file = join(folder, name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && now - Math.max(stat.mtimeMs, stat.atimeMs) > MONTH) deleteDatabase(file)
  }
}
