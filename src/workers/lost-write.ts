import { listKept } from '../changes/failures.ts'
import type { ChangeFate, KeptFile } from '../core/changes.ts'
import { RouxError } from '../core/errors.ts'

/** Thrown if the worker ended before answering a call. */
export class WorkerEnded extends Error {}

export function indexingFailed(reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `Indexing failed: ${reason}`, {
    hint: 'Call again in a moment. If it fails again, restart the server; its log shows why.',
  })
}

/**
 * Error for a worker that crashed before touching any file. @param isPlan whether a dry run was to be executed, which is lost with
 * the worker
 */
export function notBegun(reason: string, isPlan: boolean): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `Nothing was written: indexing ended before the change began (${firstLine(reason)}).`,
    again(isPlan),
  )
}

/** Returns the hint for the case that nothing was written. */
function again(isPlan: boolean) {
  return isPlan ? { hint: 'Repeat the dry run: its plan is lost.' } : { hint: 'Call again.', isTransient: true }
}

/** Error for a write whose answer was lost, with the recorded outcome. */
export function lostWriteError(
  { changeId, reason }: { readonly changeId: string; readonly reason: string },
  fate: ChangeFate | undefined,
  isPlan: boolean,
): RouxError {
  const why = `indexing ended before it could be answered (${firstLine(reason)})`
  switch (fate?.state) {
    case 'done':
    case 'undone':
      return new RouxError('PROVIDER_ERROR', `The change was made (${changeId}), but ${why}.`, {
        hint: 'Do not repeat it: list_changes shows it, and undo reverts it.',
      })
    case 'rolled_back':
      if (fate.kept.length > 0) return keptError(changeId, why, fate.kept)
      return new RouxError('PROVIDER_ERROR', `Nothing was written: ${why}, and the part already done was undone.`, again(isPlan))
    default:
      return new RouxError('PROVIDER_ERROR', `Roux does not know whether the change ${changeId} was made: ${why}.`, {
        hint: 'Check list_changes before you repeat it; a half-finished change is undone at the next start.',
      })
  }
}

function keptError(changeId: string, why: string, kept: readonly KeptFile[]): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `The change ${changeId} was partly undone: ${why}. These files were edited since and are left as they are, perhaps with text of the change: ${listKept(kept)}.`,
    { hint: 'Read these files before you repeat the change.', candidates: kept },
  )
}

/** Returns the message line of a stack trace. */
export function firstLine(text: string): string {
  return text.split('\n')[0] ?? text
}
