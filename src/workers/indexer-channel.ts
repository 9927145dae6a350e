import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import type { FromIndexer, ToIndexer } from './messages.ts'

/** 0.1 to 1.6 s: a worker that dies of its input would die again at once. */
const RESTARTS: RestartRule = { firstPause: 100, limit: 5, window: 60_000 }

/** The channel to the part of an indexing worker that handles one vault. */
export interface IndexerChannel {
  post(message: ToIndexer): void
  onMessage(listener: (message: FromIndexer) => void): void
  /** Called when the whole worker fails; its end follows. */
  onError(listener: (error: Error) => void): void
  /** Called when the whole worker ends, after all its messages. */
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
  /** It is ended by us. */
  isEnding: boolean
  hasEnded: boolean
}

/** How long a worker has to end by itself, ms. */
const ENDING_TIME = 1_000

/**
 * Ends a worker that runs. It is asked to: a thread that is stopped from outside while it is within the compiled database takes the whole
 * process with it, as an exception that nothing can catch. Only one that does not answer is stopped.
 */
export async function endIndexer(worker: Worker): Promise<void> {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // Else a process with nothing else to wait for ends, and stops the worker.
  worker.ref()
  worker.postMessage({ type: 'end' } satisfies ToIndexer)
  const stopping = setTimeout(() => void worker.terminate(), ENDING_TIME)
  await ended
  clearTimeout(stopping)
}

/** A worker that indexes several vaults, one step of one of them at a time; after one that died, another for the next channel that is opened. */
export class IndexerHost {
  readonly #start: () => Worker
  /** How often the worker died, and when another may be started. */
  readonly restarts: Restarts
  #running: Running | undefined

  constructor(start: () => Worker, restarts = new Restarts()) {
    this.#start = start
    this.restarts = restarts
  }

  /** A way to the worker for one more vault. */
  channel(): IndexerChannel {
    if (this.#running !== undefined) return this.#join(this.#running)
    const running: Running = { worker: this.#start(), open: 1, isEnding: false, hasEnded: false }
    const { worker } = running
    this.#running = running
    // Every vault listens for itself.
    worker.setMaxListeners(0)
    worker.on('error', () => this.#forget(running))
    // Counted before any vault hears of it.
    worker.on('exit', () => {
      running.hasEnded = true
      if (!running.isEnding) this.restarts.died()
      this.#forget(running)
    })
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
    running.isEnding = true
    this.#forget(running)
    if (!running.hasEnded) await endIndexer(running.worker)
  }

  #forget(running: Running): void {
    if (this.#running === running) this.#running = undefined
  }
}

function channelOf(worker: Worker, port: Worker | MessagePort, end: () => Promise<void>): IndexerChannel {
  let isEnded = false
  let receive: (message: FromIndexer) => void = () => {}
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => {
      receive = listener
      port.on('message', listener)
    },
    onError: (listener) => void worker.on('error', listener),
    onExit: (listener) =>
      void worker.on('exit', () => {
        // Node delivers what a worker sent before it tells its end; what came through a port of its own may still wait.
        if (port !== worker && !isEnded) for (const message of waiting(port as MessagePort)) receive(message)
        listener()
      }),
    ref: () => port.ref(),
    unref: () => port.unref(),
    end: async () => {
      if (isEnded) return
      isEnded = true
      await end()
    },
  }
}

function* waiting(port: MessagePort): Iterable<FromIndexer> {
  for (let next = receiveMessageOnPort(port); next?.message !== undefined; next = receiveMessageOnPort(port)) yield next.message
}

export interface RestartRule {
  /** Pause before the first restart, ms; doubled with each further death. */
  readonly firstPause: number
  /** Deaths that are followed by a restart, within the window. */
  readonly limit: number
  /** ms. */
  readonly window: number
}

/** Counts the deaths of a worker, and says when it may be started again. */
export class Restarts {
  readonly #rule: RestartRule
  #deaths: readonly number[] = []

  constructor(rule: RestartRule = RESTARTS) {
    this.#rule = rule
  }

  died(): void {
    this.#deaths = [...this.#recent(), performance.now()]
  }

  /** How long to wait before the next start, ms; `undefined` while it died too often within the window. */
  get pause(): number | undefined {
    const { firstPause, limit } = this.#rule
    const count = this.#recent().length
    if (count > limit) return undefined
    return count === 0 ? 0 : firstPause * 2 ** (count - 1)
  }

  /** A sentence for errors about a worker that died too often. */
  get givenUp(): string {
    const { limit, window } = this.#rule
    return `It ended ${limit + 1} times within ${window / 1_000} s, and is not started again before that time has passed.`
  }

  #recent(): readonly number[] {
    const since = performance.now() - this.#rule.window
    return this.#deaths.filter((death) => death > since)
  }
}
