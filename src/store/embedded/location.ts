import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/** Where an index lives: a file, or memory that this process's threads share under a name. */
export type Location =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'memory'; readonly name: string }

/** What SQLite opens. */
export function databasePath(location: Location): string {
  return location.kind === 'file' ? location.path : `file:/${location.name}?vfs=memdb`
}

export function locationExists(location: Location): boolean {
  return location.kind === 'memory' || existsSync(location.path)
}

/** Makes the folder, readable by its owner only. */
export function makeRoom(location: Location): void {
  if (location.kind === 'file') mkdirSync(dirname(location.path), { recursive: true, mode: 0o700 })
}

/** Deletes an index and what SQLite keeps beside it. */
export function deleteIndex(location: Location): void {
  if (location.kind === 'memory') return
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(location.path + ending, { force: true })
}
