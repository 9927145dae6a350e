import { type Communities, NO_COMMUNITY } from '../../core/insight/communities.ts'
import { type Membership, matchCommunities } from './match-communities.ts'

export interface KeptCommunities {
  readonly notes: readonly string[]
  /** For each level, the community of each note, as an index into `names`. */
  readonly of: Divisions
  readonly names: Names
  /** The next unused number: under an empty key for the first level, and under the id of each community for its parts. */
  readonly next: ReadonlyMap<string, number>
  /** See `Communities.successors`. The oldest come first. */
  readonly successors: ReadonlyMap<string, readonly string[]>
}

/** For each level, the community of each note. A community of the second level is part of one of the first. */
export type Divisions = readonly [Membership, Membership]
/** For each level, the ids of communities by number. Communities that are too small have none. */
export type Names = readonly [readonly string[], readonly string[]]

export interface NamedCommunities extends Pick<Communities, 'changed' | 'successors'> {
  readonly names: Names
  readonly next: ReadonlyMap<string, number>
}

/** Maximum number of former ids to remember. */
const MAX_FORMER = 1000

/** Returns the stored community of each note for each level, or `NO_COMMUNITY` for new notes. */
export function recallDivisions({ notes, of }: KeptCommunities, ids: readonly string[]): Divisions {
  const places = new Map(notes.map((id, place) => [id, place]))
  const recall = (numbers: Membership): Membership =>
    Uint32Array.from(ids, (id) => numbers[places.get(id) ?? numbers.length] ?? NO_COMMUNITY)
  return [recall(of[0]), recall(of[1])]
}

/**
 * Gives each community the id of the stored one that it matches best, or else a new id. On each level, only the first `counts`
 * communities get ids. Without `kept`, all ids are new.
 */
export function nameCommunities(
  now: Divisions,
  counts: readonly [number, number],
  kept?: { readonly communities: KeptCommunities; readonly before: Divisions },
): NamedCommunities {
  const next = new Map(kept?.communities.next)
  const unusedName = (parent: string): string => {
    const number = next.get(parent) ?? 1
    next.set(parent, number + 1)
    return parent === '' ? `c${number}` : `${parent}.${number}`
  }
  const match = (level: 0 | 1, isOf: (name: string, note: number) => boolean) => {
    const names = kept?.communities.names[level] ?? []
    const communityOf = now[level].map((number) => (number < counts[level] ? number : NO_COMMUNITY))
    const formerOf = communityOf.map((_, note) => {
      const number = kept?.before[level][note] as number
      return number < names.length && isOf(names[number] as string, note) ? number : NO_COMMUNITY
    })
    return { ...matchCommunities(communityOf, formerOf), names }
  }
  const tops = match(0, () => true)
  const topNames = Array.from({ length: counts[0] }, (_, number) => tops.names[tops.former[number] ?? -1] ?? unusedName(''))
  // A part keeps its id only while it is in the community whose id is the start of its own.
  const parts = match(1, (name, note) => name.slice(0, name.indexOf('.')) === topNames[now[0][note] as number])
  const parents = new Map(Array.from(now[1], (part, note) => [part, now[0][note] as number]))
  const partNames = Array.from(
    { length: counts[1] },
    (_, number) => parts.names[parts.former[number] ?? -1] ?? unusedName(topNames[parents.get(number) as number] as string),
  )
  const names: Names = [topNames, partNames]
  if (kept === undefined) return { names, next, successors: new Map() }
  const present = new Set([...topNames, ...partNames])
  const dropped = [0, 1].map((level) => (kept.communities.names[level] as readonly string[]).filter((name) => !present.has(name)))
  const successors = new Map([...kept.communities.successors, ...heirsOf(dropped.flat(), { now, names }, kept)])
  for (const oldest of [...successors.keys()].slice(0, Math.max(0, successors.size - MAX_FORMER))) successors.delete(oldest)
  const known = new Set(tops.names)
  return {
    names,
    next,
    successors,
    changed: { new: topNames.filter((name) => !known.has(name)), gone: dropped[0] as readonly string[], moved: tops.moved },
  }
}

/** Maps former ids to the communities that contain their notes now, those with the most notes first. */
function heirsOf(
  dropped: readonly string[],
  { now, names }: { readonly now: Divisions; readonly names: Names },
  { communities, before }: { readonly communities: KeptCommunities; readonly before: Divisions },
): ReadonlyMap<string, readonly string[]> {
  const counts = new Map(dropped.map((name) => [name, new Map<string, number>()]))
  for (const level of [0, 1] as const) {
    before[level].forEach((number, note) => {
      const heirs = counts.get(communities.names[level][number] ?? '')
      const top = names[0][now[0][note] as number]
      const heir = level === 0 ? top : (names[1][now[1][note] as number] ?? top)
      if (heirs !== undefined && heir !== undefined) heirs.set(heir, (heirs.get(heir) ?? 0) + 1)
    })
  }
  const byCount = (heirs: ReadonlyMap<string, number>) => [...heirs].sort((a, b) => b[1] - a[1]).map(([name]) => name)
  return new Map([...counts].map(([name, heirs]) => [name, byCount(heirs)]))
}
