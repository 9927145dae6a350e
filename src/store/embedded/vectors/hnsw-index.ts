import type { WrittenGraph } from '../../../core/vectors.ts'
import { ExactScan, type ExactScanOptions } from './exact-scan.ts'
import { type GraphStamp, type RestoreOptions, restoreGraph, saveGraph, verifyGraphLayout } from './hnsw-file.ts'
import { type HnswAddon, HnswGraph, LabelSet } from './hnsw-graph.ts'
import type { CoarseVector } from './packed-vector.ts'
import { type AcceptLabel, limitTo, requireVector, type VectorHit } from './vector-index.ts'

export interface HnswOptions extends ExactScanOptions {
  readonly addon: HnswAddon
  /** A scan that may already contain vectors. The index takes ownership, and `exact` then serves only the graph. */
  readonly scan?: ExactScan
  /** The number of vectors from which a graph is used. By default, a scan compares this number in about 5 ms. */
  readonly graphFrom?: number
}

/**
 * An index that selects candidates with HNSW and scores them exactly. Changes take effect immediately; until `build` adds them to
 * the graph, searches may miss a close neighbor.
 */
export class HnswIndex {
  readonly #options: HnswOptions
  readonly #scan: ExactScan
  #graph: HnswGraph
  /** The labels with an outdated vector in the graph. */
  readonly #unindexed = new LabelSet()
  /** The labels that changed since the current build or read of a graph began. */
  #changedMeanwhile: LabelSet | undefined
  /** Number of vectors replaced since the build. Each one degrades the graph slightly. */
  #replaced = 0
  #saving = false

  constructor(options: HnswOptions) {
    this.#options = options
    this.#scan = options.scan ?? new ExactScan(options)
    this.#graph = HnswGraph.create(options.addon, options.dimensions)
    this.#unindexed.addAll(this.#scan.labels())
  }

  get size(): number {
    return this.#scan.size
  }

  /** Number of labels that `build` has not processed yet. */
  get unindexedCount(): number {
    return this.#unindexed.size
  }

  /** False if there are too few vectors or the graph is outdated. */
  get usesGraph(): boolean {
    const { dimensions, graphFrom = GRAPH_FROM_BYTES / dimensions } = this.#options
    const scanned = Math.max(MIN_BEHIND, this.size * MAX_BEHIND_SHARE)
    return this.size >= graphFrom && this.#unindexed.size <= scanned && this.#graph.size > 0
  }

  set(label: number, vector: CoarseVector): void {
    this.#scan.set(label, vector)
    this.#note(label)
  }

  delete(label: number): void {
    const isKnown = this.#scan.has(label) || this.#graph.has(label)
    this.#scan.delete(label)
    if (isKnown) this.#note(label)
  }

  /** Returns nearly all of the best hits: for clustered vectors, at least 98 % of the top ten. Scores are exact. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[] {
    requireVector(query, this.#options.dimensions)
    const count = limitTo(limit, this.size)
    if (count === 0) return []
    const labels = this.usesGraph ? this.#candidates(query, count, accept) : undefined
    return labels === undefined ? this.#scan.search(query, count, accept) : this.#scan.searchAmong(query, count, labels)
  }

  /**
   * Updates the graph, or rebuilds a worn one. The generator yields the number of remaining labels after every `labelsAStep`
   * labels, and stops during a save.
   */
  *build(labelsAStep = 32): Generator<number, void, void> {
    const { addon, dimensions } = this.#options
    if (this.needsRebuild && !this.#graph.busy) this.#takeOver(HnswGraph.create(addon, dimensions), [])
    let added = 0
    for (const label of this.#unindexed) {
      if (this.#graph.busy) return
      this.#update(label)
      this.#unindexed.delete(label)
      if (++added % labelsAStep === 0) yield this.#unindexed.size
    }
  }

  /** Saves the graph. @returns false if the graph is outdated, empty or being saved @throws like `saveGraph` */
  async save(path: string, stamp: GraphStamp): Promise<boolean> {
    if (this.#saving || this.#unindexed.size > 0 || this.#graph.size === 0) return false
    this.#saving = true
    try {
      await saveGraph(this.#graph, path, stamp)
      return true
    } finally {
      this.#saving = false
    }
  }

  /** Restores a saved graph, once all vectors are set. @returns the reason if loading failed; `build` then creates a new graph */
  async restore(path: string, options: Omit<RestoreOptions, 'dimensions'>): Promise<string | undefined> {
    const { addon, dimensions } = this.#options
    const meanwhile = new LabelSet()
    this.#changedMeanwhile = meanwhile
    const restored = await restoreGraph(addon, path, { ...options, dimensions })
    this.#changedMeanwhile = undefined
    if (restored.graph === undefined) return restored.reason
    this.#takeOver(restored.graph, [...restored.changed, ...meanwhile])
    return undefined
  }

  /** Returns the labels for a graph that another thread builds. `takeChanged` returns later changes. */
  beginExternalBuild(): readonly number[] {
    this.#changedMeanwhile = new LabelSet()
    return [...this.#scan.labels()]
  }

  /** Returns the labels that changed since the last call, or since `beginExternalBuild`. */
  takeChanged(): readonly number[] {
    const changed = [...(this.#changedMeanwhile ?? [])]
    this.#changedMeanwhile?.clear()
    return changed
  }

  vectorOf(label: number): Float32Array | undefined {
    return this.#scan.has(label) ? this.#options.exact(label) : undefined
  }

  /** Adopts a graph built by another thread. `build` adds `changed` and later changes. */
  async useBuiltGraph(file: WrittenGraph, changed: readonly number[]): Promise<void> {
    await verifyGraphLayout(file)
    const graph = await HnswGraph.read(this.#options.addon, file)
    this.#takeOver(graph, [...changed, ...this.takeChanged()])
    this.#changedMeanwhile = undefined
  }

  #takeOver(graph: HnswGraph, unindexed: readonly number[]): void {
    this.#graph.free()
    this.#graph = graph
    this.#replaced = 0
    this.#unindexed.clear()
    this.#unindexed.addAll(unindexed)
    for (const label of this.#scan.labels()) if (!this.#graph.has(label)) this.#unindexed.add(label)
    for (const label of this.#graph.labels()) if (!this.#scan.has(label)) this.#unindexed.add(label)
  }

  close(): void {
    this.#scan.close()
    this.#graph.free()
    this.#unindexed.clear()
  }

  #note(label: number): void {
    this.#unindexed.add(label)
    this.#changedMeanwhile?.add(label)
  }

  /** Returns the graph's best labels and all labels it lacks, or `undefined` if a full scan is faster. */
  #candidates(query: Float32Array, count: number, accept: AcceptLabel | undefined): readonly number[] | undefined {
    const isAccepted = (label: number) => accept === undefined || accept(label)
    const widest = Math.max(MIN_CANDIDATES, this.size * MAX_CANDIDATE_SHARE)
    for (let requested = accept === undefined ? count : 4 * count; requested <= widest; ) {
      const near = this.#graph.nearest(query, requested)
      const labels = near.filter((label) => this.#scan.has(label) && !this.#unindexed.has(label) && isAccepted(label))
      if (labels.length >= count) return [...labels, ...[...this.#unindexed].filter(isAccepted)]
      // The next request is based on the share of accepted labels so far, plus half.
      requested = Math.max(2 * requested, Math.ceil((1.5 * count * near.length) / Math.max(1, labels.length)))
    }
    return undefined
  }

  #update(label: number): void {
    const vector = this.vectorOf(label)
    if (vector === undefined) {
      this.#scan.delete(label)
      this.#graph.delete(label)
      return
    }
    if (this.#graph.has(label)) this.#replaced++
    this.#graph.set(label, vector)
  }

  /** True if deletions and replacements make a rebuild worthwhile. */
  get needsRebuild(): boolean {
    return this.#graph.wasted + this.#replaced > Math.max(MIN_WEAR, this.#graph.size * MAX_WEAR_SHARE)
  }
}

/**
 * The size of the vectors, in bytes, from which a graph is built. For 51 MB (200,000 vectors), a scan takes 2.9 ms and a graph
 * 0.4 ms, but building the graph takes a minute and 230 MB.
 */
export const GRAPH_FROM_BYTES = 100_000_000
/** The maximum number of missing vectors, which searches scan: this number, or the share of all vectors if that is more. */
const MIN_BEHIND = 256
const MAX_BEHIND_SHARE = 0.02
/** If there are more labels than this number and than the share of all, a full scan is faster. */
const MIN_CANDIDATES = 64
const MAX_CANDIDATE_SHARE = 0.005
const MIN_WEAR = 1000
const MAX_WEAR_SHARE = 0.3
