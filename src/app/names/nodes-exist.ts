import { foldId, toNodeId } from '../../core/ids.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findIds } from './known-node.ts'

/** True if nodes with these ids exist, by normalised id. A missing target does not exist. */
export function nodesExist(
  core: GraphCore,
  ids: readonly string[],
  call: Call = {},
): Promise<Answer<Readonly<Record<string, boolean>>>> {
  return answer(core, call, async (snapshot) => {
    const known = await findIds(snapshot, core, ids)
    return plain(
      Object.fromEntries(ids.map((id, index) => [known[index] ?? toNodeId(foldId(id), core.name), known[index] !== undefined])),
    )
  })
}
