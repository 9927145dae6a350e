import type { WrittenGraph } from '../../../core/vectors.ts'
import { requireVector } from './vector-index.ts'

/**
 * HNSW (Malkov, Yashunin 2016). hnswlib aborts the process on invalid input and on filters that throw,
 * so all input is checked here and filters are not used.
 */
export class HnswGraph {
  readonly dimensions: number
  readonly #native: NativeGraph
  /** The labels that are not marked as deleted. */
  readonly #live = new LabelSet()
  /** All labels, including deleted ones, which still take space. */
  readonly #labels = new LabelSet()
  #capacity = FIRST_CAPACITY
  #busy = false
  #freed = false

  private constructor(native: NativeGraph, dimensions: number) {
    this.dimensions = dimensions
    this.#native = native
  }

  static create(addon: HnswAddon, dimensions: number): HnswGraph {
    const graph = new HnswGraph(new addon.HierarchicalNSW('ip', dimensions), dimensions)
    graph.#initialize()
    return graph
  }

  /** Reads a graph from a file that has passed `verifyGraphLayout`. */
  static async read(addon: HnswAddon, file: WrittenGraph): Promise<HnswGraph> {
    // A failed read frees the native graph, so an existing object would free it twice.
    const graph = new HnswGraph(new addon.HierarchicalNSW('ip', file.dimensions), file.dimensions)
    await graph.#exclusively(() => graph.#native.readIndex(file.path))
    graph.#native.setEf(SEARCH_BREADTH)
    graph.#capacity = file.capacity
    for (const label of graph.#native.getIdsList()) {
      graph.#labels.add(label)
      graph.#live.add(label)
    }
    for (const label of file.deleted) graph.#live.delete(label)
    return graph
  }

  /** Number of labels, without deleted ones. */
  get size(): number {
    return this.#live.size
  }

  /** Number of deleted labels, which still take space. */
  get wasted(): number {
    return this.#labels.size - this.#live.size
  }

  /** True while a file is being written. Only searches are allowed then. */
  get busy(): boolean {
    return this.#busy
  }

  has(label: number): boolean {
    return this.#live.has(label)
  }

  /** Returns the labels, without deleted ones. */
  labels(): Iterable<number> {
    return this.#live
  }

  /** Sets a vector, which takes 0.1–1 ms. */
  set(label: number, vector: Float32Array): void {
    const numbers = Array.from(requireVector(vector, this.dimensions))
    this.#requireIdle()
    if (!this.#labels.has(label)) this.#reserve(this.#labels.size + 1)
    this.#native.addPoint(numbers, label)
    this.#labels.add(label)
    this.#live.add(label)
  }

  delete(label: number): void {
    this.#requireIdle()
    if (this.#live.delete(label)) this.#native.markDelete(label)
  }

  /** Returns the nearest labels, closest first. */
  nearest(query: Float32Array, count: number): readonly number[] {
    // The query is normalized, because dot products with a very long one would overflow.
    const length = Math.hypot(...requireVector(query, this.dimensions)) || 1
    const numbers = Array.from(query, (value) => value / length)
    const limit = Math.min(Math.floor(count), this.#live.size)
    return limit > 0 && !this.#freed ? this.#native.searchKnn(numbers, limit).neighbors : []
  }

  /** Writes the graph. hnswlib does not report a full disk, but `verifyGraphLayout` detects it. */
  async write(path: string): Promise<WrittenGraph> {
    this.#requireIdle()
    const deleted = [...this.#labels].filter((label) => !this.#live.has(label))
    const file = { path, dimensions: this.dimensions, count: this.#labels.size, capacity: this.#capacity, deleted }
    await this.#exclusively(() => this.#native.writeIndex(path))
    return file
  }

  /** Frees the graph after any running write. */
  free(): void {
    this.#freed = true
    this.#live.clear()
    this.#labels.clear()
    // An empty graph replaces the old one, because the addon cannot free memory in any other way before garbage collection.
    if (!this.#busy) this.#initialize()
  }

  #initialize(): void {
    // The first allocation is small, because a large one would abort the process if memory runs out. Growing throws instead.
    this.#capacity = FIRST_CAPACITY
    this.#native.initIndex({ maxElements: FIRST_CAPACITY, m: LINKS, efConstruction: BUILD_BREADTH })
    this.#native.setEf(SEARCH_BREADTH)
  }

  #reserve(count: number): void {
    if (count <= this.#capacity) return
    const capacity = Math.max(count, Math.ceil(this.#capacity * 1.5))
    this.#native.resizeIndex(capacity)
    this.#capacity = capacity
  }

  #requireIdle(): void {
    if (this.#busy || this.#freed) throw new Error('The graph is being written or has been freed.')
  }

  /** Runs `work` and keeps `this` alive, because the addon's thread holds no reference to it. */
  async #exclusively(work: () => Promise<boolean>): Promise<void> {
    this.#busy = true
    try {
      await work()
    } finally {
      this.#busy = false
      if (this.#freed) this.#initialize()
    }
  }
}

/** The number of links per label (hnswlib's default). Level 0 has twice as many. */
export const LINKS = 16

/** The number of neighbors to examine for each new label (efConstruction). */
export const BUILD_BREADTH = 100

const SEARCH_BREADTH = 100

const FIRST_CAPACITY = 16

/** The part of `hnswlib-node` 3 in use. Invalid input aborts the process, so only `HnswGraph` may call it. */
export interface HnswAddon {
  readonly HierarchicalNSW: new (space: 'ip', dimensions: number) => NativeGraph
}

export interface NativeGraph {
  initIndex(settings: { readonly maxElements: number; readonly m: number; readonly efConstruction: number }): void
  resizeIndex(maxElements: number): void
  addPoint(vector: readonly number[], label: number): void
  markDelete(label: number): void
  searchKnn(query: readonly number[], count: number): { readonly neighbors: readonly number[] }
  getIdsList(): readonly number[]
  setEf(ef: number): void
  readIndex(path: string): Promise<boolean>
  writeIndex(path: string): Promise<boolean>
}

export type LoadedAddon =
  | { readonly addon: HnswAddon; readonly reason?: undefined }
  | { readonly addon: undefined; readonly reason: string }

/** @returns the reason if the optional addon is missing or built for another version of Node; never throws */
export async function loadHnswAddon(module = 'hnswlib-node'): Promise<LoadedAddon> {
  try {
    const { default: addon } = (await import(module)) as { readonly default?: Partial<HnswAddon> }
    if (typeof addon?.HierarchicalNSW === 'function') return { addon: addon as HnswAddon }
    return { addon: undefined, reason: `${module} has no HierarchicalNSW: install version 3.` }
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split('\n')
    return { addon: undefined, reason: `${module} cannot be loaded (${line}). Vectors are compared by an exact scan instead.` }
  }
}

/** A set of labels with one bit per label. A million labels take 125 kB. */
export class LabelSet {
  #words = new Uint32Array(32)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(label: number): boolean {
    return (((this.#words[label >>> 5] ?? 0) >>> (label & 31)) & 1) === 1
  }

  add(label: number): void {
    if (this.has(label)) return
    this.#reserve((label >>> 5) + 1)
    this.#words[label >>> 5] = (this.#words[label >>> 5] as number) | (1 << (label & 31))
    this.#size++
  }

  addAll(labels: Iterable<number>): void {
    for (const label of labels) this.add(label)
  }

  /** @returns whether the set contained the label */
  delete(label: number): boolean {
    if (!this.has(label)) return false
    this.#words[label >>> 5] = (this.#words[label >>> 5] as number) & ~(1 << (label & 31))
    this.#size--
    return true
  }

  clear(): void {
    this.#words = new Uint32Array(32)
    this.#size = 0
  }

  /** Yields labels in ascending order. Labels added during the iteration are visited if they are above the current one. */
  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#words.length; at++) {
      if (this.#words[at] === 0) continue
      for (let label = 32 * at; label < 32 * (at + 1); label++) if (this.has(label)) yield label
    }
  }

  #reserve(words: number): void {
    if (words <= this.#words.length) return
    const larger = new Uint32Array(Math.max(words, 2 * this.#words.length))
    larger.set(this.#words)
    this.#words = larger
  }
}
