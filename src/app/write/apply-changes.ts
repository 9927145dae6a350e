import { RouxError } from '../../core/errors.ts'
import { foldId, toNodeId } from '../../core/ids.ts'
import type { Operation } from '../../core/operations.ts'
import type { Call } from '../answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import { type SingleWrite, titleOf } from './single-write.ts'
import { write, written } from './write.ts'

export interface ApplyArguments {
  readonly operations: readonly Pick<SingleWrite, 'tool' | 'operation'>[]
  readonly dryRun: boolean
  /** What a dry run answered; then there are no operations. */
  readonly planId?: string | undefined
}

export interface AppliedChanges extends WriteFacts {
  /** What each operation made or worked on, in their order; `null` for what is gone, and for folders. */
  readonly ids?: readonly (string | null)[]
}

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
  const ids = result.subjects.map((path) => (path === undefined ? null : toNodeId(foldId(path), core.name)))
  return written({ ...(ids.length === 0 ? {} : { ids }), ...writeFacts(result, call, { diff: true }) }, result)
}

function requireOne({ operations, dryRun, planId }: ApplyArguments): void {
  if (planId === undefined && operations.length === 0) throw invalid('Give operations, or the plan_id of a dry run.')
  if (planId === undefined) return
  if (operations.length > 0) throw invalid('Give either operations or plan_id: the plan has its own operations.')
  if (dryRun) throw invalid('A plan is the answer of a dry run already: leave out dry_run to carry it out.')
  if (planId.trim() === '') throw invalid('plan_id is empty.')
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

function invalid(message: string): RouxError {
  return new RouxError('INVALID_PARAMS', message)
}
