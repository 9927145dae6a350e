import type { NodeKind, NodeSummary } from '../core/store.ts'
import { answer, type Call, listed, type PageArguments, pageFor } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { toScope } from './scope.ts'
import { scopeWarnings } from './scope-warnings.ts'

export interface ListNodesArguments extends PageArguments {
  readonly tag?: string | undefined
  /** Beginning of the path. */
  readonly path?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
}

export interface NodeList {
  readonly nodes: readonly NodeSummary[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
}

/** Ids and titles, by id. */
export function listNodes(core: GraphCore, args: ListNodesArguments, call: Call = {}): Promise<Answer<NodeList>> {
  return answer(core, call, async (snapshot) => {
    const page = pageFor(args, call)
    const { items, total } = await snapshot.select(toScope(args), page)
    const value = { nodes: items.map(({ id, title }) => ({ id, title })), total }
    const warnings = total === 0 ? await scopeWarnings(snapshot, args) : []
    return { ...listed(value, { offset: page.offset, shown: items.length, total }), warnings }
  })
}
