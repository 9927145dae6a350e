import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { deleteDatabase } from './location.ts'

/** An index that nobody opened for so long belongs to a former vault, version or setting (ms). */
const MONTH = 30 * 24 * 3_600_000

/** Files of one vault: its index, the search index and what is saved beside that, insight, and the places on the map. */
const CACHE_FILE =
  /^(?:(?:index|search-\d+|insight-\d+)-([0-9a-f]{24})\.db(?:\.\d+-\d+\.new|\.hnsw-[0-9a-f]{16}(?:-.+)?)?|layout-([0-9a-f]{24})\.json(?:\.\d+\.tmp)?)$/
const DRAFT = /\.(?:new|tmp)$/

/** Deletes files of other indexes in the same folder that were not used for 30 days, and drafts that were left behind. */
export function sweepOldIndexes(path: string, now = Date.now()): void {
  const folder = dirname(path)
  const vault = /[0-9a-f]{24}/.exec(basename(path))?.[0]
  const isOld = (name: string): boolean => {
    const found = CACHE_FILE.exec(name)
    const owner = found?.[1] ?? found?.[2]
    if (owner === undefined || (owner === vault && !DRAFT.test(name))) return false
    const file = join(folder, name)
    const used = usedAt(usedWith(file, owner)) ?? usedAt(file)
    return used !== undefined && now - used > MONTH
  }
  // All are judged before the first goes: some are judged by others.
  for (const name of readdirSync(folder).filter(isOld)) deleteDatabase(join(folder, name))
}

/** Whose time of use counts: what is saved beside a database, and the places on the map, are used with it and keep an old time themselves. */
function usedWith(file: string, owner: string): string {
  if (DRAFT.test(file)) return file
  return file.endsWith('.json') ? join(dirname(file), `index-${owner}.db`) : file.replace(/\.hnsw-.*$/, '')
}

function usedAt(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.atimeMs)
}
