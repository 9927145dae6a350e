import { foldId } from '../../core/ids.ts'
import type { WriteResult } from '../../core/operations.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'
import { checkOperation } from './check-operation.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import type { OperationOf, SingleWrite } from './single-write.ts'
import { readIds, writeOne, written } from './write.ts'

export interface MovedNode extends WriteFacts {
  readonly old_id: string
  /** A folder's path, with the vault's name in front like an id. */
  readonly new_id: string
}

/** Moves or renames a note, an attachment or a folder; links follow. @throws RouxError as `write` does */
export async function moveNode(
  core: GraphCore,
  request: SingleWrite<OperationOf<'move'>>,
  call: Call = {},
): Promise<Answer<MovedNode>> {
  checkOperation(request.operation)
  const result = await writeOne(core, request, call)
  const { from, to } = endsOf(result, request.operation)
  const facts = writeFacts(result, call, { diff: request.dryRun })
  const idOf = await readIds(core, [from, to])
  return written({ old_id: idOf(from), new_id: idOf(to), ...facts }, result)
}

interface Ends {
  readonly from: string
  readonly to: string
}

/** The old and new place of the file. For a folder only its content is listed, because the folder itself is the subject. */
function endsOf({ files, subjects }: WriteResult, { id, to }: { readonly id: string; readonly to: string }): Ends {
  const [subject] = subjects
  const moved = files.flatMap(({ kind, from, to }): readonly Ends[] =>
    kind === 'moved' && from !== undefined && to !== undefined ? [{ from, to }] : [],
  )
  const self = moved.find((file) => file.to === subject)
  if (self !== undefined) return self
  const folder = trimFolder(id)
  const inside = moved.find(({ from }) => foldId(from).startsWith(`${foldId(folder)}/`))
  if (inside === undefined) return { from: folder, to: subject ?? trimFolder(to) }
  const rest = inside.from.slice(folder.length)
  return { from: inside.from.slice(0, folder.length), to: subject ?? inside.to.slice(0, inside.to.length - rest.length) }
}
