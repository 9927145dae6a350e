import type { FileChange } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { WriteResult, WrittenFile } from '../../core/operations.ts'
import { quote } from '../path-rules.ts'
import { type Draft, decode } from './draft.ts'
import { isTrash } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'

/** A folder that moves with all that is in it. */
export interface MovedFolder {
  readonly from: string
  readonly to: string
}

/** A file that changes, before and after. */
export interface ChangedText {
  /** `undefined`: it is new. */
  readonly from: string | undefined
  /** `undefined`: it goes to the trash. */
  readonly to: string | undefined
  /** Both empty where the text stays as it is, goes to the trash, or is none. */
  readonly before: string
  readonly after: string
  /** Notes and canvases are text, attachments are not looked into. */
  readonly isText: boolean
  /** Bytes it will have. */
  readonly size: number
}

/** The result of planning. */
export interface Planned extends Pick<WriteResult, 'files' | 'dangling' | 'notes'> {
  readonly changes: readonly FileChange[]
  /** Both texts of every changed file, for the diff. */
  readonly texts: readonly ChangedText[]
}

export function hasChanged({ original, path, isEdited }: Draft): boolean {
  return original === undefined ? !isTrash(path) : isEdited || original !== path
}

/**
 * The changes of files on disk. If one takes a name that another gives up, no rename can come first: the contents
 * change places, and only the last of the chain gets a new name.
 */
export function changesOf(drafts: readonly Draft[], view: VaultView, folders: readonly MovedFolder[]): readonly FileChange[] {
  const leaving = new Map(drafts.flatMap((draft) => (isRenamed(draft) ? [[draft.original ?? '', draft] as const] : [])))
  const rows = new Map<Draft, readonly FileChange[]>()
  for (const draft of leaving.values()) {
    if (leaving.has(draft.path) && !rows.has(draft)) for (const [one, changes] of exchange(draft, leaving)) rows.set(one, changes)
  }
  return drafts.flatMap((draft) => rows.get(draft) ?? changesOfOne(draft, view, folders))
}

function isRenamed({ original, path }: Draft): boolean {
  return original !== undefined && original !== path
}

/** Resolves a chain of files in which each takes the name of the next. */
function exchange(member: Draft, leaving: ReadonlyMap<string, Draft>): ReadonlyMap<Draft, readonly FileChange[]> {
  const row = rowWith(member, leaving)
  const changes = new Map<Draft, readonly FileChange[]>()
  const last = row.at(-1) ?? member
  const isRing = last.path === row[0]?.original
  // The trash would not know any more where it came from.
  if (isTrash(last.path)) throw stillThere(last.original ?? '')
  for (const [at, draft] of row.entries()) {
    const { original = '', before = '' } = draft
    // The file of the first carries the content of the last on; any other gets that of the one before it.
    const content = (row[at - 1] ?? last).bytes
    const replaced: FileChange = { kind: 'replace', path: original, before, bytes: content }
    changes.set(draft, at > 0 || isRing ? [replaced] : [replaced, { kind: 'move', from: original, to: last.path, before }])
  }
  return changes
}

function stillThere(path: string): RouxError {
  return new RouxError('NODE_EXISTS', `${quote(path)} is there until all is done: what takes its name cannot come before.`, {
    hint: 'Make two requests of it: first the deletion, then the move.',
  })
}

/** The chain that contains a file, starting with one whose name nobody takes; a ring starts anywhere. */
function rowWith(member: Draft, leaving: ReadonlyMap<string, Draft>): readonly Draft[] {
  const taker = new Map([...leaving.values()].map((draft) => [draft.path, draft]))
  let first = member
  for (let before = taker.get(first.original ?? ''); before !== undefined; before = taker.get(first.original ?? '')) {
    first = before
    if (first === member) break
  }
  const row = [first]
  for (let next = leaving.get(first.path); next !== undefined && next !== first; next = leaving.get(next.path)) row.push(next)
  return row
}

/** The changes of a file whose old and new names belong to nobody else. */
function changesOfOne(draft: Draft, view: VaultView, folders: readonly MovedFolder[]): readonly FileChange[] {
  const { original, path, isEdited } = draft
  if (original === undefined) return isTrash(path) ? [] : [{ kind: 'create', path, bytes: draft.bytes }]
  const replaced: FileChange[] = isEdited
    ? [{ kind: 'replace', path: original, before: draft.before ?? '', bytes: draft.bytes }]
    : []
  const isCarried = folders.some(({ from, to }) => original.startsWith(`${from}/`) && path === to + original.slice(from.length))
  if (original === path || isCarried) return replaced
  // An attachment may be of any size: what applies the move takes its hash a piece at a time.
  const before = view.kindOf(original) === 'attachment' ? undefined : draft.before
  return [...replaced, { kind: 'move', from: original, to: path, before }]
}

export function writtenFile({ original, path, relinked }: Draft): WrittenFile {
  const kind = original === undefined ? 'created' : isTrash(path) ? 'deleted' : original === path ? 'changed' : 'moved'
  return {
    kind,
    ...(original === undefined ? undefined : { from: original }),
    ...(isTrash(path) ? undefined : { to: path }),
    relinked,
  }
}

export function changedText(draft: Draft, view: VaultView): ChangedText {
  const { original, path, isEdited } = draft
  const isText = view.kindOf(path) !== 'attachment'
  const isShown = isText && isEdited && !isTrash(path)
  return {
    from: original,
    to: isTrash(path) ? undefined : path,
    before: isShown && original !== undefined ? decode(draft.disk) : '',
    after: isShown ? draft.text : '',
    isText,
    // Files that only move are not read for it.
    size: isEdited ? draft.bytes.length : 0,
  }
}
