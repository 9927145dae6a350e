import { ALL, type NodeKind, type NodeSummary, type Paged, type Snapshot } from '../../core/store.ts'
import { answer, answerInSteps, type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { toScope } from '../scope.ts'
import { notesOfCommunities } from './communities.ts'

export interface ListNodesArguments extends PageArguments {
  readonly tag?: string | undefined
  /** Beginning of the path. */
  readonly path?: string | undefined
  readonly kinds?: readonly NodeKind[] | undefined
  /** Only notes of this community. */
  readonly community?: string | undefined
}

export interface NodeList {
  readonly nodes: readonly NodeSummary[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
}

/** Ids and titles, by id. */
export function listNodes(core: GraphCore, args: ListNodesArguments, call: Call = {}): Promise<Answer<NodeList>> {
  const { community } = args
  if (community !== undefined) return listCommunity(core, { ...args, community }, call)
  return answer(core, call, async (snapshot) => {
    const page = pageFor(args, call)
    const { items, total } = await snapshot.select(toScope(args), page)
    return await listOf(snapshot, args, { items, total, offset: page.offset })
  })
}

/** The notes of a community that are in the scope, too. */
function listCommunity(
  core: GraphCore,
  args: ListNodesArguments & { readonly community: string },
  call: Call,
): Promise<Answer<NodeList>> {
  return answerInSteps(core, call, async (read, began) => {
    const { communities, warnings } = await notesOfCommunities(core, began, [args.community])
    const nodes = communities.get(args.community) ?? []
    const listing = await read(async (snapshot) => {
      const page = pageFor(args, call)
      const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
      const found = await snapshot.find({ kind: 'among', nodes }, { scope: toScope(args), order }, ALL)
      const items = [...found.items].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(page.offset, page.offset + page.limit)
      return await listOf(snapshot, args, { items, total: found.total, offset: page.offset })
    })
    return { ...listing, warnings: [...warnings, ...listing.warnings] }
  })
}

async function listOf(
  snapshot: Snapshot,
  args: ListNodesArguments,
  { items, total, offset }: Paged<NodeSummary> & { readonly offset: number },
): Promise<Answer<NodeList>> {
  const value = { nodes: items.map(({ id, title }) => ({ id, title })), total }
  const warnings = total === 0 ? await scopeWarnings(snapshot, args) : []
  return { ...listed(value, { offset, shown: items.length, total }), warnings }
}
