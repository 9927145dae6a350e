import type { Trashed } from '../../core/changes.ts'
import { invalid, RouxError } from '../../core/errors.ts'
import { foldId } from '../../core/ids.ts'
import type { OperationOf } from '../../core/operations.ts'
import { folderOf, inFolder, nameOf } from '../../core/paths.ts'
import { quote, requireInside, TRASH } from '../path-rules.ts'
import type { Draft } from './draft.ts'
import { requireHash } from './note-operations.ts'
import { freePath, requireFree, requirePath } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'
import type { Workspace } from './workspace.ts'

/** Moves a file to the trash. If the path there is taken, a number is added. */
export async function deleteFile(
  workspace: Workspace,
  { kind, id, expectedHash }: OperationOf<'delete'> | OperationOf<'deleteAttachment'>,
): Promise<Draft> {
  const draft = workspace.find(id)
  const isAttachment = workspace.view.kindOf(draft.path) === 'attachment'
  if (isAttachment && kind === 'delete') throw invalid(`${quote(id)} is an attachment.`, 'delete_attachment deletes it.')
  if (!isAttachment && kind === 'deleteAttachment') throw invalid(`${quote(id)} is not an attachment.`, 'delete_node deletes it.')
  requireHash(draft, expectedHash, workspace)
  const to = freePath(`${TRASH}/${draft.path}`, (path) => !workspace.isTaken(path))
  await workspace.move([{ draft, to }])
  return draft
}

const USED_PATH = 'First rename or delete the existing file.'

/** @param deletions newest first */
export async function restoreFile(
  workspace: Workspace,
  { id }: OperationOf<'restore'>,
  deletions: () => Iterable<Trashed>,
): Promise<Draft> {
  requireInside(id)
  const names = [id, `${id}.md`]
  const deleted = names.map((name) => workspace.deleted(name)).find((draft) => draft !== undefined)
  if (deleted?.original !== undefined) {
    requireFree(workspace, deleted.original, deleted, USED_PATH)
    await workspace.move([{ draft: deleted, to: deleted.original }])
    return deleted
  }
  const trashed = findTrashed(workspace.view, names, deletions())
  if (trashed === undefined) {
    throw new RouxError('NODE_NOT_FOUND', `${quote(id)} is not in the trash.`, {
      hint: "list_changes lists deletions; the trash is the vault's folder .trash.",
    })
  }
  const folder = folderOf(trashed.path)
  const path = inFolder(folder === '' ? '' : workspace.withSpelling(folder), nameOf(trashed.path))
  requireFree(workspace, path, undefined, USED_PATH)
  return workspace.takeFromTrash(trashed.trash, path)
}

/** Moves a file or folder, or moves it into `to` if that is an existing folder. */
export async function moveFile(workspace: Workspace, operation: OperationOf<'move'>): Promise<Draft | undefined> {
  const { id, to, expectedHash } = operation
  const draft = workspace.tryFind(id.replace(/\/$/, ''))
  if (draft === undefined) return await moveFolder(workspace, operation)
  requireHash(draft, expectedHash, workspace)
  const path = requirePath(destination(workspace, draft, to), workspace.view)
  if (path === draft.path) throw invalid(`${quote(path)} already has this path.`, 'Specify a different folder or name.')
  requireFree(workspace, path, draft)
  await workspace.move([{ draft, to: path }])
  return draft
}

function destination(workspace: Workspace, draft: Draft, to: string): string {
  const { name, isFolder } = placeOf(workspace, to)
  if (isFolder) return inFolder(name, nameOf(draft.path))
  // The extension can be omitted, because a file never changes its type.
  const ending = /(?<=[^/])\.[^./]*$/.exec(draft.path)?.[0] ?? ''
  return foldId(name).endsWith(foldId(ending)) ? name : name + ending
}

/** Returns the destination. Files go into it if it ends with `/` or is an existing folder. */
function placeOf(workspace: Workspace, to: string): { readonly name: string; readonly isFolder: boolean } {
  if (to === '/') return { name: '', isFolder: true }
  const target = to.replace(/\/$/, '')
  requireInside(target)
  const spelled = workspace.withSpelling(target)
  if (to.endsWith('/') || workspace.isFolder(spelled)) return { name: spelled, isFolder: true }
  const folder = folderOf(target)
  return { name: inFolder(folder === '' ? '' : workspace.withSpelling(folder), nameOf(target)), isFolder: false }
}

async function moveFolder(workspace: Workspace, { id, to, expectedHash }: OperationOf<'move'>): Promise<undefined> {
  const { view } = workspace
  const from = workspace.withSpelling(id.replace(/\/$/, ''))
  if (view.look(from) !== 'folder') workspace.find(id.replace(/\/$/, ''))
  if (expectedHash !== undefined) throw invalid('Folders have no hash.', 'Omit expected_hash.')
  const { name, isFolder } = placeOf(workspace, to)
  const isRespelled = isFolder && name === from && !to.endsWith('/')
  const newPath = isRespelled ? inFolder(folderOf(from), nameOf(to)) : isFolder ? inFolder(name, nameOf(from)) : name
  const target = requirePath(newPath, view)
  if (target === from) throw invalid(`${quote(from)} already has this path.`, 'Specify a different folder or name.')
  if (target.startsWith(`${from}/`)) {
    throw invalid(`${quote(from)} cannot be moved into itself.`, 'Choose a folder outside it.')
  }
  if (foldId(target) !== foldId(from) && workspace.isTaken(target)) {
    throw new RouxError('NODE_EXISTS', `${quote(target)} already exists.`, { hint: 'Choose another name.' })
  }
  await workspace.moveFolder({ from, to: target })
  return undefined
}

export async function createFolder(workspace: Workspace, { path }: OperationOf<'createFolder'>): Promise<undefined> {
  const target = path.replace(/\/$/, '')
  requireInside(target)
  const spelled = requirePath(workspace.withSpelling(target), workspace.view)
  if (workspace.view.look(spelled) === 'folder') return undefined
  if (workspace.twins(spelled).length > 0 || workspace.view.look(spelled) !== undefined) {
    throw new RouxError('NODE_EXISTS', `${quote(spelled)} is a file.`, { hint: 'Choose another name.' })
  }
  workspace.makeFolder(spelled)
  return undefined
}

/**
 * Searches the history for a deleted file, and then the trash for the copy with the highest number.
 * @param deletions newest first
 */
function findTrashed(view: VaultView, paths: readonly string[], deletions: Iterable<Trashed>): Trashed | undefined {
  const folded = new Set(paths.map(foldId))
  const knownTrash = new Set<string>()
  for (const { trash, path } of deletions) {
    if (knownTrash.has(trash)) continue
    knownTrash.add(trash)
    if (folded.has(foldId(path)) && view.look(trash) === 'file') return { trash, path }
  }
  const byNames = paths.map((path) => byName(view, path).findLast(({ trash }) => !knownTrash.has(trash)))
  return byNames.find((trashed) => trashed !== undefined)
}

/** Returns copies in the trash by number, the highest last. */
function byName(view: VaultView, path: string): readonly Trashed[] {
  const folder = findFolder(view, folderOf(path))
  if (folder === undefined) return []
  const { stem, ending } = partsOf(foldId(nameOf(path)))
  const trashed = view.list(folder).flatMap((entry) => {
    const parts = partsOf(entry)
    const number = foldId(entry) === stem + ending ? 0 : Number(/ ([1-9]\d*)$/.exec(parts.stem)?.[1] ?? Number.NaN)
    const base = number === 0 ? parts.stem : parts.stem.replace(/ \d+$/, '')
    if (Number.isNaN(number) || foldId(base + parts.ending) !== stem + ending) return []
    return { trash: `${folder}/${entry}`, path: inFolder(folder.slice(TRASH.length + 1), base + parts.ending), number }
  })
  // If `a.md` is not in the trash, `a 1.md` is not a numbered copy.
  if (!trashed.some(({ number }) => number === 0)) return []
  return trashed.sort((a, b) => a.number - b.number)
}

function partsOf(path: string): { readonly stem: string; readonly ending: string } {
  const dot = /(?<=[^/])\.[^./]*$/.exec(path)?.index ?? path.length
  return { stem: path.slice(0, dot), ending: path.slice(dot) }
}

/** Finds a folder on disk without following symbolic links. */
function findFolder(view: VaultView, folder: string): string | undefined {
  let at = TRASH
  for (const name of folder === '' ? [] : folder.split('/')) {
    if (view.look(at) !== 'folder') return undefined
    const entries = view.list(at)
    const entry = entries.includes(name) ? name : entries.find((candidate) => foldId(candidate) === foldId(name))
    if (entry === undefined) return undefined
    at = `${at}/${entry}`
  }
  return view.look(at) === 'folder' ? at : undefined
}
