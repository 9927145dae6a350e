import type { ChangeFate, ChangeSummary } from '../core/changes.ts'
import type { Embedder } from '../core/embedder.ts'
import { RouxError } from '../core/errors.ts'
import type { Indexing, IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { WriteResult, Writing } from '../core/operations.ts'
import { Freshness } from '../indexing/freshness.ts'
import { Latch, within } from '../indexing/service.ts'
import type { IndexerChannel, IndexerHost } from './indexer-channel.ts'
import { firstLine, indexingFailed, LostWrite, lostWriteError, notBegun } from './lost-write.ts'
import type { FromIndexer, IndexerData, ToIndexer, WriteJob } from './messages.ts'
import { serveEmbedder } from './relayed-embedder.ts'

export interface ClientListeners {
  readonly onReplaced: (cache: IndexStatus['cache']) => void
  readonly onSearchReplaced: (cache: IndexStatus['cache']) => void
  readonly onCommitted: (generation: number) => void
  /** Opens the embedder, or gives the one that is open. */
  readonly openEmbedder: () => Promise<Embedder>
  readonly onError: (stack: string) => void
  /** Called at the first real request. */
  readonly onBegin?: (() => void) | undefined
}

type Request = Extract<ToIndexer, { readonly id: number; readonly type: 'reconcile' | 'findable' | 'write' }>
type Reply = Extract<FromIndexer, { readonly type: 'reconciled' | 'found' | 'written' }>

/** A request that is not answered yet. */
interface Pending {
  readonly request: Request
  readonly done: (reply: Reply) => void
  readonly fail: (error: Error) => void
  /** Workers that it was sent to and that died. */
  readonly deaths: number
  /** True if the current worker has it. */
  readonly isSent: boolean
  /** For a write: the change it began. */
  readonly changeId?: string
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
  readonly #pending = new Map<number, Pending>()
  readonly #upToDate = new Latch()
  /** Resolves after recovery of half-written changes; `begin` asks for it. */
  readonly #recovered = new Latch()
  readonly #caughtUp = new Latch()
  #freshness = new Freshness()
  /** Absent between the death of a worker and the start of the next. */
  #channel: IndexerChannel | undefined
  #restart: NodeJS.Timeout | undefined
  #status: IndexStatus
  #nextId = 1
  #held = 0
  #askedAt = 0
  #hasBegun = false
  #replaced = 0
  /** The last reported places of the indexes. */
  #caches: Readonly<Record<'index' | 'search', IndexStatus['cache']>> = { index: 'disk', search: 'disk' }
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
    return await this.#hold(
      within(
        both.then(() => {}),
        timeout,
        signal,
      ),
    )
  }

  isBehind(): boolean {
    return this.#freshness.isBehind
  }

  async caughtUp(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#freshness.isBehind) return true
    this.#caughtUp.shut()
    return await this.#hold(within(this.#caughtUp.opened, timeout, signal))
  }

  async reconcile(paths?: readonly string[]): Promise<void> {
    const id = this.#nextId++
    const reply = await this.#ask({ type: 'reconcile', id, ...(paths === undefined ? {} : { paths }) })
    if (reply.type === 'reconciled' && reply.error !== undefined) throw new Error(reply.error)
  }

  findable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean> {
    const id = this.#nextId++
    const found = this.#ask({ type: 'findable', id, by })
    return within(
      found.then(() => {}),
      timeout,
      signal,
    )
  }

  #ask(request: Request): Promise<Reply> {
    this.#reviveIfDue()
    const failure = this.#isClosing ? 'The vault is being closed.' : this.#failure
    if (failure !== undefined) return Promise.reject(indexingFailed(failure))
    const answered = new Promise<Reply>((done, fail) => {
      const isSent = this.#channel !== undefined
      this.#pending.set(request.id, { request, done, fail, deaths: 0, isSent })
      this.#send(request)
    })
    return this.#hold(answered)
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

  /** A reader found the index damaged: callers that wait, wait for the next one. */
  reportDamage(): void {
    if (this.#failure !== undefined) return
    this.#isReplacing = true
    this.#upToDate.shut()
    this.#send({ type: 'damaged', replaced: this.#replaced })
  }

  /** The writing side in the same worker: the index has the change before the answer. */
  readonly writing: Writing = {
    run: async (request) => (await this.#write({ kind: 'run', request })) as WriteResult,
    undo: async (changeId) => (await this.#write({ kind: 'undo', changeId })) as WriteResult,
    changes: async (limit) => (await this.#write({ kind: 'changes', limit })) as readonly ChangeSummary[],
  }

  async #write(job: WriteJob): Promise<WriteResult | readonly ChangeSummary[] | ChangeFate | undefined> {
    const request = { type: 'write', id: this.#nextId++, job } as const
    const reply = await this.#ask(request).catch(async (error: unknown) => {
      throw error instanceof LostWrite ? lostWriteError(error, await this.#fateOf(error.changeId), isPlan(request)) : error
    })
    if (reply.type !== 'written') throw new Error('the indexing worker answered something else than was asked')
    const { outcome } = reply
    if ('value' in outcome) return outcome.value
    if ('failure' in outcome) throw new Error(outcome.failure)
    const { code, message, hint, candidates } = outcome.error
    throw new RouxError(code, message, {
      ...(hint === undefined ? undefined : { hint }),
      ...(candidates === undefined ? undefined : { candidates }),
    })
  }

  /** The recorded outcome of a change after recovery; `undefined` if unknown. */
  async #fateOf(changeId: string): Promise<ChangeFate | undefined> {
    try {
      return (await this.#write({ kind: 'state', changeId })) as ChangeFate | undefined
    } catch {
      return undefined
    }
  }

  /** A reader found the search index damaged: it is built again. */
  reportSearchDamage(): void {
    this.#send({ type: 'searchDamaged' })
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
      await within(closed, CLOSING_TIME)
      // A worker in the midst of a long comparison is ended where it stands: its transaction was not committed.
      await channel.end()
    }
    this.#failAll('The indexing worker ended.')
  }

  #open(): void {
    // Each worker starts on disk, because nobody writes its predecessor's memory any more. Damage found then is
    // reported once the vault is open.
    if (this.#caches.index === 'memory') this.#replace('disk')
    if (this.#caches.search === 'memory') this.#replaceSearch('disk')
    const channel = this.#host.channel()
    this.#channel = channel
    this.#freshness = new Freshness()
    this.#replaced = 0
    let reason = 'The indexing worker ended.'
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
    if (this.#isReplacing) this.#send({ type: 'damaged', replaced: 0 })
    for (const [id, pending] of this.#pending) {
      this.#pending.set(id, { ...pending, isSent: true })
      this.#send(pending.request)
    }
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
        this.#replaced++
        this.#isReplacing = false
        this.#replace(message.cache)
        break
      case 'searchReplaced':
        this.#replaceSearch(message.cache)
        break
      case 'recovered':
        this.#recovered.open()
        break
      case 'begun':
        this.#begun(message.id, message.changeId)
        break
      case 'reconciled':
      case 'found':
      case 'written':
        this.#pending.get(message.id)?.done(message)
        this.#pending.delete(message.id)
        break
      case 'openEmbedder':
      case 'embed':
        // The next worker numbers what it asks from the start: an answer for this one is not for it.
        void serveEmbedder(message, listeners.openEmbedder).then((reply) => {
          if (this.#channel === channel) channel.post(reply)
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

  #replace(cache: IndexStatus['cache']): void {
    this.#caches = { ...this.#caches, index: cache }
    this.#listeners.onReplaced(cache)
  }

  #replaceSearch(cache: IndexStatus['cache']): void {
    this.#caches = { ...this.#caches, search: cache }
    this.#listeners.onSearchReplaced(cache)
  }

  #tell(status: IndexStatus): void {
    this.#status = status
    for (const listener of this.#statusListeners) listener(status)
  }

  #begun(id: number, changeId: string): void {
    const pending = this.#pending.get(id)
    if (pending !== undefined) this.#pending.set(id, { ...pending, changeId })
  }

  /** Handles a dead worker: repeats or gives up its requests and starts another. */
  #lose(channel: IndexerChannel, reason: string): void {
    this.#channel = undefined
    void channel.end()
    // The next start compares everything it missed.
    this.#freshness = new Freshness()
    this.#caughtUp.open()
    this.#onClosed()
    if (this.#isClosing) {
      this.#failAll(reason)
      return
    }
    this.#listeners.onError(reason)
    for (const pending of this.#pending.values()) this.#keepOrFail(pending, reason)
    this.#startLater(reason)
  }

  #keepOrFail(pending: Pending, reason: string): void {
    const { request, fail, isSent, changeId } = pending
    if (!isSent) return
    const deaths = pending.deaths + 1
    if (deaths <= deathsOutlived(request)) {
      this.#pending.set(request.id, { ...pending, deaths, isSent: false })
      return
    }
    this.#pending.delete(request.id)
    if (!isWrite(request)) fail(indexingFailed(reason))
    else fail(changeId === undefined ? notBegun(reason, isPlan(request)) : new LostWrite(changeId, reason))
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
    this.#forced = [this.#upToDate, this.#recovered].filter(({ isOpen }) => !isOpen)
    for (const latch of this.#forced) latch.open()
    this.#tell({ ...this.#status, phase: 'failed', message: this.#failure })
    this.#failAll(this.#failure)
  }

  /** A worker that was given up is tried again by the first call after a while. */
  #reviveIfDue(): void {
    if (this.#failure === undefined || this.#isClosing || this.#host.restarts.pause === undefined) return
    this.#failure = undefined
    for (const latch of this.#forced) latch.shut()
    this.#forced = []
    this.#start()
  }

  #failAll(reason: string): void {
    const all = [...this.#pending.values()]
    this.#pending.clear()
    for (const { request, fail, isSent, changeId } of all) {
      if (!isWrite(request)) fail(indexingFailed(reason))
      else fail(isSent && changeId !== undefined ? new LostWrite(changeId, reason) : notBegun(reason, isPlan(request)))
    }
  }
}

function isWrite({ type }: Request): boolean {
  return type === 'write'
}

/** True if a request runs a dry run's plan. */
function isPlan(request: Request): boolean {
  return request.type === 'write' && request.job.kind === 'run' && request.job.request.planId !== undefined
}

/** How many deaths of workers a request may see before it is failed: what only reads may be what they die of, what writes is not done twice. */
function deathsOutlived(request: Request): number {
  if (request.type !== 'write') return READS_OUTLIVE
  switch (request.job.kind) {
    case 'run':
      return request.job.request.dryRun ? READS_OUTLIVE : 0
    case 'undo':
      return 0
    case 'changes':
      return READS_OUTLIVE
    case 'state':
      return Number.POSITIVE_INFINITY
  }
}

function isEmbedding({ search }: IndexStatus): boolean {
  return search?.vectors !== undefined && search.vectors.done < search.vectors.total
}

const READS_OUTLIVE = 2
const UP_TO_DATE: ReadonlySet<IndexStatus['phase']> = new Set(['idle', 'missing', 'failed'])
const CLOSING_TIME = 2_000
