import type { Node, NodeOptions, NodeSummary } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { timesOf } from '../note-facts.ts'
import type { Projection } from './projection.ts'

/** Everything but a node's text. */
export function nodeOf(projection: Projection, node: NodeIndex, options: NodeOptions): Node {
  const { graph } = projection
  const row = graph.row(node)
  const info = row === undefined || row.kind === 'attachment' ? undefined : projection.info(node)
  const { properties = {} } = info ?? {}
  const times = row === undefined || options.times !== true ? {} : timesOf({ properties, stat: projection.stat(node) })
  const links: NodeIndex[] = []
  for (const target of graph.targets(node)) if (target !== node && graph.isListedNote(target)) links.push(target)
  const linkCount = links.length
  const shown = graph.topByInDegree(links, options.links)
  return {
    id: graph.id(node),
    title: graph.title(node),
    kind: graph.kind(node) ?? 'missing',
    ...(row?.path === undefined ? {} : { path: row.path }),
    tags: row?.tags ?? [],
    aliases: row?.aliases ?? [],
    excluded: row?.excluded ?? false,
    links: shown.map((target) => summaryOf(projection, target)),
    linkCount,
    properties,
    ...times,
    headings: info?.headings ?? [],
    blocks: info?.blocks ?? [],
    ...(options.tasks === true ? { tasks: info?.tasks ?? [] } : {}),
    excerpt: info?.excerpt ?? '',
    excerptCut: info?.excerptCut ?? false,
  }
}

export function summaryOf({ graph }: Projection, node: NodeIndex): NodeSummary {
  return { id: graph.id(node), title: graph.title(node) }
}
