import type { Direction, NodeKind } from '../core/store.ts'
import { answer, type Call } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { lookUp, unknownIdWarning } from './known-node.ts'
import { listResponses, type NodeResponse } from './node-response.ts'

export interface NeighborsArguments {
  readonly id: string
  readonly direction: Direction
  readonly limit: number
  readonly includeContent: boolean
  /** Only over links of this property. */
  readonly type?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
}

/** What a node links to and is linked from, by in-degree, then id. What is only linked to has neighbours, too. */
export function getNeighbors(
  core: GraphCore,
  args: NeighborsArguments,
  call: Call = {},
): Promise<Answer<readonly NodeResponse[]>> {
  return answer(core, call, async (snapshot) => {
    const [id] = await lookUp(snapshot, core, [args.id])
    if (id === undefined) return { value: [], warnings: [await unknownIdWarning(snapshot, args.id)] }
    const { direction, type, kinds } = args
    const options = {
      direction,
      ...(type === undefined ? {} : { type }),
      ...(kinds === undefined || kinds.length === 0 ? {} : { kinds }),
    }
    const { items } = await snapshot.neighbors(id, options, { offset: 0, limit: args.limit })
    return { value: await listResponses(snapshot, items, args.includeContent ? 'excerpt' : 'metadata'), warnings: [] }
  })
}
