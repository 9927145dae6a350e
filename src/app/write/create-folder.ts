import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'
import { checkOperation } from './check-operation.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { writeOne, written } from './write.ts'

export interface CreatedFolder {
  /** As spelled on disk. */
  readonly path: string
  /** Absent when the folder was there already. */
  readonly change_id?: string
  readonly plan_id?: string
}

/** Makes a folder, and those above it. @throws RouxError as `write` does */
export async function createFolder(
  core: GraphCore,
  request: SingleWrite<OperationOf<'createFolder'>>,
  call: Call = {},
): Promise<Answer<CreatedFolder>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  const { changeId, planId, subjects } = result
  const path = subjects[0] ?? trimFolder(request.operation.path)
  const ids = { ...(changeId === undefined ? {} : { change_id: changeId }), ...(planId === undefined ? {} : { plan_id: planId }) }
  return written({ path, ...ids }, result)
}
