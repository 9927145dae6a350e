import { type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { filesByPath } from '../names/known-node.ts'
import { type AttachmentFacts, attachmentFacts, fileNodes } from './attachment.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { readBack, writeOne, written } from './write.ts'

/** The attachment that was made, and what else was changed. */
export type AddedAttachment = Partial<AttachmentFacts> & WriteFacts

/**
 * Adds a file to the vault under a unique name.
 * @throws RouxError `INVALID_PARAMS` for invalid base64 or another type than given, `TOO_LARGE` over 5 MB; errors of
 * `write`
 */
export async function addAttachment(
  core: GraphCore,
  request: SingleWrite<OperationOf<'addAttachment'>>,
  call: Call = {},
): Promise<Answer<AddedAttachment>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  const facts = await readBack(result.subjects[0], async (path) => {
    const nodes = await core.store.read(async (snapshot) => {
      const file = (await filesByPath(snapshot, core, [path])).at(path)
      return await fileNodes(snapshot, file === undefined ? [] : [file.id])
    })
    return plain((await attachmentFacts(core, nodes))[0])
  })
  return written({ ...facts.value, ...writeFacts(result, call) }, result, facts.warnings)
}
