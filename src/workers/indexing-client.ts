import type { ChangeFate } from '../core/changes.ts'
import type { Embedder } from '../core/embedder.ts'
import type { Indexing, IndexName, IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { WriteResult, Writing } from '../core/operations.ts'
import { answer, Calls } from '../core/thread-calls.ts'
import { inTime } from '../core/waiting/aborting.ts'
import { Freshness } from '../indexing/freshness.ts'
import { Latch } from '../indexing/service.ts'
import type { IndexerService } from './indexer.ts'
import type { IndexerChannel, IndexerHost } from './indexer-channel.ts'
import { firstLine, indexingFailed, lostWriteError, notBegun, WorkerEnded } from './lost-write.ts'
import type { FromIndexer, IndexerData, ToIndexer } from './messages.ts'
import { embedderService } from './relayed-embedder.ts'

export interface ClientListeners {
  readonly onReplaced: (which: IndexName, cache: IndexStatus['cache']) => void
  readonly onCommitted: (generation: number) => void
  /** Opens the embedder, or gives the one that is open. */
  readonly openEmbedder: () => Promise<Embedder>
  readonly onError: (stack: string) => void
  /** Called at the first real request. */
  readonly onBegin?: (() => void) | undefined
}

/**
 * The indexing side on the main thread: a service in a worker, reached by messages. A dead worker is restarted; reads
 * are sent once more, and the record tells the outcome of a write.
 */
export class IndexingClient implements Indexing {
  readonly #host: IndexerHost
  #data: IndexerData
  readonly #listeners: ClientListeners
  readonly #statusListeners = new Set<(status: IndexStatus) => void>()
  readonly #upToDate = new Latch()
  /** Resolves after recovery of half-written changes; `begin` asks for it. */
  readonly #recovered = new Latch()
  readonly #caughtUp = new Latch()
  #freshness = new Freshness()
  /** Absent between the death of a worker and the start of the next. */
  #channel: IndexerChannel | undefined
  /** Calls of the worker behind the channel. */
  #calls: Calls<IndexerService> | undefined
  /** Opens with the next worker, or when there will be none. */
  readonly #started = new Latch()
  #restart: NodeJS.Timeout | undefined
  #status: IndexStatus
  #held = 0
  #askedAt = 0
  #hasBegun = false
  #replaced: Readonly<Record<IndexName, number>> = NOT_REPLACED
  /** The last reported places of the indexes. */
  #caches: Readonly<Record<IndexName, IndexStatus['cache']>> = { index: 'disk', search: 'disk' }
  /** Damage was reported; until there is another index, events refer to the damaged one. */
  #isReplacing = false
  #isClosing = false
  /** Why the worker is not started again for now. */
  #failure: string | undefined
  /** Latches opened only because the worker was given up. */
  #forced: readonly Latch[] = []
  #onClosed: () => void = () => {}

  constructor(host: IndexerHost, data: IndexerData, listeners: ClientListeners) {
    this.#host = host
    this.#data = data
    this.#listeners = listeners
    this.#status = { phase: 'waiting', done: 0, total: 0, cache: 'disk', file: data.engine.file, watch: 'off' }
    this.#open()
  }

  status(): IndexStatus {
    return this.#status
  }

  /** The time since which nothing was asked, on the clock of `performance.now()`. */
  get quietSince(): number {
    return this.#askedAt
  }

  /** Which files may leave from now on. */
  setAi(ai: IndexerData['settings']['ai']): void {
    this.#data = { ...this.#data, settings: { ...this.#data.settings, ai } }
    this.#send({ type: 'ai', ai })
  }

  begin(): void {
    this.#askedAt = performance.now()
    this.#reviveIfDue()
    // Every call says it, and every message wakes the worker: it hears of the others only while it embeds.
    if (this.#hasBegun) {
      if (isEmbedding(this.#status)) this.#send({ type: 'asked' })
      return
    }
    this.#hasBegun = true
    this.#send({ type: 'begin' })
    this.#listeners.onBegin?.()
  }

  async ready(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#upToDate.isOpen && this.#recovered.isOpen) return true
    const both = Promise.all([this.#upToDate.opened, this.#recovered.opened])
    return await this.#hold(inTime(both, timeout, signal))
  }

  isBehind(): boolean {
    return this.#freshness.isBehind
  }

  async caughtUp(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#freshness.isBehind) return true
    this.#caughtUp.shut()
    return await this.#hold(inTime(this.#caughtUp.opened, timeout, signal))
  }

  async reconcile(paths?: readonly string[]): Promise<void> {
    await this.#read((calls) => calls.call('reconcile', paths))
  }

  async findable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean> {
    const found = this.#read((calls) => calls.call('findable', by))
    return await inTime(found, timeout, signal)
  }

  /** Makes a call that only reads. If the worker dies, the next one gets the same call. */
  async #read<T>(use: Use<T>, deaths = READS_OUTLIVE): Promise<T> {
    try {
      return await this.#call(use, deaths)
    } catch (error) {
      throw error instanceof WorkerEnded ? indexingFailed(error.message) : error
    }
  }

  /** @param deaths how many deaths of workers the call survives @throws WorkerEnded */
  async #call<T>(use: Use<T>, deaths: number): Promise<T> {
    this.#reviveIfDue()
    const failure = this.#isClosing ? 'The vault is being closed.' : this.#failure
    if (failure !== undefined) throw indexingFailed(failure)
    return await this.#hold(this.#callAgain(use, deaths))
  }

  async #callAgain<T>(use: Use<T>, deaths: number): Promise<T> {
    for (let left = deaths; ; left--) {
      const calls = this.#calls ?? (await this.#nextCalls())
      try {
        return await use(calls)
      } catch (error) {
        if (!(error instanceof WorkerEnded) || left === 0 || this.#isClosing) throw error
      }
    }
  }

  async #nextCalls(): Promise<Calls<IndexerService>> {
    await this.#started.opened
    if (this.#calls === undefined) throw new WorkerEnded(this.#failure ?? ENDED)
    return this.#calls
  }

  /** The process lives as long as someone waits. */
  async #hold<T>(promise: Promise<T>): Promise<T> {
    if (this.#held++ === 0) this.#channel?.ref()
    try {
      return await promise
    } finally {
      // Closing waits for the worker's end, which what is answered meanwhile must not change.
      if (--this.#held === 0 && !this.#isClosing) this.#channel?.unref()
    }
  }

  onStatus(listener: (status: IndexStatus) => void): () => void {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  /** A reader found an index damaged. Callers that wait for notes and links wait for the next one. */
  reportDamage(which: IndexName): void {
    if (which === 'index') {
      if (this.#failure !== undefined) return
      this.#isReplacing = true
      this.#upToDate.shut()
    }
    this.#send({ type: 'damaged', which, replaced: this.#replaced[which] })
  }

  /** The writing side in the same worker: the index has the change before the answer. */
  readonly writing: Writing = {
    run: (request) => {
      const deaths = request.dryRun ? READS_OUTLIVE : 0
      const isPlan = request.planId !== undefined
      return this.#write((calls, onProgress) => calls.call('run', request, { onProgress }), { deaths, isPlan })
    },
    undo: (changeId) => this.#write((calls, onProgress) => calls.call('undo', changeId, { onProgress })),
    changes: (limit) => this.#read((calls) => calls.call('changes', limit)),
  }

  /** Looks up the outcome of a lost write in the record, and never repeats the write. @param isPlan the plan of a dry run is carried out */
  async #write(
    call: (calls: Calls<IndexerService>, onBegun: (changeId: string) => void) => Promise<WriteResult>,
    { deaths, isPlan } = { deaths: 0, isPlan: false },
  ): Promise<WriteResult> {
    let begun: string | undefined
    const onBegun = (changeId: string): void => {
      begun = changeId
    }
    try {
      return await this.#call((calls) => call(calls, onBegun), deaths)
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error
      if (begun === undefined) throw notBegun(error.message, isPlan)
      throw lostWriteError({ changeId: begun, reason: error.message }, await this.#fateOf(begun), isPlan)
    }
  }

  /** The recorded outcome of a change after recovery; `undefined` if unknown. */
  async #fateOf(changeId: string): Promise<ChangeFate | undefined> {
    try {
      return await this.#read((calls) => calls.call('fateOf', changeId), Number.POSITIVE_INFINITY)
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve
    })
    this.#isClosing = true
    clearTimeout(this.#restart)
    const channel = this.#channel
    if (channel !== undefined) {
      channel.post({ type: 'close' })
      await inTime(closed, CLOSING_TIME)
      // A worker in the midst of a long comparison is ended where it stands: its transaction was not committed.
      await channel.end()
    }
    this.#endCalls(ENDED)
    this.#started.open()
  }

  #open(): void {
    // Each worker starts on disk, because nobody writes its predecessor's memory any more. Damage found then is
    // reported once the vault is open.
    for (const which of ['index', 'search'] as const) if (this.#caches[which] === 'memory') this.#replace(which, 'disk')
    const channel = this.#host.channel()
    this.#channel = channel
    this.#calls = new Calls((call) => channel.post({ type: 'call', call }))
    this.#freshness = new Freshness()
    this.#replaced = NOT_REPLACED
    let reason = ENDED
    channel.onMessage((message) => {
      if (this.#channel === channel) this.#receive(message, channel)
    })
    channel.onError((error) => {
      reason = String(error.stack ?? error)
    })
    channel.onExit(() => {
      if (this.#channel === channel) this.#lose(channel, reason)
    })
    this.#send({ type: 'open', data: { ...this.#data, freshness: this.#freshness.memory } })
    if (this.#hasBegun) this.#send({ type: 'begin' })
    if (this.#isReplacing) this.#send({ type: 'damaged', which: 'index', replaced: 0 })
    this.#started.open()
    // Only what waits for an answer keeps the process alive; a listener for messages would, too.
    if (this.#held === 0) channel.unref()
    else channel.ref()
  }

  #send(message: ToIndexer): void {
    this.#channel?.post(message)
  }

  #receive(message: FromIndexer, channel: IndexerChannel): void {
    const listeners = this.#listeners
    switch (message.type) {
      case 'status':
        if (UP_TO_DATE.has(message.status.phase) && !this.#isReplacing) this.#upToDate.open()
        this.#tell(message.status)
        break
      case 'committed':
        listeners.onCommitted(message.generation)
        break
      case 'caughtUp':
        this.#caughtUp.open()
        break
      case 'replaced':
        this.#replaced = { ...this.#replaced, [message.which]: this.#replaced[message.which] + 1 }
        if (message.which === 'index') this.#isReplacing = false
        this.#replace(message.which, message.cache)
        break
      case 'recovered':
        this.#recovered.open()
        break
      case 'reply':
        this.#calls?.receive(message.reply)
        break
      case 'embedder':
        // The next worker numbers its calls from the start: a reply to this one is not for it.
        void answer(embedderService(listeners.openEmbedder), message.call, (reply) => {
          if (this.#channel === channel) channel.post({ type: 'embedder', reply })
        })
        break
      case 'error':
        listeners.onError(message.stack)
        break
      case 'closed':
        this.#onClosed()
        break
    }
  }

  #replace(which: IndexName, cache: IndexStatus['cache']): void {
    this.#caches = { ...this.#caches, [which]: cache }
    this.#listeners.onReplaced(which, cache)
  }

  #tell(status: IndexStatus): void {
    this.#status = status
    for (const listener of this.#statusListeners) listener(status)
  }

  /** Handles a dead worker: repeats or gives up its requests and starts another. */
  #lose(channel: IndexerChannel, reason: string): void {
    this.#channel = undefined
    this.#started.shut()
    this.#endCalls(reason)
    void channel.end()
    // The next start compares everything it missed.
    this.#freshness = new Freshness()
    this.#caughtUp.open()
    this.#onClosed()
    if (this.#isClosing) return
    this.#listeners.onError(reason)
    this.#startLater(reason)
  }

  #startLater(reason: string): void {
    const { pause } = this.#host.restarts
    if (pause === undefined) {
      this.#giveUp(reason)
      return
    }
    const message = `the indexing worker ended: ${firstLine(reason)}`
    // Where nothing is complete yet, who waits for that waits on.
    if (this.#upToDate.isOpen) this.#tell({ ...this.#status, phase: 'restarting', message })
    this.#restart = setTimeout(() => this.#start(), pause)
  }

  #start(): void {
    try {
      this.#open()
    } catch (error) {
      this.#host.restarts.died()
      this.#startLater(String(error))
    }
  }

  #giveUp(reason: string): void {
    this.#failure = `${firstLine(reason)} ${this.#host.restarts.givenUp}`
    this.#forced = [this.#upToDate, this.#recovered, this.#started].filter(({ isOpen }) => !isOpen)
    for (const latch of this.#forced) latch.open()
    this.#tell({ ...this.#status, phase: 'failed', message: this.#failure })
  }

  /** A worker that was given up is tried again by the first call after a while. */
  #reviveIfDue(): void {
    if (this.#failure === undefined || this.#isClosing || this.#host.restarts.pause === undefined) return
    this.#failure = undefined
    for (const latch of this.#forced) latch.shut()
    this.#forced = []
    this.#start()
  }

  #endCalls(reason: string): void {
    this.#calls?.fail(new WorkerEnded(reason))
    this.#calls = undefined
  }
}

function isEmbedding({ search }: IndexStatus): boolean {
  return search?.vectors !== undefined && search.vectors.done < search.vectors.total
}

/** Calls a method of the worker. */
type Use<T> = (calls: Calls<IndexerService>) => Promise<T>

const NOT_REPLACED = { index: 0, search: 0 }
const ENDED = 'The indexing worker ended.'
/** Deaths of workers that a read survives: it may be what they die of. */
const READS_OUTLIVE = 2
const UP_TO_DATE: ReadonlySet<IndexStatus['phase']> = new Set(['idle', 'missing', 'failed'])
const CLOSING_TIME = 2_000
