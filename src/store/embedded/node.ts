import type { FileInfo } from '../../core/index-writer.ts'
import type { Node, NodeOptions } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import type { Projection } from './projection.ts'

/** Everything but a node's text. */
export function nodeOf(projection: Projection, node: NodeIndex, options: NodeOptions): Node {
  const { graph } = projection
  const row = graph.row(node)
  const info = row === undefined || row.kind === 'attachment' ? undefined : projection.info(node)
  const times = row === undefined || options.times !== true ? {} : timesOf(projection, node, info)
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
    links: shown.map((target) => ({ id: graph.id(target), title: graph.title(target) })),
    linkCount,
    properties: info?.properties ?? {},
    ...times,
    headings: info?.headings ?? [],
    excerpt: info?.excerpt ?? '',
    excerptCut: info?.excerptCut ?? false,
  }
}

/** The properties say it, else the file does. */
function timesOf(projection: Projection, key: number, info: FileInfo | undefined): Pick<Node, 'created' | 'modified'> {
  const stat = projection.stat(key)
  const properties = info?.properties ?? {}
  const created = propertyText(properties, 'created', 'date') ?? isoTime(stat?.birthtime)
  const modified = propertyText(properties, 'modified', 'updated') ?? isoTime(stat?.mtime)
  return {
    ...(created === undefined ? {} : { created }),
    ...(modified === undefined ? {} : { modified }),
  }
}

/** The first of these properties that holds a text or a number; names compare case-insensitively. */
function propertyText(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const [key, value] of Object.entries(properties)) {
      if (key.toLowerCase() !== name) continue
      if (typeof value === 'string' && value.trim() !== '') return value.trim()
      if (typeof value === 'number') return String(value)
    }
  }
  return undefined
}

function isoTime(ms: number | undefined): string | undefined {
  if (ms === undefined || ms <= 0) return undefined
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
