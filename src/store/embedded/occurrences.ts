import type { NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Occurrence } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import type { Projection } from './projection.ts'

/** Every place where one node links to another, in order of position. */
export function occurrencesOf(projection: Projection, [from, to]: readonly [from: NodeId, to: NodeId]): readonly Occurrence[] {
  const { graph } = projection
  const source = graph.find(from)
  const target = graph.find(to)
  if (source === undefined || source < 0 || target === undefined) return []
  // The graph knows who links to whom: a hub's thousands of links are not read to learn that none is meant.
  if (!graph.linksTo(source, target)) return []
  return projection
    .links(source)
    .filter((link) => endOf(projection, link) === target)
    .map((link) => ({
      from,
      to,
      kind: link.kind,
      form: link.form,
      ...(link.property === undefined ? {} : { property: link.property }),
      ...(link.subpath === undefined ? {} : { subpath: link.subpath }),
      ...(link.brokenSubpath === undefined ? {} : { brokenSubpath: link.brokenSubpath }),
      line: link.line,
      start: link.start,
      end: link.end,
      inComment: link.inComment === true,
    }))
}

/** Where a link of the index points in the graph. */
export function endOf({ graph }: Projection, link: ResolvedLink): NodeIndex | undefined {
  return typeof link.to === 'number' ? link.to : graph.findMissing(link.to)
}
