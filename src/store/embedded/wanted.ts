import type { Page, Paged, WantedFilter, WantedNote } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { wantedKey } from '../wanted-names.ts'
import type { Projection } from './projection.ts'
import { folderStart } from './scope.ts'

/** The targets without a note, by how many files want them, then by name. */
export function findWanted(projection: Projection, filter: WantedFilter, page: Page): Paged<WantedNote> {
  const { graph } = projection
  const wanted = [...drafts(projection, filter).values()].sort(
    (a, b) => b.sources.size - a.sources.size || (a.name < b.name ? -1 : 1),
  )
  const items = wanted.slice(page.offset, page.offset + page.limit).map(({ name, targets, sources }) => ({
    name,
    ids: [graph.id(targets[0]), ...targets.slice(1).map((target) => graph.id(target))] as const,
    files: sources.size,
    sources: graph.topByInDegree(sources, SOURCES).map((source) => graph.id(source)),
  }))
  return { items, total: wanted.length }
}

/** Sources returned with each. */
const SOURCES = 3

interface Draft {
  /** As most files write it. */
  name: string
  /** How many files write it so. */
  most: number
  readonly targets: [NodeIndex, ...NodeIndex[]]
  readonly sources: Set<number>
}

function drafts({ graph }: Projection, { folder, counts }: WantedFilter): ReadonlyMap<string, Draft> {
  const start = folder === undefined ? '' : folderStart(folder)
  const isMeant = (key: number): boolean => {
    const { path, excluded } = graph.row(key) ?? {}
    return path !== undefined && excluded === false && graph.folded(key).startsWith(start) && counts?.(path) !== false
  }
  const found = new Map<string, Draft>()
  for (const target of graph.missing()) {
    const name = graph.title(target)
    const sources = graph.sources(target).filter(isMeant)
    const means = wantedKey(name)
    if (sources.length === 0 || means === undefined) continue
    const known = found.get(means)
    if (known === undefined) {
      found.set(means, { name, most: sources.length, targets: [target], sources: new Set(sources) })
      continue
    }
    known.targets.push(target)
    for (const source of sources) known.sources.add(source)
    if (sources.length <= known.most) continue
    known.name = name
    known.most = sources.length
  }
  return found
}
