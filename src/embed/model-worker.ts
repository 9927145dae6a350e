import { Worker } from 'node:worker_threads'
import { reasonOf } from '../core/provider-error.ts'
import type { DownloadProgress } from './embedder-settings.ts'
import type { FlatVectors, FromModelWorker, ModelFailure, ModelToOpen, OpenedModel, ToModelWorker } from './model-messages.ts'

/** Milliseconds that a worker has to free its model before it is ended. */
const GRACE = 3000

/** A failure that a worker told of, or its end (`at: 'worker'`). */
export class ModelWorkerError extends Error {
  readonly at: ModelFailure['at'] | 'worker'
  constructor(at: ModelWorkerError['at'], message: string) {
    super(message)
    this.at = at
  }
}

interface Waiting {
  readonly resolve: (message: FromModelWorker) => void
  readonly reject: (error: Error) => void
}

/** A model in a worker of its own. The worker starts with the first request, and again with the first one after it ended. */
export class ModelWorker {
  readonly #entry: string | URL
  readonly #model: ModelToOpen
  readonly #onProgress: ((progress: DownloadProgress) => void) | undefined
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #opened: Promise<OpenedModel> | undefined
  #nextId = 1
  #closed = false

  /** `entry` is `transformers-worker` as it was built. */
  constructor(entry: string | URL, model: ModelToOpen, onProgress?: (progress: DownloadProgress) => void) {
    this.#entry = entry
    this.#model = model
    this.#onProgress = onProgress
  }

  /** Loads the model, unless it is there. @throws ModelWorkerError */
  open(): Promise<OpenedModel> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** One batch. @throws ModelWorkerError */
  async embed(texts: readonly string[]): Promise<FlatVectors> {
    await this.open()
    const answer = await this.#ask((id) => ({ type: 'embed', id, texts }))
    if (answer.type !== 'embedded') throw new ModelWorkerError('worker', 'it answered out of turn')
    return answer.vectors
  }

  /** Ends the worker: at once when it frees its model, after a few seconds when it is busy. */
  async close(): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    const message: ToModelWorker = { type: 'close' }
    worker.postMessage(message)
    const timer = setTimeout(() => void worker.terminate(), GRACE)
    await ended
    clearTimeout(timer)
  }

  async #open(): Promise<OpenedModel> {
    const answer = await this.#ask((id) => ({ type: 'open', id, model: this.#model }))
    if (answer.type !== 'opened') throw new ModelWorkerError('worker', 'it answered out of turn')
    return answer.opened
  }

  #ask(request: (id: number) => ToModelWorker): Promise<FromModelWorker> {
    if (this.#closed) return Promise.reject(new ModelWorkerError('worker', 'it was closed'))
    const worker = this.#start()
    const id = this.#nextId++
    const answer = new Promise<FromModelWorker>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    worker.ref()
    worker.postMessage(request(id))
    return answer.finally(() => {
      if (this.#waiting.size === 0) worker.unref()
    })
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    // Whatever the engine prints on stdout must not reach the protocol's.
    const worker = new Worker(this.#entry, { stdout: true })
    worker.on('message', (message: FromModelWorker) => this.#receive(message))
    worker.on('error', (error) => this.#end(worker, reasonOf(error)))
    worker.on('exit', () => this.#end(worker, 'it ended'))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #receive(message: FromModelWorker): void {
    if (message.type === 'progress') {
      this.#onProgress?.(message.progress)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'failed') waiting?.reject(new ModelWorkerError(message.failure.at, message.failure.message))
    else waiting?.resolve(message)
  }

  #end(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#opened = undefined
    for (const { reject } of this.#waiting.values()) reject(new ModelWorkerError('worker', reason))
    this.#waiting.clear()
  }
}
