import { MessageChannel, type Worker } from 'node:worker_threads'
import type { FromIndexer, ToIndexer } from './messages.ts'

/** What speaks to the part of an indexing worker that works on one vault. */
export interface IndexerChannel {
  post(message: ToIndexer): void
  onMessage(listener: (message: FromIndexer) => void): void
  /** Told when the whole worker fails. */
  onError(listener: (error: Error) => void): void
  /** Told when the whole worker ends. */
  onExit(listener: () => void): void
  /** As long as it is held, the process lives. */
  ref(): void
  unref(): void
  /** The vault's part is done, or will not be waited for: with the last one the worker ends. */
  end(): Promise<void>
}

interface Running {
  readonly worker: Worker
  /** How many vaults are open in it. */
  open: number
}

/** A worker that indexes several vaults, one step of one of them at a time; after one that died, another for those opened next. */
export class IndexerHost {
  readonly #start: () => Worker
  #running: Running | undefined

  constructor(start: () => Worker) {
    this.#start = start
  }

  /** A way to the worker for one more vault. */
  channel(): IndexerChannel {
    if (this.#running !== undefined) return this.#join(this.#running)
    const running: Running = { worker: this.#start(), open: 1 }
    const { worker } = running
    this.#running = running
    // Every vault listens for itself.
    worker.setMaxListeners(0)
    worker.on('error', () => this.#forget(running))
    worker.on('exit', () => this.#forget(running))
    return channelOf(worker, worker, () => this.#end(running))
  }

  #join(running: Running): IndexerChannel {
    running.open++
    const { port1, port2 } = new MessageChannel()
    running.worker.postMessage({ type: 'join', port: port2 } satisfies ToIndexer, [port2])
    return channelOf(running.worker, port1, async () => {
      port1.close()
      await this.#end(running)
    })
  }

  async #end(running: Running): Promise<void> {
    running.open--
    if (running.open > 0) return
    this.#forget(running)
    await running.worker.terminate()
  }

  #forget(running: Running): void {
    if (this.#running === running) this.#running = undefined
  }
}

/** What of a worker and of a port is used alike. */
interface Port {
  postMessage(message: ToIndexer): void
  on(event: 'message', listener: (message: FromIndexer) => void): unknown
  ref(): void
  unref(): void
}

function channelOf(worker: Worker, port: Port, end: () => Promise<void>): IndexerChannel {
  let isEnded = false
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onError: (listener) => void worker.on('error', listener),
    onExit: (listener) => void worker.on('exit', listener),
    ref: () => port.ref(),
    unref: () => port.unref(),
    end: async () => {
      if (isEnded) return
      isEnded = true
      await end()
    },
  }
}
