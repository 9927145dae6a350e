import type { KeptFile } from '../core/changes.ts'
import { errorCode } from '../core/error-code.ts'
import { folderOf } from '../core/paths.ts'
import type { ChangeDirectory, Numbered, PendingWrite } from './change-directory.ts'
import { FilesChanged, type Mismatch, mismatch } from './conflict.ts'
import { type Aside, type EntryOf, finalPaths } from './entry.ts'
import { isRespelling } from './examine.ts'
import { CHANGED, RACES } from './failures.ts'
import { type FileStamp, isSameFile } from './file-system.ts'

/** Where recorded bytes come from. */
export type ContentOf = (hash: string) => Uint8Array

/** Everything that applying a change needs besides its entries. */
export interface Means {
  readonly content: ContentOf
  /** The stamp of each file when its bytes were compared. */
  readonly stamps: ReadonlyMap<string, FileStamp>
}

/** The two states that a change may end in: nothing of it is done, or all of it. */
export type Side = 'before' | 'after'

type FileEntry = EntryOf<'replace' | 'create' | 'remove'>

const ASIDES: readonly Aside[] = ['new', 'old', 'restore', 'undone']

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
    // For about 20 µs nothing has the name. One rename over it would destroy what an editor saves at that moment.
    place.rename(path, place.aside(path, index, 'old'))
    await place.renameToFree(place.aside(path, index, 'new'), path)
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

/**
 * Ends a change that was interrupted at any call, also while it was being settled: the state of the disk decides what is left to do.
 * Bytes from neither side belong to someone and stay.
 * @returns the files left as they are
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
  const kept: KeptFile[] = []
  for (const entry of entries.toReversed()) {
    const reason = await untilStill(() => rollBack(place, entry, content))
    if (reason !== undefined) kept.push({ path: entry.path, reason })
  }
  await place.syncFolders()
  return kept
}

/**
 * The side on which an interrupted change must be settled. `after` if all bytes are in place: no temporary file waits, displaced files are
 * as before, no file has its old content, and at least one has its new content.
 */
export function sideOf(place: ChangeDirectory, entries: readonly Numbered[]): Side {
  const finalPath = finalPaths(entries)
  const sides = entries.map((entry) => sideOfEntry(place, entry, finalPath(entry.path)))
  const hasFiles = entries.some(({ kind }) => kind !== 'makeFolder' && kind !== 'removeFolder')
  return !sides.includes('before') && (!hasFiles || sides.includes('after')) ? 'after' : 'before'
}

/** `undefined` if the entry says nothing: someone else changed the file, or a folder to be removed may stay. */
function sideOfEntry(place: ChangeDirectory, entry: Numbered, finalPath: string): Side | undefined {
  const { kind, path, index } = entry
  const beside = [...new Set([path, finalPath, 'to' in entry ? entry.to : path])]
  const isLeft = (aside: Aside) => beside.some((each) => place.stamp(place.aside(each, index, aside)) !== undefined)
  if (ASIDES.some((aside) => isLeft(aside) && (aside !== 'old' || displacedByOther(place, entry) !== undefined))) return 'before'
  switch (kind) {
    case 'replace':
    case 'create':
    case 'remove': {
      const { before, after } = hashesOf(entry)
      const now = place.found(finalPath)
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

/** The hash of a file on either side; `undefined` where there is none. */
function hashesOf(entry: FileEntry): { readonly before: string | undefined; readonly after: string | undefined } {
  return { before: 'before' in entry ? entry.before : undefined, after: 'after' in entry ? entry.after : undefined }
}

/** The last steps, when all bytes are in place and nobody's bytes were lost. */
async function finishUp(place: ChangeDirectory, entries: readonly Numbered[]): Promise<void> {
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
function requireDisplaced(place: ChangeDirectory, entries: readonly Numbered[], content: ContentOf): void {
  const changed = entries.flatMap((entry) => {
    const found = displacedByOther(place, entry)
    if (found === undefined) return []
    if (entry.kind === 'move') return [found]
    const old = place.at(place.aside(entry.path, entry.index, 'old'))
    const actual = found.actual === undefined ? undefined : place.fs.read(old)
    return [mismatch(found, { expected: content(found.expected), actual })]
  })
  if (changed.length > 0) throw new FilesChanged(changed, 'It was put back as it is now; nothing else was changed either.')
}

/** What is displaced in the place of the expected file, because someone wrote it meanwhile. */
function displacedByOther(place: ChangeDirectory, entry: Numbered): Mismatch | undefined {
  if (entry.kind !== 'replace' && entry.kind !== 'move' && entry.kind !== 'remove') return undefined
  const { path, index, kind } = entry
  const old = place.aside(path, index, 'old')
  if (kind === 'move' && (place.stamp(old) === undefined || place.isSame(old, entry.to))) return undefined
  const actual = place.hash(old)
  // A moved file may have been replaced before, and its copy on another file system is only known by its bytes.
  const expected = kind === 'move' ? place.hash(entry.to) : entry.before
  return actual === expected ? undefined : { path, expected: expected ?? 'as it was read', actual }
}

const GONE = 'it is gone, and was not made again'

const TRIES = 5

/** Someone else's names may come and go between two calls. */
async function untilStill<T>(action: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; left > 0; left--) {
    try {
      return await action()
    } catch (error) {
      if (!RACES.has(errorCode(error) ?? '')) throw error
    }
  }
  return await action()
}

/** @returns why something was left as it is. */
async function rollBack(place: ChangeDirectory, entry: Numbered, content: ContentOf): Promise<string | undefined> {
  switch (entry.kind) {
    case 'makeFolder':
      if (place.stamp(entry.path)?.kind === 'folder' && !place.removeFolder(entry.path))
        return 'there is something else in this folder'
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
  const [fresh, old, restore, undone] = ASIDES.map((aside) => place.aside(path, index, aside)) as [string, string, string, string]
  const wasBrokenOff = place.stamp(undone) !== undefined
  let reason = await resolveDisplaced(place, undone, { path, ours: after, over: before })
  await place.discard(restore)
  const now = place.found(path)
  const displaced = place.hash(old)
  // While our bytes still wait, a new file with the name belongs to someone else.
  const isWaiting = before === undefined && place.stamp(fresh) !== undefined && !place.isSame(fresh, path)
  const isOurs = now !== undefined && now === after && !isWaiting
  const isMissing = now === undefined && before !== undefined && (after === undefined || wasBrokenOff || displaced !== undefined)
  if (isOurs || isMissing) {
    if (displaced !== undefined && displaced !== before) reason = CHANGED
    else if (displaced === undefined && before !== undefined)
      await place.write([{ path: restore, bytes: content(before), mode, like: place.stamp(path) }])
    if (isOurs) place.rename(path, undone)
    if (before !== undefined) await place.renameToFree(displaced === undefined ? restore : old, path)
    reason = (await resolveDisplaced(place, undone, { path, ours: after, over: before })) ?? reason
  } else if (now !== before && !isWaiting) reason = now === undefined ? GONE : CHANGED
  reason = (await resolveDisplaced(place, old, { path, ours: before })) ?? reason
  await place.discard(fresh)
  return reason
}

async function rollBackMove(place: ChangeDirectory, entry: Numbered<EntryOf<'move'>>): Promise<string | undefined> {
  const { path, to, index, before } = entry
  const [old, undone] = [place.aside(path, index, 'old'), place.aside(to, index, 'undone')]
  await place.discard(place.aside(to, index, 'new'))
  if (place.stamp(undone) !== undefined && place.stamp(path) === undefined) await place.renameToFree(undone, path)
  let reason = await resolveDisplaced(place, undone, { path: to, ours: place.hash(path) })
  const displaced = place.hash(old)
  const wasOverwritten = displaced !== undefined && displaced !== before && place.hash(to) === before
  if (displaced !== undefined && place.stamp(path) === undefined) await place.renameToFree(old, path)
  reason = (await resolveDisplaced(place, old, { path, ours: place.hash(to) })) ?? reason
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
    return `there is another file, besides ${to}`
  place.rename(to, undone)
  return (
    (await resolveDisplaced(place, undone, { path: to, ours: wasOverwritten ? before : place.hash(path) })) ??
    (wasOverwritten ? CHANGED : reason)
  )
}

function rollBackFolderMove(place: ChangeDirectory, { path, to }: EntryOf<'moveFolder'>): string | undefined {
  if (place.stamp(to)?.kind !== 'folder') return undefined
  if (place.stamp(path) !== undefined && !place.isSame(path, to)) return `there is another folder; what was in it is in ${to}`
  if (place.stamp(folderOf(path)) === undefined) return `the folder above is gone; what was in it is in ${to}`
  place.rename(to, path)
  return undefined
}

interface Displaced {
  /** Where the bytes came from. */
  readonly path: string
  /** The hash of bytes that may be discarded, because the record or another name holds them. */
  readonly ours: string | undefined
  /** The hash of bytes at `path` that may be overwritten, for the same reason. */
  readonly over?: string | undefined
}

/**
 * Drops a temporary name that may still be there. Bytes that are not ours get back their place, or one beside it under a name that reads as
 * a conflict copy.
 * @returns why something was left as it is.
 */
async function resolveDisplaced(
  place: ChangeDirectory,
  aside: string,
  { path, ours, over }: Displaced,
): Promise<string | undefined> {
  const hash = place.hash(aside)
  if (hash === undefined) return undefined
  if (hash === ours || place.isSame(aside, path)) {
    await place.unlink(aside)
    return undefined
  }
  const now = place.hash(path)
  if (now === undefined && place.stamp(path) === undefined) await place.renameToFree(aside, path)
  else if (over !== undefined && now === over) place.rename(aside, path)
  else return `another program wrote two other versions of it; one is left in ${await putBeside(place, aside, path)}`
  return CHANGED
}

async function putBeside(place: ChangeDirectory, aside: string, path: string): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]*)$/s.exec(path) ?? []
  for (let n = 1; ; n++) {
    const beside = `${stem} (conflicted copy ${day}${n === 1 ? '' : ` ${n}`})${extension}`
    if (place.stamp(beside) !== undefined) continue
    await place.renameToFree(aside, beside)
    return beside
  }
}
