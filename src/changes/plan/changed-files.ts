import type { FileChange } from '../../core/changes.ts'
import type { WriteResult, WrittenFile } from '../../core/operations.ts'
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

/** What planning came to. */
export interface Planned extends Pick<WriteResult, 'files' | 'dangling' | 'notes'> {
  readonly changes: readonly FileChange[]
  /** Of every file that changes, for the difference. */
  readonly texts: readonly ChangedText[]
}

export function hasChanged({ original, path, isEdited }: Draft): boolean {
  return original === undefined ? !isTrash(path) : isEdited || original !== path
}

/** What must be done to a file on disk. */
export function changesOf(draft: Draft, view: VaultView, folders: readonly MovedFolder[]): readonly FileChange[] {
  const { original, path, isEdited } = draft
  if (original === undefined) return isTrash(path) ? [] : [{ kind: 'create', path, bytes: draft.bytes }]
  const replaced: FileChange[] = isEdited
    ? [{ kind: 'replace', path: original, before: draft.before ?? '', bytes: draft.bytes }]
    : []
  const isCarried = folders.some(({ from, to }) => original.startsWith(`${from}/`) && path === to + original.slice(from.length))
  if (original === path || isCarried) return replaced
  // An attachment may be of any size: whoever applies the move takes its hash a piece at a time.
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
