import { linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../../core/error-code.ts'
import { makeFolder } from '../../core/make-folder.ts'

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
