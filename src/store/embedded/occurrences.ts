import type { NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Occurrence, OutgoingLink, Stretch } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { toOccurrence } from '../to-occurrence.ts'
import type { Projection } from './projection.ts'

/** For each pair, the places where its first node links to its second, in order of position. Reads a node's links once. */
export function occurrencesOf(
  projection: Projection,
  pairs: readonly (readonly [from: NodeId, to: NodeId])[],
): readonly (readonly Occurrence[])[] {
  const { graph } = projection
  const found: Occurrence[][] = pairs.map(() => [])
  const asked = new Map<NodeIndex, Map<NodeIndex, number[]>>()
  for (const [at, [from, to]] of pairs.entries()) {
    const source = graph.find(from)
    const target = graph.find(to)
    if (source === undefined || source < 0 || target === undefined) continue
    // The graph knows who links to whom: a hub's thousands of links are not read to learn that none is meant.
    if (!graph.linksTo(source, target)) continue
    const targets = asked.get(source) ?? new Map<NodeIndex, number[]>()
    asked.set(source, targets.set(target, [...(targets.get(target) ?? []), at]))
  }
  for (const [source, targets] of asked) {
    for (const link of projection.links(source)) {
      const end = endOf(projection, link)
      for (const at of (end === undefined ? undefined : targets.get(end)) ?? []) {
        const [from, to] = pairs[at] as readonly [NodeId, NodeId]
        found[at]?.push(toOccurrence(link, { from, to }))
      }
    }
  }
  return found
}

/** Every place in other listed nodes that links to one of these. */
export function linksInto(projection: Projection, ids: readonly NodeId[]): readonly Occurrence[] {
  const { graph } = projection
  const targets = new Set(ids.flatMap((id) => graph.find(id) ?? []))
  const isOther = (key: number): boolean => !targets.has(key) && graph.row(key)?.excluded === false
  const sources = [...new Set([...targets].flatMap((target) => graph.sources(target)))].filter(isOther)
  const named = sources.map((key) => ({ key, id: graph.id(key) })).sort((a, b) => (a.id < b.id ? -1 : 1))
  return named.flatMap(({ key, id }) =>
    projection.links(key).flatMap((link) => {
      const end = endOf(projection, link)
      return end !== undefined && targets.has(end) ? [toOccurrence(link, { from: id, to: graph.id(end) })] : []
    }),
  )
}

/** The links that begin in each stretch and lead to other files that are wanted. */
export function linksWithin(
  projection: Projection,
  stretches: readonly Stretch[],
  isWanted: (key: number) => boolean,
): readonly (readonly OutgoingLink[])[] {
  const { graph } = projection
  return stretches.map(({ id, start, end }) => {
    const source = graph.find(id)
    if (source === undefined || source < 0) return []
    return projection.links(source).flatMap((link): readonly OutgoingLink[] => {
      const { to } = link
      if (link.start < start || link.start >= end || link.inComment === true) return []
      if (typeof to !== 'number' || to === source || !isWanted(to)) return []
      return [{ ...toOccurrence(link, { from: id, to: graph.id(to) }), inLinks: graph.inDegree(to) }]
    })
  })
}

/** Where a link of the index points in the graph. */
export function endOf({ graph }: Projection, link: ResolvedLink): NodeIndex | undefined {
  return typeof link.to === 'number' ? link.to : graph.findMissing(link.to)
}
