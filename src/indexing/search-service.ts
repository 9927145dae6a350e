import { isTransient } from '../core/errors.ts'
import type { VaultPath } from '../core/ids.ts'
import type { IndexWriter } from '../core/index-writer.ts'
import type { IndexStatus, SearchReadiness } from '../core/indexing.ts'
import type { Mode } from '../core/note.ts'
import type { SearchProgress } from '../core/search.ts'
import type { SearchWriter } from '../core/search-writer.ts'
import type { Vault } from '../core/vault.ts'
import type { IndexerOptions } from './indexer.ts'
import type { RecentBytes } from './recent-bytes.ts'
import { type EmbeddingChoice, SearchIndexer, type StepResult } from './search-indexer.ts'

/** The parts that search works with; the composing code makes them. */
export interface SearchServiceParts extends EmbeddingChoice {
  readonly openWriter: (cache: IndexStatus['cache']) => SearchWriter
  /**
   * Work as soon as the graph is right (a server), or when someone waits for it (a command). Only what a server makes takes the place of
   * other embedders' vectors: a command may be tried once with another one, beside a server that needs its own.
   */
  readonly isEager: boolean
  /** The search index was replaced by another. Readers must open it again. */
  readonly onReplaced: (cache: IndexStatus['cache']) => void
}

export interface SearchHooks {
  readonly indexer: Pick<IndexerOptions, 'profile' | 'comments' | 'kindOf'>
  readonly recent: Pick<RecentBytes, 'take'>
  readonly isDamage: (error: unknown) => boolean
  readonly isUnwritable: (error: unknown) => boolean
  readonly onMismatch: (path: VaultPath) => void
  /** The graph's index was found damaged: it is to be built again. */
  readonly onGraphDamage: () => void
  readonly onWake: () => void
  readonly onError: (error: unknown) => void
}

interface Waiter {
  readonly by: SearchReadiness
  readonly done: () => void
}

/** How often work is tried again before it is given up until something changes, after errors that may pass. */
const ATTEMPTS = 3

const NOT_BEGUN: SearchProgress = { words: { done: 0, total: 0 } }

/** Keeps the search indexes of one vault behind its graph; survives damage and a disk that cannot be written. */
export class SearchService {
  readonly #parts: SearchServiceParts
  readonly #hooks: SearchHooks
  readonly #waiters = new Set<Waiter>()
  #cache: IndexStatus['cache'] = 'disk'
  #writer: SearchWriter | undefined
  #indexer: SearchIndexer | undefined
  #mode: Mode | undefined
  #isStale = true
  /** Changed files that are not in its progress yet. */
  #unknown = 0
  #isDamaged = false
  #failures = 0
  /** How often the graph's index was found damaged since a step succeeded. */
  #graphDamages = 0
  #failure: string | undefined
  /** The last reported failure; cleared after a success. */
  #told: string | undefined
  #isPassing = false
  /** The step under way. */
  #running: Promise<StepResult> | undefined
  #isClosed = false

  constructor(parts: SearchServiceParts, hooks: SearchHooks) {
    this.#parts = parts
    this.#hooks = hooks
  }

  /** True if it was given up for a transient reason. */
  get isPassing(): boolean {
    return this.#failure !== undefined && this.#isPassing
  }

  /** True if there is a reason to work. */
  get isWanted(): boolean {
    return this.#parts.isEager || this.#waiters.size > 0
  }

  /** Someone asks something: work that can wait gives way. */
  asked(): void {
    this.#indexer?.asked()
  }

  progress(): SearchProgress | undefined {
    const progress = this.#indexer?.progress()
    if (this.#failure === undefined) return progress
    return { ...(progress ?? NOT_BEGUN), message: this.#failure, isStopped: true }
  }

  /** The progress once so many more changed files are known to it. */
  expecting(changed: number): SearchProgress | undefined {
    this.#unknown += changed
    const progress = this.progress()
    if (progress === undefined || this.#unknown === 0) return progress
    const { done, total } = progress.words
    return { ...progress, words: { done: Math.max(0, Math.min(done, total - this.#unknown)), total } }
  }

  /** Resolves when every note can be found so, or when that cannot be reached. */
  async findable(by: SearchReadiness): Promise<void> {
    await new Promise<void>((done) => {
      this.#waiters.add({ by, done })
      this.#hooks.onWake()
    })
  }

  /** The graph changed, or someone found the search index damaged. */
  markStale(): void {
    this.#isStale = true
    this.#failures = 0
    this.#failure = undefined
  }

  /** The graph is built again: its keys may mean other files. */
  async graphReplaced(): Promise<void> {
    await this.#closeIndexer()
    this.markStale()
  }

  /** The index is unreachable: nobody waits any more. */
  release(): void {
    this.#release(() => true)
  }

  markDamaged(): void {
    this.#isDamaged = true
    this.markStale()
  }

  /** The graph's index moved to memory: so does this one. */
  async moveToMemory(): Promise<void> {
    await this.#close()
    this.#cache = 'memory'
    this.#parts.onReplaced('memory')
    this.markStale()
  }

  /** Does a small part of the work; `index` is the index of the graph. */
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
      const indexer = await this.#opened(vault, index, mode)
      if (this.#isStale) {
        this.#isStale = false
        await indexer.refresh()
        this.#unknown = 0
      }
      const result = await indexer.step()
      this.#failures = 0
      this.#graphDamages = 0
      this.#told = undefined
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

  /** Nothing was to do for long: what the next work needs to know is read again when it comes. */
  rest(): void {
    if (this.#isStale) return
    this.#indexer?.rest()
    this.#isStale = true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    // A step that went on would open what is closed here again.
    await this.#running?.catch(() => {})
    await this.#close()
    this.#release(() => true)
  }

  async #opened(vault: Vault, index: IndexWriter, mode: Mode): Promise<SearchIndexer> {
    // In another mode notes have other titles, tags and links.
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
      flavour: { profile, comments, mode },
      kindOf: (path) => kindOf(path, mode),
      onMismatch: this.#hooks.onMismatch,
      onWake: this.#hooks.onWake,
    })
    return this.#indexer
  }

  async #recover(thrown: unknown): Promise<void> {
    const isOfGraph = thrown instanceof GraphReadError
    const error = isOfGraph ? thrown.cause : thrown
    this.#isStale = true
    if (isOfGraph && this.#hooks.isDamage(error) && ++this.#graphDamages <= ATTEMPTS) return this.#hooks.onGraphDamage()
    this.#failures++
    if (this.#failures > ATTEMPTS) {
      const failure = `Search is not up to date: ${error instanceof Error ? error.message : String(error)}`
      this.#failure = failure
      this.#isPassing = isTransient(error)
      // A repeated failure is reported once.
      if (failure !== this.#told) this.#hooks.onError(error)
      this.#told = failure
      return
    }
    if (isOfGraph) return
    if (this.#hooks.isDamage(error)) this.#isDamaged = true
    else if (this.#hooks.isUnwritable(error) && this.#cache === 'disk') await this.moveToMemory()
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

/** A failure while reading the graph's index: the search index itself is intact. */
class GraphReadError extends Error {
  constructor(cause: unknown) {
    super('the index of the graph could not be read', { cause })
  }
}

/** The part of the graph's index that search reads, with distinguishable errors. */
function withOwnErrors(index: IndexWriter): Pick<IndexWriter, 'contents' | 'descriptions'> {
  const own = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (error) {
      throw new GraphReadError(error)
    }
  }
  return { contents: (since) => own(() => index.contents(since)), descriptions: (keys) => own(() => index.descriptions(keys)) }
}
