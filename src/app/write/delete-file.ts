import { RouxError } from '../../core/errors.ts'
import type { NodeKind } from '../../core/store.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { lookUpKinds, unknownIdWarning } from '../names/known-node.ts'
import { ATTACHMENTS } from './attachment.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { openWriting, writeOne, written } from './write.ts'

export interface DeletedFile extends Partial<WriteFacts> {
  /** `false` when there was no such file, and of a dry run. */
  readonly deleted: boolean
}

/**
 * Puts a note or an attachment into the vault's trash.
 * @throws RouxError `INVALID_PARAMS` for a note where an attachment is meant and the other way round; as `write` does.
 */
export async function deleteFile(
  core: GraphCore,
  request: SingleWrite<OperationOf<'delete' | 'deleteAttachment'>>,
  call: Call = {},
): Promise<Answer<DeletedFile>> {
  const { operation } = request
  checkOperation(operation)
  await openWriting(core, call)
  await requireKind(core, operation)
  const result = await writeOne(core, request, call)
  if (result.files.length > 0) {
    return written({ deleted: !request.dryRun, ...writeFacts(result, call, { diff: request.dryRun }) }, result)
  }
  const meant = operation.kind === 'delete' ? {} : ATTACHMENTS
  return {
    value: { deleted: false },
    warnings: [await core.store.read((snapshot) => unknownIdWarning(snapshot, operation.id, meant), call.signal)],
  }
}

async function requireKind(core: GraphCore, { kind, id }: OperationOf<'delete' | 'deleteAttachment'>): Promise<void> {
  const found = await kindOf(core, id)
  if (kind === 'delete' && found === 'attachment') {
    throw new RouxError('INVALID_PARAMS', `${quoted(id)} is an attachment.`, { hint: 'delete_attachment deletes it.' })
  }
  if (kind === 'deleteAttachment' && (found === 'note' || found === 'canvas')) {
    throw new RouxError('INVALID_PARAMS', `${quoted(id)} is no attachment but a ${found}.`, { hint: 'delete_node deletes it.' })
  }
}

async function kindOf(core: GraphCore, argument: string): Promise<NodeKind | undefined> {
  return await core.store.read(async (snapshot) => (await lookUpKinds(snapshot, core, [argument]))[0]?.kind)
}
