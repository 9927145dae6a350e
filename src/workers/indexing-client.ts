import type { ChangeOutcome } from '../core/changes.ts'
import type { Embedder } from '../core/embedder.ts'
import { MemoryShortError } from '../core/errors.ts'
import { type Indexing, type IndexName, type IndexStatus, SETTLED, type SearchReadiness } from '../core/indexing.ts'
import type { WriteResult, Writing } from '../core/operations.ts'
import { answer, Calls } from '../core/thread-calls.ts'
import { inTime } from '../core/waiting.ts'
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
  readonly openEmbedder: () => Promise<Embedder>
  readonly onError: (stack: string) => void
  readonly onBegin?: (() => void) | undefined
}

/**
 * The indexing worker as seen by the main thread. After a crash, the client restarts the worker, repeats reads and looks up the
 * outcome of writes.
 */
export class IndexingClient implements Indexing {
  readonly #host: IndexerHost
  #data: IndexerData
  readonly #listeners: ClientListeners
  readonly #statusListeners = new Set<(status: IndexStatus) => void>()
  readonly #upToDate = new Latch()
  readonly #recovered = new Latch()
  readonly #caughtUp = new Latch()
  #freshness = new Freshness()
  /** The channel is `undefined` between a crash and the restart. */
  #channel: IndexerChannel | undefined
  #calls: Calls<IndexerService> | undefined
  /** This latch opens when a worker starts, or after too many crashes. */
  readonly #started = new Latch()
  #restart: NodeJS.Timeout | undefined
  #status: IndexStatus
  #heldCalls = 0
  #lastCallAt = 0
  #hasBegun = false
  #replaced: Readonly<Record<IndexName, number>> = NOT_REPLACED
  #caches: Readonly<Record<IndexName, IndexStatus['cache']>> = { index: 'disk', search: 'disk' }
  /** True while a damaged index is being replaced. Events still refer to the old one. */
  #isReplacing = false
  #isClosing = false
  #failure: string | undefined
  /** Latches opened because of too many crashes. */
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

  /** The end of the last request, as a `performance.now()` time. */
  get quietSince(): number {
    return this.#lastCallAt
  }

  setAi(ai: IndexerData['settings']['ai']): void {
    this.#data = { ...this.#data, settings: { ...this.#data.settings, ai } }
    this.#send({ type: 'ai', ai })
  }

  begin(): void {
    this.#lastCallAt = performance.now()
    this.#reviveIfDue()
    // Each message wakes the worker, so report calls only during embedding.
    if (this.#hasBegun) {
      if (isEmbedding(this.#status)) this.#send({ type: 'callStarted' })
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

  async awaitCaughtUp(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#freshness.isBehind) return true
    this.#caughtUp.close()
    return await this.#hold(inTime(this.#caughtUp.opened, timeout, signal))
  }

  async awaitUpToDate(): Promise<void> {
    await this.#read((calls) => calls.call('awaitUpToDate', undefined))
  }

  async reconcile(paths?: readonly string[]): Promise<void> {
    await this.#read((calls) => calls.call('reconcile', paths))
  }

  async awaitFindable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean> {
    const findable = this.#read((calls) => calls.call('awaitFindable', by))
    return await inTime(findable, timeout, signal)
  }

  async #read<T>(run: Use<T>, deaths = READS_OUTLIVE): Promise<T> {
    try {
      return await this.#call(run, deaths)
    } catch (error) {
      throw error instanceof WorkerEnded ? indexingFailed(error.message) : error
    }
  }

  /** @throws WorkerEnded after more than `deaths` crashes */
  async #call<T>(run: Use<T>, deaths: number): Promise<T> {
    this.#reviveIfDue()
    const failure = this.#isClosing ? 'The vault is closing.' : this.#failure
    if (failure !== undefined) throw indexingFailed(failure)
    return await this.#hold(this.#callAgain(run, deaths))
  }

  async #callAgain<T>(run: Use<T>, deaths: number): Promise<T> {
    for (let deathsLeft = deaths; ; deathsLeft--) {
      const calls = this.#calls ?? (await this.#nextCalls())
      try {
        return await run(calls)
      } catch (error) {
        if (!(error instanceof WorkerEnded) || deathsLeft === 0 || this.#isClosing) throw error
      }
    }
  }

  async #nextCalls(): Promise<Calls<IndexerService>> {
    await this.#started.opened
    if (this.#calls === undefined) throw new WorkerEnded(this.#failure ?? ENDED)
    return this.#calls
  }

  async #hold<T>(promise: Promise<T>): Promise<T> {
    if (this.#heldCalls++ === 0) this.#channel?.ref()
    try {
      return await promise
    } finally {
      // A channel that is closing must keep the process alive until the worker has ended.
      if (--this.#heldCalls === 0 && !this.#isClosing) this.#channel?.unref()
    }
  }

  onStatus(listener: (status: IndexStatus) => void): () => void {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  /** Reports a damaged index. Callers that wait for it now wait for its replacement. */
  reportDamage(which: IndexName): void {
    if (which === 'index') {
      if (this.#failure !== undefined) return
      this.#isReplacing = true
      this.#upToDate.close()
    }
    this.#send({ type: 'damaged', which, replaced: this.#replaced[which] })
  }

  /** The write interface. The index is up to date before a write is answered. */
  readonly writing: Writing = {
    run: (request) => {
      const deaths = request.dryRun ? READS_OUTLIVE : 0
      const isPlan = request.planId !== undefined
      return this.#write((calls, onProgress) => calls.call('run', request, { onProgress }), { deaths, isPlan })
    },
    undo: (changeId) => this.#write((calls, onProgress) => calls.call('undo', changeId, { onProgress })),
    changes: (limit) => this.#read((calls) => calls.call('changes', limit)),
  }

  /**
   * Runs a write. After a crash, dry runs are repeated, and the outcome of other writes is looked up.
   * @param isPlan executes the plan of a dry run
   */
  async #write(
    call: (calls: Calls<IndexerService>, onBegun: (changeId: string) => void) => Promise<WriteResult>,
    { deaths, isPlan } = { deaths: 0, isPlan: false },
  ): Promise<WriteResult> {
    let begunChange: string | undefined
    const onBegun = (changeId: string): void => {
      begunChange = changeId
    }
    try {
      return await this.#call((calls) => call(calls, onBegun), deaths)
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error
      if (begunChange === undefined) throw notBegun(error.message, isPlan)
      throw lostWriteError({ changeId: begunChange, reason: error.message }, await this.#outcomeOf(begunChange), isPlan)
    }
  }

  /** @returns `undefined` if the journal does not contain the change */
  async #outcomeOf(changeId: string): Promise<ChangeOutcome | undefined> {
    return await this.#read((calls) => calls.call('outcomeOf', changeId), Number.POSITIVE_INFINITY).catch(() => undefined)
  }

  async close(): Promise<void> {
    const closing = new Promise<void>((resolve) => {
      this.#onClosed = resolve
    })
    this.#isClosing = true
    clearTimeout(this.#restart)
    const channel = this.#channel
    if (channel !== undefined) {
      channel.post({ type: 'close' })
      await inTime(closing, CLOSING_TIME)
      // Nothing is committed during a comparison, so the worker can be ended.
      await channel.end()
    }
    this.#endCalls(ENDED)
    this.#started.open()
  }

  #open(): void {
    // The in-memory index of the previous worker is gone, so the one on disk is used.
    for (const which of ['index', 'search'] as const) if (this.#caches[which] === 'memory') this.#replace(which, 'disk')
    const channel = this.#host.channel()
    this.#channel = channel
    this.#calls = new Calls((call) => channel.post({ type: 'call', call }))
    this.#freshness = new Freshness()
    this.#replaced = NOT_REPLACED
    let reason = ENDED
    channel.onMessage((message) => {
      if (this.#channel !== channel) return
      if (message.type !== 'full') return this.#receive(message, channel)
      reason = 'The indexing worker needs more memory and will restart with a larger heap.'
      this.#host.grow()
    })
    channel.onError((error) => {
      reason = String(error.stack ?? error)
    })
    channel.onExit(() => {
      if (this.#channel === channel) this.#lose(channel, reason)
    })
    this.#send({ type: 'open', data: { ...this.#data, freshness: this.#freshness.memory, mayGrow: this.#host.mayGrow } })
    if (this.#hasBegun) this.#send({ type: 'begin' })
    if (this.#isReplacing) this.#send({ type: 'damaged', which: 'index', replaced: 0 })
    this.#started.open()
    // The listener must not keep the process alive. Only pending calls do.
    if (this.#heldCalls === 0) channel.unref()
    else channel.ref()
  }

  #send(message: ToIndexer): void {
    this.#channel?.post(message)
  }

  #receive(message: Exclude<FromIndexer, { readonly type: 'full' }>, channel: IndexerChannel): void {
    const listeners = this.#listeners
    switch (message.type) {
      case 'status':
        if (SETTLED.has(message.status.phase) && !this.#isReplacing) this.#upToDate.open()
        this.#report(message.status)
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
        // Call numbers restart with each worker, so drop replies to an earlier one.
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

  #report(status: IndexStatus): void {
    this.#status = status
    for (const listener of this.#statusListeners) listener(status)
  }

  #lose(channel: IndexerChannel, reason: string): void {
    this.#channel = undefined
    this.#started.close()
    this.#endCalls(reason)
    void channel.end()
    // Nothing is missed, because the next worker compares all files.
    this.#freshness = new Freshness()
    this.#caughtUp.open()
    this.#onClosed()
    if (this.#isClosing) return
    this.#listeners.onError(reason)
    this.#startLater(reason)
  }

  #startLater(reason: string): void {
    const { pause } = this.#host.restarts
    if (pause === undefined || this.#host.isOutOfMemory) {
      this.#giveUp(reason)
      return
    }
    const message = `the indexing worker ended: ${firstLine(reason)}`
    if (this.#upToDate.isOpen) this.#report({ ...this.#status, phase: 'restarting', message })
    this.#restart = setTimeout(() => this.#start(), pause)
  }

  #start(): void {
    try {
      this.#open()
    } catch (error) {
      this.#host.restarts.recordCrash()
      this.#startLater(String(error))
    }
  }

  #giveUp(reason: string): void {
    const { restarts, isOutOfMemory } = this.#host
    const { message, hint } = isOutOfMemory
      ? new MemoryShortError('for indexing')
      : { message: `${firstLine(reason)} ${restarts.explanation}`, hint: undefined }
    this.#failure = message
    this.#forced = [this.#upToDate, this.#recovered, this.#started].filter(({ isOpen }) => !isOpen)
    for (const latch of this.#forced) latch.open()
    this.#report({ ...this.#status, phase: 'failed', message, ...(hint === undefined ? {} : { hint }) })
  }

  #reviveIfDue(): void {
    const { restarts, isOutOfMemory } = this.#host
    if (this.#failure === undefined || this.#isClosing || isOutOfMemory || restarts.pause === undefined) return
    this.#failure = undefined
    for (const latch of this.#forced) latch.close()
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

type Use<T> = (calls: Calls<IndexerService>) => Promise<T>

const NOT_REPLACED = { index: 0, search: 0 }
const ENDED = 'The indexing worker ended.'
/** The maximum number of retries. The read itself may cause the crash. */
const READS_OUTLIVE = 2
const CLOSING_TIME = 2_000
