import type { NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import { folderStart } from '../../core/paths.ts'
import type {
  Direction,
  Folder,
  NameHit,
  NameMatch,
  NameOptions,
  NeighborOptions,
  Node,
  NodeOptions,
  NodeSummary,
  Occurrence,
  OutgoingLink,
  Page,
  Paged,
  Scope,
  Stretch,
  TreeOptions,
  WantedFilter,
  WantedNote,
} from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { type FolderEntry, spelledPath } from '../../graph/folder-index.ts'
import type { Graph, NodeIndex } from '../../graph/graph.ts'
import { selectTop } from '../../graph/select-top.ts'
import type { SimilarName } from '../../search/similar-names.ts'
import { NOTES, timesOf, toOccurrence, wantedKey } from '../note-facts.ts'
import type { Projection } from './projection.ts'
import { acceptor } from './scope.ts'

/** Maximum number of sources returned per missing target. */
const SOURCES = 3

export function nodeOf(projection: Projection, node: NodeIndex, options: NodeOptions): Node {
  const { graph } = projection
  const row = graph.row(node)
  const info = row === undefined || row.kind === 'attachment' ? undefined : projection.info(node)
  const { properties = {} } = info ?? {}
  const times = row === undefined || options.times !== true ? {} : timesOf({ properties, stat: projection.stat(node) })
  const links: NodeIndex[] = []
  for (const target of graph.targets(node)) if (target !== node && graph.isListedNote(target)) links.push(target)
  const linkCount = links.length
  const shownLinks = graph.topByInDegree(links, options.links)
  return {
    id: graph.id(node),
    title: graph.title(node),
    kind: graph.kind(node) ?? 'missing',
    ...(row?.path === undefined ? {} : { path: row.path }),
    tags: row?.tags ?? [],
    aliases: row?.aliases ?? [],
    excluded: row?.excluded ?? false,
    links: shownLinks.map((target) => summaryOf(projection, target)),
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

/** Returns a function that is valid for one generation. */
export function nameFinder(
  projection: Projection,
  match: NameMatch,
  { scope, ...bounds }: NameOptions & { readonly scope: Scope },
): (name: string) => readonly NameHit[] {
  const files = { accept: acceptor(projection, scope), id: (key: number) => projection.graph.id(key) }
  const index = projection.names()
  const similarTo = (name: string): readonly SimilarName[] => {
    if (match === 'similar') return index.find(name, files, bounds)
    return match === 'equal' ? index.equal(name, files) : index.equalPlain(name, files)
  }
  return (name) => similarTo(name).map((hit) => toHit(projection, hit))
}

function toHit(projection: Projection, { key, name, score }: SimilarName): NameHit {
  const { graph } = projection
  const of = graph.title(key) === name ? 'title' : graph.row(key)?.aliases.includes(name) === true ? 'alias' : 'file'
  return { ...summaryOf(projection, key), name, score, of }
}

export function neighborsOf(projection: Projection, id: NodeId, options: NeighborOptions, page: Page): Paged<NodeId> {
  const { graph } = projection
  const node = graph.find(id)
  if (node === undefined) return { items: [], total: 0 }
  const indexes = new Set<NodeIndex>()
  const kinds = options.kinds ?? NOTES
  for (const other of adjacent(projection, node, options)) {
    const kind = graph.kind(other)
    if (other === node || kind === undefined || !kinds.includes(kind)) continue
    if (other >= 0 && graph.row(other)?.excluded) continue
    indexes.add(other)
  }
  const items = graph.topByInDegree(indexes, page.offset + page.limit).slice(page.offset)
  return { items: items.map((other) => graph.id(other)), total: indexes.size }
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

function isOfType(link: ResolvedLink, type: string): boolean {
  return link.property !== undefined && foldName(link.property) === foldName(type)
}

export function folderTree(projection: Projection, path: string, options: TreeOptions): Folder | undefined {
  const root = projection.folders().find(path)
  if (root === undefined) return undefined
  const { includeArchived, limit } = options
  const tree: Tree = { graph: projection.graph, includeArchived, counts: new Map(), left: limit }
  const notes = countNotes(tree, root)
  if (notes === 0 && path !== '') return undefined
  return toFolder(tree, root, options.depth + 1)
}

interface Tree {
  readonly graph: Graph
  readonly includeArchived: boolean
  /** Number of notes per folder, at any depth. */
  readonly counts: Map<FolderEntry, number>
  left: number
}

function countNotes(tree: Tree, folder: FolderEntry): number {
  let count = ownNotes(tree, folder)
  for (const below of folder.folders.values()) count += countNotes(tree, below)
  tree.counts.set(folder, count)
  return count
}

function ownNotes({ includeArchived }: Tree, { notes, archived }: FolderEntry): number {
  return includeArchived ? notes.length : notes.length - archived
}

/** Returns a folder. Its own notes count against the limit before those of its subfolders. */
function toFolder(tree: Tree, folder: FolderEntry, depth: number): Folder {
  const notes = firstNotes(tree, folder)
  tree.left -= notes.length
  const filled = [...folder.folders].filter(([, below]) => tree.counts.get(below) !== 0)
  const shownFolders = depth > 1 ? filled.sort(([a], [b]) => (a < b ? -1 : 1)) : []
  return {
    path: spelledPath(folder),
    noteCount: tree.counts.get(folder) ?? 0,
    folders: shownFolders.map(([, below]) => toFolder(tree, below, depth - 1)),
    notes,
    omittedNotes: ownNotes(tree, folder) - notes.length,
    omittedFolders: filled.length - shownFolders.length,
  }
}

function firstNotes({ graph, includeArchived, left }: Tree, { notes, archived }: FolderEntry): readonly NodeSummary[] {
  if (left <= 0) return []
  const isHidden = (key: number): boolean => graph.row(key)?.archived === true
  const candidates = includeArchived || archived === 0 ? notes : notes.filter((key) => !isHidden(key))
  const first = selectTop(candidates, left, (a, b) => graph.id(a) < graph.id(b))
  return first.map((key) => ({ id: graph.id(key), title: graph.title(key) }))
}

export function findWanted(projection: Projection, filter: WantedFilter, page: Page): Paged<WantedNote> {
  const { graph } = projection
  const missing = [...drafts(projection, filter).values()].sort(
    (a, b) => b.sources.size - a.sources.size || (a.name < b.name ? -1 : 1),
  )
  const items = missing.slice(page.offset, page.offset + page.limit).map(({ name, targets, sources }) => ({
    name,
    ids: [graph.id(targets[0]), ...targets.slice(1).map((target) => graph.id(target))] as const,
    files: sources.size,
    sources: graph.topByInDegree(sources, SOURCES).map((source) => graph.id(source)),
  }))
  return { items, total: missing.length }
}

interface Draft {
  /** The tag in its most common spelling. */
  name: string
  /** Number of files that use `name`. */
  maxFiles: number
  readonly targets: [NodeIndex, ...NodeIndex[]]
  readonly sources: Set<number>
}

function drafts({ graph }: Projection, { folder, counts }: WantedFilter): ReadonlyMap<string, Draft> {
  const start = folder === undefined ? '' : folderStart(folder)
  const matches = (key: number): boolean => {
    const { path, excluded } = graph.row(key) ?? {}
    return path !== undefined && excluded === false && graph.folded(key).startsWith(start) && counts?.(path) !== false
  }
  const draftsByName = new Map<string, Draft>()
  for (const target of graph.missing()) {
    const name = graph.title(target)
    const sources = graph.sources(target).filter(matches)
    const missingKey = wantedKey(name)
    if (sources.length === 0 || missingKey === undefined) continue
    const draft = draftsByName.get(missingKey)
    if (draft === undefined) {
      draftsByName.set(missingKey, { name, maxFiles: sources.length, targets: [target], sources: new Set(sources) })
      continue
    }
    draft.targets.push(target)
    for (const source of sources) draft.sources.add(source)
    if (sources.length <= draft.maxFiles) continue
    draft.name = name
    draft.maxFiles = sources.length
  }
  return draftsByName
}

export function occurrencesOf(
  projection: Projection,
  pairs: readonly (readonly [from: NodeId, to: NodeId])[],
): readonly (readonly Occurrence[])[] {
  const { graph } = projection
  const occurrences: Occurrence[][] = pairs.map(() => [])
  const positions = new Map<NodeIndex, Map<NodeIndex, number[]>>()
  for (const [at, [from, to]] of pairs.entries()) {
    const source = graph.find(from)
    const target = graph.find(to)
    if (source === undefined || source < 0 || target === undefined) continue
    // Check the graph first, because reading a hub's thousands of links is slow.
    if (!graph.linksTo(source, target)) continue
    const targets = positions.get(source) ?? new Map<NodeIndex, number[]>()
    positions.set(source, targets.set(target, [...(targets.get(target) ?? []), at]))
  }
  for (const [source, targets] of positions) {
    for (const link of projection.links(source)) {
      const end = endOf(projection, link)
      for (const at of (end === undefined ? undefined : targets.get(end)) ?? []) {
        const [from, to] = pairs[at] as readonly [NodeId, NodeId]
        occurrences[at]?.push(toOccurrence(link, { from, to }))
      }
    }
  }
  return occurrences
}

export function linksInto(projection: Projection, ids: readonly NodeId[]): readonly Occurrence[] {
  const { graph } = projection
  const targets = new Set(ids.flatMap((id) => graph.find(id) ?? []))
  const isOther = (key: number): boolean => !targets.has(key) && graph.row(key)?.excluded === false
  const sources = [...new Set([...targets].flatMap((target) => graph.sources(target)))].filter(isOther)
  const nodes = sources.map((key) => ({ key, id: graph.id(key) })).sort((a, b) => (a.id < b.id ? -1 : 1))
  return nodes.flatMap(({ key, id }) =>
    projection.links(key).flatMap((link) => {
      const end = endOf(projection, link)
      return end !== undefined && targets.has(end) ? [toOccurrence(link, { from: id, to: graph.id(end) })] : []
    }),
  )
}

export function linksFrom(projection: Projection, ids: readonly NodeId[]): readonly Occurrence[] {
  const { graph } = projection
  const isListed = (node: NodeIndex): boolean => node < 0 || graph.row(node)?.excluded === false
  return [...new Set(ids)].sort().flatMap((id) => {
    const source = graph.find(id)
    if (source === undefined || source < 0 || !isListed(source)) return []
    return projection.links(source).flatMap((link) => {
      const end = endOf(projection, link)
      return end === undefined || end === source || !isListed(end) ? [] : [toOccurrence(link, { from: id, to: graph.id(end) })]
    })
  })
}

export function linksWithin(
  projection: Projection,
  ranges: readonly Stretch[],
  accept: (key: number) => boolean,
): readonly (readonly OutgoingLink[])[] {
  const { graph } = projection
  return ranges.map(({ id, start, end }) => {
    const source = graph.find(id)
    if (source === undefined || source < 0) return []
    // A plain loop is faster, and large notes have thousands of links.
    const links: OutgoingLink[] = []
    for (const link of projection.links(source)) {
      const { to, kind, form, line } = link
      if (link.start < start || link.start >= end || link.inComment === true) continue
      if (typeof to !== 'number' || to === source || !accept(to)) continue
      links.push({ to: graph.id(to), kind, form, line, start: link.start, end: link.end, inLinks: graph.inDegree(to) })
    }
    return links
  })
}

export function endOf({ graph }: Projection, link: ResolvedLink): NodeIndex | undefined {
  return typeof link.to === 'number' ? link.to : graph.findMissing(link.to)
}
