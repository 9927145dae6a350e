import { SnapshotOutdated } from '../../../src/core/errors.ts'
import type { NodeId } from '../../../src/core/ids.ts'
import type { IndexWriter } from '../../../src/core/index-writer.ts'
import type { SearchWriter } from '../../../src/core/search-writer.ts'
import type {
  Metric,
  Node,
  NodeSummary,
  Page,
  Paged,
  Ranked,
  Scope,
  Snapshot,
  Store,
  StoreChange,
  Topology,
} from '../../../src/core/store.ts'
import type { SimilarName } from '../../../src/search/similar-names.ts'
import { timesOf } from '../../../src/store/note-facts.ts'
import { memoryResults } from '../shared-results.ts'
import { NOTHING, pause, type SearchData } from './data.ts'
import { MemoryGraph } from './graph.ts'
import { MemorySearch } from './search.ts'
import { memoryIndexWriter, memorySearchWriter, type Shelf } from './writers.ts'

/** Both sides of an engine. */
export interface Engine<S extends Store = Store> {
  readonly index: IndexWriter
  readonly search: SearchWriter
  readonly store: S
}

interface Kept {
  readonly generation: number
  readonly scores: ReadonlyMap<NodeId, number>
  readonly sampled: number | undefined
}

/** How often a use case is run. */
const RUNS = 4

/**
 * An engine that keeps what it is given in memory and takes its time, as one on another machine does. It knows nothing but the port:
 * ids are those that it was given, and whatever it answers it finds by going through everything.
 */
export function memoryEngine(vault?: string): Engine {
  const listeners = new Set<(change: StoreChange) => void>()
  const data: SearchData = { documents: new Map(), vectors: new Map() }
  const kept = new Map<Metric, Kept>()
  const numbered = new WeakMap<Topology, readonly NodeId[]>()
  const shelf: Shelf = {
    current: NOTHING,
    onCommit(files) {
      const graph = new MemoryGraph(shelf.current, vault)
      const ids = files.map((file) => graph.idOf(file))
      for (const listener of listeners) listener({ generation: shelf.current.number, ids })
    },
  }
  const store: Store = {
    async read(use, signal) {
      for (let run = 1; ; run++) {
        await pause()
        signal?.throwIfAborted()
        try {
          return await use(snapshotOf({ shelf, data, kept, numbered, vault }, run === RUNS, signal))
        } catch (error) {
          if (!(error instanceof SnapshotOutdated) || run === RUNS) throw error
        }
      }
    },
    condition: () => (shelf.current.state.complete ? 'ready' : 'building'),
    async keepScores(metric, topology, { scores, sampled }) {
      await pause()
      const ids = numbered.get(topology) ?? []
      kept.set(metric, { generation: topology.generation, scores: new Map(ids.map((id, at) => [id, scores[at] ?? 0])), sampled })
    },
    results: memoryResults(),
    async *export() {
      await pause()
      yield* new MemoryGraph(shelf.current, vault).export()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {},
  }
  return { index: memoryIndexWriter(shelf), search: memorySearchWriter(data), store }
}

interface Parts {
  readonly shelf: Shelf
  readonly data: SearchData
  readonly kept: ReadonlyMap<Metric, Kept>
  readonly numbered: WeakMap<Topology, readonly NodeId[]>
  readonly vault: string | undefined
}

function snapshotOf({ shelf, data, kept, numbered, vault }: Parts, isLast: boolean, signal: AbortSignal | undefined): Snapshot {
  const { current } = shelf
  const graph = new MemoryGraph(current, vault)
  const search = new MemorySearch(graph, data)
  const { nodes } = graph
  let isMixed = false
  const restart = (): void => {
    if (!isLast) throw new SnapshotOutdated()
    isMixed = true
  }
  const answer = async <T>(find: () => T): Promise<T> => {
    signal?.throwIfAborted()
    await pause()
    signal?.throwIfAborted()
    if (shelf.current !== current) restart()
    return find()
  }
  const summary = ({ id, title }: NodeSummary): NodeSummary => ({ id, title })
  return {
    generation: current.number,
    files: current.files.size,
    complete: current.state.complete,
    lineage: current.state.lineage,
    isLast,
    get isMixed() {
      return isMixed
    },
    restart,
    kinds: (ids) => answer(() => ids.map((id) => nodes.get(id as NodeId)?.kind)),
    nodes: (ids, options) =>
      answer(() =>
        ids.map((id): Node | undefined => {
          const node = nodes.get(id)
          if (node === undefined) return undefined
          const { record, info } = node.file ?? {}
          const links = graph.byDegree([...node.out].filter((to) => to !== id && graph.isListed(to)))
          const { properties = {}, headings = [], blocks = [], excerpt = '', excerptCut = false } = info ?? {}
          return {
            id,
            title: node.title,
            kind: node.kind,
            ...(record === undefined ? {} : { path: record.path }),
            tags: record?.tags ?? [],
            aliases: record?.aliases ?? [],
            excluded: record?.excluded ?? false,
            links: links.slice(0, options.links).map(summary),
            linkCount: links.length,
            properties,
            ...(record === undefined || options.times !== true ? {} : timesOf({ properties, stat: record.stat })),
            headings,
            blocks,
            ...(options.tasks === true ? { tasks: info?.tasks ?? [] } : {}),
            excerpt,
            excerptCut,
          }
        }),
      ),
    versions: (ids) =>
      answer(() =>
        ids.map((id) => {
          const record = nodes.get(id)?.file?.record
          return record === undefined ? undefined : { id, path: record.path, kind: record.kind, hash: record.hash }
        }),
      ),
    namesOf: (ids) =>
      answer(() =>
        ids.map((id) => {
          const node = nodes.get(id)
          return node === undefined ? [] : [node.title, ...(node.file?.record.aliases ?? [])]
        }),
      ),
    select: (scope, page) => answer(() => pageOf(graph.inScope(scope).map(summary), page)),
    sample: (scope, seed) =>
      answer(() => {
        const found = graph.inScope(scope)
        return found[Math.min(found.length - 1, Math.floor(seed * found.length))]?.id
      }),
    tags: (prefix = '') => answer(() => graph.tags(prefix)),
    properties: () => answer(() => graph.properties()),
    propertyValues: (key) => answer(() => graph.propertyValues(key)),
    tree: (path, options) => answer(() => graph.tree(path, options)),
    problems: (filter, page) => answer(() => pageOf(graph.problems(filter), page)),
    problemCounts: (filter) => answer(() => graph.problemCounts(filter)),
    wanted: (filter, page) => answer(() => pageOf(graph.wanted(filter), page)),
    neighbors: (id, options, page) => answer(() => pageOf(graph.neighbors(id, options), page)),
    occurrences: (pairs) => answer(() => pairs.map(([from, to]) => graph.occurrences(from, to))),
    linksInto: (ids) => answer(() => graph.linksInto(ids)),
    linksWithin: (stretches, scope) => answer(() => stretches.map((stretch) => graph.linksWithin(stretch, scope))),
    paths: (source, target, options) => answer(() => graph.paths(source, target, options)),
    hubs: (metric, scope, limit) => answer(() => hubsOf(graph, kept, { metric, scope, limit })),
    topology: () =>
      answer(() => {
        const listed = graph.inScope({})
        const numbers = new Map(listed.map(({ id }, at) => [id, at]))
        const rows = listed.map(({ id, out }) => [...out].flatMap((to) => (to === id ? [] : (numbers.get(to) ?? []))))
        const offsets = [0]
        for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.length)
        const names = listed.map(({ id }) => id)
        const ids = (): readonly NodeId[] => {
          if (shelf.current !== current) throw new SnapshotOutdated()
          return names
        }
        const topology = {
          generation: current.number,
          ids,
          offsets: Uint32Array.from(offsets),
          targets: Uint32Array.from(rows.flat()),
        }
        numbered.set(topology, names)
        return topology
      }),
    names: (names, match, scope, bounds = { limit: Number.POSITIVE_INFINITY, minimum: 0 }) =>
      answer(() => {
        const keys = new Set(graph.inScope(scope).map(({ file }) => file?.record.key))
        const files = { accept: (key: number) => keys.has(key), id: (key: number) => graph.idOfKey(key) ?? '' }
        const index = graph.names()
        const look = (name: string): readonly SimilarName[] =>
          match === 'similar'
            ? index.find(name, files, bounds)
            : match === 'equal'
              ? index.equal(name, files)
              : index.equalPlain(name, files)
        return names.map((wanted) =>
          look(wanted).flatMap(({ key, name, score }) => {
            const file = current.files.get(key)
            if (file === undefined) return []
            const { title, aliases } = file.record
            const of = title === name ? 'title' : aliases.includes(name) ? 'alias' : 'file'
            return [{ id: graph.idOf(file), title, name, score, of } as const]
          }),
        )
      }),
    words: (terms, scope, limit) => answer(() => search.words(terms, scope, limit)),
    nearest: (embedder, vectors, scope, limit) =>
      answer(() => vectors.map((vector) => search.nearest(embedder, vector, scope, limit))),
    nearestNames: (embedder, vectors, scope, options) =>
      answer(() => vectors.map((vector) => search.nearestNames(embedder, vector, scope, options))),
    vectors: (embedder, ids) => answer(() => ids.map((id) => search.vectors(embedder, id))),
    vectorStates: () => answer(() => search.states()),
    find: (condition, options, page) => answer(() => search.find(condition, options, page)),
  }
}

function pageOf<T>(items: readonly T[], { offset, limit }: Page): Paged<T> {
  return { items: items.slice(offset, offset + limit), total: items.length }
}

function hubsOf(
  graph: MemoryGraph,
  kept: ReadonlyMap<Metric, Kept>,
  { metric, scope, limit }: { readonly metric: Metric; readonly scope: Scope; readonly limit: number },
): Ranked | undefined {
  const scores = kept.get(metric)
  const isDegree = metric === 'in_degree' || metric === 'out_degree'
  if (!isDegree && scores === undefined) return undefined
  const items = graph.inScope(scope).map((node) => {
    const score = isDegree ? graph.degree(node, metric === 'in_degree' ? 'in' : 'out') : (scores?.scores.get(node.id) ?? 0)
    return { id: node.id, title: node.title, score }
  })
  return {
    items: items.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, limit),
    generation: isDegree ? graph.generation.number : (scores?.generation ?? 0),
    ...(scores?.sampled === undefined ? {} : { sampled: scores.sampled }),
  }
}
