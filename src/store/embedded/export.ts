import { foldId } from '../../core/ids.ts'
import type { LinkKind } from '../../core/note.ts'
import type { ExportRow } from '../../core/store.ts'
import type { Projection } from './projection.ts'

/** Every file by id, then every edge by source; what a commit changes meanwhile shows from then on. */
export function* exportRows(projection: Projection): Generator<ExportRow, undefined> {
  const { graph } = projection
  const keys = [...graph.order()]
  for (const key of keys) {
    const row = graph.row(key)
    if (row?.path === undefined) continue
    const { path, title, kind, tags, aliases, excluded } = row
    yield { kind: 'node', id: graph.id(key), path, title, nodeKind: kind, tags, aliases, excluded }
  }
  for (const key of keys) {
    if (graph.row(key) !== undefined) yield* edgesOf(projection, key)
  }
}

function* edgesOf(projection: Projection, key: number): IterableIterator<ExportRow> {
  const { graph } = projection
  const edges = new Map<number, { count: number; kinds: Set<LinkKind> }>()
  const missing = new Map<string, { target: string; count: number }>()
  for (const link of projection.links(key)) {
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
  const source = graph.id(key)
  const sorted = [...edges].sort(([a], [b]) => (graph.id(a) < graph.id(b) ? -1 : 1))
  for (const [target, { count, kinds }] of sorted) {
    yield { kind: 'edge', source, target: graph.id(target), count, kinds: [...kinds].sort() }
  }
  for (const { target, count } of missing.values()) yield { kind: 'unresolved', source, target, count }
}
