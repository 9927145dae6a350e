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
  /** The languages that notes may be written in. Defaults to all. */
  readonly languages?: readonly string[]
  /**
   * Servers (true) start as soon as the graph is up to date, commands (false) when a caller waits. Only servers delete the vectors
   * of other embedders: a command may try another embedder just once while a server still uses its own.
   */
  readonly isEager: boolean
  /** Called when the search index has been replaced, so readers have to open it again. */
  readonly onReplaced: (cache: IndexStatus['cache']) => void
}

export interface SearchHooks {
  readonly indexer: Pick<IndexerOptions, 'profile' | 'comments' | 'kindOf'>
  readonly recent: Pick<RecentBytes, 'take'>
  readonly isDamage: (error: unknown) => boolean
  readonly isUnwritable: (error: unknown) => boolean
  readonly onMismatch: (path: VaultPath) => void
  /** Called if the graph's index is damaged, so it must be rebuilt. */
  readonly onGraphDamage: () => void
  readonly onWake: () => void
  readonly onMemory: () => void
  readonly onError: (error: unknown) => void
}

interface Waiter {
  readonly by: SearchReadiness
  readonly done: () => void
}

/** Number of retries before the service gives up until something changes. */
const ATTEMPTS = 3

const NOT_BEGUN: SearchProgress = { words: { done: 0, total: 0 } }

/**
 * Keeps a vault's search index up to date with its graph. Rebuilds a damaged index, and moves to memory if the disk is not
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
  /** Number of changed files that the progress does not cover yet. */
  #unknown = 0
  #isDamaged = false
  #failures = 0
  /** How often the graph's index was damaged since the last successful step. */
  #graphDamages = 0
  #failure: string | undefined
  /** The last failure that was reported. Reset after a success. */
  #reportedProblem: string | undefined
  #isPassing = false
  #isStopped = false
  #running: Promise<StepResult> | undefined
  #isClosed = false

  constructor(parts: SearchServiceParts, hooks: SearchHooks) {
    this.#parts = parts
    this.#hooks = hooks
  }

  /** True if the service has given up because of a transient failure. */
  get isPassing(): boolean {
    return this.#failure !== undefined && this.#isPassing
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** True if there is someone to index for: always with `isEager`, otherwise while a caller waits. */
  get isWanted(): boolean {
    return this.#parts.isEager || this.#waiters.size > 0
  }

  /** Records that a call has arrived, so background work yields. */
  asked(): void {
    this.#indexer?.asked()
  }

  progress(): SearchProgress | undefined {
    const progress = this.#indexer?.progress()
    if (this.#failure === undefined) return progress
    return { ...(progress ?? NOT_BEGUN), message: this.#failure, isStopped: true }
  }

  /** Adds newly found changes to the progress, and returns it. */
  expecting(changed: number): SearchProgress | undefined {
    this.#unknown += changed
    const progress = this.progress()
    if (progress === undefined || this.#unknown === 0) return progress
    const { done, total } = progress.words
    return { ...progress, words: { done: Math.max(0, Math.min(done, total - this.#unknown)), total } }
  }

  /** Resolves when the given kind of search covers every note, or when that is impossible for now. */
  async findable(by: SearchReadiness): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiters.add({ by, done: resolve })
      this.#hooks.onWake()
    })
  }

  /** Call this when the graph has changed, or the search index is damaged. */
  markStale(): void {
    this.#isStale = true
    this.#failures = 0
    if (!this.#isStopped) this.#failure = undefined
  }

  /** Stops until the next start, and releases memory. */
  async stop(error: Error): Promise<void> {
    this.#isStopped = true
    this.#failure = `Search is not up to date: ${error.message}`
    this.#hooks.onError(error)
    await this.#closeIndexer()
  }

  /** Call this when the graph has been rebuilt, because its keys may refer to other files now. */
  async graphReplaced(): Promise<void> {
    await this.#closeIndexer()
    this.markStale()
  }

  /** Call this when the index cannot be reached, so no caller waits for it. */
  release(): void {
    this.#release(() => true)
  }

  markDamaged(): void {
    this.#isDamaged = true
    this.markStale()
  }

  /** Moves the search index. Call this when the graph's index has moved to memory or back to disk. */
  async moveTo(cache: IndexStatus['cache']): Promise<void> {
    await this.#close()
    this.#cache = cache
    this.#parts.onReplaced(cache)
    if (cache === 'memory') this.#hooks.onMemory()
    this.markStale()
  }

  /**
   * Does a part of the remaining work, a few milliseconds long.
   * @param index the graph's index
   */
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

  rest(): void {
    if (!this.#isStale) this.#indexer?.rest()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // Wait for the current step, because it could reopen what is closed here.
    await this.#running?.catch(() => {})
    await this.#close()
    this.#release(() => true)
  }

  async #openIndexer(vault: Vault, index: IndexWriter, mode: Mode): Promise<SearchIndexer> {
    // Titles, tags and links depend on the mode.
    if (this.#mode !== mode) await this.#closeIndexer()
    if (this.#indexer !== undefined) return this.#indexer
    this.#mode = mode
    this.#isStale = true
    this.#writer ??= this.#parts.openWriter(this.#cache)
    const { profile, comments, kindOf } = this.#hooks.indexer
    this.#indexer = new SearchIndexer({
      vault,
      recent: this.#hooks.recent,
      index: withOwnErrors(index),
      search: this.#writer,
      embedding: this.#parts,
      supersedes: this.#parts.isEager,
      flavour: { profile, comments, mode, languages: this.#parts.languages ?? [] },
      kindOf: (path) => kindOf(path, mode),
      onMismatch: this.#hooks.onMismatch,
      onWake: this.#hooks.onWake,
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
      this.#isPassing = isTransient(error)
      // Report a recurring failure only once.
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

/** Thrown if the graph's index cannot be read. The search index itself is intact. */
class GraphReadError extends Error {
  constructor(cause: unknown) {
    super('the graph index could not be read', { cause })
  }
}

/** Wraps the reads of the graph's index, so their errors can be distinguished from those of the search index. */
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
