import type { NodeId } from '../../../core/ids.ts'
import type { ChunkHit, NameVectorHit } from '../../../core/search.ts'
import type { NameOptions, Scope, Snapshot } from '../../../core/store.ts'
import type { VectorGraphs } from '../../../core/vectors.ts'
import { eachInTurn } from '../../../core/waiting.ts'
import type { Location } from '../location.ts'
import { fileStem, type Projection } from '../projection.ts'
import { acceptor, keysInScope } from '../scope.ts'
import type { VectorIndexKind } from './chunk-graph.ts'
import { Facets, Relations } from './facets.ts'
import { findNotes, groupValues, loadFor, loadForGroups, type VaultFacts } from './find-notes.ts'
import type { AcceptNote } from './loaded-vectors.ts'
import { SearchIndex } from './search-index.ts'
import { stampOf } from './search-rows.ts'
import type { VectorTableHit } from './vector-slots.ts'

export interface SearchReadsOptions {
  readonly vectorIndex?: VectorIndexKind | undefined
  readonly vectorGraphs?: VectorGraphs | undefined
  readonly onDamage: () => void
}

/** The search index as used by snapshots. A read refreshes it, but not the projection. */
export class SearchReads {
  readonly #projection: Projection
  readonly #index: SearchIndex
  readonly #facets: Facets
  readonly #relations: Relations

  constructor(projection: Projection, location: Location, { vectorIndex = 'auto', vectorGraphs, onDamage }: SearchReadsOptions) {
    this.#projection = projection
    this.#index = new SearchIndex(location, () => projection.graph, { kind: vectorIndex, graphs: vectorGraphs, onDamage })
    this.#facets = new Facets(projection)
    this.#relations = new Relations(projection)
  }

  /** True until a damaged index is replaced. */
  get isDamaged(): boolean {
    return this.#index.file.isDamaged
  }

  graphChanged(keys: readonly number[]): void {
    this.#index.words.changed(keys)
    this.#facets.changed(keys)
    this.#relations.changed(keys)
  }

  /** Drops data that refers to the replaced graph. */
  graphReplaced(): void {
    this.#index.file.reopen()
    this.#facets.clear()
    this.#relations.clear()
  }

  reopen(location: Location): void {
    this.#index.file.reopen(location)
  }

  async refresh(embedder?: string): Promise<void> {
    await this.#index.file.guard(async () => {
      this.#index.refresh()
      if (embedder !== undefined) await this.#index.vectors(embedder)
    })
  }

  readonly words: Snapshot['words'] = async (terms, scope, limit) =>
    await this.#index.file.guard(async () => {
      const accept = acceptor(this.#projection, scope)
      const { hits, terms: facts, coverage } = this.#index.read(() => this.#index.words.rank(terms, { limit, accept }))
      const { graph } = this.#projection
      return {
        hits: hits.map(({ key, score, matched }) => ({ id: graph.id(key), score, matched })),
        coverage,
        terms: facts.map(({ term, documents }) => ({ word: term.form, notes: documents })),
      }
    })

  readonly wordsNear: Snapshot['wordsNear'] = async (words) =>
    await this.#index.file.guard(async () => this.#index.read(() => words.map((word) => this.#index.words.wordsNear(word))))

  readonly languages: Snapshot['languages'] = async (ids) =>
    await this.#index.file.guard(async () =>
      this.#index.read(() => {
        const { graph } = this.#projection
        const { words } = this.#index
        const codeOf = (id: NodeId) => {
          const key = graph.find(id)
          return key === undefined ? undefined : words.languageOf(key)
        }
        return { codes: ids.map(codeOf), notes: words.languages() }
      }),
    )

  async nearest(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    { limit, turn }: { readonly limit: number; readonly turn: () => Promise<void> },
  ): Promise<readonly (readonly ChunkHit[])[]> {
    return await this.#index.file.guard(async () => {
      const table = await this.#index.vectors(embedder)
      const { graph } = this.#projection
      const accept = this.#acceptCurrent(scope)
      const toHit = ({ key, ordinal, score }: VectorTableHit): ChunkHit => ({ id: graph.id(key), chunk: ordinal, score })
      return await eachInTurn(vectors, turn, (vector) => (table?.nearestChunks(vector, limit, accept) ?? []).map(toHit))
    })
  }

  async nearestNames(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    { limit, minimum, turn }: NameOptions & { readonly turn: () => Promise<void> },
  ): Promise<readonly (readonly NameVectorHit[])[]> {
    return await this.#index.file.guard(async () => {
      const table = await this.#index.vectors(embedder)
      const { graph } = this.#projection
      const accept = this.#acceptCurrent(scope)
      const toHits = ({ key, ordinal, score }: VectorTableHit): readonly NameVectorHit[] => {
        const row = graph.row(key)
        const name = ordinal === 0 ? graph.title(key) : (row?.aliases[ordinal - 1] ?? fileStem(row))
        return name === undefined || score < minimum ? [] : [{ id: graph.id(key), title: graph.title(key), name, score }]
      }
      return await eachInTurn(vectors, turn, (vector) => (table?.nearestNames(vector, limit, accept) ?? []).flatMap(toHits))
    })
  }

  readonly vectors: Snapshot['vectors'] = async (embedder, ids) =>
    await this.#index.file.guard(async () => {
      const table = await this.#index.vectors(embedder)
      const { graph } = this.#projection
      return ids.map((id) => {
        const key = graph.find(id)
        const path = key === undefined ? undefined : graph.row(key)?.path
        return key === undefined || path === undefined ? undefined : table?.vectors(key, stampOf(path))
      })
    })

  readonly vectorStates: Snapshot['vectorStates'] = async () =>
    await this.#index.file.guard(async () => {
      this.#index.refresh()
      return this.#index.embedders()
    })

  readonly find: Snapshot['find'] = async (condition, { scope, order }, page) => {
    const facts = this.#facts()
    // The facts are loaded outside the guard, because damage to them concerns the main index.
    await loadFor(condition, order, facts)
    return await this.#index.file.guard(async () => {
      const candidates = keysInScope(this.#projection, scope)
      return this.#index.read(() => findNotes({ condition, order, candidates }, facts, page))
    })
  }

  readonly groupValues: Snapshot['groupValues'] = async (condition, { scope, by }) => {
    const facts = this.#facts()
    await loadForGroups(condition, by, facts)
    return await this.#index.file.guard(async () => {
      const candidates = keysInScope(this.#projection, scope)
      return this.#index.read(() => groupValues({ condition, by, candidates }, facts))
    })
  }

  #facts(): VaultFacts {
    return {
      projection: this.#projection,
      words: this.#index.words,
      facets: this.#facets,
      relations: this.#relations,
    }
  }

  readonly properties: Snapshot['properties'] = async () => {
    await this.#facets.flush()
    return this.#facets.properties()
  }

  readonly propertyValues: Snapshot['propertyValues'] = async (key) => {
    await this.#facets.flush()
    return this.#facets.values(key)
  }

  releaseMemory(): void {
    this.#index.releaseMemory()
  }

  close(): void {
    this.#index.close()
  }

  /** Returns a test that rejects vectors of another file that had the same key. */
  #acceptCurrent(scope: Scope): AcceptNote {
    const accept = acceptor(this.#projection, scope)
    return (key, stamp) => accept(key) && this.#index.isCurrent(key, stamp)
  }
}
