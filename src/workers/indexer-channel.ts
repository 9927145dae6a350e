import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import { once } from '../core/waiting.ts'
import { heapLimit, largerHeap } from './heap.ts'
import type { FromIndexer, ToIndexer } from './messages.ts'
import { terminate } from './thread-guard.ts'

/** The pauses are 0.1 to 1.6 s. A worker that crashed on its input will crash again. */
const RESTARTS: RestartRule = { firstPause: 100, limit: 5, window: 60_000 }

export interface IndexerChannel {
  post(message: ToIndexer): void
  onMessage(listener: (message: FromIndexer) => void): void
  /** Adds a listener that is called before `onExit`, for all vaults. */
  onError(listener: (error: Error) => void): void
  onExit(listener: () => void): void
  /** Keeps the process alive until `unref`. */
  ref(): void
  unref(): void
  /** Closes this vault. The worker ends with its last vault. */
  end(): Promise<void>
}

interface Running {
  readonly worker: Worker
  open: number
  /** True during a shutdown, so the exit is not taken for a crash. */
  isEnding: boolean
  hasEnded: boolean
}

/** The time limit for a shutdown, in milliseconds. */
const ENDING_TIME = 1_000

/** Ends a worker, and terminates it if it does not exit in time. */
export async function endIndexer(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // The process stays alive until the worker has exited.
  worker.ref()
  worker.postMessage({ type: 'end' } satisfies ToIndexer)
  const stopping = setTimeout(() => void terminate(worker), ENDING_TIME)
  await exited
  clearTimeout(stopping)
}

/** The worker that indexes all vaults. After a crash, the next call of `channel` starts another one. */
export class IndexerHost {
  readonly #start: (heap: number) => Worker
  readonly restarts: Restarts
  #heap = heapLimit()
  #isOutOfMemory = false
  #running: Running | undefined

  constructor(start: (heap: number) => Worker, restarts = new Restarts()) {
    this.#start = start
    this.restarts = restarts
  }

  /** True if enough memory is available for a heap twice as large. */
  get mayGrow(): boolean {
    return largerHeap(this.#heap) !== undefined
  }

  /** True if a worker has reached its heap limit, and there is no memory for a larger heap. */
  get isOutOfMemory(): boolean {
    return this.#isOutOfMemory
  }

  grow(): void {
    const running = this.#running
    if (running === undefined) return
    this.#forget(running)
    this.#enlarge()
    void endIndexer(running.worker)
  }

  #enlarge(): void {
    const larger = largerHeap(this.#heap)
    this.#isOutOfMemory = larger === undefined
    this.#heap = larger ?? this.#heap
  }

  channel(): IndexerChannel {
    if (this.#running !== undefined) return this.#join(this.#running)
    const running: Running = { worker: this.#start(this.#heap), open: 1, isEnding: false, hasEnded: false }
    const { worker } = running
    this.#running = running
    // The limit is off, because Node would warn about many listeners.
    worker.setMaxListeners(0)
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#enlarge()
      this.#forget(running)
    })
    // This listener is registered first, because later ones read the crash count.
    worker.on('exit', () => {
      running.hasEnded = true
      if (!running.isEnding) this.restarts.recordCrash()
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
  let receive: (message: FromIndexer) => void = () => {}
  const stops: (() => void)[] = []
  // The worker can outlive this vault, and a listener left on it would keep the vault's graph in memory.
  const listen = <T>(to: Listened<T>, event: string, listener: (value: T) => void): void => {
    to.on(event, listener)
    stops.push(() => to.off(event, listener))
  }
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => {
      receive = listener
      listen(port, 'message', listener)
    },
    onError: (listener) => listen(worker, 'error', listener),
    onExit: (listener) =>
      listen(worker, 'exit', () => {
        // Messages of other ports may still be queued when the worker exits.
        if (port !== worker) for (const message of waiting(port as MessagePort)) receive(message)
        listener()
      }),
    ref: () => port.ref(),
    unref: () => port.unref(),
    end: once(async () => {
      for (const stop of stops) stop()
      await end()
    }),
  }
}

interface Listened<T> {
  on(event: string, listener: (value: T) => void): unknown
  off(event: string, listener: (value: T) => void): unknown
}

function* waiting(port: MessagePort): Iterable<FromIndexer> {
  for (let next = receiveMessageOnPort(port); next?.message !== undefined; next = receiveMessageOnPort(port)) yield next.message
}

export interface RestartRule {
  /** The pause before the first restart in milliseconds. It doubles with each crash. */
  readonly firstPause: number
  readonly limit: number
  readonly window: number
}

export class Restarts {
  readonly #rule: RestartRule
  #deaths: readonly number[] = []

  constructor(rule: RestartRule = RESTARTS) {
    this.#rule = rule
  }

  recordCrash(): void {
    this.#deaths = [...this.#recent(), performance.now()]
  }

  /** Milliseconds before the next start, or `undefined` after too many crashes. */
  get pause(): number | undefined {
    const { firstPause, limit } = this.#rule
    const count = this.#recent().length
    if (count > limit) return undefined
    return count === 0 ? 0 : firstPause * 2 ** (count - 1)
  }

  get explanation(): string {
    const { limit, window } = this.#rule
    return `It ended ${limit + 1} times within ${window / 1_000} s and will not be restarted until that time has passed.`
  }

  #recent(): readonly number[] {
    const since = performance.now() - this.#rule.window
    return this.#deaths.filter((death) => death > since)
  }
}
