import { RouxError } from '../../core/errors.ts'
import { type NodeId, withoutVault } from '../../core/ids.ts'
import { type Communities, type Community, type CommunityLevel, NO_COMMUNITY } from '../../core/insight/communities.ts'
import type { Insight } from '../../core/insight/insight.ts'
import { boundaryBefore } from '../answer/truncate.ts'
import type { GraphCore } from '../graph-core.ts'

/** A community, on the level of its id. */
export interface FoundCommunity {
  readonly community: Community
  readonly level: CommunityLevel
  /** Its place in the list of the level. */
  readonly place: number
}

/**
 * The community of an id, in any case, also with the vault's name.
 * @throws RouxError `NODE_NOT_FOUND` that names its successors where it is gone
 */
export function requireCommunity(
  { levels, successors }: Communities,
  given: string,
  core: Pick<GraphCore, 'name'>,
): FoundCommunity {
  const id = withoutVault(given.trim().toLowerCase(), core.name)
  for (const level of levels) {
    const place = level.list.findIndex((community) => community.id === id)
    if (place >= 0) return { community: level.list[place] as Community, level, place }
  }
  const heirs = presentHeirs(id, { levels, successors })
  if (heirs === undefined) {
    throw new RouxError('NODE_NOT_FOUND', `There is no community "${id}".`, { hint: 'map lists the communities that there are.' })
  }
  const named = heirs.map((heir) => communityId(heir, core))
  throw new RouxError('NODE_NOT_FOUND', `The community "${id}" is gone: the vault changed.`, {
    hint: named.length === 0 ? 'map lists the communities that there are.' : `Its notes are in ${named.join(', ')} now.`,
    candidates: named,
  })
}

/** The id as answers show it. */
export function communityId(id: string, { name }: Pick<GraphCore, 'name'>): string {
  return name === undefined ? id : `${name}:${id}`
}

/** Characters of a label that is a note's title: the whole title stands with the key notes. */
const LONGEST_LABEL = 48

/** A community's label: the user's name, otherwise the title of its first key note, cut after a word if long. */
export function communityLabel(
  id: string,
  { given, title = id }: { readonly given: string | undefined; readonly title: string | undefined },
): string {
  if (given !== undefined || title.length <= LONGEST_LABEL) return given ?? title
  const head = title.slice(0, boundaryBefore(title, 0, LONGEST_LABEL - 1))
  const words = head.replace(/[\s/_-]+[^\s/_-]*$/, '')
  return `${words.length * 2 > LONGEST_LABEL ? words : head}…`
}

/** The notes of a community, by id. */
export function membersOf({ ids }: Pick<Insight, 'ids'>, { level, place }: FoundCommunity): readonly NodeId[] {
  return ids.filter((_, note) => level.of[note] === place)
}

/** For each note the ids of its communities on both levels. */
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

/** How many are named. */
const MOST_HEIRS = 3

/** The successors of a former community, those with most of its notes first; `undefined` if it never existed. */
function presentHeirs(
  id: string,
  { levels, successors }: Pick<Communities, 'levels' | 'successors'>,
): readonly string[] | undefined {
  if (!successors.has(id)) return undefined
  const present = new Set(levels.flatMap(({ list }) => list.map((community) => community.id)))
  const found = new Set<string>()
  const asked = new Set<string>()
  const waiting = [id]
  for (const one of waiting) {
    if (asked.has(one)) continue
    asked.add(one)
    if (present.has(one)) found.add(one)
    else waiting.push(...(successors.get(one) ?? []))
  }
  return [...found].slice(0, MOST_HEIRS)
}
