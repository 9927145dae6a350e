import { conflictOriginal } from '../core/conflict-copies.ts'
import { foldId } from '../core/ids.ts'
import type { NodeKind, Scope, Snapshot } from '../core/store.ts'
import { foldTag } from '../core/text/fold.ts'
import { trimBothOf } from '../core/text/trim-characters.ts'

/** Nodes with words: notes, and canvases through their cards. */
export const WITH_TEXT: readonly NodeKind[] = ['note', 'canvas']

/** Where a caller looks, as written. */
export interface ScopeArguments {
  readonly folder?: string | undefined
  readonly path?: string | undefined
  readonly tag?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
}

/** Normalises a scope: case, `#` of tags and outer slashes of folders do not matter. */
export function toScope({ folder, path, tag, kinds }: ScopeArguments): Scope {
  const inFolder = foldId(trimFolder(folder ?? ''))
  return {
    ...(inFolder === '' ? {} : { folder: inFolder }),
    ...(path === undefined || path === '' ? {} : { path: foldId(path) }),
    ...(tag === undefined ? {} : { tags: { names: [foldTag(tag)], mode: 'any' } }),
    ...(kinds === undefined || kinds.length === 0 ? {} : { kinds }),
  }
}

/** Where a question is answered: archived notes are left out, and conflict copies unless the question names one. */
export function toAnsweringScope(args: ScopeArguments, question: string): Scope {
  return { ...toScope(args), withoutArchived: true, withoutConflicts: conflictOriginal(question.trim()) === undefined }
}

/** A tag's name as the store knows it. */
export function trimTag(tag: string): string {
  return tag.trim().replace(/^#/, '').replace(/\/$/, '')
}

/** A folder's path as the store knows it; empty for the vault itself. */
export function trimFolder(folder: string): string {
  return trimBothOf(folder, '/')
}

/** True if a folder with this name exists, in any case; links to it do not count. */
export async function isFolder(snapshot: Snapshot, folder: string): Promise<boolean> {
  return (await snapshot.tree(foldId(trimFolder(folder)), { depth: 1, limit: 0, includeArchived: true })) !== undefined
}
