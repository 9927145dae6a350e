import { RouxError } from '../../core/errors.ts'
import type { Operation } from '../../core/operations.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { checkOperation } from './check-operation.ts'
import { filled, type WriteFacts, writeFacts } from './facts.ts'
import { type SingleWrite, titleOf } from './single-write.ts'
import { readIds, write, written } from './write.ts'

export interface ApplyArguments {
  readonly operations: readonly Pick<SingleWrite, 'tool' | 'operation'>[]
  readonly dryRun: boolean
  /** The id of a dry run, instead of operations. */
  readonly planId?: string | undefined
}

export interface AppliedChanges extends WriteFacts {
  /** The id that each operation created or changed, in order; `null` for removed notes and for folders. */
  readonly ids?: readonly (string | null)[]
}

/** Ids that a model is shown. */
const MOST_IDS = 20

/**
 * Carries out operations as one change, or a plan that a dry run made.
 * @throws RouxError of the first operation that cannot be done, with its number; nothing is written then. `CONFLICT` for a stale plan.
 */
export async function applyChanges(core: GraphCore, args: ApplyArguments, call: Call = {}): Promise<Answer<AppliedChanges>> {
  const { operations, dryRun, planId } = args
  requireOne(args)
  for (const [at, { operation }] of operations.entries()) checkNumbered(operation, at)
  const title = planId === undefined ? titleOf(operations) : 'apply_changes'
  const request = { title, operations: operations.map(({ operation }) => operation), dryRun }
  const result = await write(core, planId === undefined ? request : { ...request, planId }, call)
  const idOf = await readIds(core, result.subjects)
  const ids = result.subjects.map((path) => (path === undefined ? null : idOf(path)))
  const shown = call.whole === true ? ids : ids.slice(0, MOST_IDS)
  const { omitted, ...facts } = writeFacts(result, call, { diff: true })
  const left = filled({ ids: ids.length - shown.length, ...omitted })
  const value = { ...(shown.length === 0 ? {} : { ids: shown }), ...facts, ...(left === undefined ? {} : { omitted: left }) }
  return written(value, result)
}

function requireOne({ operations, dryRun, planId }: ApplyArguments): void {
  if (planId === undefined && operations.length === 0)
    throw invalid('There is nothing to do.', 'Give operations, or the plan_id that a dry run answered.')
  if (planId === undefined) return
  if (operations.length > 0)
    throw invalid('operations and plan_id do not go together: a plan has its own operations.', 'Leave out one of them.')
  if (dryRun) {
    throw invalid(
      'plan_id is what a dry run answered: it cannot be tried again.',
      'Leave out dry_run to carry the plan out. For another look give the operations with dry_run, and no plan_id.',
    )
  }
  if (planId.trim() === '') throw invalid('plan_id is empty.', 'Give the plan_id that a dry run answered, or operations.')
}

function checkNumbered(operation: Operation, at: number): void {
  try {
    checkOperation(operation)
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    const { code, message, hint } = error
    throw new RouxError(code, `Operation ${at + 1}: ${message}`, { ...(hint === undefined ? {} : { hint }), cause: error })
  }
}

function invalid(message: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, hint === undefined ? {} : { hint })
}
