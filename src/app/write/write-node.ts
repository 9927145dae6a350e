import type { Call } from '../answer-when-ready.ts'
import { getNode } from '../get-node.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import type { NodeDetails } from '../node-details.ts'
import { CONTENT_LIMITS } from '../truncate.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { readBack, writeOne, written } from './write.ts'

/** A node as it is after a change, and what else was changed. */
export type WrittenNode = Partial<NodeDetails> & WriteFacts

/**
 * Creates, changes, restores or clones a note and answers it as `get_node` shows it.
 * @throws RouxError as `write` does; nothing is written then.
 */
export async function writeNode(
  core: GraphCore,
  request: SingleWrite<OperationOf<'create' | 'update' | 'restore' | 'manageTags' | 'clone'>>,
  call: Call = {},
): Promise<Answer<WrittenNode>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  const node = await nodeAt(core, result.subjects[0], call)
  return written({ ...node.value, ...writeFacts(result, call) }, result, node.warnings)
}

/** The node of a path as it is now; nothing where there is none. */
export function nodeAt(core: GraphCore, path: string | undefined, call: Call): Promise<Answer<NodeDetails | undefined>> {
  return readBack(path, async (id) => {
    const { value, warnings } = await getNode(core, { id, depth: 0, offset: 0, maxChars: CONTENT_LIMITS.single }, call)
    return { value: value ?? undefined, warnings }
  })
}
