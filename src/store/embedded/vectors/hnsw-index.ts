import { ExactScan, type ExactScanOptions } from './exact-scan.ts'
import { type GraphStamp, type RestoreOptions, restoreGraph, saveGraph, verifyGraphLayout } from './hnsw-file.ts'
import { type GraphFile, type HnswAddon, HnswGraph, LabelSet } from './hnsw-graph.ts'
import type { CoarseVector } from './packed-vector.ts'
import { type AcceptLabel, requireLimit, requireVector, type VectorHit, type VectorIndex } from './vector-index.ts'

export interface HnswOptions extends ExactScanOptions {
  readonly addon: HnswAddon
  /**
   * The vectors, perhaps already filled; `exact` then applies to the graph only, and the index owns the scan from now
   * on.
   */
  readonly scan?: ExactScan
  /** Fewer vectors than this are scanned; by default what the scan takes some 5 ms for. */
  readonly graphFrom?: number
}

/**
 * A graph that finds candidates, on top of an exact scan with the true scores. The graph only suggests labels: while it
 * is behind, being built, damaged or worn, answers are slower or miss a near one, but none is wrong. Changes are seen
 * at once; `build` brings them into the graph.
 */
export class HnswIndex implements VectorIndex {
  readonly #options: HnswOptions
  readonly #scan: ExactScan
  #graph: HnswGraph
  /** Labels whose place in the graph is not what the scan has. */
  readonly #behind = new LabelSet()
  /** Changes while a saved graph is being read. */
  #changedMeanwhile: LabelSet | undefined
  /** Replacements in the graph since it was new: each leaves it a little worse. */
  #replaced = 0
  #saving = false

  constructor(options: HnswOptions) {
    this.#options = options
    this.#scan = options.scan ?? new ExactScan(options)
    this.#graph = HnswGraph.create(options.addon, options.dimensions)
    this.#behind.addAll(this.#scan.labels())
  }

  get size(): number {
    return this.#scan.size
  }

  /** Labels that `build` has still to take into the graph. */
  get behind(): number {
    return this.#behind.size
  }

  /** True if searches use the graph: it pays off and lacks little. */
  get usesGraph(): boolean {
    const { dimensions, graphFrom = GRAPH_FROM_BYTES / dimensions } = this.#options
    const scanned = Math.max(MIN_BEHIND, this.size * MAX_BEHIND_SHARE)
    return this.size >= graphFrom && this.#behind.size <= scanned && this.#graph.size > 0
  }

  set(label: number, vector: Float32Array): void {
    this.#scan.set(label, vector)
    this.#note(label)
  }

  /** `set` with a vector as the scan compares it. */
  load(label: number, vector: CoarseVector): void {
    this.#scan.load(label, vector)
    this.#note(label)
  }

  delete(label: number): void {
    const isKnown = this.#scan.has(label) || this.#graph.has(label)
    this.#scan.delete(label)
    if (isKnown) this.#note(label)
  }

  /** As any index; nearly all of the best are found (98 % and more of ten, measured on clustered vectors), with true scores. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[] {
    requireVector(query, this.#options.dimensions)
    const wanted = requireLimit(limit, this.size)
    if (wanted === 0) return []
    const labels = this.usesGraph ? this.#candidates(query, wanted, accept) : undefined
    return labels === undefined ? this.#scan.search(query, wanted, accept) : this.#scan.searchAmong(query, wanted, labels)
  }

  /**
   * Brings the graph up to date, so many labels a step; yields how many are left, and ends early while a file is being written.
   * A graph that is worn by deletes and replacements is made again. A label takes 0.1–1 ms.
   */
  *build(labelsAStep = 32): Generator<number, void, void> {
    if (this.isWorn && !this.#graph.busy) this.#startAnew()
    let done = 0
    for (const label of this.#behind) {
      if (this.#graph.busy) return
      this.#update(label)
      this.#behind.delete(label)
      if (++done % labelsAStep === 0) yield this.#behind.size
    }
  }

  /** Saves the graph; answers false when it is behind, empty or being saved already. Throws as `saveGraph`. */
  async save(path: string, stamp: GraphStamp): Promise<boolean> {
    if (this.#saving || this.#behind.size > 0 || this.#graph.size === 0) return false
    this.#saving = true
    try {
      await saveGraph(this.#graph, path, stamp)
      return true
    } finally {
      this.#saving = false
    }
  }

  /**
   * Takes a saved graph over, after all vectors were set or loaded; `build` then adds only what changed. Answers `undefined`, or
   * why there is no graph to take, and then `build` makes one.
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

  /** Starts a graph built elsewhere and returns its labels. `takeChanged` returns later changes. */
  beginElsewhere(): readonly number[] {
    this.#changedMeanwhile = new LabelSet()
    return [...this.#scan.labels()]
  }

  /** The labels that changed since this, or `beginElsewhere`, was called last. */
  takeChanged(): readonly number[] {
    const changed = [...(this.#changedMeanwhile ?? [])]
    this.#changedMeanwhile?.clear()
    return changed
  }

  /** The vector for the graph under a label; `undefined` if there is none. */
  vectorOf(label: number): Float32Array | undefined {
    return this.#scan.has(label) ? this.#options.exact(label) : undefined
  }

  /** Takes over a graph that was built elsewhere, but for these labels and what has changed since; `build` adds them. */
  async adopt(file: GraphFile, changed: readonly number[]): Promise<void> {
    await verifyGraphLayout(file)
    const graph = await HnswGraph.read(this.#options.addon, file)
    this.#takeOver(graph, [...changed, ...this.takeChanged()])
    this.#changedMeanwhile = undefined
  }

  #takeOver(graph: HnswGraph, behind: readonly number[]): void {
    this.#graph.free()
    this.#graph = graph
    this.#replaced = 0
    this.#behind.clear()
    this.#behind.addAll(behind)
    for (const label of this.#scan.labels()) if (!this.#graph.has(label)) this.#behind.add(label)
    for (const label of this.#graph.labels()) if (!this.#scan.has(label)) this.#behind.add(label)
  }

  close(): void {
    this.#scan.close()
    this.#graph.free()
    this.#behind.clear()
  }

  #note(label: number): void {
    this.#behind.add(label)
    this.#changedMeanwhile?.add(label)
  }

  /** Labels that certainly hold the graph's best ones, and all that it does not know yet; `undefined`: scanning everything is better. */
  #candidates(query: Float32Array, wanted: number, accept: AcceptLabel | undefined): readonly number[] | undefined {
    const allowed = (label: number) => accept === undefined || accept(label)
    const widest = Math.max(MIN_WIDEST, this.size * MAX_ASKED_SHARE)
    for (let asked = accept === undefined ? wanted : 4 * wanted; asked <= widest; ) {
      const near = this.#graph.nearest(query, asked)
      const labels = near.filter((label) => this.#scan.has(label) && !this.#behind.has(label) && allowed(label))
      if (labels.length >= wanted) return [...labels, ...[...this.#behind].filter(allowed)]
      // As many as it takes at the share that was allowed, and half more for luck.
      asked = Math.max(2 * asked, Math.ceil((1.5 * wanted * near.length) / Math.max(1, labels.length)))
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

  /** True if deletions and replacements have worn the graph so much that a new one is better. */
  get isWorn(): boolean {
    return this.#graph.wasted + this.#replaced > Math.max(MIN_WEAR, this.#graph.size * MAX_WEAR_SHARE)
  }

  #startAnew(): void {
    this.#graph.free()
    this.#graph = HnswGraph.create(this.#options.addon, this.#options.dimensions)
    this.#replaced = 0
    this.#behind.clear()
    this.#behind.addAll(this.#scan.labels())
  }
}

/**
 * Bytes of rows from which the graph is used. Scanning 51 MB (200,000 vectors of 256 dimensions) takes 2.9 ms; the graph takes .4 ms, but a
 * minute to build and 230 MB. Below this, nobody would notice the gain.
 */
export const GRAPH_FROM_BYTES = 100_000_000
/** Vectors missing in the graph are scanned beside its candidates while they are few. */
const MIN_BEHIND = 256
const MAX_BEHIND_SHARE = 0.02
/** Asking the graph for more than this share takes longer than scanning everything. */
const MIN_WIDEST = 64
const MAX_ASKED_SHARE = 0.005
const MIN_WEAR = 1000
const MAX_WEAR_SHARE = 0.3
