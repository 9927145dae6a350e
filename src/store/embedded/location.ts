import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../core/error-code.ts'
import type { IndexName, IndexStatus } from '../../core/indexing.ts'
import { makeFolder } from '../../core/make-folder.ts'

/** An index that nobody opened for so long belongs to a former vault, version or setting (ms). */
const MONTH = 30 * 24 * 3_600_000

/** Files of one vault: its index, the search index and what is saved beside that, insight, and the places on the map. */
const CACHE_FILE =
  /^(?:(?:index|search-\d+|insight-\d+)-([0-9a-f]{24})\.db(?:\.\d+-\d+\.new|\.hnsw-[0-9a-f]{16}(?:-.+)?)?|layout-([0-9a-f]{24})\.json(?:\.\d+\.tmp)?)$/

const DRAFT = /\.(?:new|tmp)$/

/** Where an index lives: a file, or memory that this process's threads share under a name. */
export type Location = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'memory'; readonly name: string }

/** What SQLite opens. */
export function databasePath(location: Location): string {
  return location.kind === 'file' ? location.path : `file:/${location.name}?vfs=memdb`
}

/**
 * The identity of the file at a location: another process may have replaced a damaged one, or someone emptied the cache
 * folder. `undefined` if it is missing.
 */
export function identityOf(location: Location): string | undefined {
  if (location.kind === 'memory') return location.name
  const stat = statSync(location.path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}

/** Makes the folder, readable by its owner only. */
export function makeRoom(path: string): void {
  makeFolder(dirname(path), { mkdirSync, dirname })
}

/** Gives a finished file its name, unless another process was first. */
export function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const code = errorCode(error)
    // File systems without hard links: the last one wins, and the others notice by the file's identity.
    if (code !== 'EEXIST') renameSync(draft, path)
  }
  deleteDatabase(draft)
}

/** Deletes a database and what SQLite keeps beside it. */
export function deleteDatabase(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(path + ending, { force: true })
}

/** Where the embedded engine keeps what it knows of a vault. */
export interface EmbeddedPlace {
  readonly type: 'embedded'
  /** Path of the index on disk. */
  readonly file: string
  /** Path of the search index on disk. */
  readonly searchFile: string
  /** Path of the insight cache. */
  readonly insightFile: string
  /** Path of the map's layout. */
  readonly layoutFile: string
  /** Name of the indexes in memory, unique in the process. */
  readonly memory: string
}

export function locationOf(place: EmbeddedPlace, which: IndexName, cache: IndexStatus['cache']): Location {
  const isSearch = which === 'search'
  if (cache === 'disk') return { kind: 'file', path: isSearch ? place.searchFile : place.file }
  return { kind: 'memory', name: isSearch ? `${place.memory}-search` : place.memory }
}

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
  return file.endsWith('.json') ? join(dirname(file), `index-${owner}.db`) : file.replace(/\.hnsw-[\s\S]*/, '')
}

function usedAt(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.atimeMs)
}
