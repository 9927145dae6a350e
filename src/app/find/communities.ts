import { RouxError } from '../../core/errors.ts'
import { type NodeId, withoutVault } from '../../core/ids.ts'
import type { Insight, InsightKind, InsightKinds, Insights } from '../../core/insight/insight.ts'
import { type Communities, type Community, type CommunityLevel, NO_COMMUNITY } from '../../core/insight/insight.ts'
import { type CommunityIds, communitiesIn, type Query } from '../../search/query/query.ts'
import { answerInSteps, type Call, patienceOf, type Read } from '../answer/answer-when-ready.ts'
import { firstInsightWarning, OLDER_INSIGHT_WARNING } from '../answer/readiness-warnings.ts'
import { boundaryBefore } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'

/**
 * Returns the named communities.
 * @throws RouxError `NODE_NOT_FOUND` for an unknown community, with its successors if it existed earlier
 */
export async function communitiesNamed(
  core: GraphCore,
  call: Call,
  query: Query,
): Promise<{ readonly communities: CommunityIds; readonly warnings: readonly Warning[] }> {
  const ids = communitiesIn(query)
  return ids.length === 0 ? { communities: new Map(), warnings: [] } : await notesOfCommunities(core, call, ids)
}

export async function notesOfCommunities(
  core: GraphCore,
  call: Call,
  ids: readonly string[],
): Promise<{ readonly communities: ReadonlyMap<string, readonly NodeId[]>; readonly warnings: readonly Warning[] }> {
  const { insight, warnings } = await latestOf(core.insights, call)
  if (insight === undefined) return { communities: new Map(), warnings }
  const members = ids.map((id) => [id, membersOf(insight, requireCommunity(insight.communities, id, core))] as const)
  return { communities: new Map(members), warnings }
}

export interface FoundCommunity {
  readonly community: Community
  readonly level: CommunityLevel
  readonly place: number
}

/**
 * Finds a community by id, in any case, with or without the vault's name.
 * @throws RouxError `NODE_NOT_FOUND`, with successors if the community existed earlier
 */
export function requireCommunity(
  { levels, successors }: Communities,
  requestedId: string,
  core: Pick<GraphCore, 'name'>,
): FoundCommunity {
  const id = withoutVault(requestedId.trim().toLowerCase(), core.name)
  for (const level of levels) {
    const place = level.list.findIndex((community) => community.id === id)
    if (place >= 0) return { community: level.list[place] as Community, level, place }
  }
  const currentIds = currentSuccessors(id, { levels, successors })
  if (currentIds === undefined) {
    throw new RouxError('NODE_NOT_FOUND', `There is no community "${id}".`, { hint: 'map lists the communities.' })
  }
  const candidates = currentIds.map((current) => communityId(current, core))
  throw new RouxError('NODE_NOT_FOUND', `The community "${id}" no longer exists, because the vault has changed.`, {
    hint: candidates.length === 0 ? 'map lists the communities.' : `Its notes are in ${candidates.join(', ')} now.`,
    candidates,
  })
}

export function communityId(id: string, { name }: Pick<GraphCore, 'name'>): string {
  return name === undefined ? id : `${name}:${id}`
}

const MAX_LABEL_LENGTH = 48

/** Returns the user's label, or else the automatic one. */
export function communityLabel({ id, label }: Pick<Community, 'id' | 'label'>, given: ReadonlyMap<string, string>): string {
  const own = given.get(id)
  if (own !== undefined || label.length <= MAX_LABEL_LENGTH) return own ?? label
  const head = label.slice(0, boundaryBefore(label, 0, MAX_LABEL_LENGTH - 1))
  const words = head.replace(/[\s/_-]+[^\s/_-]*$/, '')
  return `${words.length * 2 > MAX_LABEL_LENGTH ? words : head}…`
}

function membersOf({ ids }: Pick<Insight, 'ids'>, { level, place }: FoundCommunity): readonly NodeId[] {
  return ids.filter((_, note) => level.of[note] === place)
}

export function communitiesOf({
  ids,
  communities,
}: Pick<Insight, 'ids' | 'communities'>): ReadonlyMap<NodeId, readonly string[]> {
  return new Map(
    ids.map((id, note) => [
      id,
      communities.levels.flatMap(({ list, of }) =>
        of[note] === NO_COMMUNITY ? [] : [(list[of[note] as number] as Community).id],
      ),
    ]),
  )
}

const MAX_SUCCESSORS = 3

function currentSuccessors(
  id: string,
  { levels, successors }: Pick<Communities, 'levels' | 'successors'>,
): readonly string[] | undefined {
  if (!successors.has(id)) return undefined
  const present = new Set(levels.flatMap(({ list }) => list.map((community) => community.id)))
  const found = new Set<string>()
  const visited = new Set<string>()
  const waiting = [id]
  for (const id of waiting) {
    if (visited.has(id)) continue
    visited.add(id)
    if (present.has(id)) found.add(id)
    else waiting.push(...(successors.get(id) ?? []))
  }
  return [...found].slice(0, MAX_SUCCESSORS)
}

interface InsightUse<T, Kind extends InsightKind> {
  readonly from: Insights<Kind>
  readonly empty: T
  use(insight: InsightKinds[Kind], read: Read, call: Call): Promise<Answer<T>>
}

/**
 * Answers from the latest insight. Only the first call waits for a result. Later calls warn `STALE` if a newer result is being
 * computed.
 */
export function answerFromInsight<T, Kind extends InsightKind>(
  core: GraphCore,
  initialCall: Call,
  { from, empty, use }: InsightUse<T, Kind>,
): Promise<Answer<T>> {
  return answerInSteps(core, initialCall, async (read, call) => {
    const { insight, warnings } = await latestOf(from, call)
    if (insight === undefined) return { value: empty, warnings }
    const result = await use(insight, read, call)
    return { ...result, warnings: [...warnings, ...result.warnings] }
  })
}

interface Latest<Kind extends InsightKind> {
  readonly insight: InsightKinds[Kind] | undefined
  readonly warnings: readonly Warning[]
}

/** Returns the latest insight, or `undefined` if none is available before the deadline. */
export async function latestOf<Kind extends InsightKind>(insights: Insights<Kind>, call: Call): Promise<Latest<Kind>> {
  const run = await insights.follow({ wait: patienceOf(call), signal: call.signal })
  if (run === undefined) return { insight: undefined, warnings: [firstInsightWarning(insights.progress?.())] }
  return { insight: run.insight, warnings: run.isCurrent ? [] : [OLDER_INSIGHT_WARNING] }
}
