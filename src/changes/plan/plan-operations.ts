import type { FileChange, Trashed } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { Operation, WriteResult } from '../../core/operations.ts'
import { addAttachment } from './attachments.ts'
import { differenceOf } from './changed-files.ts'
import type { Draft } from './draft.ts'
import { createFolder, deleteFile, moveFile, restoreFile } from './file-operations.ts'
import { cloneNote, createNote, manageTags, updateNote } from './note-operations.ts'
import { isTrash, lowercasedNotes } from './note-paths.ts'
import { renameOneHeading, renameOneTag } from './rename-operations.ts'
import type { VaultView } from './vault-view.ts'
import { writtenText } from './whole-text.ts'
import { Workspace } from './workspace.ts'

export interface PlannedWrite extends Omit<WriteResult, 'changeId' | 'planId'> {
  readonly changes: readonly FileChange[]
}

/**
 * Plans operations, each based on the previous ones.
 * @param deletions recorded deletions, newest first
 * @throws RouxError for the first impossible operation, with its number if there are several
 */
export async function planOperations(
  view: VaultView,
  operations: readonly Operation[],
  deletions: () => Iterable<Trashed> = () => [],
): Promise<PlannedWrite> {
  const workspace = new Workspace(view)
  try {
    const subjects: (Draft | undefined)[] = []
    for (const [at, operation] of operations.entries()) {
      try {
        subjects.push(await run(workspace, operation, deletions))
        await workspace.followNames(operation.kind === 'update' && operation.updateLinks ? 'rewrite' : 'report')
      } catch (error) {
        throw operations.length > 1 ? numbered(error, at) : error
      }
    }
    workspace.notes.push(...lowercasedNotes(workspace.lowercased))
    workspace.noteWrittenLinks(subjects.flatMap((draft, at) => (draft !== undefined && writes(operations[at]) ? [draft] : [])))
    await workspace.noteBrokenParts()
    const { texts, ...planned } = await workspace.finish()
    const text = writtenText(operations, subjects, view)
    return {
      ...planned,
      subjects: subjects.map((draft) => (draft === undefined || isTrash(draft.path) ? undefined : draft.path)),
      ...(text === undefined ? undefined : { text }),
      diff: differenceOf(texts),
    }
  } finally {
    workspace.close()
  }
}

/** Returns true for operations with text written by the caller. */
function writes(operation: Operation | undefined): boolean {
  return operation?.kind === 'create' || operation?.kind === 'update' || operation?.kind === 'renameHeading'
}

function run(workspace: Workspace, operation: Operation, deletions: () => Iterable<Trashed>): Promise<Draft | undefined> {
  switch (operation.kind) {
    case 'create':
      return createNote(workspace, operation)
    case 'update':
      return updateNote(workspace, operation)
    case 'delete':
    case 'deleteAttachment':
      return deleteFile(workspace, operation)
    case 'move':
      return moveFile(workspace, operation)
    case 'restore':
      return restoreFile(workspace, operation, deletions)
    case 'renameHeading':
      return renameOneHeading(workspace, operation)
    case 'renameTag':
      return renameOneTag(workspace, operation)
    case 'manageTags':
      return manageTags(workspace, operation)
    case 'createFolder':
      return createFolder(workspace, operation)
    case 'clone':
      return cloneNote(workspace, operation)
    case 'addAttachment':
      return addAttachment(workspace, operation)
  }
}

function numbered(error: unknown, at: number): unknown {
  if (!(error instanceof RouxError)) return error
  const { code, message, hint, candidates } = error
  return new RouxError(code, `Operation ${at + 1}: ${message}`, { hint, candidates, cause: error })
}
