import type { Worker } from 'node:worker_threads'
import type { LaidOutGraph } from '../core/insight/layouts.ts'
import type { Analytics, CentralMetric, Scores, Topology } from '../core/store.ts'
import { WorkerCalls } from '../core/thread-calls.ts'
import type { VectorGraphBuilder, VectorGraphs } from '../core/vectors.ts'
import { once } from '../core/waiting.ts'
import type { RunSubject } from '../insight/insight-run.ts'
import type { LaidOut } from '../insight/layout.ts'
import type { ComputeService } from './compute.ts'
import type { InsightRuns, InsightSteps } from './insight-client.ts'
import type { LayoutOptions, LayoutRuns } from './layout-client.ts'
import { terminate } from './thread-guard.ts'

/**
 * The idle time in milliseconds. Insight, layout and names follow one another, and starting a worker takes longer than most of
 * them.
 */
export const IDLE_TIME = 5_000

/** A client for expensive graph computations in a worker, which takes about 20 MB and ends after `IDLE_TIME` without work. */
export class ComputeClient implements Analytics, VectorGraphs, InsightRuns, LayoutRuns {
  readonly #calls: WorkerCalls<ComputeService, Worker>
  #ending: Promise<unknown> | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #nextId = 1
  readonly #heldRuns = new Set<number>()
  #isClosed = false

  constructor(startWorker: () => Worker) {
    const start = (): Worker => {
      if (this.#isClosed) throw new Error(ENDED)
      return startWorker()
    }
    this.#calls = new WorkerCalls(start, (error) => {
      this.#heldRuns.clear()
      return new Error(error === undefined ? ENDED : String(error))
    })
  }

  async run(metric: CentralMetric, { offsets, targets }: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores> {
    const scores = this.#calls.call('metric', { metric, offsets, targets }, { transfer: [offsets.buffer, targets.buffer] })
    return await this.#endAfter(scores)
  }

  async layOut(
    graph: Omit<LaidOutGraph, 'ids'>,
    before: Float32Array | undefined,
    { again, onProgress }: LayoutOptions,
  ): Promise<LaidOut> {
    return await this.#endAfter(this.#calls.call('layOut', { graph, before, again }, { onProgress }))
  }

  async begin(dimensions: number): Promise<VectorGraphBuilder> {
    const calls = this.#calls
    const graph = this.#nextId++
    this.#heldRuns.add(graph)
    const close = (): void => {
      if (this.#heldRuns.delete(graph)) this.#endAfter(calls.callAside('endGraph', graph)).catch(() => {})
    }
    try {
      await calls.callAside('beginGraph', { graph, dimensions })
    } catch (error) {
      close()
      throw error
    }
    return {
      add: (labels, vectors) =>
        calls.callAside('addVectors', { graph, labels, vectors }, { transfer: [labels.buffer, vectors.buffer] }),
      delete: (labels) => calls.callAside('deleteVectors', { graph, labels }),
      write: (path) => calls.callAside('writeGraph', { graph, path }),
      close,
    }
  }

  async beginInsight(file: string, subject: RunSubject): Promise<InsightSteps> {
    const calls = this.#calls
    const run = this.#nextId++
    // The worker is held, because a caller may be waiting for the result.
    const release = calls.hold()
    this.#heldRuns.add(run)
    const close = once(() => {
      release()
      if (this.#heldRuns.delete(run)) this.#endAfter(calls.callAside('endInsight', run)).catch(() => {})
    })
    try {
      const { offsets, targets } = subject
      await calls.callAside('beginInsight', { run, file, subject }, { transfer: [offsets.buffer, targets.buffer] })
    } catch (error) {
      close()
      throw error
    }
    return {
      addNotes: (notes) => calls.callAside('addNotes', { run, notes }),
      plan: () => calls.callAside('planInsight', run),
      addTexts: (texts) => calls.callAside('addTexts', { run, texts }),
      finish: (former) => calls.callAside('finishInsight', { run, former }),
      close,
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    const { worker } = this.#calls
    await Promise.all([worker === undefined ? undefined : terminate(worker), this.#ending])
  }

  async #endAfter<T>(call: Promise<T>): Promise<T> {
    try {
      return await call
    } finally {
      clearTimeout(this.#idleTimer)
      this.#idleTimer = setTimeout(() => this.#endIfIdle(), IDLE_TIME).unref()
    }
  }

  #endIfIdle(): void {
    if (this.#calls.isIdle && this.#heldRuns.size === 0) this.#ending = this.#calls.release()?.terminate() ?? this.#ending
  }
}

const ENDED = 'the worker ended'
