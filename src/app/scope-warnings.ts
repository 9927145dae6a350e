import { foldId } from '../core/ids.ts'
import { nearest } from '../core/nearest.ts'
import type { Folder } from '../core/store.ts'
import type { Call } from './answer.ts'
import type { GraphCore, Warning } from './graph-core.ts'
import { type ScopeArguments, trimFolder, trimTag } from './scope.ts'
import { takeTurns } from './take-turns.ts'
import { quoted } from './truncate.ts'

/** How many near names a warning holds. */
const NEAREST = 3
/** How many unknown tags a warning each is about. */
const MOST_TAGS = 20
/** Deeper than any vault's folders. */
const ALL_LEVELS = 1_000

/** What an answer was limited to. */
export interface AskedScope extends Pick<ScopeArguments, 'folder' | 'path' | 'tag'> {
  readonly tags?: readonly string[] | undefined
}

/** Says which of the folders and tags that an empty answer was limited to do not exist, and which are named alike. */
export async function scopeWarnings(
  core: GraphCore,
  { folder, path, tag, tags = [] }: AskedScope,
  call: Call = {},
): Promise<readonly Warning[]> {
  const wanted = [...(tag === undefined ? [] : [tag]), ...tags].map(trimTag)
  return [
    ...(folder === undefined ? [] : await folderWarning(core, trimFolder(folder))),
    ...(path === undefined ? [] : await pathWarning(core, path)),
    ...(await tagWarnings(core, wanted, call)),
  ]
}

async function folderWarning(core: GraphCore, folder: string): Promise<readonly Warning[]> {
  if (folder === '' || (await isFolder(core, folder))) return []
  return [unknown(`There is no folder ${quoted(folder)} with notes in it.`, await foldersLike(core, folder))]
}

/** A path is the beginning of ids: only one that begins none is a mistake. */
async function pathWarning(core: GraphCore, path: string): Promise<readonly Warning[]> {
  if (path === '') return []
  const { total } = await core.store.select({ path, kinds: ['note', 'canvas', 'attachment', 'missing'] }, { offset: 0, limit: 1 })
  if (total > 0) return []
  return [unknown(`No id begins with ${quoted(path)}.`, await foldersLike(core, trimFolder(path)))]
}

/** The folder of this path, or the nearest names of folders. */
async function foldersLike(core: GraphCore, folder: string): Promise<readonly string[]> {
  const root = await core.store.tree('', { depth: ALL_LEVELS, limit: 0, includeArchived: true })
  return nearest(folder, root === undefined ? [] : pathsBelow(root), NEAREST)
}

/** A folder of this name; links to it are another matter. */
async function isFolder(core: GraphCore, folder: string): Promise<boolean> {
  return (await core.store.tree(folder, { depth: 1, limit: 0, includeArchived: true })) !== undefined
}

/** Says which tags no note carries, each of the first with the nearest. */
export async function tagWarnings(core: GraphCore, tags: readonly string[], { signal }: Call): Promise<readonly Warning[]> {
  const turn = takeTurns(signal)
  const missing: string[] = []
  for (const tag of new Set(tags)) {
    await turn()
    const alike = await core.store.tags(tag)
    if (!alike.some((known) => foldId(known.tag) === foldId(tag))) missing.push(tag)
  }
  if (missing.length === 0) return []
  const names = (await core.store.tags()).map((known) => known.tag)
  const warnings: Warning[] = []
  for (const tag of missing.slice(0, MOST_TAGS)) {
    await turn()
    warnings.push(unknown(`No note has the tag ${quoted(`#${tag}`)}.`, nearest(tag, names, NEAREST)))
  }
  const more = missing.length - warnings.length
  return more === 0 ? warnings : [...warnings, unknown(`No note has ${more} more of the tags.`, [])]
}

function pathsBelow({ folders }: Folder): readonly string[] {
  return folders.flatMap((folder) => [folder.path, ...pathsBelow(folder)])
}

function unknown(message: string, near: readonly string[]): Warning {
  const names = near.map((name) => JSON.stringify(name)).join(', ')
  return { code: 'UNKNOWN_ID', message: names === '' ? message : `${message} Nearest: ${names}.` }
}
