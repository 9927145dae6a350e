import type { ChangeSummary } from '../core/changes.ts'
import type { Embedder } from '../core/embedder.ts'
import { RouxError } from '../core/errors.ts'
import type { FindableBy, Indexing, IndexStatus } from '../core/indexing.ts'
import type { WriteResult, Writing } from '../core/operations.ts'
import { Latch, within } from '../indexing/service.ts'
import type { IndexerChannel } from './indexer-channel.ts'
import type { FromIndexer, IndexerData, ToIndexer, WriteJob, WriteOutcome } from './messages.ts'
import { serveEmbedder } from './relayed-embedder.ts'

export interface ClientListeners {
  readonly onReplaced: (cache: IndexStatus['cache']) => void
  readonly onSearchReplaced: (cache: IndexStatus['cache']) => void
  readonly onCommitted: (generation: number) => void
  /** Opens the embedder, or gives the one that is open. */
  readonly openEmbedder: () => Promise<Embedder>
  readonly onError: (stack: string) => void
  /** Told of the first real request. */
  readonly onBegin?: (() => void) | undefined
}

/** The indexing side as the main thread sees it: a service in a worker, spoken to in messages. */
export class IndexingClient implements Indexing {
  readonly #channel: IndexerChannel
  readonly #onBegin: (() => void) | undefined
  readonly #statusListeners = new Set<(status: IndexStatus) => void>()
  readonly #waiting = new Map<number, (error?: Error) => void>()
  readonly #settled = new Latch()
  /** What a dead process left half written was taken back; asked for by `begin`. */
  readonly #recovered = new Latch()
  readonly #writes = new Map<number, (outcome: WriteOutcome) => void>()
  #status: IndexStatus
  #nextId = 1
  #held = 0
  #askedAt = 0
  #hasBegun = false
  #replaced = 0
  /** Damage was reported: what is told until there is another index is of the damaged one. */
  #isReplacing = false
  #isClosing = false
  /** Why the worker died: nothing is answered any more. */
  #failure: string | undefined
  #onClosed: () => void = () => {}

  constructor(channel: IndexerChannel, data: IndexerData, listeners: ClientListeners) {
    this.#status = { phase: 'waiting', done: 0, total: 0, cache: 'disk', file: data.file, watch: 'off' }
    this.#channel = channel
    this.#onBegin = listeners.onBegin
    this.#channel.onMessage((message) => this.#receive(message, listeners))
    this.#channel.onError((error) => this.#fail(String(error.stack ?? error), listeners))
    this.#channel.onExit(() => {
      this.#onClosed()
      if (this.#isClosing) this.#rejectAll('The indexing worker ended.')
      else if (this.#failure === undefined) this.#fail('The indexing worker ended.', listeners)
    })
    this.#send({ type: 'open', data })
    // Only what waits for an answer keeps the process alive; a listener for messages would, too.
    this.#channel.unref()
  }

  status(): IndexStatus {
    return this.#status
  }

  /** Since when nobody has asked anything, a moment of `performance.now()`. */
  get quietSince(): number {
    return this.#askedAt
  }

  begin(): void {
    this.#askedAt = performance.now()
    // Every call says it, and every message wakes the worker: it hears of the others only while it embeds.
    if (this.#hasBegun) {
      if (isEmbedding(this.#status)) this.#send({ type: 'asked' })
      return
    }
    this.#hasBegun = true
    this.#send({ type: 'begin' })
    this.#onBegin?.()
  }

  async ready(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#settled.isOpen && this.#recovered.isOpen) return true
    const both = Promise.all([this.#settled.opened, this.#recovered.opened])
    return await this.#hold(
      within(
        both.then(() => {}),
        timeout,
        signal,
      ),
    )
  }

  reconcile(paths?: readonly string[]): Promise<void> {
    const id = this.#nextId++
    return this.#ask(id, { type: 'reconcile', id, ...(paths === undefined ? {} : { paths }) })
  }

  findable(by: FindableBy, timeout: number, signal?: AbortSignal): Promise<boolean> {
    const id = this.#nextId++
    return within(this.#ask(id, { type: 'findable', id, by }), timeout, signal)
  }

  #ask(id: number, message: ToIndexer): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(indexingFailed(this.#failure))
    const answered = new Promise<void>((resolve, reject) => {
      this.#waiting.set(id, (error) => (error === undefined ? resolve() : reject(error)))
      this.#send(message)
    })
    return this.#hold(answered)
  }

  /** The process lives as long as somebody waits. */
  async #hold<T>(promise: Promise<T>): Promise<T> {
    if (this.#held++ === 0) this.#channel.ref()
    try {
      return await promise
    } finally {
      // Whoever closes waits for the worker's end, which what is answered meanwhile must not change.
      if (--this.#held === 0 && !this.#isClosing) this.#channel.unref()
    }
  }

  onStatus(listener: (status: IndexStatus) => void): () => void {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  /** A reader found the index damaged: whoever waits, waits for the next one. */
  reportDamage(): void {
    if (this.#failure !== undefined) return
    this.#isReplacing = true
    this.#settled.shut()
    this.#send({ type: 'damaged', replaced: this.#replaced })
  }

  /** The writing side, in the same worker: what is written is in the index before it is answered. */
  readonly writing: Writing = {
    run: async (request) => (await this.#write({ kind: 'run', request })) as WriteResult,
    undo: async (changeId) => (await this.#write({ kind: 'undo', changeId })) as WriteResult,
    changes: async (limit) => (await this.#write({ kind: 'changes', limit })) as readonly ChangeSummary[],
  }

  async #write(job: WriteJob): Promise<WriteResult | readonly ChangeSummary[]> {
    if (this.#failure !== undefined) throw new RouxError('PROVIDER_ERROR', `Nothing was written: ${this.#failure}`)
    const id = this.#nextId++
    const outcome = await this.#hold(
      new Promise<WriteOutcome>((resolve) => {
        this.#writes.set(id, resolve)
        this.#send({ type: 'write', id, job })
      }),
    )
    if ('value' in outcome) return outcome.value
    if ('failure' in outcome) throw new Error(outcome.failure)
    const { code, message, hint, candidates } = outcome.error
    throw new RouxError(code, message, {
      ...(hint === undefined ? undefined : { hint }),
      ...(candidates === undefined ? undefined : { candidates }),
    })
  }

  /** A reader found the search index damaged: it is built anew. */
  reportSearchDamage(): void {
    this.#send({ type: 'searchDamaged' })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve
    })
    this.#isClosing = true
    this.#send({ type: 'close' })
    if (this.#failure === undefined) await within(closed, CLOSING_TIME)
    // A worker in the midst of a long comparison is ended where it stands: its transaction was not committed.
    await this.#channel.end()
  }

  #send(message: ToIndexer): void {
    this.#channel.post(message)
  }

  #receive(message: FromIndexer, listeners: ClientListeners): void {
    switch (message.type) {
      case 'status':
        this.#status = message.status
        if (SETTLED.has(message.status.phase) && !this.#isReplacing) this.#settled.open()
        for (const listener of this.#statusListeners) listener(message.status)
        break
      case 'committed':
        listeners.onCommitted(message.generation)
        break
      case 'replaced':
        this.#replaced++
        this.#isReplacing = false
        listeners.onReplaced(message.cache)
        break
      case 'searchReplaced':
        listeners.onSearchReplaced(message.cache)
        break
      case 'reconciled':
        this.#waiting.get(message.id)?.(message.error === undefined ? undefined : new Error(message.error))
        this.#waiting.delete(message.id)
        break
      case 'recovered':
        this.#recovered.open()
        break
      case 'written':
        this.#writes.get(message.id)?.(message.outcome)
        this.#writes.delete(message.id)
        break
      case 'found':
        this.#waiting.get(message.id)?.()
        this.#waiting.delete(message.id)
        break
      case 'openEmbedder':
      case 'embed':
        void serveEmbedder(message, listeners.openEmbedder).then((reply) => this.#send(reply))
        break
      case 'error':
        listeners.onError(message.stack)
        break
      case 'closed':
        this.#onClosed()
        break
    }
  }

  #fail(stack: string, listeners: ClientListeners): void {
    this.#failure = stack
    this.#status = { ...this.#status, phase: 'failed', message: stack.split('\n')[0] ?? stack }
    this.#settled.open()
    this.#recovered.open()
    listeners.onError(stack)
    this.#rejectAll(stack)
  }

  #rejectAll(reason: string): void {
    for (const done of this.#waiting.values()) done(indexingFailed(reason))
    this.#waiting.clear()
    for (const done of this.#writes.values()) done({ error: writingFailed(reason) })
    this.#writes.clear()
  }
}

function indexingFailed(reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `Indexing failed: ${reason}`)
}

/** Whether files were changed before the worker died cannot be known here. */
function writingFailed(reason: string): RouxError {
  return new RouxError('PROVIDER_ERROR', `The indexing worker ended before it answered: ${reason}`, {
    hint: 'A change may have been made: list_changes tells, once the server runs again, before it is asked for again.',
  })
}

function isEmbedding({ search }: IndexStatus): boolean {
  return search?.vectors !== undefined && search.vectors.done < search.vectors.total
}

const SETTLED: ReadonlySet<IndexStatus['phase']> = new Set(['idle', 'missing', 'failed'])
const CLOSING_TIME = 2_000
