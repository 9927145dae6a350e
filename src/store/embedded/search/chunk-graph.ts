import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { VectorState } from '../../../core/search.ts'
import type { VectorGraphBuilder, VectorGraphs } from '../../../core/vector-graphs.ts'
import { isDamage } from '../sqlite.ts'
import { type LabelManifest, readLabelManifest, saveLabelManifest } from '../vectors/hnsw-file.ts'
import { type LoadedAddon, loadHnswAddon } from '../vectors/hnsw-graph.ts'
import { GRAPH_FROM_BYTES, HnswIndex } from '../vectors/hnsw-index.ts'
import type { VectorSlots } from './vector-slots.ts'

/** How vectors are compared: with all of them, with a graph of them, or with that where it is worth building. */
export type VectorIndexKind = 'auto' | 'exact' | 'hnsw'

export interface ChunkGraphOptions {
  readonly kind: Exclude<VectorIndexKind, 'exact'>
  readonly embedder: string
  readonly dimensions: number
  /** Where the graph is saved; without it nowhere. */
  readonly path?: string | undefined
  /** Bytes of int8 rows from which `auto` builds a graph. */
  readonly autoFrom?: number
  readonly loadAddon?: () => Promise<LoadedAddon>
  /** Builds graphs off this thread; without it they are built here. */
  readonly graphs?: VectorGraphs | undefined
  /** Waits so many ms; what waits does not keep the process alive. */
  readonly rest?: (ms: number) => Promise<unknown>
}

/**
 * Keeps a graph over the vectors of chunks: restores it or has it built off this thread, adds what changes a few milliseconds at a time, and
 * saves it. Until it is complete, and where it cannot be, the scan answers.
 */
export class ChunkGraph {
  readonly #slots: VectorSlots
  readonly #options: ChunkGraphOptions
  readonly #rest: (ms: number) => Promise<unknown>
  #manifest: LabelManifest | undefined
  #index: HnswIndex | undefined
  /** Why there is no graph, or why it is not built further or saved. */
  #trouble: string | undefined
  #damage: unknown
  /** Vectors that were handed to a graph which is built off this thread. */
  #handedOver: number | undefined
  #isRunning = false
  #isClosed = false
  #wake: () => void = () => {}
  /** Labels that were built in since the graph was saved; `undefined`: it never was. */
  #unsaved: number | undefined

  constructor(slots: VectorSlots, options: ChunkGraphOptions) {
    this.#slots = slots
    this.#options = options
    this.#rest = options.rest ?? ((ms) => delay(ms, undefined, { ref: false }))
  }

  /** The active index, and the reason if it is not the expected one. */
  get state(): Pick<VectorState, 'index' | 'reason'> {
    const index = this.#index?.usesGraph ? 'hnsw' : 'exact'
    const reason = this.#trouble ?? this.#progress()
    return { index, ...(reason === undefined ? undefined : { reason }) }
  }

  /** Vectors get the labels that they have in the saved graph; before any is loaded. */
  async prepare(): Promise<void> {
    const { path, embedder } = this.#options
    this.#manifest = path === undefined ? undefined : await readLabelManifest(path, embedder)
    if (this.#manifest !== undefined) await this.#slots.reserve(this.#manifest.marks)
  }

  /** All vectors are loaded: the graph may follow. @throws DamagedIndex found while it did. */
  follow(): void {
    if (this.#damage !== undefined) throw this.#damage
    this.#wake()
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run().catch((error: unknown) => {
      if (this.#isClosed) return
      if (isDamage(error)) this.#damage = error
      else this.#trouble = `Building the graph stopped (${messageOf(error)}); the exact scan is used for the rest.`
    })
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  async #run(): Promise<void> {
    await this.#rest(START_DELAY)
    while (!this.#isClosed && !this.#isWorthIt()) await this.#woken()
    const index = this.#isClosed ? undefined : await this.#open()
    while (index !== undefined && !this.#isClosed) {
      await this.#build(index)
      await this.#save(index)
      if (index.behind === 0 && !this.#isClosed) await this.#woken()
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
    // Closed meanwhile: release what was just read.
    if (this.#isClosed) index.close()
  }

  async #build(index: HnswIndex): Promise<void> {
    const { graphs } = this.#options
    if (graphs !== undefined && (index.behind > MOST_BUILT_HERE || index.isWorn)) await this.#buildElsewhere(index, graphs)
    if (!this.#isClosed) await this.#buildHere(index)
  }

  /** Has a graph of everything built off this thread, which only reads the vectors for it. */
  async #buildElsewhere(index: HnswIndex, graphs: VectorGraphs): Promise<void> {
    const file = `${this.#options.path ?? join(tmpdir(), 'roux-graph')}-${randomUUID()}.tmp`
    const builder = await graphs.begin(this.#options.dimensions)
    this.#handedOver = 0
    try {
      let labels = index.beginElsewhere()
      do {
        await this.#handOver(index, builder, labels)
        labels = index.takeChanged()
      } while (labels.length > MOST_BUILT_HERE && !this.#isClosed)
      if (this.#isClosed) return
      await index.adopt(await builder.write(file), labels)
      this.#unsaved = undefined
      // Closed meanwhile: release what was just read.
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
      const gone: number[] = []
      while (next < labels.length && performance.now() - started < SLICE && vectors.length < MOST_AT_ONCE) {
        const label = labels[next++] ?? 0
        const vector = index.vectorOf(label)
        if (vector === undefined) gone.push(label)
        else vectors.push([label, vector])
      }
      if (gone.length > 0) await builder.delete(Uint32Array.from(gone))
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
      await this.#rest(searches === this.#slots.searches ? PAUSE : PAUSE_AFTER_SEARCH)
      if (this.#isClosed) return
      searches = this.#slots.searches
      started = performance.now()
    }
  }

  /** Saves what is worth it, once nothing has changed for a while. */
  async #save(index: HnswIndex): Promise<void> {
    const { path, embedder } = this.#options
    const isWorthIt = this.#unsaved === undefined || this.#unsaved >= Math.max(MIN_UNSAVED, index.size * MAX_UNSAVED_SHARE)
    if (path === undefined || !isWorthIt || this.#isClosed) return
    await this.#rest(SAVE_DELAY)
    if (this.#isClosed || index.behind > 0) return
    try {
      const fingerprint = await saveLabelManifest(path, this.#slots.marks())
      // If something changed meanwhile, the graph is behind and is not saved: its labels must match the manifest.
      if (!(await index.save(path, { embedder, fingerprint }))) return
      this.#trouble = undefined
    } catch (error) {
      this.#trouble = `The graph could not be saved (${messageOf(error)}).`
    }
    // A failure is retried after as many changes.
    this.#unsaved = 0
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #progress(): string | undefined {
    if (this.#index === undefined || this.#index.behind === 0) return undefined
    const { size } = this.#index
    const behind = this.#handedOver === undefined ? this.#index.behind : size - this.#handedOver
    return `The graph is being built: ${Math.max(0, size - behind)} of ${size} vectors are in it.`
  }
}

/** Before the first slice, ms: a command has ended by then, and a server answered its first calls. */
const START_DELAY = 2000
/** How long a slice of building keeps the thread, ms, and one label more (0.1–1 ms). */
const SLICE = 4
/** More labels than these are not built into the graph on this thread. */
const MOST_BUILT_HERE = 256
/** Vectors that are handed over at once: some 100 ms of work. */
const MOST_AT_ONCE = 256
/** Between slices, ms; longer while someone searches. */
const PAUSE = 4
const PAUSE_AFTER_SEARCH = 50
/** Pause between the last label and saving, ms, because embedding comes in batches. */
const SAVE_DELAY = 10_000
/** A graph of 400,000 vectors is 500 MB: it is written again after so many labels, or that share of them. */
const MIN_UNSAVED = 1000
const MAX_UNSAVED_SHARE = 0.05
/** Where more than this changed since the graph was saved, a new one is better. */
const MAX_CHANGED_SHARE = 0.3

/** Vectors one after another, beside their labels. */
function joined(
  vectors: readonly (readonly [label: number, vector: Float32Array])[],
  dimensions: number,
): [labels: Uint32Array, vectors: Float32Array] {
  const all = new Float32Array(vectors.length * dimensions)
  for (const [at, [, vector]] of vectors.entries()) all.set(vector, at * dimensions)
  return [Uint32Array.from(vectors, ([label]) => label), all]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
