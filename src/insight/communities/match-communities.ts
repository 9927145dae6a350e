import { NO_COMMUNITY } from '../../core/insight/communities.ts'

/** The community of each note, or `NO_COMMUNITY`. */
export type Membership = Uint32Array

/** A community keeps its id if it shares at least this much of its notes with the former one (Jaccard index). */
const MIN_SHARED = 0.25

export interface Matches {
  readonly former: readonly (number | undefined)[]
  /** Number of notes that changed community, excluding new notes. */
  readonly moved: number
}

/**
 * Matches communities with former ones by the notes that they share. The best matches are made first. Each community is matched at
 * most once.
 */
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
  return { former: formerOf, moved: movedNotes({ now, before }, formerOf) }
}

function movedNotes({ now, before }: Readonly<Record<'now' | 'before', Membership>>, formerOf: Matches['former']): number {
  let movedCount = 0
  now.forEach((community, note) => {
    const old = before[note] as number
    if (old !== NO_COMMUNITY && (community === NO_COMMUNITY || formerOf[community] !== old)) movedCount++
  })
  return movedCount
}

/** Counts the notes of each community that have a community both now and before. */
function counts(of: Membership, other: Membership): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>()
  of.forEach((community, note) => {
    // Added and deleted notes do not affect the match.
    if (community !== NO_COMMUNITY && other[note] !== NO_COMMUNITY) sizes.set(community, (sizes.get(community) ?? 0) + 1)
  })
  return sizes
}

function lastOf(of: Membership): number {
  return of.reduce((last, community) => (community === NO_COMMUNITY || community < last ? last : community), -1)
}
