import type { Worker } from 'node:worker_threads'
import type { Analytics, CentralMetric, Scores } from '../core/analytics.ts'
import type { ComputeReply, ComputeRequest } from './messages.ts'

/** Graph algorithms in a worker, which is there only while something is computed: it takes some 20 MB. */
export class ComputeClient implements Analytics {
  readonly #startWorker: () => Worker
  readonly #waiting = new Map<number, (reply: ComputeReply) => void>()
  #worker: Worker | undefined
  #ending: Promise<unknown> | undefined
  #nextId = 1

  constructor(startWorker: () => Worker) {
    this.#startWorker = startWorker
  }

  run(
    metric: CentralMetric,
    { offsets, targets }: { readonly offsets: Uint32Array; readonly targets: Uint32Array },
  ): Promise<Scores> {
    const worker = this.#start()
    const id = this.#nextId++
    worker.ref()
    return new Promise<Scores>((resolve, reject) => {
      this.#waiting.set(id, (reply) => ('result' in reply ? resolve(reply.result) : reject(new Error(reply.error))))
      const request: ComputeRequest = { id, metric, offsets, targets }
      worker.postMessage(request, [offsets.buffer as ArrayBuffer, targets.buffer as ArrayBuffer])
    }).finally(() => {
      if (this.#waiting.size === 0) this.#end()
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#worker?.terminate(), this.#ending])
  }

  #end(): void {
    const worker = this.#worker
    if (worker === undefined) return
    this.#worker = undefined
    worker.unref()
    this.#ending = worker.terminate()
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = this.#startWorker()
    worker.on('message', (reply: ComputeReply) => {
      const done = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      done?.(reply)
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
    for (const [id, done] of this.#waiting) done({ id, error })
    this.#waiting.clear()
  }
}
