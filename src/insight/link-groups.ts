import type { Adjacency } from '../core/csr.ts'
import { indexNotes, plainLinks } from './communities/clustered-graph.ts'
import { leiden } from './communities/leiden.ts'

const MIN_GROUP = 8

/** `links` must be symmetric. */
export function linkGroups(links: Adjacency): Int32Array {
  const isIndex = indexNotes(links)
  const groups = Int32Array.from(leiden(plainLinks(links, isIndex), { resolution: 1 }))
  joinCrumbs(links, groups, isIndex)
  return groups
}

function joinCrumbs({ offsets, targets }: Adjacency, groups: Int32Array, isIndex: Uint8Array): void {
  const sizes = new Map<number, number>()
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const isCrumb = (note: number): boolean => isIndex[note] === 0 && (sizes.get(groups[note] ?? -1) ?? 0) < MIN_GROUP
  const crumbs = new Map<number, Map<number, number>>()
  for (const [note, group] of groups.entries()) {
    if (!isCrumb(note)) continue
    const votes = crumbs.get(group) ?? new Map<number, number>()
    crumbs.set(group, votes)
    for (const other of targets.subarray(offsets[note], offsets[note + 1])) {
      if (isCrumb(other)) continue
      const to = groups[other] ?? -1
      const weight = 1 / Math.sqrt((offsets[other + 1] ?? 0) - (offsets[other] ?? 0))
      votes.set(to, (votes.get(to) ?? 0) + weight)
    }
  }
  for (const [note, group] of groups.entries()) groups[note] = mostVoted(crumbs.get(group)) ?? group
}

function mostVoted(votes: ReadonlyMap<number, number> | undefined): number | undefined {
  let best: number | undefined
  for (const [group, weight] of votes ?? []) if (best === undefined || weight > (votes?.get(best) ?? 0)) best = group
  return best
}
