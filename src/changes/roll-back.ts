import type { KeptFile } from '../core/changes.ts'
import { errorCode } from '../core/error-code.ts'
import { folderOf } from '../core/paths.ts'
import type { ChangeDirectory, Numbered, PendingWrite } from './change-directory.ts'
import type { EntryOf } from './entry.ts'
import { isRespelling } from './examine.ts'
import { CHANGED, RACES } from './failures.ts'

/** Where recorded bytes come from. */
export type ContentOf = (hash: string) => Uint8Array

/**
 * Rolls a change back, also one that was partly applied or partly rolled back: the state of the disk decides, so it can be
 * interrupted at any call and restarted. Bytes from neither before nor the change belong to someone and stay.
 * @returns the files left as they are
 */
export async function rollBack(
  place: ChangeDirectory,
  entries: readonly Numbered[],
  content: ContentOf,
): Promise<readonly KeptFile[]> {
  const kept: KeptFile[] = []
  for (const entry of entries.toReversed()) {
    const reason = await untilStill(() => rollBackOne(place, entry, content))
    if (reason !== undefined) kept.push({ path: entry.path, reason })
  }
  await place.syncFolders()
  return kept
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
async function rollBackOne(place: ChangeDirectory, entry: Numbered, content: ContentOf): Promise<string | undefined> {
  switch (entry.kind) {
    case 'makeFolder':
      if (place.stamp(entry.path)?.kind === 'folder' && !place.removeFolder(entry.path))
        return 'there is something else in this folder'
      return undefined
    case 'replace':
      return await rollBackReplace(place, entry, content)
    case 'create':
      return await rollBackCreate(place, entry)
    case 'move':
      return await rollBackMove(place, entry)
    case 'remove':
      return await rollBackRemove(place, entry, content)
    case 'moveFolder':
      return rollBackFolderMove(place, entry)
    case 'removeFolder':
      if (place.stamp(entry.path) === undefined) place.makeFolder(entry.path)
      return undefined
  }
}

async function rollBackReplace(
  place: ChangeDirectory,
  entry: Numbered<EntryOf<'replace'>>,
  content: ContentOf,
): Promise<string | undefined> {
  const { path, index, before, after } = entry
  const [old, restore, undone] = [
    place.aside(path, index, 'old'),
    place.aside(path, index, 'restore'),
    place.aside(path, index, 'undone'),
  ]
  const wasBrokenOff = place.stamp(undone) !== undefined
  let reason = await resolveDisplaced(place, undone, { path, ours: after, over: before })
  await place.discard(restore)
  const now = place.hash(path)
  const displaced = place.hash(old)
  if (now === after || (now === undefined && (wasBrokenOff || displaced !== undefined))) {
    if (displaced === undefined) await place.write([restoration(place, entry, content)])
    else if (displaced !== before) reason = CHANGED
    const source = displaced === undefined ? restore : old
    if (now === undefined) await place.renameToFree(source, path)
    else await place.exchange(source, path, undone)
    reason = (await resolveDisplaced(place, undone, { path, ours: after, over: before })) ?? reason
  } else if (now !== before) reason = now === undefined ? GONE : CHANGED
  reason = (await resolveDisplaced(place, old, { path, ours: before })) ?? reason
  await place.discard(place.aside(path, index, 'new'))
  return reason
}

function restoration(
  place: ChangeDirectory,
  { path, index, before, mode }: Numbered<EntryOf<'replace' | 'remove'>>,
  content: ContentOf,
): PendingWrite {
  return { path: place.aside(path, index, 'restore'), bytes: content(before), mode, like: place.stamp(path) }
}

async function rollBackCreate(
  place: ChangeDirectory,
  { path, index, after }: Numbered<EntryOf<'create'>>,
): Promise<string | undefined> {
  const [fresh, undone] = [place.aside(path, index, 'new'), place.aside(path, index, 'undone')]
  const reason = await resolveDisplaced(place, undone, { path, ours: after })
  const now = place.stamp(path)
  if (place.stamp(fresh) !== undefined) {
    // While our bytes still wait, a file with the name belongs to someone else.
    if (place.isSame(fresh, path)) await place.unlink(path)
    await place.discard(fresh)
    return reason
  }
  if (now === undefined) return reason
  if (place.hash(path) !== after) return CHANGED
  place.rename(path, undone)
  return await resolveDisplaced(place, undone, { path, ours: after })
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

async function rollBackRemove(
  place: ChangeDirectory,
  entry: Numbered<EntryOf<'remove'>>,
  content: ContentOf,
): Promise<string | undefined> {
  const { path, index, before } = entry
  const [old, restore] = [place.aside(path, index, 'old'), place.aside(path, index, 'restore')]
  await place.discard(restore)
  if (place.stamp(path) === undefined) {
    if (place.stamp(old) === undefined) await place.write([restoration(place, entry, content)])
    await place.renameToFree(place.stamp(old) === undefined ? restore : old, path)
  }
  return await resolveDisplaced(place, old, { path, ours: before })
}

function rollBackFolderMove(place: ChangeDirectory, { path, to }: EntryOf<'moveFolder'>): string | undefined {
  if (place.stamp(to)?.kind !== 'folder') return undefined
  if (place.stamp(path) !== undefined && !place.isSame(path, to)) return `there is another folder; what was in it is in ${to}`
  if (place.stamp(folderOf(path)) === undefined) return `the folder above is gone; what was in it is in ${to}`
  place.rename(to, path)
  return undefined
}

export interface Displaced {
  /** Where the bytes came from. */
  readonly path: string
  /** The hash of bytes that may be discarded, because the record or another name holds them. */
  readonly ours: string | undefined
  /** The hash of bytes at `path` that may be overwritten, for the same reason. */
  readonly over?: string
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
