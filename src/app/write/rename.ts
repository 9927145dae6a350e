import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { writeOne, written } from './write.ts'

/** Renames a heading or a tag wherever it is spoken of. @throws RouxError as `write` does */
export async function rename(
  core: GraphCore,
  request: SingleWrite<OperationOf<'renameHeading' | 'renameTag'>>,
  call: Call = {},
): Promise<Answer<WriteFacts>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  return written(writeFacts(result, call, { diff: request.dryRun }), result)
}
