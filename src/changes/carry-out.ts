import type { ChangeDirectory, Numbered, PendingWrite } from './change-directory.ts'
import { FilesChanged, type Mismatch, mismatch } from './conflict.ts'
import type { EntryOf } from './entry.ts'
import { type FileStamp, isSameFile } from './file-system.ts'

/** Everything that applying a change needs besides its entries. */
export interface Means {
  content(hash: string): Uint8Array
  /** The stamp of each file when its bytes were compared. */
  readonly stamps: ReadonlyMap<string, FileStamp>
}

/**
 * Applies a recorded change. First, everything that takes space or time is written under temporary names; then names
 * change, one call each. Displaced files keep a name until all is in place and are hashed again: bytes written into
 * them meanwhile are put back.
 * One loss remains: a program that opened the old file before may write into it after it was hashed again.
 * @throws FilesChanged, and errors of the calls; the change must then be rolled back
 */
export async function carryOut(place: ChangeDirectory, entries: readonly Numbered[], means: Means): Promise<void> {
  for (const { path } of of(entries, 'makeFolder')) place.makeFolder(path)
  const writes = entries.flatMap((entry) => pendingWritesOf(place, entry, means))
  await place.write(writes)
  requireUntouched(place, entries, means.stamps)
  for (const { path, index } of of(entries, 'replace')) {
    await place.exchange(place.aside(path, index, 'new'), path, place.aside(path, index, 'old'))
  }
  for (const { path, index } of of(entries, 'create')) await place.renameToFree(place.aside(path, index, 'new'), path)
  const moves = of(entries, 'move').filter((entry) => !isRenamed(place, entry))
  for (const entry of moves) await addName(place, entry)
  // A new name must be on the disk before the old one goes.
  if (moves.length > 0) await place.syncFolders()
  const gone = [...moves, ...of(entries, 'remove')]
  for (const { path, index } of gone) if (place.stamp(path) !== undefined) place.rename(path, place.aside(path, index, 'old'))
  // Syncing takes some milliseconds: a program that was saving into a displaced file has finished by then.
  await place.syncFolders()
  requireDisplaced(place, entries, means.content)
  await finishUp(place, entries)
}

/** The last steps, when all bytes are in place and nobody's bytes were lost. */
export async function finishUp(place: ChangeDirectory, entries: readonly Numbered[]): Promise<void> {
  const displaced = entries.filter(({ kind }) => kind === 'replace' || kind === 'move' || kind === 'remove')
  await place.discardAll(displaced.map(({ path, index }) => place.aside(path, index, 'old')))
  for (const { path, to } of of(entries, 'moveFolder')) if (place.stamp(path) !== undefined) place.rename(path, to)
  for (const { path } of of(entries, 'removeFolder')) place.removeFolder(path)
  if (entries.some(({ kind }) => kind === 'moveFolder' || kind === 'removeFolder')) await place.syncFolders()
}

function of<K extends Numbered['kind']>(entries: readonly Numbered[], kind: K): readonly Numbered<EntryOf<K>>[] {
  return entries.filter((entry) => entry.kind === kind) as unknown as readonly Numbered<EntryOf<K>>[]
}

function pendingWritesOf(place: ChangeDirectory, entry: Numbered, { content, stamps }: Means): readonly PendingWrite[] {
  if (entry.kind !== 'create' && entry.kind !== 'replace') return []
  const { path, index, after, mode } = entry
  return [{ path: place.aside(path, index, 'new'), bytes: content(after), mode, like: stamps.get(path) }]
}

/** While bytes were written, seconds may have passed. */
function requireUntouched(place: ChangeDirectory, entries: readonly Numbered[], stamps: ReadonlyMap<string, FileStamp>): void {
  const changed: Mismatch[] = []
  for (const entry of entries) {
    if (!('before' in entry)) continue
    const then = stamps.get(entry.path)
    const now = place.stamp(entry.path)
    if (isSameFile(then, now) && then?.size === now?.size && then?.mtimeNs === now?.mtimeNs) continue
    const actual = place.hash(entry.path)
    if (actual !== entry.before) changed.push({ path: entry.path, expected: entry.before, actual })
  }
  if (changed.length > 0) throw new FilesChanged(changed, 'Nothing was written.')
}

/** Moves that a single call makes: where names fold, another spelling of the same file. */
function isRenamed(place: ChangeDirectory, { path, to }: Numbered<EntryOf<'move'>>): boolean {
  if (!place.isSame(path, to)) return false
  place.rename(path, to)
  return true
}

/** Gives a file that moves its new name; to another file system it is copied under a temporary one first. */
async function addName(place: ChangeDirectory, { path, to, index }: Numbered<EntryOf<'move'>>): Promise<void> {
  if (place.link(path, to)) return
  const copy = place.aside(to, index, 'new')
  place.copy(path, copy)
  await place.renameToFree(copy, to)
}

/** @throws FilesChanged when a displaced file is not the one that was expected. */
function requireDisplaced(place: ChangeDirectory, entries: readonly Numbered[], content: Means['content']): void {
  const changed: Mismatch[] = []
  for (const entry of entries) {
    if (entry.kind === 'move') requireMoved(place, entry, changed)
    if (entry.kind !== 'replace' && entry.kind !== 'remove') continue
    const old = place.aside(entry.path, entry.index, 'old')
    const actual = place.hash(old)
    if (actual === entry.before) continue
    const bytes = { expected: content(entry.before), actual: actual === undefined ? undefined : place.fs.read(place.at(old)) }
    changed.push(mismatch({ path: entry.path, expected: entry.before, actual }, bytes))
  }
  if (changed.length > 0) throw new FilesChanged(changed, 'It was put back as it is now; nothing else was changed either.')
}

/** A file that took the old name meanwhile is another file. */
function requireMoved(place: ChangeDirectory, entry: Numbered<EntryOf<'move'>>, changed: Mismatch[]): void {
  const old = place.aside(entry.path, entry.index, 'old')
  const stamp = place.stamp(old)
  if (stamp === undefined || place.isSame(old, entry.to)) return
  // A copy on another file system can only be recognised by its bytes.
  const actual = place.hash(old)
  const moved = place.hash(entry.to)
  if (actual !== moved) changed.push({ path: entry.path, expected: moved ?? 'as it was read', actual })
}
