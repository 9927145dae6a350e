import { listKept } from '../changes/failures.ts'
import type { ChangeOutcome, KeptFile } from '../core/changes.ts'
import { RouxError } from '../core/errors.ts'

export class WorkerEnded extends Error {}

export function indexingFailed(reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `Indexing failed: ${reason}`, {
    hint: 'Call again in a moment. If it fails again, restart the server; its log shows why.',
  })
}

/** Returns the error for a write that did not begin. @param isPlan whether a plan was lost with the worker */
export function notBegun(reason: string, isPlan: boolean): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `Nothing was written: the indexing worker ended before the change began (${firstLine(reason)}).`,
    repeatHint(isPlan),
  )
}

function repeatHint(isPlan: boolean) {
  return isPlan ? { hint: 'Repeat the dry run, because its plan was lost.' } : { hint: 'Call again.', isTransient: true }
}

export function lostWriteError(
  { changeId, reason }: { readonly changeId: string; readonly reason: string },
  outcome: ChangeOutcome | undefined,
  isPlan: boolean,
): RouxError {
  const why = `the indexing worker ended before it could answer (${firstLine(reason)})`
  switch (outcome?.state) {
    case 'done':
    case 'undone':
      return new RouxError('PROVIDER_ERROR', `The change was made (${changeId}), but ${why}.`, {
        hint: 'Do not repeat it: list_changes shows it, and undo reverts it.',
      })
    case 'rolled_back':
      if (outcome.kept.length > 0) return keptError(changeId, why, outcome.kept)
      return new RouxError('PROVIDER_ERROR', `The change failed and was rolled back: ${why}.`, repeatHint(isPlan))
    default:
      return new RouxError('PROVIDER_ERROR', `Roux does not know whether the change ${changeId} was made: ${why}.`, {
        hint: 'Check list_changes before you repeat it; an incomplete change is rolled back at the next start.',
      })
  }
}

function keptError(changeId: string, why: string, keptFiles: readonly KeptFile[]): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `The change ${changeId} was only partly rolled back: ${why}. These files have been edited since and were not touched; they may still contain text from the change: ${listKept(keptFiles)}.`,
    { hint: 'Read these files before you repeat the change.', candidates: keptFiles },
  )
}

export function firstLine(text: string): string {
  return text.split('\n')[0] ?? text
}
