import { ExactScan, type ExactScanOptions } from './exact-scan.ts'
import { type GraphStamp, type RestoreOptions, restoreGraph, saveGraph, verifyGraphLayout } from './hnsw-file.ts'
import { type GraphFile, type HnswAddon, HnswGraph, LabelSet } from './hnsw-graph.ts'
import type { CoarseVector } from './packed-vector.ts'
import { type AcceptLabel, requireLimit, requireVector, type VectorHit, type VectorIndex } from './vector-index.ts'

export interface HnswOptions extends ExactScanOptions {
  readonly addon: HnswAddon
  /** The scan to use, which may already contain vectors. The index becomes its owner. `exact` then applies only to the graph. */
  readonly scan?: ExactScan
  /** Number of vectors from which the graph is used. By default, it is the number that a scan compares in about 5 ms. */
  readonly graphFrom?: number
}

/**
 * An exact scan, and a graph that selects candidates for it. Scores are always exact. While the graph is outdated, incomplete,
 * damaged or worn, searches may be slower or miss a close neighbor. Changes take effect immediately; `build` adds them to the
 * graph.
 */
export class HnswIndex implements VectorIndex {
  readonly #options: HnswOptions
  readonly #scan: ExactScan
  #graph: HnswGraph
  /** Labels with an outdated vector in the graph. */
  readonly #unindexed = new LabelSet()
  /** Labels that have changed since a graph began to be built or read elsewhere. */
  #changedMeanwhile: LabelSet | undefined
  /** Number of vectors that have been replaced since the graph was built. Each one makes the graph slightly worse. */
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

  /** Number of labels that `build` has yet to process. */
  get behind(): number {
    return this.#unindexed.size
  }

  /** True if searches use the graph, because there are enough vectors and it is nearly up to date. */
  get usesGraph(): boolean {
    const { dimensions, graphFrom = GRAPH_FROM_BYTES / dimensions } = this.#options
    const scanned = Math.max(MIN_BEHIND, this.size * MAX_BEHIND_SHARE)
    return this.size >= graphFrom && this.#unindexed.size <= scanned && this.#graph.size > 0
  }

  set(label: number, vector: Float32Array): void {
    this.#scan.set(label, vector)
    this.#note(label)
  }

  /** Like `set`, but with a quantized vector. */
  load(label: number, vector: CoarseVector): void {
    this.#scan.load(label, vector)
    this.#note(label)
  }

  delete(label: number): void {
    const isKnown = this.#scan.has(label) || this.#graph.has(label)
    this.#scan.delete(label)
    if (isKnown) this.#note(label)
  }

  /** Returns nearly all of the best hits, with exact scores. For clustered vectors, these are at least 98 % of the top ten. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[] {
    requireVector(query, this.#options.dimensions)
    const count = requireLimit(limit, this.size)
    if (count === 0) return []
    const labels = this.usesGraph ? this.#candidates(query, count, accept) : undefined
    return labels === undefined ? this.#scan.search(query, count, accept) : this.#scan.searchAmong(query, count, labels)
  }

  /**
   * Updates the graph, and rebuilds it if deletions and replacements have worn it. After every `labelsAStep` labels, yields the
   * number of remaining ones. A label takes 0.1–1 ms. Stops while a file is being written.
   */
  *build(labelsAStep = 32): Generator<number, void, void> {
    if (this.isWorn && !this.#graph.busy) this.#startAnew()
    let added = 0
    for (const label of this.#unindexed) {
      if (this.#graph.busy) return
      this.#update(label)
      this.#unindexed.delete(label)
      if (++added % labelsAStep === 0) yield this.#unindexed.size
    }
  }

  /** Saves the graph. Returns false if it is outdated, empty or being saved already. Throws like `saveGraph`. */
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

  /**
   * Loads a saved graph, so `build` has to add only the changes. Call it when all vectors have been set or loaded. Returns
   * `undefined`, or if it failed, the reason; `build` then creates a new graph.
   */
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

  /** Returns the labels for building a graph in another thread. `takeChanged` returns later changes. */
  beginElsewhere(): readonly number[] {
    this.#changedMeanwhile = new LabelSet()
    return [...this.#scan.labels()]
  }

  /** Returns the labels that have changed since the last call, or since `beginElsewhere`. */
  takeChanged(): readonly number[] {
    const changed = [...(this.#changedMeanwhile ?? [])]
    this.#changedMeanwhile?.clear()
    return changed
  }

  /** Returns the full-precision vector of a label, or `undefined` if there is none. */
  vectorOf(label: number): Float32Array | undefined {
    return this.#scan.has(label) ? this.#options.exact(label) : undefined
  }

  /** Starts to use a graph that another thread has built. `build` will add the given labels and later changes. */
  async adopt(file: GraphFile, changed: readonly number[]): Promise<void> {
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

  /** Returns the graph's best labels and those that it lacks. Returns `undefined` if a full scan is better. */
  #candidates(query: Float32Array, count: number, accept: AcceptLabel | undefined): readonly number[] | undefined {
    const isAccepted = (label: number) => accept === undefined || accept(label)
    const widest = Math.max(MIN_CANDIDATES, this.size * MAX_CANDIDATE_SHARE)
    for (let requested = accept === undefined ? count : 4 * count; requested <= widest; ) {
      const near = this.#graph.nearest(query, requested)
      const labels = near.filter((label) => this.#scan.has(label) && !this.#unindexed.has(label) && isAccepted(label))
      if (labels.length >= count) return [...labels, ...[...this.#unindexed].filter(isAccepted)]
      // Request as many labels as the share of accepted ones so far suggests, plus half.
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

  /** True if deletions and replacements have worn the graph so much that it should be rebuilt. */
  get isWorn(): boolean {
    return this.#graph.wasted + this.#replaced > Math.max(MIN_WEAR, this.#graph.size * MAX_WEAR_SHARE)
  }

  #startAnew(): void {
    this.#graph.free()
    this.#graph = HnswGraph.create(this.#options.addon, this.#options.dimensions)
    this.#replaced = 0
    this.#unindexed.clear()
    this.#unindexed.addAll(this.#scan.labels())
  }
}

/**
 * Total size of the rows from which a graph is used, in bytes. A scan of 51 MB (200,000 vectors with 256 dimensions) takes 2.9 ms.
 * With a graph it takes 0.4 ms, but building the graph takes a minute and 230 MB, which is too much for a smaller vault.
 */
export const GRAPH_FROM_BYTES = 100_000_000
/** The graph is used while it lacks at most this many vectors, or this share of them. The missing ones are scanned. */
const MIN_BEHIND = 256
const MAX_BEHIND_SHARE = 0.02
/** Maximum number of labels to request from the graph, or their maximum share. For more, a full scan is faster. */
const MIN_CANDIDATES = 64
const MAX_CANDIDATE_SHARE = 0.005
const MIN_WEAR = 1000
const MAX_WEAR_SHARE = 0.3
