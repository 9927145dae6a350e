import { SnapshotOutdated } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Condition, WordTerm } from '../../core/query.ts'
import type {
  ChunkHit,
  FoundPage,
  NameVectorHit,
  NearWord,
  NoteChunks,
  NoteLanguages,
  VectorState,
  WordHits,
} from '../../core/search.ts'
import type {
  FileVersion,
  FindOptions,
  Folder,
  GroupedNote,
  GroupOptions,
  Metric,
  NameHit,
  NameMatch,
  NameOptions,
  NeighborOptions,
  Node,
  NodeKind,
  NodeOptions,
  NodeSummary,
  Occurrence,
  OutgoingLink,
  Page,
  Paged,
  PathOptions,
  Problem,
  ProblemCounts,
  ProblemFilter,
  PropertyCount,
  Ranked,
  Scope,
  Snapshot,
  Stretch,
  TagCount,
  Topology,
  TreeOptions,
  ValueCount,
  WantedFilter,
  WantedNote,
} from '../../core/store.ts'
import { eachInTurn, takeTurns } from '../../core/waiting.ts'
import type { Graph } from '../../graph/graph.ts'
import { findPaths } from '../../graph/paths.ts'
import {
  findWanted,
  folderTree,
  linksFrom,
  linksInto,
  linksWithin,
  nameFinder,
  neighborsOf,
  nodeOf,
  occurrencesOf,
  summaryOf,
} from './node.ts'
import { countProblems, findProblems } from './problems.ts'
import type { Projection } from './projection.ts'
import type { Rankings } from './rankings.ts'
import { acceptor, inScope } from './scope.ts'
import type { SearchReads } from './search/search-reads.ts'

export interface SnapshotParts {
  readonly projection: Projection
  readonly rankings: Rankings
  readonly search: SearchReads
  refresh(): void
  guard<T>(read: () => T): T
}

/** Maximum time to build data before yielding to the event loop, in milliseconds. */
const SLICE = 8

/** A snapshot of the in-memory graph. It is valid while the graph stays at the same generation. */
export class EmbeddedSnapshot implements Snapshot {
  readonly generation: number
  readonly files: number
  readonly complete: boolean
  readonly lineage: string | undefined
  readonly #parts: SnapshotParts
  readonly #graph: Graph
  readonly #signal: AbortSignal | undefined
  readonly isLast: boolean
  #isMixed = false

  constructor(parts: SnapshotParts, { signal, isLast }: { readonly signal: AbortSignal | undefined; readonly isLast: boolean }) {
    this.#parts = parts
    this.#graph = parts.projection.graph
    this.generation = parts.projection.generation
    this.files = parts.projection.graph.files
    this.complete = parts.projection.isComplete
    this.lineage = parts.projection.lineage
    this.#signal = signal
    this.isLast = isLast
  }

  get isMixed(): boolean {
    return this.#isMixed
  }

  restart(): void {
    if (!this.isLast) throw new SnapshotOutdated()
    this.#isMixed = true
  }

  /** Loads newer commits, which takes one query. Restarts the use case if the generation has changed. */
  #check(): void {
    this.#parts.refresh()
    this.#requireSame()
  }

  #requireSame(): void {
    this.#signal?.throwIfAborted()
    const { projection } = this.#parts
    if (projection.generation !== this.generation || projection.graph !== this.#graph) this.restart()
  }

  #read<T>(read: (projection: Projection) => T): T {
    this.#check()
    return this.#parts.guard(() => read(this.#parts.projection))
  }

  /** Maps items and yields to the event loop from time to time. */
  async #each<T, R>(items: readonly T[], read: (item: T) => R): Promise<readonly R[]> {
    const results = await eachInTurn(items, takeTurns(this.#signal), (item) => {
      this.#requireSame()
      return this.#parts.guard(() => read(item))
    })
    this.#check()
    return results
  }

  async #prepare(part: 'names' | 'similar names'): Promise<void> {
    while (!this.#read((projection) => projection.prepare(part, performance.now() + SLICE))) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Runs a search. If its reads see two different generations, the check at the end detects that. */
  async #search<T>(read: (search: SearchReads) => Promise<T>): Promise<T> {
    this.#requireSame()
    const result = await read(this.#parts.search)
    this.#check()
    return result
  }

  /** Runs a search by times, properties and relations. They are stored in the graph's index, so damage is reported for that index. */
  async #searchFacts<T>(read: (search: SearchReads) => Promise<T>): Promise<T> {
    return await this.#search(async (search) => {
      try {
        return await read(search)
      } catch (error) {
        return this.#parts.guard(() => {
          throw error
        })
      }
    })
  }

  async kinds(ids: readonly string[]): Promise<readonly (NodeKind | undefined)[]> {
    return this.#read(({ graph }) =>
      ids.map((id) => {
        const node = graph.find(id)
        return node !== undefined && graph.id(node) === id ? graph.kind(node) : undefined
      }),
    )
  }

  async nodes(ids: readonly NodeId[], options: NodeOptions): Promise<readonly (Node | undefined)[]> {
    return this.#read((projection) =>
      ids.map((id) => {
        const node = projection.graph.find(id)
        return node === undefined ? undefined : nodeOf(projection, node, options)
      }),
    )
  }

  async versions(ids: readonly NodeId[]): Promise<readonly (FileVersion | undefined)[]> {
    return this.#read((projection) =>
      ids.map((id) => {
        const key = projection.graph.find(id)
        const row = key === undefined ? undefined : projection.graph.row(key)
        if (row?.path === undefined) return undefined
        return { id: projection.graph.id(row.key), path: row.path, kind: row.kind, hash: projection.hash(row.key) }
      }),
    )
  }

  async namesOf(ids: readonly NodeId[]): Promise<readonly (readonly string[])[]> {
    return this.#read(({ graph }) =>
      ids.map((id) => {
        const node = graph.find(id)
        return node === undefined ? [] : [graph.title(node), ...(graph.row(node)?.aliases ?? [])]
      }),
    )
  }

  async select(scope: Scope, page: Page): Promise<Paged<NodeSummary>> {
    return this.#read((projection) => {
      const nodes = inScope(projection, scope)
      const items = nodes.slice(page.offset, page.offset + page.limit).map((node) => summaryOf(projection, node))
      return { items, total: nodes.length }
    })
  }

  async sample(scope: Scope, seed: number): Promise<NodeId | undefined> {
    return this.#read((projection) => {
      const nodes = inScope(projection, scope)
      const node = nodes[Math.min(nodes.length - 1, Math.floor(seed * nodes.length))]
      return node === undefined ? undefined : projection.graph.id(node)
    })
  }

  async tags(prefix = ''): Promise<readonly TagCount[]> {
    return this.#read((projection) => projection.tags().counts(prefix))
  }

  async properties(): Promise<readonly PropertyCount[]> {
    return await this.#searchFacts((search) => search.properties())
  }

  async propertyValues(key: string): Promise<readonly ValueCount[]> {
    return await this.#searchFacts((search) => search.propertyValues(key))
  }

  async tree(path: string, options: TreeOptions): Promise<Folder | undefined> {
    return this.#read((projection) => folderTree(projection, path, options))
  }

  async problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>> {
    return this.#read((projection) => findProblems(projection, filter, page))
  }

  async problemCounts(filter: Omit<ProblemFilter, 'kind'>): Promise<ProblemCounts> {
    return this.#read((projection) => countProblems(projection, filter))
  }

  async wanted(filter: WantedFilter, page: Page): Promise<Paged<WantedNote>> {
    return this.#read((projection) => findWanted(projection, filter, page))
  }

  async neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>> {
    return this.#read((projection) => neighborsOf(projection, id, options, page))
  }

  async occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]> {
    return this.#read((projection) => occurrencesOf(projection, pairs))
  }

  async linksInto(ids: readonly NodeId[]): Promise<readonly Occurrence[]> {
    return this.#read((projection) => linksInto(projection, ids))
  }

  async linksFrom(ids: readonly NodeId[]): Promise<readonly Occurrence[]> {
    return this.#read((projection) => linksFrom(projection, ids))
  }

  async linksWithin(ranges: readonly Stretch[], scope: Scope): Promise<readonly (readonly OutgoingLink[])[]> {
    return this.#read((projection) => linksWithin(projection, ranges, acceptor(projection, scope)))
  }

  async paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]> {
    return this.#read(({ graph }) => {
      const from = graph.find(source)
      const to = graph.find(target)
      if (from === undefined || to === undefined || from < 0 || to < 0) return []
      return findPaths(graph, from, to, options).map((path) => path.map((key) => graph.id(key)))
    })
  }

  async hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked | undefined> {
    return this.#read(() => this.#parts.rankings.top(metric, scope, limit))
  }

  async topology(): Promise<Topology> {
    return this.#read(() => this.#parts.rankings.topology())
  }

  async names(
    names: readonly string[],
    match: NameMatch,
    scope: Scope,
    options: NameOptions = { limit: Number.POSITIVE_INFINITY, minimum: 0 },
  ): Promise<readonly (readonly NameHit[])[]> {
    const isByPairs = match === 'similar' && options.slips === undefined
    await this.#prepare(isByPairs ? 'similar names' : 'names')
    const find = this.#read((projection) => nameFinder(projection, match, { scope, ...options }))
    return await this.#each(names, find)
  }

  async words(terms: readonly WordTerm[], scope: Scope, limit: number): Promise<WordHits> {
    return await this.#search((search) => search.words(terms, scope, limit))
  }

  async languages(ids: readonly NodeId[]): Promise<NoteLanguages> {
    return await this.#search((search) => search.languages(ids))
  }

  async wordsNear(words: readonly string[]): Promise<readonly (readonly NearWord[])[]> {
    return await this.#search((search) => search.wordsNear(words))
  }

  async nearest(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    limit: number,
  ): Promise<readonly (readonly ChunkHit[])[]> {
    return await this.#search((search) => search.nearest(embedder, vectors, scope, { limit, turn: takeTurns(this.#signal) }))
  }

  async nearestNames(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    options: NameOptions,
  ): Promise<readonly (readonly NameVectorHit[])[]> {
    return await this.#search((search) =>
      search.nearestNames(embedder, vectors, scope, { ...options, turn: takeTurns(this.#signal) }),
    )
  }

  async vectors(embedder: string, ids: readonly NodeId[]): Promise<readonly (NoteChunks | undefined)[]> {
    return await this.#search((search) => search.vectors(embedder, ids))
  }

  async vectorStates(): Promise<readonly VectorState[]> {
    return await this.#search((search) => search.vectorStates())
  }

  async find(condition: Condition | undefined, options: FindOptions, page: Page): Promise<FoundPage> {
    return await this.#searchFacts((search) => search.find(condition, options, page))
  }

  async groupValues(condition: Condition | undefined, options: GroupOptions): Promise<readonly GroupedNote[]> {
    return await this.#searchFacts((search) => search.groupValues(condition, options))
  }
}
