import { invalid, RouxError } from '../../core/errors.ts'
import { foldId } from '../../core/ids.ts'
import { folderOf, inFolder, withParents } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import {
  type FileNames,
  journalName,
  type NameIndex,
  namesOfPage,
  type PageFormat,
  pageName,
  pageStem,
} from '../../links/names.ts'
import { inTrash, MAX_BYTES, quote, requireInside, requireUsable, TRASH } from '../path-rules.ts'
import type { Draft } from './draft.ts'
import type { VaultView } from './vault-view.ts'

export interface PathsInUse {
  readonly view: Pick<VaultView, 'flavor' | 'keyAt' | 'keepsCase' | 'kindOf' | 'look' | 'names' | 'pageFormat'>
  isTaken(path: string, but?: Draft): boolean
  isFolder(path: string): boolean
  tryFind(id: string): Draft | undefined
  idOf(path: string): string
  withSpelling(path: string): string
  /** The new notes whose names were lowercased. */
  readonly lowercased: string[]
}

export function isTrash(path: string): boolean {
  return path.startsWith(`${TRASH}/`)
}

/**
 * Returns a valid path for a new file or folder. Existing folders keep their spelling.
 * @throws RouxError `INVALID_PARAMS` with a better name, `PERMISSION_DENIED` for a path that is hidden or outside the vault
 */
export function requirePath(path: string, view?: Pick<VaultView, 'look'>): string {
  requireInside(path)
  if (inTrash(path)) {
    throw new RouxError('PERMISSION_DENIED', 'Notes cannot be written to the trash.', {
      hint: 'delete_node moves notes there, and restore_node restores them.',
    })
  }
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    if (at < names.length - 1 && view?.look(names.slice(0, at + 1).join('/')) === 'folder') continue
    requireUsable(name)
  }
  return path
}

/** The hint if an existing note has the name. */
const USED_NAME = 'Choose another name, or change the existing note with update_node.'

/** Checks that a path is free. @throws RouxError `NODE_EXISTS` */
export function requireFree(workspace: PathsInUse, path: string, but?: Draft, hint = USED_NAME): void {
  for (const folder of withParents(folderOf(path))) {
    if (workspace.view.keyAt(folder) === undefined) continue
    throw new RouxError('NODE_EXISTS', `${quote(folder)} is a file, not a folder.`, { hint: 'Choose another folder.' })
  }
  if (!workspace.isTaken(path, but)) return
  const existing = workspace.tryFind(path)
  throw new RouxError('NODE_EXISTS', `${quote(existing?.path ?? path)} already exists.`, {
    hint:
      existing === undefined
        ? 'Choose another name. Only a later move can use a name that another operation frees; otherwise, make two separate requests.'
        : hint,
    candidates: existing && [workspace.idOf(existing.path)],
  })
}

/** Returns the path of a new note. `.md` is optional. The name is lowercased unless the vault preserves case. */
export function newNotePath(workspace: PathsInUse, id: string): string {
  const { view } = workspace
  requireInside(id)
  const name = /\.md$/i.test(id) ? id : `${id}.md`
  const requested = workspace.withSpelling(
    view.flavor.mode === 'logseq' ? logseqPath(workspace, workspace.withSpelling(name)) : name,
  )
  if (view.keepsCase()) return requirePath(requested, view)
  const path = requirePath(workspace.withSpelling(foldId(requested)), view)
  if (path !== requested.normalize('NFC')) workspace.lowercased.push(path)
  return path
}

/**
 * Logseq keeps pages in one folder and journals in another. `a/b` is the name of one page unless the folder `a` exists.
 */
function logseqPath(workspace: PathsInUse, path: string): string {
  if (workspace.isTaken(path)) return path
  const { pageFormat } = workspace.view
  const folder = withParents(folderOf(path)).find((one) => workspace.isFolder(one)) ?? ''
  const title = path.slice(folder === '' ? 0 : folder.length + 1, -'.md'.length)
  const isFileName = !title.includes('/') && pageName(title) !== title
  const name = isFileName ? pageName(title) : title
  const journal = ['', 'journals'].includes(folder) ? journalName(name) : undefined
  const usual = journal === undefined ? 'pages' : 'journals'
  const stem = journal ?? (isFileName ? title : requirePageStem(title, pageFormat))
  return inFolder(folder === '' && workspace.isFolder(usual) ? usual : folder, `${stem}.md`)
}

/** Returns a Logseq page's file name without `.md`. @throws RouxError `INVALID_PARAMS` if it is too long */
export function requirePageStem(name: string, format: PageFormat): string {
  const stem = pageStem(name, format)
  if (Buffer.byteLength(`${stem}.md`) <= MAX_BYTES) return stem
  throw invalid(`The name ${quote(name)} cannot be used: its file name is longer than ${MAX_BYTES} bytes.`, 'Use a shorter name.')
}

/** Checks that no other Logseq page has the new name of a page. @throws RouxError `NODE_EXISTS` */
export function requireFreeName(workspace: PathsInUse, draft: Draft, after: Pick<FileNames, 'path' | 'title'>): void {
  const { flavor, kindOf, names } = workspace.view
  if (flavor.mode !== 'logseq' || kindOf(after.path) !== 'note') return
  const before = names.file(draft.key)
  const [name] = namesOfPage(after)
  if (before !== undefined && foldName(namesOfPage(before)[0]) === foldName(name)) return
  const existing = pageOrJournal(names, name, draft)
  if (existing === undefined) return
  const choice = isTrash(draft.path) || isTrash(draft.original ?? '') ? 'First' : 'Choose another name, or first'
  const hint = `Logseq has one page for each name. ${choice} rename or delete the existing page.`
  requireFree(workspace, existing, draft, hint)
}

/** Returns the path of a clone. In Logseq, a page with the same name would be the original, so the clone gets a number. */
export function clonePath(workspace: PathsInUse, path: string): string {
  const { flavor, names } = workspace.view
  if (flavor.mode !== 'logseq') return path
  return freePath(path, (free) => !workspace.isTaken(free) && pageOrJournal(names, pageName(free)) === undefined)
}

/** Finds a Logseq page by its name, or the journal of the day that the name refers to. */
function pageOrJournal(names: NameIndex, name: string, but?: Draft): string | undefined {
  const journal = journalName(name)
  return pageNamed(names, name, but) ?? (journal === undefined ? undefined : pageNamed(names, journal, but))
}

/** Finds a Logseq page by its name. Aliases and the page `but` do not count. */
export function pageNamed(names: NameIndex, name: string, but?: Draft): string | undefined {
  const folded = foldName(name)
  const keys = names.withAlias(folded).filter((key) => key !== but?.key)
  const files = keys.flatMap((key) => names.file(key) ?? [])
  const isNamed = (own: string | undefined): boolean => own !== undefined && foldName(own) === folded
  return files.find((file) => namesOfPage(file).some((own) => isNamed(own) || isNamed(journalName(own))))?.path
}

export function lowercasedNotes([first, ...more]: readonly string[]): readonly string[] {
  if (first === undefined) return []
  const names = more.length === 0 ? 'The name is' : `${more.length + 1} names are`
  return [
    `${names} in lower case: ${quote(first)}${more.length === 0 ? '' : ', …'}. To keep capitals, set files.case to preserve.`,
  ]
}

/** Returns the path, or adds the first free number if the path is taken: `notes/a.md` → `notes/a 1.md`. */
export function freePath(desired: string, isFree: (path: string) => boolean): string {
  if (isFree(desired)) return desired
  const dot = /\.[^./]*$/.exec(desired)?.index ?? desired.length
  for (let number = 1; ; number++) {
    const path = `${desired.slice(0, dot)} ${number}${desired.slice(dot)}`
    if (isFree(path)) return path
  }
}
