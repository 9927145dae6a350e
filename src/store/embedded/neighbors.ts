import type { NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Direction, NeighborOptions, NodeKind, Page, Paged } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { endOf } from './occurrences.ts'
import type { Projection } from './projection.ts'

const NOTES: readonly NodeKind[] = ['note']

/** The nodes linked to or from a node, by in-degree, then id; without itself and without excluded ones. */
export function neighborsOf(projection: Projection, id: NodeId, options: NeighborOptions, page: Page): Paged<NodeId> {
  const { graph } = projection
  const node = graph.find(id)
  if (node === undefined) return { items: [], total: 0 }
  const found = new Set<NodeIndex>()
  const kinds = options.kinds ?? NOTES
  for (const other of adjacent(projection, node, options)) {
    const kind = graph.kind(other)
    if (other === node || kind === undefined || !kinds.includes(kind)) continue
    if (other >= 0 && graph.row(other)?.excluded) continue
    found.add(other)
  }
  const items = graph.topByInDegree(found, page.offset + page.limit).slice(page.offset)
  return { items: items.map((other) => graph.id(other)), total: found.size }
}

function* adjacent(projection: Projection, node: NodeIndex, options: NeighborOptions): IterableIterator<NodeIndex> {
  const { graph } = projection
  if (wants(options.direction, 'out') && node >= 0) {
    if (options.type === undefined) {
      yield* graph.targets(node)
      yield* graph.missingTargets(node)
    } else {
      for (const link of projection.links(node)) {
        const end = isOfType(link, options.type) ? endOf(projection, link) : undefined
        if (end !== undefined) yield end
      }
    }
  }
  if (wants(options.direction, 'in')) {
    for (const source of graph.sources(node)) {
      const { type } = options
      const counts =
        type === undefined || projection.links(source).some((link) => isOfType(link, type) && endOf(projection, link) === node)
      if (counts) yield source
    }
  }
}

function wants(direction: Direction, side: 'in' | 'out'): boolean {
  return direction === 'both' || direction === side
}

/** Property names compare folded. */
function isOfType(link: ResolvedLink, type: string): boolean {
  return link.property !== undefined && foldName(link.property) === foldName(type)
}
