import type { NodeId } from '../../core/ids.ts'
import { type CommunityIds, communitiesIn, type Query } from '../../search/query/query.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { GraphCore, Warning } from '../graph-core.ts'
import { membersOf, requireCommunity } from './find-community.ts'
import { insightFor } from './latest-insight.ts'

/**
 * The notes of the communities that a query names; the vault is looked at as a whole only where it names any.
 * @throws RouxError `NODE_NOT_FOUND` for one that there is not, with its successors where it is gone
 */
export async function communitiesNamed(
  core: GraphCore,
  call: Call,
  query: Query,
): Promise<{ readonly communities: CommunityIds; readonly warnings: readonly Warning[] }> {
  const ids = communitiesIn(query)
  return ids.length === 0 ? { communities: new Map(), warnings: [] } : await notesOfCommunities(core, call, ids)
}

/** The notes of these communities; without any, and a word why, where that is not known in time. */
export async function notesOfCommunities(
  core: GraphCore,
  call: Call,
  ids: readonly string[],
): Promise<{ readonly communities: ReadonlyMap<string, readonly NodeId[]>; readonly warnings: readonly Warning[] }> {
  const { insight, warnings } = await insightFor(core, call)
  if (insight === undefined) return { communities: new Map(), warnings }
  const found = ids.map((id) => [id, membersOf(insight, requireCommunity(insight.communities, id, core))] as const)
  return { communities: new Map(found), warnings }
}
