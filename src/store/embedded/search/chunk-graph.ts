import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../../core/errors.ts'
import type { VectorState } from '../../../core/search.ts'
import type { VectorGraphBuilder, VectorGraphs } from '../../../core/vectors.ts'
import { isDamage } from '../sqlite.ts'
import { type LabelManifest, readLabelManifest, saveLabelManifest } from '../vectors/hnsw-file.ts'
import { type LoadedAddon, loadHnswAddon } from '../vectors/hnsw-graph.ts'
import { GRAPH_FROM_BYTES, HnswIndex } from '../vectors/hnsw-index.ts'
import type { VectorSlots } from './vector-slots.ts'

/** The kind of the index. `auto` uses a graph if there are enough vectors. */
export type VectorIndexKind = 'auto' | 'exact' | 'hnsw'

export interface ChunkGraphOptions {
  readonly kind: Exclude<VectorIndexKind, 'exact'>
  readonly embedder: string
  readonly dimensions: number
  /** If omitted, the graph is not saved. */
  readonly path?: string | undefined
  /** With `auto`, a graph is built if the int8 vectors have at least this many bytes. */
  readonly autoFrom?: number
  readonly loadAddon?: () => Promise<LoadedAddon>
  /** If omitted, this thread builds the graphs. */
  readonly graphs?: VectorGraphs | undefined
  /** Waits for some time. The timer must not keep the process alive. */
  readonly rest?: (ms: number) => Promise<unknown>
}

/**
 * An HNSW graph that is loaded, built, updated and saved in the background. Until the graph is complete, searches compare all
 * vectors.
 */
export class ChunkGraph {
  readonly #slots: VectorSlots
  readonly #options: ChunkGraphOptions
  readonly #pause: (ms: number) => Promise<unknown>
  #manifest: LabelManifest | undefined
  #index: HnswIndex | undefined
  /** The reason why the graph is missing or not saved. */
  #trouble: string | undefined
  #damage: unknown
  #handedOver: number | undefined
  #isRunning = false
  #isClosed = false
  #wake: () => void = () => {}
  /** Number of labels added since the last save, or `undefined` if there was no save. */
  #unsaved: number | undefined

  constructor(slots: VectorSlots, options: ChunkGraphOptions) {
    this.#slots = slots
    this.#options = options
    this.#pause = options.rest ?? ((ms) => delay(ms, undefined, { ref: false }))
  }

  /** The index type in use. `reason` explains an unexpected one. */
  get state(): Pick<VectorState, 'index' | 'reason'> {
    const index = this.#index?.usesGraph ? 'hnsw' : 'exact'
    const reason = this.#trouble ?? this.#progress()
    return { index, ...(reason === undefined ? undefined : { reason }) }
  }

  /** Reserves the labels of the saved graph. Call this method before vectors are loaded. */
  async prepare(): Promise<void> {
    const { path, embedder } = this.#options
    this.#manifest = path === undefined ? undefined : await readLabelManifest(path, embedder)
    if (this.#manifest !== undefined) await this.#slots.reserve(this.#manifest.marks)
  }

  /** Starts background work, once all vectors are loaded. @throws DamagedIndex */
  follow(): void {
    if (this.#damage !== undefined) throw this.#damage
    this.#wake()
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run().catch((error: unknown) => {
      if (this.#isClosed) return
      if (isDamage(error)) this.#damage = error
      else
        this.#trouble = `Building the graph has stopped (${messageOf(error)}); an exact scan is used for the remaining vectors.`
    })
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  async #run(): Promise<void> {
    await this.#pause(START_DELAY)
    while (!this.#isClosed && !this.#isWorthIt()) await this.#woken()
    const index = this.#isClosed ? undefined : await this.#open()
    while (index !== undefined && !this.#isClosed) {
      await this.#build(index)
      await this.#save(index)
      if (index.unindexedCount === 0 && !this.#isClosed) await this.#woken()
    }
  }

  #isWorthIt(): boolean {
    const { kind, dimensions, autoFrom = GRAPH_FROM_BYTES } = this.#options
    return kind === 'hnsw' ? this.#slots.size > 0 : this.#slots.size * dimensions >= autoFrom
  }

  async #open(): Promise<HnswIndex | undefined> {
    const { kind, dimensions, autoFrom = GRAPH_FROM_BYTES, loadAddon = loadHnswAddon } = this.#options
    const { addon, reason } = await loadAddon()
    if (addon === undefined) this.#trouble = reason
    if (addon === undefined || this.#isClosed) return undefined
    const slots = this.#slots
    const graphFrom = kind === 'hnsw' ? 0 : autoFrom / dimensions
    const index = new HnswIndex({ addon, dimensions, graphFrom, scan: slots.scan, exact: (slot) => slots.fine(slot) })
    this.#index = index
    slots.searchWith(index)
    await this.#restore(index)
    return index
  }

  async #restore(index: HnswIndex): Promise<void> {
    const { path, embedder } = this.#options
    const manifest = this.#manifest
    this.#manifest = undefined
    if (path === undefined || manifest === undefined) return
    const reason = await index.restore(path, {
      embedder,
      changedSince: (fingerprint) => {
        if (fingerprint !== manifest.fingerprint) return undefined
        const changed = this.#slots.changedSince(manifest.marks)
        return changed.length > this.#slots.size * MAX_CHANGED_SHARE ? undefined : changed
      },
    })
    if (reason === undefined) this.#unsaved = 0
    if (this.#isClosed) index.close()
  }

  async #build(index: HnswIndex): Promise<void> {
    const { graphs } = this.#options
    if (graphs !== undefined && (index.unindexedCount > MAX_BUILT_HERE || index.needsRebuild))
      await this.#buildElsewhere(index, graphs)
    if (!this.#isClosed) await this.#buildHere(index)
  }

  async #buildElsewhere(index: HnswIndex, graphs: VectorGraphs): Promise<void> {
    const file = `${this.#options.path ?? join(tmpdir(), 'roux-graph')}-${randomUUID()}.tmp`
    const builder = await graphs.begin(this.#options.dimensions)
    this.#handedOver = 0
    try {
      let labels = index.beginExternalBuild()
      do {
        await this.#handOver(index, builder, labels)
        labels = index.takeChanged()
      } while (labels.length > MAX_BUILT_HERE && !this.#isClosed)
      if (this.#isClosed) return
      await index.useBuiltGraph(await builder.write(file), labels)
      this.#unsaved = undefined
      if (this.#isClosed) index.close()
    } finally {
      this.#handedOver = undefined
      builder.close()
      await rm(file, { force: true }).catch(() => undefined)
    }
  }

  async #handOver(index: HnswIndex, builder: VectorGraphBuilder, labels: readonly number[]): Promise<void> {
    for (let next = 0; next < labels.length && !this.#isClosed; ) {
      const started = performance.now()
      const vectors: [number, Float32Array][] = []
      const removed: number[] = []
      while (next < labels.length && performance.now() - started < SLICE && vectors.length < MAX_AT_ONCE) {
        const label = labels[next++] ?? 0
        const vector = index.vectorOf(label)
        if (vector === undefined) removed.push(label)
        else vectors.push([label, vector])
      }
      if (removed.length > 0) await builder.delete(Uint32Array.from(removed))
      if (vectors.length > 0) await builder.add(...joined(vectors, this.#options.dimensions))
      this.#handedOver = Math.min(this.#slots.size, (this.#handedOver ?? 0) + vectors.length)
    }
  }

  async #buildHere(index: HnswIndex): Promise<void> {
    let started = performance.now()
    let { searches } = this.#slots
    for (const _left of index.build(1)) {
      if (this.#unsaved !== undefined) this.#unsaved++
      if (performance.now() - started < SLICE) continue
      await this.#pause(searches === this.#slots.searches ? PAUSE : PAUSE_AFTER_SEARCH)
      if (this.#isClosed) return
      searches = this.#slots.searches
      started = performance.now()
    }
  }

  /** Saves the graph after enough changes and a pause. */
  async #save(index: HnswIndex): Promise<void> {
    const { path, embedder } = this.#options
    const isWorthIt = this.#unsaved === undefined || this.#unsaved >= Math.max(MIN_UNSAVED, index.size * MAX_UNSAVED_SHARE)
    if (path === undefined || !isWorthIt || this.#isClosed) return
    await this.#pause(SAVE_DELAY)
    if (this.#isClosed || index.unindexedCount > 0) return
    try {
      const fingerprint = await saveLabelManifest(path, this.#slots.marks())
      // A graph that no longer matches the manifest must not be saved.
      if (!(await index.save(path, { embedder, fingerprint }))) return
      this.#trouble = undefined
    } catch (error) {
      this.#trouble = `The graph could not be saved (${messageOf(error)}).`
    }
    // Even if the save failed, the next one waits for more changes.
    this.#unsaved = 0
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #progress(): string | undefined {
    if (this.#index === undefined || this.#index.unindexedCount === 0) return undefined
    const { size } = this.#index
    const unindexed = this.#handedOver === undefined ? this.#index.unindexedCount : size - this.#handedOver
    return `The graph is being built: ${Math.max(0, size - unindexed)} of ${size} vectors done.`
  }
}

/** The delay of background work in milliseconds. By then, commands have finished and servers have answered their first calls. */
const START_DELAY = 2000
/** The length of a slice in milliseconds. The last label may add up to 1 ms. */
const SLICE = 4
/** If there are more labels, another thread builds a new graph. */
const MAX_BUILT_HERE = 256
/** The number of vectors per message. Adding them takes about 100 ms. */
const MAX_AT_ONCE = 256
/** Milliseconds between slices. */
const PAUSE = 4
const PAUSE_AFTER_SEARCH = 50
/** Milliseconds without changes before a save, because vectors arrive in batches. */
const SAVE_DELAY = 10_000
/** Number of changes required for another save, and their minimum share. A graph of 400,000 vectors takes 500 MB. */
const MIN_UNSAVED = 1000
const MAX_UNSAVED_SHARE = 0.05
/** If a larger share of the labels has changed since the save, build a new graph. */
const MAX_CHANGED_SHARE = 0.3

function joined(
  vectors: readonly (readonly [label: number, vector: Float32Array])[],
  dimensions: number,
): [labels: Uint32Array, vectors: Float32Array] {
  const all = new Float32Array(vectors.length * dimensions)
  for (const [at, [, vector]] of vectors.entries()) all.set(vector, at * dimensions)
  return [Uint32Array.from(vectors, ([label]) => label), all]
}
