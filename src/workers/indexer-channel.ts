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

/** A worker that indexes several vaults, one step of one of them at a time. */
export class IndexerHost {
  readonly #start: () => Worker
  #worker: Worker | undefined
  #open = 0

  constructor(start: () => Worker) {
    this.#start = start
  }

  /** A way to the worker for one more vault. */
  channel(): IndexerChannel {
    this.#open++
    const worker = this.#worker
    if (worker !== undefined) return this.#join(worker)
    this.#worker = this.#start()
    // Every vault listens for itself.
    this.#worker.setMaxListeners(0)
    return channelOf(this.#worker, this.#worker, () => this.#end())
  }

  #join(worker: Worker): IndexerChannel {
    const { port1, port2 } = new MessageChannel()
    worker.postMessage({ type: 'join', port: port2 } satisfies ToIndexer, [port2])
    return channelOf(worker, port1, async () => {
      port1.close()
      await this.#end()
    })
  }

  async #end(): Promise<void> {
    this.#open--
    if (this.#open > 0) return
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
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
