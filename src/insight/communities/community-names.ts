import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Communities, NO_COMMUNITY } from '../../core/insight/insight.ts'

export interface KeptCommunities {
  readonly notes: readonly string[]
  readonly of: Divisions
  readonly names: Names
  /** The next unused number by parent id. The empty key stands for the top level. */
  readonly next: ReadonlyMap<string, number>
  readonly successors: ReadonlyMap<string, readonly string[]>
  /** The labels by id. */
  readonly labels: ReadonlyMap<string, string>
}

export type Divisions = readonly [Membership, Membership]
/** The ids of both levels. Small communities have none. */
export type Names = readonly [readonly string[], readonly string[]]

export interface NamedCommunities extends Pick<Communities, 'changed' | 'successors'> {
  readonly names: Names
  readonly next: ReadonlyMap<string, number>
}

const MAX_FORMER = 1000

export function recallDivisions({ notes, of }: KeptCommunities, ids: readonly string[]): Divisions {
  const places = new Map(notes.map((id, place) => [id, place]))
  const recall = (numbers: Membership): Membership =>
    Uint32Array.from(ids, (id) => numbers[places.get(id) ?? numbers.length] ?? NO_COMMUNITY)
  return [recall(of[0]), recall(of[1])]
}

/**
 * Gives each community an id, that of a matching stored community if possible. Only the first `counts` communities of each level
 * get ids.
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
  const topNames = Array.from({ length: counts[0] }, (_, number) => tops.names[tops.formerOf[number] ?? -1] ?? unusedName(''))
  // A part is matched only within its community, because its id starts with that of the community.
  const parts = match(1, (name, note) => name.slice(0, name.indexOf('.')) === topNames[now[0][note] as number])
  const parents = new Map(Array.from(now[1], (part, note) => [part, now[0][note] as number]))
  const partNames = Array.from(
    { length: counts[1] },
    (_, number) => parts.names[parts.formerOf[number] ?? -1] ?? unusedName(topNames[parents.get(number) as number] as string),
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

/** Maps former ids to the communities that now contain most of their notes. */
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

/** Increment when the packed format changes. */
const VERSION = 1

export function packCommunities({ notes, of, names, next, successors, labels }: KeptCommunities): Uint8Array {
  const plain = {
    version: VERSION,
    notes,
    of: of.map((level) => [...level]),
    names,
    next: [...next],
    successors: [...successors],
    labels: [...labels],
  }
  return Uint8Array.from(deflateRawSync(JSON.stringify(plain), { level: 1 }))
}

/** @returns `undefined` if the data is corrupt or has another version */
export function unpackCommunities(bytes: Uint8Array): KeptCommunities | undefined {
  try {
    const plain = JSON.parse(inflateRawSync(bytes).toString('utf8')) as Packed
    if (plain.version !== VERSION) return undefined
    const [top = [], parts = []] = plain.of
    return {
      notes: plain.notes,
      of: [Uint32Array.from(top), Uint32Array.from(parts)],
      names: plain.names,
      next: new Map(plain.next),
      successors: new Map(plain.successors),
      labels: new Map(plain.labels),
    }
  } catch {
    return undefined
  }
}

interface Packed extends Pick<KeptCommunities, 'notes' | 'names'> {
  readonly version: number
  readonly of: readonly (readonly number[])[]
  readonly next: readonly (readonly [string, number])[]
  readonly successors: readonly (readonly [string, readonly string[]])[]
  readonly labels?: readonly (readonly [string, string])[]
}

export type Membership = Uint32Array

/** Minimum Jaccard index for keeping an id. */
const MIN_SHARED = 0.25

export interface Matches {
  readonly formerOf: readonly (number | undefined)[]
  readonly moved: number
}

/** Matches communities by shared notes, greedily and best first. */
export function matchCommunities(now: Membership, before: Membership): Matches {
  const sizes = { now: counts(now, before), before: counts(before, now) }
  const shared = new Map<number, Map<number, number>>()
  now.forEach((community, note) => {
    const old = before[note] as number
    if (community === NO_COMMUNITY || old === NO_COMMUNITY) return
    const row = shared.get(old) ?? new Map<number, number>()
    shared.set(old, row.set(community, (row.get(community) ?? 0) + 1))
  })
  const pairs = [...shared].flatMap(([old, row]) =>
    [...row].map(([community, both]) => {
      const all = (sizes.now.get(community) ?? 0) + (sizes.before.get(old) ?? 0) - both
      return { old, community, both, agreement: both / all }
    }),
  )
  pairs.sort((a, b) => b.agreement - a.agreement || b.both - a.both || a.old - b.old || a.community - b.community)
  const formerOf: (number | undefined)[] = Array.from({ length: lastOf(now) + 1 }, () => undefined)
  const matched = new Set<number>()
  for (const { old, community, agreement } of pairs) {
    if (agreement < MIN_SHARED || matched.has(old) || formerOf[community] !== undefined) continue
    formerOf[community] = old
    matched.add(old)
  }
  return { formerOf, moved: movedNotes({ now, before }, formerOf) }
}

function movedNotes({ now, before }: Readonly<Record<'now' | 'before', Membership>>, formerOf: Matches['formerOf']): number {
  let movedCount = 0
  now.forEach((community, note) => {
    const old = before[note] as number
    if (old !== NO_COMMUNITY && (community === NO_COMMUNITY || formerOf[community] !== old)) movedCount++
  })
  return movedCount
}

function counts(of: Membership, other: Membership): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>()
  of.forEach((community, note) => {
    if (community !== NO_COMMUNITY && other[note] !== NO_COMMUNITY) sizes.set(community, (sizes.get(community) ?? 0) + 1)
  })
  return sizes
}

function lastOf(of: Membership): number {
  return of.reduce((last, community) => (community === NO_COMMUNITY || community < last ? last : community), -1)
}
