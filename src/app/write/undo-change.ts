import { RouxError } from '../../core/errors.ts'
import type { WriteResult } from '../../core/operations.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import { openWriting, written } from './write.ts'
import { type ChangedNode, nodeAt } from './write-node.ts'

export interface UndoneChange extends WriteFacts {
  /** The change that was taken back. */
  readonly undone: string
  /** Where the change was of one file that is there again or still. */
  readonly node?: ChangedNode
}

/**
 * Takes a change back.
 * @throws RouxError `CONFLICT` with the difference when a file was edited since; nothing is written then.
 */
export async function undoChange(core: GraphCore, changeId: string, call: Call = {}): Promise<Answer<UndoneChange>> {
  if (changeId.trim() === '') {
    throw new RouxError('INVALID_PARAMS', 'change_id is empty.', { hint: 'list_changes tells the ids.' })
  }
  const writing = await openWriting(core, call)
  const result = await writing.undo(changeId)
  const path = onlyFile(result)
  const node = await nodeAt(core, { path, text: undefined }, call)
  const value = { undone: changeId, ...writeFacts(result, call), ...(node.value === undefined ? {} : { node: node.value }) }
  return written(value, result, node.warnings)
}

function onlyFile({ files }: WriteResult): string | undefined {
  const [file, ...more] = files
  return more.length === 0 ? file?.to : undefined
}
