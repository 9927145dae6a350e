import { isTransient, messageOf } from '../core/errors.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexWriter } from '../core/index-writer.ts'
import type { IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { Mode } from '../core/note.ts'
import type { SearchProgress } from '../core/search.ts'
import type { SearchWriter } from '../core/search-writer.ts'
import type { Vault } from '../core/vault.ts'
import type { IndexerOptions } from './indexer.ts'
import type { RecentBytes } from './search-document.ts'
import { type EmbeddingChoice, SearchIndexer, type StepResult } from './search-indexer.ts'

export interface SearchServiceParts extends EmbeddingChoice {
  readonly openWriter: (cache: IndexStatus['cache']) => SearchWriter
  readonly languages?: readonly string[]
  /**
   * True for servers, which index in the background and delete other embedders' vectors. Commands index only while a caller
   * waits.
   */
  readonly isEager: boolean
  /** A callback that runs when readers must reopen the index. */
  readonly onReplaced: (cache: IndexStatus['cache']) => void
}

export interface SearchHooks {
  readonly indexer: Pick<IndexerOptions, 'profile' | 'comments' | 'kindOf'>
  readonly recent: Pick<RecentBytes, 'take'>
  readonly isDamage: (error: unknown) => boolean
  readonly isUnwritable: (error: unknown) => boolean
  readonly onMismatch: (path: VaultPath) => void
  /** A callback that runs when the graph's index is damaged and must be rebuilt. */
  readonly onGraphDamage: () => void
  readonly onWake: () => void
  readonly onMemory: () => void
  readonly onError: (error: unknown) => void
}

interface Waiter {
  readonly by: SearchReadiness
  readonly done: () => void
}

/** Number of retries before waiting for a change. */
const ATTEMPTS = 3

const NOT_BEGUN: SearchProgress = { words: { done: 0, total: 0 } }

/**
 * A service that keeps the search index up to date. It rebuilds a damaged one, and moves it to memory if the disk is not
 * writable.
 */
export class SearchService {
  readonly #parts: SearchServiceParts
  readonly #hooks: SearchHooks
  readonly #waiters = new Set<Waiter>()
  #cache: IndexStatus['cache'] = 'disk'
  #writer: SearchWriter | undefined
  #indexer: SearchIndexer | undefined
  #mode: Mode | undefined
  #isStale = true
  /** The number of changed files that the progress does not count yet. */
  #unknown = 0
  #isDamaged = false
  #failures = 0
  /** The number of times that the graph's index was damaged since the last successful step. */
  #graphDamages = 0
  #failure: string | undefined
  #reportedProblem: string | undefined
  #isFailureTransient = false
  #isStopped = false
  #running: Promise<StepResult> | undefined
  #isClosed = false

  constructor(parts: SearchServiceParts, hooks: SearchHooks) {
    this.#parts = parts
    this.#hooks = hooks
  }

  /** True if a transient failure has stopped the service. */
  get hasTransientFailure(): boolean {
    return this.#failure !== undefined && this.#isFailureTransient
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The value is always true with `isEager`. Otherwise, it is true while a caller waits. */
  get isWanted(): boolean {
    return this.#parts.isEager || this.#waiters.size > 0
  }

  /** Slows down background work while calls arrive. */
  onCall(): void {
    this.#indexer?.onCall()
  }

  progress(): SearchProgress | undefined {
    const progress = this.#indexer?.progress()
    if (this.#failure === undefined) return progress
    return { ...(progress ?? NOT_BEGUN), message: this.#failure, isStopped: true }
  }

  expectChanges(changed: number): SearchProgress | undefined {
    this.#unknown += changed
    const progress = this.progress()
    if (progress === undefined || this.#unknown === 0) return progress
    const { done, total } = progress.words
    return { ...progress, words: { done: Math.max(0, Math.min(done, total - this.#unknown)), total } }
  }

  /** Waits until notes can be found, or until complete coverage is impossible for now. */
  async awaitFindable(by: SearchReadiness): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiters.add({ by, done: resolve })
      this.#hooks.onWake()
    })
  }

  /** Reports that the graph has changed or that the search index is damaged. */
  markStale(): void {
    this.#isStale = true
    this.#failures = 0
    if (!this.#isStopped) this.#failure = undefined
  }

  /** Stops the service and releases memory until the next start. */
  async stop(error: Error): Promise<void> {
    this.#isStopped = true
    this.#failure = `Search is not up to date: ${error.message}`
    this.#hooks.onError(error)
    await this.#closeIndexer()
  }

  /** Call when the graph has been rebuilt, because keys may refer to other files. */
  async graphReplaced(): Promise<void> {
    await this.#closeIndexer()
    this.markStale()
  }

  /** Call when the index is unreachable, so no caller waits. */
  release(): void {
    this.#release(() => true)
  }

  markDamaged(): void {
    this.#isDamaged = true
    this.markStale()
  }

  /** Moves the search index to memory or back. Must be called when the graph's index has moved. */
  async moveTo(cache: IndexStatus['cache']): Promise<void> {
    await this.#close()
    this.#cache = cache
    this.#parts.onReplaced(cache)
    if (cache === 'memory') this.#hooks.onMemory()
    this.markStale()
  }

  async step(vault: Vault, index: IndexWriter, mode: Mode): Promise<StepResult> {
    if (this.#isClosed) return 'done'
    this.#running = this.#step(vault, index, mode)
    return await this.#running
  }

  async #step(vault: Vault, index: IndexWriter, mode: Mode): Promise<StepResult> {
    if (this.#failure !== undefined) {
      this.#release(() => true)
      return 'done'
    }
    try {
      if (this.#isDamaged) await this.#reset()
      const indexer = await this.#openIndexer(vault, index, mode)
      if (this.#isStale) {
        this.#isStale = false
        await indexer.refresh()
        this.#unknown = 0
      }
      const result = await indexer.step()
      this.#failures = 0
      this.#graphDamages = 0
      this.#reportedProblem = undefined
      this.#release((by) => indexer.isComplete(by))
      return result
    } catch (error) {
      await this.#recover(error)
      return 'more'
    }
  }

  async tidy(): Promise<void> {
    await this.#writer?.tidy()
  }

  releaseMemory(): void {
    if (!this.#isStale) this.#indexer?.releaseMemory()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // The current step must end first, because it could reopen the index.
    await this.#running?.catch(() => {})
    await this.#close()
    this.#release(() => true)
  }

  async #openIndexer(vault: Vault, index: IndexWriter, mode: Mode): Promise<SearchIndexer> {
    // The indexer is closed, because titles, tags and links depend on the mode.
    if (this.#mode !== mode) await this.#closeIndexer()
    if (this.#indexer !== undefined) return this.#indexer
    this.#mode = mode
    this.#isStale = true
    this.#writer ??= this.#parts.openWriter(this.#cache)
    const { profile, comments, kindOf } = this.#hooks.indexer
    this.#indexer = new SearchIndexer({
      ...this.#hooks,
      vault,
      index: withOwnErrors(index),
      search: this.#writer,
      embedding: this.#parts,
      deletesOtherVectors: this.#parts.isEager,
      flavor: { profile, comments, mode, languages: this.#parts.languages ?? [] },
      kindOf: (path) => kindOf(path, mode),
    })
    return this.#indexer
  }

  async #recover(cause: unknown): Promise<void> {
    const isOfGraph = cause instanceof GraphReadError
    const error = isOfGraph ? cause.cause : cause
    this.#isStale = true
    if (isOfGraph && this.#hooks.isDamage(error) && ++this.#graphDamages <= ATTEMPTS) return this.#hooks.onGraphDamage()
    this.#failures++
    if (this.#failures > ATTEMPTS) {
      const failure = `Search is not up to date: ${messageOf(error)}`
      this.#failure = failure
      this.#isFailureTransient = isTransient(error)
      // A failure that recurs is reported only once.
      if (failure !== this.#reportedProblem) this.#hooks.onError(error)
      this.#reportedProblem = failure
      return
    }
    if (isOfGraph) return
    if (this.#hooks.isDamage(error)) this.#isDamaged = true
    else if (this.#hooks.isUnwritable(error) && this.#cache === 'disk') await this.moveTo('memory')
  }

  async #reset(): Promise<void> {
    this.#isDamaged = false
    this.#writer ??= this.#parts.openWriter(this.#cache)
    const writer = this.#writer
    await this.#closeIndexer()
    await writer.reset()
    this.#parts.onReplaced(this.#cache)
  }

  async #close(): Promise<void> {
    await this.#closeIndexer()
    await this.#writer?.close()
    this.#writer = undefined
  }

  async #closeIndexer(): Promise<void> {
    await this.#indexer?.close()
    this.#indexer = undefined
  }

  #release(isDone: (by: SearchReadiness) => boolean): void {
    for (const waiter of this.#waiters) {
      if (!isDone(waiter.by)) continue
      this.#waiters.delete(waiter)
      waiter.done()
    }
  }
}

/** An error for an unreadable index of the graph. The search index is intact. */
class GraphReadError extends Error {
  constructor(cause: unknown) {
    super('the graph index could not be read', { cause })
  }
}

function withOwnErrors(index: IndexWriter): Pick<IndexWriter, 'contents' | 'descriptions'> {
  const readOwn = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (error) {
      throw new GraphReadError(error)
    }
  }
  return {
    contents: (since) => readOwn(() => index.contents(since)),
    descriptions: (keys) => readOwn(() => index.descriptions(keys)),
  }
}
