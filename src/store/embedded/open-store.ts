import type { Analytics } from '../../core/analytics.ts'
import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { ChunkHit, FindOptions, Found, NameVectorHit, NoteChunks, VectorState, WordHits } from '../../core/search.ts'
import type {
  Direction,
  ExportRow,
  Folder,
  Metric,
  NameHit,
  NeighborOptions,
  Node,
  NodeKind,
  NodeOptions,
  NodeSummary,
  NoteText,
  Occurrence,
  Page,
  Paged,
  PathOptions,
  Problem,
  ProblemFilter,
  Ranked,
  Scope,
  SimilarOptions,
  Store,
  StoreChange,
  StoreState,
  TagCount,
  TreeOptions,
} from '../../core/store.ts'
import type { Texts } from '../../core/texts.ts'
import type { VectorGraphs } from '../../core/vector-graphs.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { findPaths } from '../../graph/paths.ts'
import { foldGivenTag } from '../../graph/tag-index.ts'
import type { SimilarName } from '../../search/best-names.ts'
import type { NamedFiles } from '../../search/similar-names.ts'
import { exportRows } from './export.ts'
import type { LinksAsOf } from './links-as-of.ts'
import type { Location } from './location.ts'
import { nodeOf } from './node.ts'
import { findProblems } from './problems.ts'
import { Projection } from './projection.ts'
import { Rankings } from './rankings.ts'
import { acceptor, inScope } from './scope.ts'
import type { VectorIndexKind } from './search/chunk-graph.ts'
import { SearchReads } from './search/search-reads.ts'
import { isDamage } from './sqlite.ts'
import { folderTree } from './tree.ts'

export interface StoreOptions {
  /** Part of every id, where one process serves several vaults. */
  readonly vault?: string
  readonly analytics: Analytics
  readonly texts: Texts
  /** Brings the index to what these files say, and resolves when it is committed. */
  readonly reconcile: (paths: readonly string[]) => Promise<void>
  /** The index was found damaged: have it built anew. */
  readonly onDamage: () => void
  /** Where the search indexes are. */
  readonly search: Location
  /** The search index was found damaged: have it built anew. */
  readonly onSearchDamage: () => void
  /** How vectors are compared; `auto` unless said. */
  readonly vectorIndex?: VectorIndexKind
  /** Builds graphs of vectors; without it the store does so itself. */
  readonly vectorGraphs?: VectorGraphs
}

/** The embedded store's reading side; `refresh` and `reopen` are for whoever hears of commits. */
export interface EmbeddedStore extends Store {
  /** Takes over what was committed; cheap when nothing was. */
  refresh(): void
  /** The index was thrown away and built anew, perhaps elsewhere. */
  reopen(location: Location): void
  /** Takes over what was committed for search, and what is new of this embedder's vectors. */
  refreshSearch(embedder?: string): Promise<void>
  /** The search index was thrown away and built anew, perhaps elsewhere. */
  reopenSearch(location: Location): void
  /**
   * Builds ahead what the first look-up of a name would build, until a moment (of `performance.now()`).
   * @returns whether all is built.
   */
  prepare(until: number): boolean
  /** Gives up what is kept at hand for the next call; for a time without calls. */
  rest(): void
}

/** Opens the reading side over an index that need not exist yet. Nothing is read before the first `refresh` or call. */
export function openEmbeddedStore(location: Location, options: StoreOptions): EmbeddedStore {
  return new SqliteStore(location, options)
}

class SqliteStore implements EmbeddedStore {
  readonly #projection: Projection
  readonly #rankings: Rankings
  readonly #search: SearchReads
  readonly #options: StoreOptions
  readonly #listeners = new Set<(change: StoreChange) => void>()
  #isDamaged = false

  constructor(location: Location, options: StoreOptions) {
    this.#options = options
    this.#projection = new Projection(location, options.vault)
    this.#rankings = new Rankings(this.#projection, options.analytics)
    this.#search = new SearchReads(this.#projection, options.search, {
      ...(options.vectorIndex === undefined ? undefined : { vectorIndex: options.vectorIndex }),
      ...(options.vectorGraphs === undefined ? undefined : { vectorGraphs: options.vectorGraphs }),
      onDamage: options.onSearchDamage,
    })
  }

  refresh(): void {
    this.#projection.doubt()
    this.#refresh()
  }

  #refresh(): void {
    this.#guard(() => {
      const before = this.#projection.graph
      const keys = this.#projection.refresh()
      // Another process may have replaced the index.
      if (this.#projection.graph !== before) this.#search.graphReplaced()
      else if (keys.length > 0) this.#search.graphChanged(keys)
      if (keys.length === 0 || this.#listeners.size === 0) return
      const { graph, generation } = this.#projection
      const ids = keys.filter((key) => graph.row(key) !== undefined).map((key) => graph.id(key))
      for (const listener of this.#listeners) listener({ generation, ids })
    })
  }

  reopen(location: Location): void {
    this.#isDamaged = false
    this.#projection.reopen(location)
    this.#search.graphReplaced()
    this.refresh()
  }

  async refreshSearch(embedder?: string): Promise<void> {
    await this.#search.refresh(embedder)
  }

  reopenSearch(location: Location): void {
    this.#search.reopen(location)
  }

  prepare(until: number): boolean {
    return this.#read((projection) => projection.prepare(until))
  }

  rest(): void {
    this.#projection.rest()
    this.#search.rest()
  }

  /** Damage is never an answer: it is reported once, and until there is a new index there is none. */
  #guard<T>(read: () => T): T {
    if (this.#isDamaged) throw beingRebuilt()
    try {
      return read()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#isDamaged = true
      this.#projection.reopen()
      this.#search.graphReplaced()
      this.#options.onDamage()
      throw beingRebuilt(error)
    }
  }

  /** Answers from the newest generation. */
  #read<T>(read: (projection: Projection) => T): T {
    this.#refresh()
    return this.#guard(() => read(this.#projection))
  }

  async state(): Promise<StoreState> {
    return this.#read(({ generation, isComplete, graph }) => ({ generation, files: graph.files, complete: isComplete }))
  }

  async lookup(ids: readonly string[]): Promise<readonly (NodeId | undefined)[]> {
    return this.#read(({ graph }) =>
      ids.map((id) => {
        const node = graph.findNamed(id)
        return node === undefined ? undefined : graph.id(node)
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

  async text(id: NodeId): Promise<NoteText | undefined> {
    // A file that is rewritten again and again is answered with the bytes read last.
    for (let attempt = 0; ; attempt++) {
      const known = this.#read((projection) => {
        const { graph } = projection
        const key = graph.find(id)
        const path = key === undefined ? undefined : graph.row(key)?.path
        return key === undefined || path === undefined || graph.kind(key) === 'attachment'
          ? undefined
          : { path, hash: projection.hash(key) }
      })
      if (known === undefined) return undefined
      const read = await this.#options.texts.read(known.path)
      if (read !== undefined && (read.hash === known.hash || attempt === 2)) return read
      if (attempt === 2) return undefined
      await this.#options.reconcile([known.path])
    }
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
    return this.#read((projection) => projection.tags().counts(foldGivenTag(prefix)))
  }

  async tree(path: string, options: TreeOptions): Promise<Folder | undefined> {
    return this.#read((projection) => folderTree(projection, path, options))
  }

  async problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>> {
    return this.#read((projection) => findProblems(projection, filter, page))
  }

  async neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>> {
    return this.#read((projection) => {
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
    })
  }

  async occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]> {
    return this.#read((projection) => {
      const { graph } = projection
      return pairs.map(([from, to]) => {
        const source = graph.find(from)
        const target = graph.find(to)
        if (source === undefined || source < 0 || target === undefined) return []
        // The graph knows who links to whom: a hub's thousands of links are not read to learn that none is meant.
        if (!graph.linksTo(source, target)) return []
        const hash = projection.hash(source)
        return projection
          .links(source)
          .filter((link) => endOf(projection, link) === target)
          .map((link) => ({
            from,
            to,
            kind: link.kind,
            form: link.form,
            ...(link.property === undefined ? {} : { property: link.property }),
            ...(link.subpath === undefined ? {} : { subpath: link.subpath }),
            ...(link.brokenSubpath === undefined ? {} : { brokenSubpath: link.brokenSubpath }),
            line: link.line,
            start: link.start,
            end: link.end,
            inComment: link.inComment === true,
            hash,
          }))
      })
    })
  }

  async paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]> {
    return this.#read(({ graph }) => {
      const from = graph.find(source)
      const to = graph.find(target)
      if (from === undefined || to === undefined || from < 0 || to < 0) return []
      return findPaths(graph, from, to, options).map((path) => path.map((key) => graph.id(key)))
    })
  }

  async hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked> {
    this.refresh()
    return this.#rankings.top(metric, scope, limit)
  }

  async named(name: string, scope: Scope): Promise<readonly NameHit[]> {
    return this.#read((projection) => ownNames(projection, projection.names().equal(name, wanted(projection, scope))))
  }

  async namedPlainly(name: string, scope: Scope): Promise<readonly NameHit[]> {
    return this.#read((projection) => ownNames(projection, projection.names().equalPlain(name, wanted(projection, scope))))
  }

  async similarNames(name: string, scope: Scope, options: SimilarOptions): Promise<readonly NameHit[]> {
    return this.#read((projection) => {
      const hits = projection.names().find(name, wanted(projection, scope), options)
      return hits.map((hit) => nameHitOf(projection, hit))
    })
  }

  async words(text: string, scope: Scope, limit: number): Promise<WordHits> {
    this.refresh()
    return await this.#search.words(text, scope, limit)
  }

  async nearest(embedder: string, vector: Float32Array, scope: Scope, limit: number): Promise<readonly ChunkHit[]> {
    this.refresh()
    return await this.#search.nearest(embedder, vector, scope, limit)
  }

  async nearestNames(
    embedder: string,
    vector: Float32Array,
    scope: Scope,
    options: SimilarOptions,
  ): Promise<readonly NameVectorHit[]> {
    this.refresh()
    return await this.#search.nearestNames(embedder, vector, scope, options)
  }

  async vectors(embedder: string, id: NodeId): Promise<NoteChunks | undefined> {
    this.refresh()
    return await this.#search.vectors(embedder, id)
  }

  async vectorStates(): Promise<readonly VectorState[]> {
    return await this.#search.vectorStates()
  }

  async find(query: string, now: Date, scope: Scope, options: FindOptions, page: Page): Promise<Found> {
    this.refresh()
    try {
      return await this.#search.find(query, now, scope, options, page)
    } catch (error) {
      // Times, properties and relations are read from this index; damage of the other one comes as an error of its own.
      return this.#guard(() => {
        throw error
      })
    }
  }

  async *export(): AsyncIterableIterator<ExportRow> {
    const links = this.#linksAsOfNow()
    if (links === undefined) return
    const rows = exportRows(this.#projection.graph, links)
    try {
      for (let row = this.#guard(() => rows.next()); !row.done; row = this.#guard(() => rows.next())) yield row.value
    } finally {
      // Who stops early lets go of the generation, too.
      rows.return(undefined)
    }
  }

  /** The links of the generation that the graph is of. */
  #linksAsOfNow(): LinksAsOf | undefined {
    for (;;) {
      this.refresh()
      const links = this.#guard(() => this.#projection.linksAsOfNow())
      if (links === undefined || links.generation === this.#projection.generation) return links
      // A commit came between.
      links.close()
    }
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#search.close()
    this.#projection.close()
  }
}

const NOTES: readonly NodeKind[] = ['note']

function beingRebuilt(cause?: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', 'The index was found damaged and is being built anew.', {
    hint: 'Call again: the next answer waits for it.',
    cause,
  })
}

/** A file's name is a name only where nobody has it as a title or alias. */
function ownNames(projection: Projection, hits: readonly SimilarName[]): readonly NameHit[] {
  const own = hits.filter((hit) => isOwnName(projection, hit))
  return (own.length > 0 ? own : hits).map((hit) => nameHitOf(projection, hit))
}

function nameHitOf(projection: Projection, { key, name, score }: SimilarName): NameHit {
  return { ...summaryOf(projection, key), name, score }
}

function isOwnName({ graph }: Projection, { key, name }: { readonly key: number; readonly name: string }): boolean {
  return graph.title(key) === name || graph.row(key)?.aliases.includes(name) === true
}

function summaryOf({ graph }: Projection, node: NodeIndex): NodeSummary {
  return { id: graph.id(node), title: graph.title(node) }
}

function wanted(projection: Projection, scope: Scope): NamedFiles {
  return { accept: acceptor(projection, scope), id: (key) => projection.graph.id(key) }
}

/** Where a link of the index points in the graph. */
function endOf({ graph }: Projection, link: ResolvedLink): NodeIndex | undefined {
  return typeof link.to === 'number' ? link.to : graph.findMissing(link.to)
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

/** Property names compare case-insensitively (PR4); a nested one also by its last part. */
function isOfType(link: ResolvedLink, type: string): boolean {
  return link.property !== undefined && link.property.toLowerCase() === type.toLowerCase()
}
