import type { Direction, NodeKind } from '../core/store.ts'
import { answer, type Call, listed, type PageArguments, pageFor } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { lookUp, unknownIdWarning } from './known-node.ts'
import { type ListedNode, linksShown, listResponses } from './node-response.ts'

export interface NeighborsArguments extends PageArguments {
  readonly id: string
  readonly direction: Direction
  readonly includeContent: boolean
  /** Only over links of this property. */
  readonly type?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
  /** Links shown of each. */
  readonly links?: number | undefined
}

/** What a node links to and is linked from, by in-degree, then id. What is only linked to has neighbours, too. */
export function getNeighbors(core: GraphCore, args: NeighborsArguments, call: Call = {}): Promise<Answer<readonly ListedNode[]>> {
  return answer(core, call, async (snapshot) => {
    const [id] = await lookUp(snapshot, core, [args.id])
    if (id === undefined) return { value: [], warnings: [await unknownIdWarning(snapshot, args.id)] }
    const { direction, type, kinds } = args
    const options = {
      direction,
      ...(type === undefined ? {} : { type }),
      ...(kinds === undefined || kinds.length === 0 ? {} : { kinds }),
    }
    const page = pageFor(args, call)
    const { items, total } = await snapshot.neighbors(id, options, page)
    const shown = args.includeContent ? 'excerpt' : 'metadata'
    const value = await listResponses(snapshot, items, { shown, links: linksShown(args.links, call) })
    return listed(value, { offset: page.offset, shown: items.length, total })
  })
}
