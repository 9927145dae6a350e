import type { Worker } from 'node:worker_threads'
import type { Analytics, CentralMetric } from '../core/analytics.ts'
import type { LaidOutGraph } from '../core/insight/layouts.ts'
import type { Scores, Topology } from '../core/store.ts'
import type { VectorGraphBuilder, VectorGraphs, WrittenGraph } from '../core/vector-graphs.ts'
import { once } from '../core/waiting/once.ts'
import type { RunPlan, RunResult, RunSubject } from '../insight/insight-run.ts'
import type { LaidOut } from '../insight/layout.ts'
import type { InsightRuns, InsightSteps } from './insight-client.ts'
import type { LayoutHow, LayoutRuns } from './layout-client.ts'
import type { ComputeJob, ComputeReply, ComputeRequest, ComputeResult } from './messages.ts'
import { ThreadGuard } from './thread-guard.ts'

/** A pending request. */
interface Asked {
  resolve(result: ComputeResult): void
  reject(error: string): void
  onProgress(share: number): void
}

/** Graph algorithms, runs over a whole vault and the building of graphs of vectors, in a worker that is there only while there is work: it takes some 20 MB. */
export class ComputeClient implements Analytics, VectorGraphs, InsightRuns, LayoutRuns {
  readonly #startWorker: () => Worker
  readonly #waiting = new Map<number, Asked>()
  #worker: Worker | undefined
  /** Of that worker. */
  #guard = new ThreadGuard()
  #ending: Promise<unknown> | undefined
  #nextId = 1
  /** Runs that someone waits for. */
  #runs = 0
  /** Graphs that are being built, and runs over a whole vault: they are in the worker's memory. */
  readonly #held = new Set<number>()
  #isClosed = false

  constructor(startWorker: () => Worker) {
    this.#startWorker = startWorker
  }

  async run(metric: CentralMetric, { offsets, targets }: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores> {
    return (await this.#waitFor({ type: 'metric', metric, offsets, targets }, [offsets.buffer, targets.buffer])) as Scores
  }

  async layOut(graph: Omit<LaidOutGraph, 'ids'>, before: Float32Array | undefined, how: LayoutHow): Promise<LaidOut> {
    const { again, onProgress } = how
    return (await this.#waitFor({ type: 'layOut', graph, before, again }, [], onProgress)) as LaidOut
  }

  async begin(dimensions: number): Promise<VectorGraphBuilder> {
    const graph = this.#nextId++
    this.#held.add(graph)
    try {
      await this.#ask({ type: 'beginGraph', graph, dimensions })
    } catch (error) {
      this.#held.delete(graph)
      this.#endIfIdle()
      throw error
    }
    return {
      add: async (labels, vectors) => {
        await this.#ask({ type: 'addVectors', graph, labels, vectors }, [labels.buffer, vectors.buffer])
      },
      delete: async (labels) => {
        await this.#ask({ type: 'deleteVectors', graph, labels })
      },
      write: async (path) => (await this.#ask({ type: 'writeGraph', graph, path })) as WrittenGraph,
      // Where the worker has ended, the memory is given back already.
      close: () => {
        if (this.#held.delete(graph)) this.#ask({ type: 'endGraph', graph }).catch(() => {})
      },
    }
  }

  async beginInsight(file: string, subject: RunSubject): Promise<InsightSteps> {
    const run = this.#nextId++
    const worker = this.#start()
    // Someone may wait for the result.
    this.#runs++
    worker.ref()
    this.#held.add(run)
    const close = once(() => {
      if (--this.#runs === 0) worker.unref()
      if (this.#held.delete(run)) this.#ask({ type: 'endInsight', run }).catch(() => {})
    })
    try {
      await this.#ask({ type: 'beginInsight', run, file, subject, guard: this.#guard.cells }, [
        subject.offsets.buffer,
        subject.targets.buffer,
      ])
    } catch (error) {
      close()
      throw error
    }
    return {
      addNotes: async (notes) => {
        await this.#ask({ type: 'addNotes', run, notes })
      },
      plan: async () => (await this.#ask({ type: 'planInsight', run })) as RunPlan,
      addTexts: async (texts) => {
        await this.#ask({ type: 'addTexts', run, texts })
      },
      finish: async (former) => (await this.#ask({ type: 'finishInsight', run, former })) as RunResult,
      close,
    }
  }

  /** Someone waits for the answer: the process lives until it is there. */
  async #waitFor(
    job: ComputeJob,
    handedOver: readonly ArrayBufferLike[] = [],
    onProgress?: (share: number) => void,
  ): Promise<ComputeResult> {
    const worker = this.#start()
    this.#runs++
    worker.ref()
    try {
      return await this.#ask(job, handedOver, onProgress)
    } finally {
      if (--this.#runs === 0) worker.unref()
    }
  }

  #ask(
    job: ComputeJob,
    handedOver: readonly ArrayBufferLike[] = [],
    onProgress: (share: number) => void = () => {},
  ): Promise<ComputeResult> {
    const id = this.#nextId++
    return new Promise<ComputeResult>((resolve, reject) => {
      const worker = this.#start()
      this.#waiting.set(id, { resolve, reject: (error) => reject(new Error(error)), onProgress })
      const request: ComputeRequest = { id, ...job }
      worker.postMessage(request, handedOver as readonly ArrayBuffer[])
    }).finally(() => this.#endIfIdle())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker !== undefined) await this.#guard.end()
    await Promise.all([worker?.terminate(), this.#ending])
  }

  #endIfIdle(): void {
    const worker = this.#worker
    if (worker === undefined || this.#waiting.size > 0 || this.#held.size > 0) return
    this.#worker = undefined
    worker.unref()
    this.#ending = worker.terminate()
  }

  #start(): Worker {
    if (this.#isClosed) throw new Error('the worker ended')
    if (this.#worker !== undefined) return this.#worker
    const worker = this.#startWorker()
    this.#guard = new ThreadGuard()
    worker.on('message', (reply: ComputeReply) => {
      const asked = this.#waiting.get(reply.id)
      if ('share' in reply) {
        asked?.onProgress(reply.share)
        return
      }
      this.#waiting.delete(reply.id)
      if ('result' in reply) asked?.resolve(reply.result)
      else asked?.reject(reply.error)
    })
    worker.on('error', (error) => this.#fail(worker, String(error)))
    worker.on('exit', () => this.#fail(worker, 'the worker ended'))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #fail(worker: Worker, error: string): void {
    // One that failed ends later, when another may be at work.
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#held.clear()
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
