import { foldId } from '../../core/ids.ts'
import type { Folder, Snapshot } from '../../core/store.ts'
import { foldTag } from '../../core/text/fold.ts'
import { amount } from '../../core/text/format.ts'
import { nearest } from '../../core/text/nearest.ts'
import { takeTurns } from '../../core/waiting.ts'
import type { Answer, Warning } from '../graph-core.ts'
import { isFolder, type ScopeArguments, trimFolder, trimTag } from '../scope.ts'
import type { Call } from './answer-when-ready.ts'
import { quoted } from './truncate.ts'

const MAX_SIMILAR = 3
const MAX_TAGS = 20
const ALL_LEVELS = 1_000

export interface RequestedScope extends Pick<ScopeArguments, 'folder' | 'path' | 'tag'> {
  readonly tags?: readonly string[] | undefined
}

/** Explains an empty answer: the vault has no notes, or the folder, id prefix or tag is unknown. */
export async function scopeWarnings(
  snapshot: Snapshot,
  { folder, path, tag, tags = [] }: RequestedScope,
  call: Call = {},
): Promise<readonly Warning[]> {
  // Another vault of the answer may have notes.
  const nothing = call.isPart === true ? undefined : await explainNoNotes(snapshot)
  if (nothing !== undefined) return [{ code: 'NOTICE', message: `The vault ${nothing.reason}. ${nothing.hint}` }]
  const requestedTags = [...(tag === undefined ? [] : [tag]), ...tags]
  return [
    ...(folder === undefined ? [] : await folderWarning(snapshot, trimFolder(folder))),
    ...(path === undefined ? [] : await pathWarning(snapshot, path)),
    ...(await tagWarnings(snapshot, requestedTags, call)),
  ]
}

/** Says why no note can be found. `reason` follows "the vault". It is `undefined` if there are notes or the vault is still being read. */
export async function explainNoNotes(
  snapshot: Snapshot,
): Promise<{ readonly reason: string; readonly hint: string } | undefined> {
  const count = async (withExcluded: boolean): Promise<number> =>
    (await snapshot.select({ kinds: ['note', 'canvas'], withExcluded }, { offset: 0, limit: 0 })).total
  if (!snapshot.complete || (await count(false)) > 0) return undefined
  const excluded = await count(true)
  if (excluded === 0)
    return {
      reason: 'has no notes',
      hint: 'Check that it is the right folder, and that vault.ignore and .gitignore do not leave its notes out.',
    }
  return {
    reason: `has ${amount(excluded, 'note')}, but ${excluded === 1 ? 'it is' : 'all are'} excluded`,
    hint: 'Check "Excluded files" in the settings of Obsidian.',
  }
}

async function folderWarning(snapshot: Snapshot, folder: string): Promise<readonly Warning[]> {
  if (folder === '' || (await isFolder(snapshot, folder))) return []
  return [unknown(`There is no folder ${quoted(folder)} with notes.`, await foldersLike(snapshot, folder))]
}

async function pathWarning(snapshot: Snapshot, path: string): Promise<readonly Warning[]> {
  if (path === '') return []
  const { total } = await snapshot.select(
    { path: foldId(path), kinds: ['note', 'canvas', 'attachment', 'missing'] },
    { offset: 0, limit: 1 },
  )
  if (total > 0) return []
  return [unknown(`No id begins with ${quoted(path)}.`, await foldersLike(snapshot, trimFolder(path)))]
}

async function foldersLike(snapshot: Snapshot, folder: string): Promise<readonly string[]> {
  const levels = folder.split('/').length
  const all = await allFolders(snapshot)
  const like = nearest(folder, all, MAX_SIMILAR)
  if (like.length > 0) return like
  const endOf = (path: string): string => path.split('/').slice(-levels).join('/')
  const [end] = nearest(folder, all.map(endOf))
  return all.filter((path) => endOf(path) === end).slice(0, MAX_SIMILAR)
}

async function allFolders(snapshot: Snapshot): Promise<readonly string[]> {
  const root = await snapshot.tree('', { depth: ALL_LEVELS, limit: 0, includeArchived: true })
  return root === undefined ? [] : pathsBelow(root)
}

export async function tagWarnings(snapshot: Snapshot, tags: readonly string[], { signal }: Call): Promise<readonly Warning[]> {
  if (tags.length === 0) return []
  const turn = takeTurns(signal)
  const names = (await snapshot.tags()).map(({ tag }) => tag)
  const existing = new Set(names.map(foldTag))
  const missing = [...new Set(tags.map(trimTag))].filter((tag) => !existing.has(foldTag(tag)))
  if (missing.length === 0) return []
  const warnings: Warning[] = []
  for (const tag of missing.slice(0, MAX_TAGS)) {
    await turn()
    warnings.push(unknown(`No note has the tag ${quoted(`#${tag}`)}.`, nearest(tag, names, MAX_SIMILAR)))
  }
  const more = missing.length - warnings.length
  return more === 0 ? warnings : [...warnings, unknown(`${more} more of the tags are unknown.`, [])]
}

function pathsBelow({ folders }: Folder): readonly string[] {
  return folders.flatMap((folder) => [folder.path, ...pathsBelow(folder)])
}

function unknown(message: string, near: readonly string[]): Warning {
  const names = near.map((name) => JSON.stringify(name)).join(', ')
  return { code: 'UNKNOWN_ID', message: names === '' ? message : `${message} Nearest: ${names}.` }
}

interface InFolder<T> {
  readonly snapshot: Snapshot
  readonly call: Call
  readonly folder: string | undefined
  isEmpty(value: T): boolean
}

/**
 * Runs the use case for the folder. If the folder does not exist, the only folder whose path ends with the given path takes its
 * place. With several vaults, paths stay as given, because another vault may contain the folder.
 */
export async function inMatchingFolder<T>(
  { snapshot, call, folder, isEmpty }: InFolder<T>,
  answerIn: (folder: string | undefined) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const answer = await answerIn(folder)
  if (folder === undefined || call.isPart === true || !isEmpty(answer.value)) return answer
  const match = await matchingFolder(snapshot, folder)
  if (match === undefined) return answer
  const { warnings, ...found } = await answerIn(match)
  return { ...found, warnings: [otherFolderNotice(folder, match), ...warnings] }
}

export interface MatchedFolders {
  /** Maps folders in the query to full paths. */
  readonly paths: ReadonlyMap<string, string>
  readonly warnings: readonly Warning[]
}

/** The query must not run before its folders are checked, because a condition on an unknown folder could match all notes. */
export async function matchFolders(
  snapshot: Snapshot,
  folders: readonly string[],
  { isPart = false }: Pick<Call, 'isPart'>,
): Promise<MatchedFolders> {
  const results = await Promise.all(
    folders.map(async (folder) => {
      const unknown = await folderWarning(snapshot, trimFolder(folder))
      return { folder, unknown, match: isPart || unknown.length === 0 ? undefined : await matchingFolder(snapshot, folder) }
    }),
  )
  return {
    paths: new Map(results.flatMap(({ folder, match }) => (match === undefined ? [] : [[folder, match] as const]))),
    warnings: results.flatMap(({ folder, match, unknown }) =>
      match === undefined ? unknown : [otherFolderNotice(folder, match)],
    ),
  }
}

async function matchingFolder(snapshot: Snapshot, folder: string): Promise<string | undefined> {
  const name = foldId(trimFolder(folder))
  if (name === '' || (await isFolder(snapshot, name))) return undefined
  const [match, ...others] = (await allFolders(snapshot)).filter((path) => foldId(path).endsWith(`/${name}`))
  return others.length === 0 ? match : undefined
}

function otherFolderNotice(folder: string, match: string): Warning {
  return { code: 'NOTICE', message: `The folder ${quoted(trimFolder(folder))} is ${quoted(match)}.` }
}
