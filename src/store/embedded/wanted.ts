import { endingOf } from '../../core/media-types.ts'
import type { Page, Paged, WantedNote } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { plainName } from '../../search/plain-name.ts'
import type { Projection } from './projection.ts'
import { folderStart } from './scope.ts'

/** The targets without a note, by how many files want them, then by name. */
export function findWanted(projection: Projection, folder: string | undefined, page: Page): Paged<WantedNote> {
  const { graph } = projection
  const wanted = [...drafts(projection, folder === undefined ? '' : folderStart(folder)).values()].sort(
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

/** Sources that are told of each. */
const SOURCES = 3

interface Draft {
  /** As most files write it. */
  name: string
  /** How many files write it so. */
  most: number
  readonly targets: [NodeIndex, ...NodeIndex[]]
  readonly sources: Set<number>
}

function drafts({ graph }: Projection, start: string): ReadonlyMap<string, Draft> {
  const found = new Map<string, Draft>()
  for (const target of graph.missing()) {
    const name = graph.title(target)
    const sources = graph
      .sources(target)
      .filter((key) => graph.row(key)?.excluded === false && graph.folded(key).startsWith(start))
    if (sources.length === 0 || ATTACHMENTS.has(endingOf(name))) continue
    const known = found.get(keyOf(name))
    if (known === undefined) {
      found.set(keyOf(name), { name, most: sources.length, targets: [target], sources: new Set(sources) })
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

/** Names that differ in case, accents, or by what stands between words mean the same note; a letter or digit makes another day or version of it. */
function keyOf(name: string): string {
  const plain = plainName(name.replace(/[\s_-]+/g, ' '))
  return plain === '' ? name : plain
}

/** Endings of files that are embedded, not written as notes; elsewhere a dot may well stand in a name (`Node.js`). */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  ...['avif', 'bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'tif', 'tiff', 'webp', 'heic', 'pdf'],
  ...['3gp', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'ogv', 'opus', 'wav', 'webm'],
  ...['csv', 'doc', 'docx', 'odt', 'ppt', 'pptx', 'xls', 'xlsx', 'zip'],
])
