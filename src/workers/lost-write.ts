import { listKept } from '../changes/failures.ts'
import type { ChangeFate, KeptFile } from '../core/changes.ts'
import { RouxError } from '../core/errors.ts'

/** The worker ended before it answered a call. */
export class WorkerEnded extends Error {}

export function indexingFailed(reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `Indexing failed: ${reason}`, {
    hint: 'Call again in a moment. If it fails again, start the server again: its log tells why.',
  })
}

/** The worker died before it touched any file. @param isPlan a dry run was to be executed, and those die with the worker */
export function notBegun(reason: string, isPlan: boolean): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `Nothing was written: indexing ended before the change was begun (${firstLine(reason)}).`,
    again(isPlan),
  )
}

/** Advice when nothing was written. */
function again(isPlan: boolean) {
  return isPlan ? { hint: 'Make the dry run again: its plan is not kept.' } : { hint: 'Call again.', isTransient: true }
}

/** The error for a write whose answer was lost, with the recorded outcome. */
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
        hint: 'Do not ask for it again: list_changes shows it, and undo takes it back.',
      })
    case 'rolled_back':
      if (fate.kept.length > 0) return keptError(changeId, why, fate.kept)
      return new RouxError(
        'PROVIDER_ERROR',
        `Nothing was written: ${why}, and what was done of the change was taken back.`,
        again(isPlan),
      )
    default:
      return new RouxError('PROVIDER_ERROR', `It is not known whether the change ${changeId} was made: ${why}.`, {
        hint: 'list_changes tells, before it is asked for again: what is half done is taken back at the next start.',
      })
  }
}

function keptError(changeId: string, why: string, kept: readonly KeptFile[]): RouxError {
  return new RouxError(
    'PROVIDER_ERROR',
    `The change ${changeId} was taken back in part: ${why}. Left as they are, perhaps with text of the change, because they were edited since: ${listKept(kept)}.`,
    { hint: 'Read these files before the change is asked for again.', candidates: kept },
  )
}

/** The message line of a stack. */
export function firstLine(text: string): string {
  return text.split('\n')[0] ?? text
}
