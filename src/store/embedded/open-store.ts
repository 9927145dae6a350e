import { SnapshotOutdated } from '../../core/errors.ts'
import { foldId, type NodeId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { IndexName } from '../../core/indexing.ts'
import type { LinkKind } from '../../core/note.ts'
import type { ExportRow, Metric, Scores, Snapshot, Store, StoreChange, StoreCondition, Topology } from '../../core/store.ts'
import type { VectorGraphs } from '../../core/vectors.ts'
import type { Graph, GraphRow } from '../../graph/graph.ts'
import { EmbeddedSnapshot } from './embedded-snapshot.ts'
import type { LinksAsOf } from './links-as-of.ts'
import type { Location } from './location.ts'
import { linksOf, Projection } from './projection.ts'
import { Rankings } from './rankings.ts'
import type { VectorIndexKind } from './search/chunk-graph.ts'
import { SearchReads } from './search/search-reads.ts'

export interface StoreOptions {
  /** The prefix of every id. It is omitted if there is only one vault. */
  readonly vault?: string
  readonly onDamage: (which: IndexName) => void
  readonly search: Location
  /** The index for vectors. The default is `auto`. */
  readonly vectorIndex?: VectorIndexKind
  /** If omitted, this thread builds the graphs. */
  readonly vectorGraphs?: VectorGraphs
}

/** An embedded store. `refresh` must be called after commits, and `reopen` after an index has been replaced. */
/** Opens a store. The index need not exist yet, and nothing is read before the first call. */
export function openEmbeddedStore(location: Location, options: StoreOptions): EmbeddedStore {
  return new EmbeddedStore(location, options)
}

/** The maximum number of attempts at a use case, which a new generation restarts. */
const RUNS = 4

export class EmbeddedStore implements Store {
  readonly #projection: Projection
  readonly #rankings: Rankings
  readonly #search: SearchReads
  readonly #listeners = new Set<(change: StoreChange) => void>()
  #loading: Promise<void> | undefined

  constructor(location: Location, options: StoreOptions) {
    this.#projection = new Projection(location, {
      vault: options.vault,
      onReplaced: () => this.#search.graphReplaced(),
      onDamage: () => options.onDamage('index'),
    })
    this.#rankings = new Rankings(this.#projection)
    this.#search = new SearchReads(this.#projection, options.search, {
      ...options,
      onDamage: () => options.onDamage('search'),
    })
  }

  async read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let run = 1; ; run++) {
      signal?.throwIfAborted()
      await this.#load()
      this.#refresh()
      const parts = {
        projection: this.#projection,
        rankings: this.#rankings,
        search: this.#search,
        refresh: () => this.#refresh(),
        guard: <R>(read: () => R): R => this.#projection.file.guard(read),
      }
      try {
        return await use(new EmbeddedSnapshot(parts, { signal, isLast: run === RUNS }))
      } catch (error) {
        if (!(error instanceof SnapshotOutdated) || run === RUNS) throw error
      }
    }
  }

  condition(): StoreCondition {
    if (this.#projection.file.isDamaged || this.#search.isDamaged) return 'rebuilding'
    return this.#projection.isComplete ? 'ready' : 'building'
  }

  /** Reads new commits. The call is cheap if there are none, and the first call loads the index in short slices. */
  refresh(): void {
    this.#projection.file.checkIdentityNext()
    if (this.#projection.generation > 0) this.#refresh()
    else {
      this.#load()
        .then(() => this.#refresh())
        .catch(() => {
          // The next read throws this error.
        })
    }
  }

  #refresh(): void {
    this.#projection.file.guard(() => this.#announce(this.#projection.refresh()))
  }

  async #load(): Promise<void> {
    if (this.#projection.generation > 0) return
    const load = () => this.#projection.load((keys) => this.#announce(keys))
    this.#loading ??= this.#projection.file.guard(load).finally(() => {
      this.#loading = undefined
    })
    await this.#loading
  }

  #announce(keys: readonly number[]): void {
    if (keys.length > 0) this.#search.graphChanged(keys)
    if (keys.length === 0 || this.#listeners.size === 0) return
    const { graph, generation } = this.#projection
    const ids = keys.filter((key) => graph.row(key) !== undefined).map((key) => graph.id(key))
    for (const listener of this.#listeners) listener({ generation, ids })
  }

  /** Opens a rebuilt index, possibly at a new location. */
  reopen(which: IndexName, location: Location): void {
    if (which === 'search') {
      this.#search.reopen(location)
      return
    }
    this.#projection.file.reopen(location)
    this.refresh()
  }

  /** Loads new search data, including the embedder's vectors. */
  async refreshSearch(embedder?: string): Promise<void> {
    await this.#search.refresh(embedder)
  }

  /**
   * Builds a lookup table before its first use, until a deadline (`performance.now()`).
   * @returns whether the table is complete
   */
  prepare(part: 'names' | 'similar names', until: number): boolean {
    this.#refresh()
    return this.#projection.file.guard(() => this.#projection.prepare(part, until))
  }

  releaseMemory(): void {
    this.#projection.releaseMemory()
    this.#search.releaseMemory()
  }

  async keepScores(metric: Metric, topology: Topology, scores: Scores): Promise<void> {
    this.#rankings.keep(metric, topology, scores)
  }

  async *export(signal?: AbortSignal): AsyncIterableIterator<ExportRow> {
    const links = await this.#linksAsOfNow()
    if (links === undefined) return
    const rows = exportRows(this.#projection.graph, links)
    try {
      for (
        let row = this.#projection.file.guard(() => rows.next());
        !row.done;
        row = this.#projection.file.guard(() => rows.next())
      ) {
        signal?.throwIfAborted()
        yield row.value
      }
    } finally {
      // This closes `links` even if the caller stops early.
      rows.return(undefined)
    }
  }

  async #linksAsOfNow(): Promise<LinksAsOf | undefined> {
    for (;;) {
      await this.#load()
      this.#projection.file.checkIdentityNext()
      this.#refresh()
      const links = this.#projection.file.guard(() => this.#projection.linksAsOfNow())
      if (links === undefined || links.generation === this.#projection.generation) return links
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
    this.#projection.file.close()
    // A load must end first, because the writer cannot truncate its log meanwhile.
    await this.#loading?.catch(() => {})
  }
}

/** Files by id, then edges by source. Later commits do not affect the export, because they create new rows. */
function* exportRows(graph: Graph, links: LinksAsOf): Generator<ExportRow, undefined> {
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
