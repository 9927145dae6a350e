import { conflictOriginal } from '../core/conflict-copies.ts'
import { foldId } from '../core/ids.ts'
import type { NodeKind, Scope, Snapshot } from '../core/store.ts'
import { foldTag } from '../core/text/fold.ts'
import { trimBothOf } from '../core/text/trim-characters.ts'

export const WITH_TEXT: readonly NodeKind[] = ['note', 'canvas']

export interface ScopeArguments {
  readonly folder?: string | undefined
  readonly path?: string | undefined
  readonly tag?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
}

export function toScope({ folder, path, tag, kinds }: ScopeArguments): Scope {
  const inFolder = foldId(trimFolder(folder ?? ''))
  return {
    ...(inFolder === '' ? {} : { folder: inFolder }),
    ...(path === undefined || path === '' ? {} : { path: foldId(path) }),
    ...(tag === undefined ? {} : { tags: { names: [foldTag(tag)], mode: 'any' } }),
    ...(kinds === undefined || kinds.length === 0 ? {} : { kinds }),
  }
}

/** Returns the scope without archived notes, and without conflict copies unless the question mentions one. */
export function toAnsweringScope(args: ScopeArguments, question: string): Scope {
  return { ...toScope(args), withoutArchived: true, withoutConflicts: conflictOriginal(question.trim()) === undefined }
}

export function trimTag(tag: string): string {
  return tag.trim().replace(/^#/, '').replace(/\/$/, '')
}

export function trimFolder(folder: string): string {
  return trimBothOf(folder, '/')
}

/** Checks whether a folder exists, ignoring case. Folders that only appear in links do not count. */
export async function isFolder(snapshot: Snapshot, folder: string): Promise<boolean> {
  return (await snapshot.tree(foldId(trimFolder(folder)), { depth: 1, limit: 0, includeArchived: true })) !== undefined
}
