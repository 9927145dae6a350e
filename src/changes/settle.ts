import type { KeptFile } from '../core/changes.ts'
import { errorCode } from '../core/errors.ts'
import { folderOf, inFolder, nameOf, withParents } from '../core/paths.ts'
import type { ChangeDirectory, Numbered, PendingWrite } from './change-directory.ts'
import { FilesChanged, type Mismatch, mismatch } from './conflict.ts'
import { type Aside, type EntryOf, finalPaths } from './entry.ts'
import { isRespelling } from './examine.ts'
import { CHANGED, RACES } from './failures.ts'
import { type FileStamp, isSameFile } from './file-system.ts'

export type ContentOf = (hash: string) => Uint8Array

export interface SettleOptions {
  readonly content: ContentOf
  /** The stamps of the files when their bytes were compared. */
  readonly stamps: ReadonlyMap<string, FileStamp>
}

/** The state of a change: `before` means that nothing is applied, `after` that everything is. */
export type Side = 'before' | 'after'

type FileEntry = EntryOf<'replace' | 'create' | 'remove'>

const ASIDES: readonly Aside[] = ['new', 'old', 'restore', 'undone']

/**
 * Writes all data to temporary files, then renames files. Displaced files keep a temporary name and are hashed again at the end,
 * to restore bytes written to them meanwhile. Bytes that another program writes to an open file soon after that become a
 * conflicted copy.
 * @throws FilesChanged, and errors from calls; the change must then be rolled back
 */
export async function carryOut(place: ChangeDirectory, entries: readonly Numbered[], options: SettleOptions): Promise<void> {
  for (const { path } of entriesOf(entries, 'makeFolder')) place.makeFolder(path)
  const writes = entries.flatMap((entry) => pendingWritesOf(place, entry, options))
  await place.write(writes)
  requireUntouched(place, entries, options.stamps)
  for (const { path, index } of entriesOf(entries, 'replace')) {
    // The old file gets a temporary name, because renaming over it could destroy what an editor is saving. For about 20 µs, no
    // file has this name.
    place.rename(path, place.asidePath(path, index, 'old'))
    await place.renameToFree(place.asidePath(path, index, 'new'), path)
  }
  for (const { path, index } of entriesOf(entries, 'create')) await place.renameToFree(place.asidePath(path, index, 'new'), path)
  const moves = entriesOf(entries, 'move').filter((entry) => !respell(place, entry))
  for (const entry of moves) await addName(place, entry)
  // The new name is synced before the old one is removed.
  if (moves.length > 0) await place.syncFolders()
  const removals = [...moves, ...entriesOf(entries, 'remove')]
  for (const { path, index } of removals)
    if (place.stamp(path) !== undefined) place.rename(path, place.asidePath(path, index, 'old'))
  // While files are synced for some milliseconds, other programs can finish saving to a displaced file.
  await place.syncFolders()
  requireDisplaced(place, entries, options.content)
  await finishUp(place, entries)
}

/**
 * Completes or rolls back an interrupted change, based on the files on disk. The function can itself be interrupted and repeated.
 * Bytes written by other programs are kept.
 * @returns the files that were left unchanged
 */
export async function settle(
  place: ChangeDirectory,
  entries: readonly Numbered[],
  { side, content }: { readonly side: Side; readonly content: ContentOf },
): Promise<readonly KeptFile[]> {
  if (side === 'after') {
    await finishUp(place, entries)
    return []
  }
  const keptFiles: KeptFile[] = []
  for (const entry of entries.toReversed()) {
    const reason = await retryUntilStable(() => rollBack(place, entry, content))
    if (reason !== undefined) keptFiles.push({ path: entry.path, reason })
  }
  await place.syncFolders()
  return keptFiles
}

/**
 * Returns `after` if all bytes are in place: no pending or changed temporary file, no file with old content, and at least one
 * with new content. Otherwise, the result is `before`.
 */
export function sideOf(place: ChangeDirectory, entries: readonly Numbered[]): Side {
  const finalPath = finalPaths(entries)
  const sides = entries.map((entry) => sideOfEntry(place, entry, finalPath(entry.path)))
  const hasFiles = entries.some(({ kind }) => kind !== 'makeFolder' && kind !== 'removeFolder')
  return !sides.includes('before') && (!hasFiles || sides.includes('after')) ? 'after' : 'before'
}

/** Returns `undefined` if another program has changed the file, or for a removed folder, which may exist on both sides. */
function sideOfEntry(place: ChangeDirectory, entry: Numbered, finalPath: string): Side | undefined {
  const { kind, path, index } = entry
  const paths = [...new Set([path, finalPath, 'to' in entry ? entry.to : path])]
  const isLeft = (suffix: Aside) => paths.some((each) => place.stamp(place.asidePath(each, index, suffix)) !== undefined)
  if (ASIDES.some((suffix) => isLeft(suffix) && (suffix !== 'old' || displacedByOther(place, entry) !== undefined)))
    return 'before'
  switch (kind) {
    case 'replace':
    case 'create':
    case 'remove': {
      const { before, after } = hashesOf(entry)
      const now = place.hashIfPresent(finalPath)
      if (now === before) return 'before'
      return now === after || kind === 'remove' ? 'after' : undefined
    }
    case 'move':
    case 'moveFolder':
      if (place.stamp(entry.to) === undefined || place.stamp(path) !== undefined) return 'before'
      return kind === 'moveFolder' || place.hash(entry.to) === entry.before ? 'after' : undefined
    case 'makeFolder':
      return place.stamp(path)?.kind === 'folder' ? undefined : 'before'
    case 'removeFolder':
      return undefined
  }
}

/** Returns the hashes of both sides. A hash is `undefined` if the file does not exist on that side. */
function hashesOf(entry: FileEntry): { readonly before: string | undefined; readonly after: string | undefined } {
  return { before: 'before' in entry ? entry.before : undefined, after: 'after' in entry ? entry.after : undefined }
}

/** Removes temporary files. All bytes are in place by then, so nothing can be lost. */
async function finishUp(place: ChangeDirectory, entries: readonly Numbered[]): Promise<void> {
  const displaced = entries.filter(({ kind }) => kind === 'replace' || kind === 'move' || kind === 'remove')
  const finalPath = finalPaths(entries)
  for (const entry of displaced) {
    // A moved file still exists.
    if (entry.kind !== 'move' && 'before' in entry)
      watchLateWrites(place, place.asidePath(entry.path, entry.index, 'old'), { path: finalPath(entry.path), hash: entry.before })
  }
  await place.discardAll(displaced.map(({ path, index }) => place.asidePath(path, index, 'old')))
  for (const { path, to } of entriesOf(entries, 'moveFolder')) if (place.stamp(path) !== undefined) place.rename(path, to)
  for (const { path } of entriesOf(entries, 'removeFolder')) place.removeFolder(path)
  if (entries.some(({ kind }) => kind === 'moveFolder' || kind === 'removeFolder')) await place.syncFolders()
}

function entriesOf<K extends Numbered['kind']>(entries: readonly Numbered[], kind: K): readonly Numbered<EntryOf<K>>[] {
  return entries.filter((entry) => entry.kind === kind) as unknown as readonly Numbered<EntryOf<K>>[]
}

function pendingWritesOf(place: ChangeDirectory, entry: Numbered, { content, stamps }: SettleOptions): readonly PendingWrite[] {
  if (entry.kind !== 'create' && entry.kind !== 'replace') return []
  const { path, index, after, mode } = entry
  return [{ path: place.asidePath(path, index, 'new'), bytes: content(after), mode, ownerFrom: stamps.get(path) }]
}

/** Writing the new bytes may have taken seconds, so the files are checked again. */
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

/**
 * Renames a file in a single step, if its name changes only in case on a case-insensitive file system.
 * @returns false for any other move
 */
function respell(place: ChangeDirectory, { path, to }: Numbered<EntryOf<'move'>>): boolean {
  if (!place.isSame(path, to)) return false
  place.rename(path, to)
  return true
}

/** Adds the new name to a moving file. If the name is on another file system, the file is first copied under a temporary name. */
async function addName(place: ChangeDirectory, { path, to, index }: Numbered<EntryOf<'move'>>): Promise<void> {
  if (place.link(path, to)) return
  const copy = place.asidePath(to, index, 'new')
  place.copy(path, copy)
  await place.renameToFree(copy, to)
}

/** Checks displaced files. @throws FilesChanged if another program wrote to one of them */
function requireDisplaced(place: ChangeDirectory, entries: readonly Numbered[], content: ContentOf): void {
  const changed = entries.flatMap((entry) => {
    const found = displacedByOther(place, entry)
    if (found === undefined) return []
    if (entry.kind === 'move') return [found]
    const old = place.at(place.asidePath(entry.path, entry.index, 'old'))
    const actual = found.actual === undefined ? undefined : place.fs.read(old)
    return [mismatch(found, { expected: content(found.expected), actual })]
  })
  if (changed.length > 0) throw new FilesChanged(changed, 'It was put back with its current content; nothing else was changed.')
}

/** Returns a mismatch if another program wrote to the displaced file. */
function displacedByOther(place: ChangeDirectory, entry: Numbered): Mismatch | undefined {
  if (entry.kind !== 'replace' && entry.kind !== 'move' && entry.kind !== 'remove') return undefined
  const { path, index, kind } = entry
  const old = place.asidePath(path, index, 'old')
  if (kind === 'move' && (place.stamp(old) === undefined || place.isSame(old, entry.to))) return undefined
  const actual = place.hash(old)
  // The file at the new path may have been replaced, and a copy can be recognized only by its bytes.
  const expected = kind === 'move' ? place.hash(entry.to) : entry.before
  return actual === expected ? undefined : { path, expected: expected ?? 'as it was read', actual }
}

const GONE = 'it is gone and was not created again'

const MAX_TRIES = 5

/** Repeats the action if other programs create or remove names between two calls. */
async function retryUntilStable<T>(action: () => Promise<T>): Promise<T> {
  for (let triesLeft = MAX_TRIES - 1; triesLeft > 0; triesLeft--) {
    try {
      return await action()
    } catch (error) {
      if (!RACES.has(errorCode(error) ?? '')) throw error
    }
  }
  return await action()
}

async function rollBack(place: ChangeDirectory, entry: Numbered, content: ContentOf): Promise<string | undefined> {
  switch (entry.kind) {
    case 'makeFolder':
      if (place.stamp(entry.path)?.kind === 'folder' && !place.removeFolder(entry.path)) return 'the folder is not empty'
      return undefined
    case 'replace':
    case 'create':
    case 'remove':
      return await rollBackFile(place, entry, content)
    case 'move':
      return await rollBackMove(place, entry)
    case 'moveFolder':
      return rollBackFolderMove(place, entry)
    case 'removeFolder':
      if (place.stamp(entry.path) === undefined) place.makeFolder(entry.path)
      return undefined
  }
}

async function rollBackFile(place: ChangeDirectory, entry: Numbered<FileEntry>, content: ContentOf): Promise<string | undefined> {
  const { path, index, mode } = entry
  const { before, after } = hashesOf(entry)
  const [created, old, restore, undone] = ASIDES.map((suffix) => place.asidePath(path, index, suffix)) as [
    string,
    string,
    string,
    string,
  ]
  const wasBrokenOff = place.stamp(undone) !== undefined
  let reason = await resolveDisplaced(place, undone, { path, discardableHash: after, overwritableHash: before })
  await place.discard(restore)
  const now = place.hashIfPresent(path)
  const displaced = place.hash(old)
  // While our bytes have a temporary name, a file with the new name belongs to another program.
  const isWaiting = before === undefined && place.stamp(created) !== undefined && !place.isSame(created, path)
  const isOurs = now !== undefined && now === after && !isWaiting
  const isMissing = now === undefined && before !== undefined && (after === undefined || wasBrokenOff || displaced !== undefined)
  if (isOurs || isMissing) {
    if (displaced !== undefined && displaced !== before) reason = CHANGED
    else if (displaced === undefined && before !== undefined)
      await place.write([{ path: restore, bytes: content(before), mode, ownerFrom: place.stamp(path) }])
    if (isOurs) place.rename(path, undone)
    if (before !== undefined) await place.renameToFree(displaced === undefined ? restore : old, path)
    reason = (await resolveDisplaced(place, undone, { path, discardableHash: after, overwritableHash: before })) ?? reason
  } else if (now !== before && !isWaiting) reason = now === undefined ? GONE : CHANGED
  reason = (await resolveDisplaced(place, old, { path, discardableHash: before })) ?? reason
  await place.discard(created)
  return reason
}

async function rollBackMove(place: ChangeDirectory, entry: Numbered<EntryOf<'move'>>): Promise<string | undefined> {
  const { path, to, index, before } = entry
  const [old, undone] = [place.asidePath(path, index, 'old'), place.asidePath(to, index, 'undone')]
  await place.discard(place.asidePath(to, index, 'new'))
  if (place.stamp(undone) !== undefined && place.stamp(path) === undefined) await place.renameToFree(undone, path)
  let reason = await resolveDisplaced(place, undone, { path: to, discardableHash: place.hash(path) })
  const displaced = place.hash(old)
  const wasOverwritten = displaced !== undefined && displaced !== before && place.hash(to) === before
  if (displaced !== undefined && place.stamp(path) === undefined) await place.renameToFree(old, path)
  reason = (await resolveDisplaced(place, old, { path, discardableHash: place.hash(to) })) ?? reason
  if (isRespelling(path, to) && place.isSame(path, to) && !place.hasBoth(path, to)) {
    place.rename(to, path)
    return reason
  }
  if (place.stamp(to) === undefined) return place.stamp(path) === undefined ? GONE : reason
  if (place.stamp(path) === undefined && !place.link(to, path)) {
    await place.renameToFree(to, path)
    return reason
  }
  if (!wasOverwritten && !place.isSame(path, to) && place.hash(path) !== place.hash(to))
    return `there is another file in addition to ${to}`
  place.rename(to, undone)
  return (
    (await resolveDisplaced(place, undone, { path: to, discardableHash: wasOverwritten ? before : place.hash(path) })) ??
    (wasOverwritten ? CHANGED : reason)
  )
}

function rollBackFolderMove(place: ChangeDirectory, { path, to }: EntryOf<'moveFolder'>): string | undefined {
  if (place.stamp(to)?.kind !== 'folder') return undefined
  if (place.stamp(path) !== undefined && !place.isSame(path, to))
    return `there is another folder; the original contents are in ${to}`
  if (place.stamp(folderOf(path)) === undefined) return `the parent folder is gone; the original contents are in ${to}`
  place.rename(to, path)
  return undefined
}

interface Displaced {
  /** The path before the file got its temporary name. */
  readonly path: string
  /** Hash of bytes that may be deleted, because a copy exists. */
  readonly discardableHash: string | undefined
  /** Hash of bytes at `path` that may be overwritten, because a copy exists. */
  readonly overwritableHash?: string | undefined
}

/**
 * Removes a temporary file. Bytes written by another program are put back or saved as a conflicted copy.
 * @returns the reason if something was left unchanged
 */
async function resolveDisplaced(
  place: ChangeDirectory,
  asidePath: string,
  { path, discardableHash, overwritableHash }: Displaced,
): Promise<string | undefined> {
  const hash = place.hash(asidePath)
  if (hash === undefined) return undefined
  const isSame = place.isSame(asidePath, path)
  if (isSame || hash === discardableHash) {
    if (!isSame) watchLateWrites(place, asidePath, { path, hash })
    await place.unlink(asidePath)
    return undefined
  }
  const now = place.hash(path)
  if (now === undefined && place.stamp(path) === undefined) await place.renameToFree(asidePath, path)
  else if (overwritableHash !== undefined && now === overwritableHash) place.rename(asidePath, path)
  else return `another program wrote two other versions of it; one is kept in ${await putCopyBeside(place, asidePath, path)}`
  return CHANGED
}

async function putCopyBeside(place: ChangeDirectory, asidePath: string, path: string): Promise<string> {
  const copyPath = freeCopyPath(place, path)
  await place.renameToFree(asidePath, copyPath)
  return copyPath
}

/** Saves bytes that another program writes to a removed file, as a conflicted copy. */
function watchLateWrites(
  place: ChangeDirectory,
  asidePath: string,
  { path, hash }: { readonly path: string; readonly hash: string },
): void {
  const stamp = place.stamp(asidePath)
  if (stamp?.kind !== 'file') return
  const rescue = (bytes: Uint8Array, written: string): void => {
    // The program may write what the file already has.
    if (place.hashIfPresent(path) === written) return
    const folder = withParents(folderOf(path)).find((one) => place.stamp(one)?.kind === 'folder') ?? ''
    const copy = { path: freeCopyPath(place, inFolder(folder, nameOf(path))), bytes, mode: stamp.mode, ownerFrom: stamp }
    // The call that changed the file has already been answered, so a failure cannot be reported.
    place.write([copy]).catch(() => {})
  }
  place.watchLateWrites(asidePath, { stamp, hash, rescue })
}

function freeCopyPath(place: ChangeDirectory, path: string): string {
  const day = new Date().toISOString().slice(0, 10)
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]*)$/s.exec(path) ?? []
  for (let n = 1; ; n++) {
    const copyPath = `${stem} (conflicted copy ${day}${n === 1 ? '' : ` ${n}`})${extension}`
    if (place.stamp(copyPath) === undefined) return copyPath
  }
}
