import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { writeOne, written } from './write.ts'

export interface DeletedFile extends WriteFacts {
  /** `false` in a dry run. */
  readonly deleted: boolean
}

/** Puts a note or an attachment into the vault's trash. @throws RouxError as `write` does */
export async function deleteFile(
  core: GraphCore,
  request: SingleWrite<OperationOf<'delete' | 'deleteAttachment'>>,
  call: Call = {},
): Promise<Answer<DeletedFile>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  return written({ deleted: !request.dryRun, ...writeFacts(result, call, { diff: request.dryRun }) }, result)
}
