import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../core/errors.ts'
import type { IndexName, IndexStatus } from '../../core/indexing.ts'
import { makeFolder } from '../../core/make-folder.ts'

/** Caches of former vaults, versions and settings are deleted after this time, in milliseconds. */
const MONTH = 30 * 24 * 3_600_000

/** Matches the names of a vault's cache files. */
const CACHE_FILE =
  /^(?:(?:index|search-\d+|insight-\d+)-([0-9a-f]{24})\.db(?:\.\d+-\d+\.new|\.hnsw-[0-9a-f]{16}(?:-.+)?)?|(?:layout|picture)-([0-9a-f]{24})\.json(?:\.\d+\.tmp)?)$/

const DRAFT = /\.(?:new|tmp)$/

export type Location = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'memory'; readonly name: string }

export function databasePath(location: Location): string {
  return location.kind === 'file' ? location.path : `file:/${location.name}?vfs=memdb`
}

/** Returns a value that changes if the file is replaced, or `undefined` if there is no file. */
export function identityOf(location: Location): string | undefined {
  if (location.kind === 'memory') return location.name
  const stat = statSync(location.path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`
}

export function makeRoom(path: string): void {
  makeFolder(dirname(path), { mkdirSync, dirname })
}

/** Publishes a file without overwriting one that another process has published. */
export function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const code = errorCode(error)
    // If the file system has no hard links, the last process wins. The others detect the new identity.
    if (code !== 'EEXIST') renameSync(draft, path)
  }
  deleteDatabase(draft)
}

export function deleteDatabase(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal', '']) rmSync(path + ending, { force: true })
}

export interface EmbeddedPlace {
  readonly type: 'embedded'
  readonly file: string
  readonly searchFile: string
  readonly insightFile: string
  readonly layoutFile: string
  readonly pictureFile: string
  /** The name of the in-memory databases, which is unique in this process. */
  readonly memory: string
}

export function locationOf(place: EmbeddedPlace, which: IndexName, cache: IndexStatus['cache']): Location {
  const isSearch = which === 'search'
  if (cache === 'disk') return { kind: 'file', path: isSearch ? place.searchFile : place.file }
  return { kind: 'memory', name: isSearch ? `${place.memory}-search` : place.memory }
}

/** Minimum free space for an index, in bytes. */
const MIN_FREE_BYTES = 64 << 20

/** Checks for write access and for twice the present size of the index. */
export function hasRoom({ file, searchFile }: EmbeddedPlace): boolean {
  try {
    makeRoom(file)
    const stats = [file, searchFile].flatMap((path) => statSync(path, { throwIfNoEntry: false }) ?? [])
    const size = stats.reduce((sum, stat) => sum + stat.size, 0)
    const { bavail, bsize } = statfsSync(dirname(file))
    if (stats.some((stat) => !stat.isFile()) || bavail * bsize < Math.max(MIN_FREE_BYTES, 2 * size)) return false
    const probe = `${file}.${process.pid}-0.new`
    writeFileSync(probe, 'room')
    rmSync(probe)
    return true
  } catch {
    return false
  }
}

/** Deletes other indexes and drafts that have not been used for a month. */
export function sweepOldIndexes(path: string, now = Date.now()): void {
  const folder = dirname(path)
  const vault = /[0-9a-f]{24}/.exec(basename(path))?.[0]
  const isOld = (name: string): boolean => {
    const match = CACHE_FILE.exec(name)
    const owner = match?.[1] ?? match?.[2]
    if (owner === undefined || (owner === vault && !DRAFT.test(name))) return false
    const file = join(folder, name)
    const usedTime = usedAt(usedWith(file, owner)) ?? usedAt(file)
    return usedTime !== undefined && now - usedTime > MONTH
  }
  // The age of a file can depend on another file, so check all files before deleting any.
  for (const name of readdirSync(folder).filter(isOld)) deleteDatabase(join(folder, name))
}

/** A layout or saved graph is as old as its database, because its own times do not change. */
function usedWith(file: string, owner: string): string {
  if (DRAFT.test(file)) return file
  return file.endsWith('.json') ? join(dirname(file), `index-${owner}.db`) : file.replace(/\.hnsw-[\s\S]*/, '')
}

function usedAt(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.atimeMs)
}
