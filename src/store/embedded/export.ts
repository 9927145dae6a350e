import { foldId, type NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { LinkKind } from '../../core/note.ts'
import type { ExportRow } from '../../core/store.ts'
import type { Graph, GraphRow } from '../../graph/graph.ts'
import type { LinksAsOf } from './links-as-of.ts'
import { linksOf } from './projection.ts'

/**
 * Yields all files, ordered by id, and then all edges, ordered by source. Later commits do not affect the export, because they
 * create new rows. Closes `links` at the end.
 */
export function* exportRows(graph: Graph, links: LinksAsOf): Generator<ExportRow, undefined> {
  try {
    const ids: (NodeId | undefined)[] = []
    const rows: GraphRow[] = []
    for (const key of graph.order()) {
      const row = graph.row(key)
      if (row === undefined) continue
      rows.push(row)
      ids[key] = graph.id(key)
    }
    for (const { key, path, title, kind, tags, aliases, excluded } of rows) {
      const id = ids[key]
      if (id === undefined || path === undefined) continue
      yield { kind: 'node', id, path, title, nodeKind: kind, tags, aliases, excluded }
    }
    for (const row of rows) yield* edgesOf(row.key, linksOf(row.key, links.data(row.key), row), ids)
  } finally {
    links.close()
  }
}

function* edgesOf(
  key: number,
  links: readonly ResolvedLink[],
  ids: readonly (NodeId | undefined)[],
): IterableIterator<ExportRow> {
  const source = ids[key]
  if (source === undefined) return
  const edges = new Map<number, { count: number; kinds: Set<LinkKind> }>()
  const missing = new Map<string, { target: string; count: number }>()
  for (const link of links) {
    if (typeof link.to === 'number') {
      const edge = edges.get(link.to) ?? { count: 0, kinds: new Set<LinkKind>() }
      edge.count++
      edge.kinds.add(link.kind)
      edges.set(link.to, edge)
    } else {
      const folded = foldId(link.to)
      const entry = missing.get(folded) ?? { target: link.to, count: 0 }
      entry.count++
      missing.set(folded, entry)
    }
  }
  const targets = [...edges].flatMap(([target, edge]) => {
    const id = ids[target]
    return id === undefined ? [] : [{ id, ...edge }]
  })
  for (const { id, count, kinds } of targets.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    yield { kind: 'edge', source, target: id, count, kinds: [...kinds].sort() }
  }
  for (const { target, count } of missing.values()) yield { kind: 'unresolved', source, target, count }
}
