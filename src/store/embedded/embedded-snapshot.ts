import { SnapshotOutdated } from '../../core/errors.ts'
import type { Snapshot } from '../../core/store.ts'
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

/** Milliseconds of work between yields to the event loop. */
const SLICE = 8

/** A snapshot that is valid until the generation of the graph changes. */
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

  /** Restarts the use case if a newer generation has been committed. */
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

  /** The second check detects a commit during the search. */
  async #search<T>(read: (search: SearchReads) => Promise<T>): Promise<T> {
    this.#requireSame()
    const result = await read(this.#parts.search)
    this.#check()
    return result
  }

  /** Facts are stored in the main index, so damage is reported for that index. */
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

  readonly kinds: Snapshot['kinds'] = async (ids) =>
    this.#read(({ graph }) =>
      ids.map((id) => {
        const node = graph.find(id)
        return node !== undefined && graph.id(node) === id ? graph.kind(node) : undefined
      }),
    )

  readonly nodes: Snapshot['nodes'] = async (ids, options) =>
    this.#read((projection) =>
      ids.map((id) => {
        const node = projection.graph.find(id)
        return node === undefined ? undefined : nodeOf(projection, node, options)
      }),
    )

  readonly versions: Snapshot['versions'] = async (ids) =>
    this.#read((projection) =>
      ids.map((id) => {
        const key = projection.graph.find(id)
        const row = key === undefined ? undefined : projection.graph.row(key)
        if (row?.path === undefined) return undefined
        return { id: projection.graph.id(row.key), path: row.path, kind: row.kind, hash: projection.hash(row.key) }
      }),
    )

  readonly namesOf: Snapshot['namesOf'] = async (ids) =>
    this.#read(({ graph }) =>
      ids.map((id) => {
        const node = graph.find(id)
        return node === undefined ? [] : [graph.title(node), ...(graph.row(node)?.aliases ?? [])]
      }),
    )

  readonly select: Snapshot['select'] = async (scope, page) =>
    this.#read((projection) => {
      const nodes = inScope(projection, scope)
      const items = nodes.slice(page.offset, page.offset + page.limit).map((node) => summaryOf(projection, node))
      return { items, total: nodes.length }
    })

  readonly sample: Snapshot['sample'] = async (scope, seed) =>
    this.#read((projection) => {
      const nodes = inScope(projection, scope)
      const node = nodes[Math.min(nodes.length - 1, Math.floor(seed * nodes.length))]
      return node === undefined ? undefined : projection.graph.id(node)
    })

  readonly tags: Snapshot['tags'] = async (prefix = '') => this.#read((projection) => projection.tags().counts(prefix))

  readonly properties: Snapshot['properties'] = async () => await this.#searchFacts((search) => search.properties())

  readonly propertyValues: Snapshot['propertyValues'] = async (key) =>
    await this.#searchFacts((search) => search.propertyValues(key))

  readonly tree: Snapshot['tree'] = async (path, options) => this.#read((projection) => folderTree(projection, path, options))

  readonly problems: Snapshot['problems'] = async (filter, page) =>
    this.#read((projection) => findProblems(projection, filter, page))

  readonly problemCounts: Snapshot['problemCounts'] = async (filter) =>
    this.#read((projection) => countProblems(projection, filter))

  readonly wantedNotes: Snapshot['wantedNotes'] = async (filter, page) =>
    this.#read((projection) => findWanted(projection, filter, page))

  readonly neighbors: Snapshot['neighbors'] = async (id, options, page) =>
    this.#read((projection) => neighborsOf(projection, id, options, page))

  readonly occurrences: Snapshot['occurrences'] = async (pairs) => this.#read((projection) => occurrencesOf(projection, pairs))

  readonly linksInto: Snapshot['linksInto'] = async (ids) => this.#read((projection) => linksInto(projection, ids))

  readonly linksFrom: Snapshot['linksFrom'] = async (ids) => this.#read((projection) => linksFrom(projection, ids))

  readonly linksWithin: Snapshot['linksWithin'] = async (ranges, scope) =>
    this.#read((projection) => linksWithin(projection, ranges, acceptor(projection, scope)))

  readonly paths: Snapshot['paths'] = async (source, target, options) =>
    this.#read(({ graph }) => {
      const from = graph.find(source)
      const to = graph.find(target)
      if (from === undefined || to === undefined || from < 0 || to < 0) return []
      return findPaths(graph, from, to, options).map((path) => path.map((key) => graph.id(key)))
    })

  readonly hubs: Snapshot['hubs'] = async (metric, scope, limit) =>
    this.#read(() => this.#parts.rankings.top(metric, scope, limit))

  readonly topology: Snapshot['topology'] = async () => this.#read(() => this.#parts.rankings.topology())

  readonly names: Snapshot['names'] = async (names, match, scope, options = { limit: Number.POSITIVE_INFINITY, minimum: 0 }) => {
    const isByPairs = match === 'similar' && options.slips === undefined
    await this.#prepare(isByPairs ? 'similar names' : 'names')
    const find = this.#read((projection) => nameFinder(projection, match, { scope, ...options }))
    return await this.#each(names, find)
  }

  readonly words: Snapshot['words'] = async (terms, scope, limit) =>
    await this.#search((search) => search.words(terms, scope, limit))

  readonly languages: Snapshot['languages'] = async (ids) => await this.#search((search) => search.languages(ids))

  readonly wordsNear: Snapshot['wordsNear'] = async (words) => await this.#search((search) => search.wordsNear(words))

  readonly nearest: Snapshot['nearest'] = async (embedder, vectors, scope, limit) =>
    await this.#search((search) => search.nearest(embedder, vectors, scope, { limit, turn: takeTurns(this.#signal) }))

  readonly nearestNames: Snapshot['nearestNames'] = async (embedder, vectors, scope, options) =>
    await this.#search((search) => search.nearestNames(embedder, vectors, scope, { ...options, turn: takeTurns(this.#signal) }))

  readonly vectors: Snapshot['vectors'] = async (embedder, ids) => await this.#search((search) => search.vectors(embedder, ids))

  readonly vectorStates: Snapshot['vectorStates'] = async () => await this.#search((search) => search.vectorStates())

  readonly find: Snapshot['find'] = async (condition, options, page) =>
    await this.#searchFacts((search) => search.find(condition, options, page))

  readonly groupValues: Snapshot['groupValues'] = async (condition, options) =>
    await this.#searchFacts((search) => search.groupValues(condition, options))
}
