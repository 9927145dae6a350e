import { isTransient, MemoryShortError, messageOf, RouxError } from '../core/errors.ts'
import type { IndexWriter } from '../core/index-writer.ts'
import type { Indexing, IndexStatus, SearchReadiness } from '../core/indexing.ts'
import { quietly } from '../core/quietly.ts'
import type { Dirty, Vault, Watcher } from '../core/vault.ts'
import { inTime, withResolvers } from '../core/waiting.ts'
import { Freshness } from './freshness.ts'
import { Indexer, type IndexerOptions, isVaultMissing, type Scope } from './indexer.ts'
import { RecentBytes } from './search-document.ts'
import { type SearchHooks, SearchService, type SearchServiceParts } from './search-service.ts'

export interface ServiceParts extends Pick<SearchHooks, 'isDamage' | 'isUnwritable' | 'onError'> {
  /** Opens the vault. @throws RouxError `VAULT_NOT_FOUND` */
  readonly openVault: () => Vault
  readonly openWriter: (cache: IndexStatus['cache']) => IndexWriter
  readonly watch?: (
    onDirty: (dirty: Dirty) => void,
    onProblem: (message: string) => void,
    /** A callback that runs immediately for each change. `file` is undefined if unknown. */
    onNoticed: (file: string | undefined) => void,
  ) => Watcher
  readonly watchKind: IndexStatus['watch']
  readonly file: string
  /** Returns true if the disk has room for the index. If omitted, an index in memory stays there. */
  readonly hasRoom?: () => boolean
  /** Milliseconds before the first call of `hasRoom`. */
  readonly roomCheck?: number
  readonly indexer: Omit<IndexerOptions, 'permission' | 'onProgress' | 'recent'>
  /** A callback that runs when readers must reopen the index. */
  readonly onReplaced: (cache: IndexStatus['cache']) => void
  readonly onCommitted: (generation: number) => void
  readonly freshness?: Freshness
  readonly onCaughtUp?: () => void
  readonly search: SearchServiceParts
  /** A callback that runs when memory is short, so a service with more memory can take over. If omitted, the service stops. */
  readonly onMemoryShort?: () => void
  readonly onManyRead?: () => void
  readonly onIdle?: () => void
  /** A callback that releases caches after a long idle time. */
  readonly onLongIdle?: () => void
}

/** The idle time in milliseconds before preparing for the next change. */
const WARM_AFTER = 300
const MAX_NOTICED = 100
/** The further idle time in milliseconds before caches are released. */
const IDLE_AFTER = 20_000
/** Reading this many files leaves about ten megabytes of garbage. */
const MANY_FILES = 1_000
/** Milliseconds between retries while the vault or the database is unavailable. */
const RECHECK_INTERVAL = 1_000
/** The time between checks for disk space, in milliseconds. It doubles each time the index moves to memory. */
const ROOM_CHECK = { shortest: 30_000, longest: 3_600_000 }
const ATTEMPTS = 3

export interface Exclusive {
  readonly vault: Vault
  readonly writer: IndexWriter
  readonly indexer: Indexer
  reconcile(scope: Scope): Promise<void>
}

interface Job {
  readonly start: () => Promise<void>
  readonly refuse: (error: RouxError) => void
}

interface Request {
  readonly scope: Scope
  readonly noticed: number
  readonly done: (error?: unknown) => void
}

/** A service that keeps a vault's index up to date. It runs one comparison at a time. */
export class IndexingService implements Indexing {
  readonly #parts: ServiceParts
  readonly #listeners = new Set<(status: IndexStatus) => void>()
  readonly #queue: Request[] = []
  readonly #jobs: Job[] = []
  readonly #freshness: Freshness
  /** This latch is open while the index contains all reported changes. */
  readonly #caughtUp = new Latch()
  /** The files that the watcher has reported. The set is undefined if there are too many or a path is unknown. */
  #noticed: Set<string> | undefined = new Set()
  #status: IndexStatus
  readonly #permission = withResolvers<void>()
  /** This latch opens after the first comparison, even a failed one. It is closed while a damaged index is rebuilt. */
  readonly #upToDate = new Latch()
  #vault: Vault | undefined
  #writer: IndexWriter | undefined
  #indexer: Indexer | undefined
  readonly #search: SearchService
  readonly #recent = new RecentBytes()
  #watcher: Watcher | undefined
  #timer: NodeJS.Timeout | undefined
  #roomTimer: NodeJS.Timeout | undefined
  /** The number of times that the index moved to memory since it was last complete on disk. */
  #movesToMemory = 0
  /**
   * The state of the return to disk. `requested`: the next comparison updates the index on disk. `tried`: a comparison is doing
   * so.
   */
  #diskReturn: 'no' | 'requested' | 'tried' = 'no'
  #activePhase: 'building' | 'verifying' = 'building'
  #isRunning = false
  #isAwake = false
  #isPermitted = false
  #isVerified = false
  #isDamaged = false
  /** This error is set after memory ran short. Until the next start, no files are read. */
  #memoryShort: MemoryShortError | undefined
  #isFailureTransient = false
  #hasReadMany = false
  #isClosed = false

  constructor(parts: ServiceParts) {
    this.#parts = parts
    this.#freshness = parts.freshness ?? new Freshness()
    this.#status = { phase: 'waiting', done: 0, total: 0, cache: 'disk', file: parts.file, watch: parts.watchKind }
    this.#search = new SearchService(parts.search, {
      ...parts,
      recent: this.#recent,
      onMismatch: (path) => void this.reconcile([path]).catch(() => {}),
      onGraphDamage: () => this.replaceDamaged(),
      onWake: () => void this.#run(),
      onMemory: () => this.#awaitRoom(),
    })
  }

  /** Starts comparing files. Nothing is written before `begin`. */
  start(): void {
    this.#request({ all: true }).catch(() => {})
  }

  status(): IndexStatus {
    return this.#status
  }

  begin(): void {
    this.#isPermitted = true
    this.#permission.resolve()
    void this.#run()
  }

  /** Slows down background work while calls arrive. */
  onCall(): void {
    this.#search.onCall()
  }

  async ready(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#upToDate.isOpen) return true
    return await inTime(this.#upToDate.opened, timeout, signal)
  }

  async awaitFindable(by: SearchReadiness, timeout: number, signal?: AbortSignal): Promise<boolean> {
    return await inTime(this.#search.awaitFindable(by), timeout, signal)
  }

  isBehind(): boolean {
    return this.#freshness.isBehind
  }

  async awaitCaughtUp(timeout: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.#freshness.isBehind) return true
    // All reported changes are already in the queue.
    return await inTime(this.#caughtUp.opened, timeout, signal)
  }

  async awaitUpToDate(): Promise<void> {
    if ((await this.#watcher?.settle()) !== true) await this.reconcile()
    else if (this.#freshness.isBehind) await this.#caughtUp.opened
  }

  async reconcile(paths?: readonly string[]): Promise<void> {
    await this.#request(paths === undefined ? { all: true } : { all: false, folders: [], files: paths })
  }

  /**
   * Runs a job after all earlier requests, while nothing else uses the index.
   * @throws RouxError `VAULT_NOT_FOUND`, `PROVIDER_ERROR` if the vault could not be indexed, or the job's error
   */
  exclusively<T>(job: (access: Exclusive) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ start: () => this.#runJob(job).then(resolve, reject), refuse: reject })
      void this.#run()
    })
  }

  async #runJob<T>(job: (access: Exclusive) => Promise<T>): Promise<T> {
    if (!this.#isVerified) await this.#compare({ all: true })
    this.#requireVault()
    const { message } = this.#status
    const [vault, writer, indexer] = [this.#vault, this.#writer, this.#indexer]
    if (vault === undefined || writer === undefined || indexer === undefined) {
      throw new RouxError('PROVIDER_ERROR', `The vault could not be indexed: ${message ?? 'unknown reason'}.`)
    }
    try {
      return await job({ vault, writer, indexer, reconcile: (scope) => this.#compareOrThrow(scope) })
    } finally {
      this.#search.markStale()
    }
  }

  async #compareOrThrow(scope: Scope): Promise<void> {
    await this.#compare(scope)
    this.#requireVault()
  }

  #requireVault(): void {
    const { phase, message } = this.#status
    if (phase === 'missing') throw new RouxError('VAULT_NOT_FOUND', message ?? 'The vault is missing.')
  }

  onStatus(listener: (status: IndexStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records why the change log cannot be written. The reason `undefined` means that it is writable again. */
  noteLog(reason: string | undefined): void {
    const { log: _, ...status } = this.#status
    this.#status = status
    this.#report(reason === undefined ? {} : { log: reason })
  }

  replaceDamaged(): void {
    this.#isDamaged = true
    this.#isVerified = false
    this.#upToDate.close()
    this.#report({ phase: 'building', done: 0, total: 0 })
    this.#request({ all: true }).catch(() => {})
  }

  /** Rebuilds the search index and nothing else. */
  replaceDamagedSearch(): void {
    this.#search.markDamaged()
    void this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#roomTimer)
    await this.#search.close()
    await this.#watcher?.close()
    await this.#writer?.close()
    const closing = new RouxError('PROVIDER_ERROR', 'The server is closing.')
    this.#refuse(closing)
  }

  #request(scope: Scope, noticed = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ scope, noticed, done: (error) => (error === undefined ? resolve() : reject(error)) })
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isAwake = true
    if (this.#isRunning) return
    this.#isRunning = true
    clearTimeout(this.#timer)
    try {
      await this.#runAll()
    } catch (error) {
      this.#giveUp(error)
      this.#endRun()
    }
  }

  #endRun(): void {
    this.#isRunning = false
    if (!this.#isClosed) this.#scheduleIdleWork()
  }

  /** Runs requests first, then jobs, then search. Waiting requests share one comparison. */
  async #runAll(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#queue.length > 0) await this.#runRequests()
      else if (this.#jobs.length > 0) await this.#runNextJob()
      // Watch before indexing for search, which can take minutes, but after jobs, because the first call waits for recovery.
      else if (this.#shouldWatch()) this.#startWatching()
      // Requests that arrived during a step did not start another run, so the loop continues.
      else if (!(await this.#runSearchStep()) && this.#queue.length + this.#jobs.length === 0) break
    }
    // There must be no `await` before this call, because a request that arrives meanwhile would be lost.
    this.#endRun()
  }

  #giveUp(error: unknown): void {
    const explained = explain(error)
    this.#refuse(new RouxError('PROVIDER_ERROR', `Indexing failed: ${explained.message}`))
    this.#search.release()
    this.#parts.onError(error)
    this.#finish({ phase: 'failed', ...explained })
  }

  #refuse(error: RouxError): void {
    for (const job of this.#jobs.splice(0)) job.refuse(error)
    for (const request of this.#queue.splice(0)) request.done(error)
  }

  async #runNextJob(): Promise<void> {
    await this.#jobs.shift()?.start()
    // If all noticed files are Roux's own writes, they are already indexed.
    if (this.#freshness.isBehind && this.#noticed !== undefined && [...this.#noticed].every((file) => this.#isCurrent(file))) {
      this.#take(this.#freshness.noticed)
    }
  }

  async #runRequests(): Promise<void> {
    const requests = this.#queue.splice(0)
    let error: unknown
    try {
      await this.#compare(join(requests.map(({ scope }) => scope)))
    } catch (caught) {
      error = caught
    }
    this.#take(Math.max(...requests.map(({ noticed }) => noticed)))
    this.#search.markStale()
    for (const request of requests) request.done(error)
  }

  #notice(file: string | undefined): void {
    if (!this.#freshness.isBehind) {
      if (file !== undefined && this.#isCurrent(file)) return
      this.#noticed = new Set()
      this.#caughtUp.close()
    }
    if (file === undefined || this.#noticed === undefined || this.#noticed.size >= MAX_NOTICED) this.#noticed = undefined
    else this.#noticed.add(file)
    this.#freshness.notice()
  }

  #isCurrent(file: string): boolean {
    return quietly(() => this.#indexer?.isCurrent(file) ?? false) ?? false
  }

  #take(noticed: number): void {
    if (noticed === 0 || !this.#freshness.isBehind) return
    this.#freshness.take(noticed)
    if (this.#freshness.isBehind) return
    this.#caughtUp.open()
    this.#parts.onCaughtUp?.()
  }

  /** @returns whether there is more to do now */
  async #runSearchStep(): Promise<boolean> {
    const { phase, mode } = this.#status
    const isReadable = phase === 'idle' || this.#memoryShort !== undefined
    if (!isReadable && phase === 'failed') this.#search.release()
    if (!this.#isPermitted || !isReadable || !this.#search.isWanted) return false
    if (this.#vault === undefined || this.#writer === undefined) return false
    this.#isAwake = false
    if (this.#hasReadMany) await this.#collect()
    if (!this.#search.isStopped && this.#parts.indexer.isMemoryShort?.() === true) {
      await this.#awaitSuccessor()
      await this.#search.stop(
        new MemoryShortError('while notes were indexed for search', 'The remaining notes cannot be found until the next start.'),
      )
    }
    const result = await this.#search.step(this.#vault, this.#writer, mode ?? 'obsidian')
    const search = this.#search.progress()
    if (search !== undefined && JSON.stringify(search) !== JSON.stringify(this.#status.search)) this.#report({ search })
    await new Promise((resolve) => setImmediate(resolve))
    return result === 'more' || this.#isAwake || this.#queue.length > 0
  }

  async #collect(): Promise<void> {
    this.#hasReadMany = false
    // Objects from this turn of the event loop cannot be collected yet.
    await new Promise((resolve) => setImmediate(resolve))
    this.#parts.onManyRead?.()
  }

  async #compare(scope: Scope): Promise<void> {
    if (this.#memoryShort !== undefined) throw this.#memoryShort
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#compareOnce(scope)
        return
      } catch (error) {
        if (this.#isClosed) return
        if (isVaultMissing(error)) {
          this.#vault = undefined
          this.#finish({ phase: 'missing', message: (error as Error).message })
          return
        }
        if (!(await this.#mayRetry(error, attempt))) {
          const explained = explain(error)
          // A failure that recurs is reported only once.
          const isNews = this.#status.phase !== 'failed' || this.#status.message !== explained.message
          if (isNews) this.#parts.onError(error)
          // This scope has not been compared, so the next comparison must cover everything.
          this.#isVerified = false
          this.#isFailureTransient = isTransient(error)
          this.#finish({ phase: 'failed', ...explained })
          throw error
        }
      }
    }
  }

  async #compareOnce(scope: Scope): Promise<void> {
    if (this.#diskReturn === 'requested') await this.#openOnDisk()
    if (this.#isDamaged) await this.#replace()
    await this.#reconcile(this.#isVerified ? scope : { all: true })
    if (this.#diskReturn === 'tried') await this.#returnToDisk()
  }

  /** Asks another service to take over, if there is one. The promise then never resolves. */
  async #awaitSuccessor(): Promise<void> {
    if (this.#parts.onMemoryShort === undefined) return
    this.#parts.onMemoryShort()
    await new Promise<never>(() => {})
  }

  async #mayRetry(error: unknown, attempt: number): Promise<boolean> {
    if (!(error instanceof MemoryShortError)) return attempt < ATTEMPTS && (await this.#recover(error))
    await this.#stopForMemory(error)
    return false
  }

  /** Stops the service and releases memory. Search can still index committed notes. */
  async #stopForMemory(error: MemoryShortError): Promise<void> {
    await this.#awaitSuccessor()
    this.#memoryShort = error
    if (this.#indexer !== undefined) this.#report({ mode: this.#indexer.mode })
    this.#indexer = undefined
    this.#parts.onCommitted((await this.#writer?.state())?.generation ?? 0)
  }

  async #reconcile(scope: Scope): Promise<void> {
    this.#vault ??= this.#parts.openVault()
    this.#writer ??= this.#parts.openWriter(this.#status.cache)
    const hasIndex = (await this.#writer.state()).generation > 0
    this.#indexer ??= this.#newIndexer(this.#vault, this.#writer)
    this.#activePhase = hasIndex ? 'verifying' : 'building'
    // An index that has been verified stays "up to date" until a difference is found.
    if (!this.#isVerified) this.#report({ phase: this.#activePhase, done: 0, total: 0 })
    const { generation, changed, mode } = await this.#indexer.reconcile(scope)
    this.#parts.onCommitted(generation)
    this.#isVerified = true
    this.#hasReadMany ||= changed >= MANY_FILES
    this.#isFailureTransient = false
    const search = this.#search.expectChanges(changed)
    const { unlisted } = this.#indexer
    this.#finish({ phase: 'idle', mode, unlisted, ...(search === undefined ? undefined : { search }) })
  }

  #newIndexer(vault: Vault, writer: IndexWriter): Indexer {
    return new Indexer(vault, writer, {
      ...this.#parts.indexer,
      permission: this.#permission.promise,
      recent: this.#recent,
      onProgress: (doneCount, total) => {
        if (total > 0) this.#report({ phase: this.#activePhase, done: doneCount, total })
      },
    })
  }

  /** @returns whether a retry may help */
  async #recover(error: unknown): Promise<boolean> {
    if (this.#parts.isDamage(error)) {
      await this.#replace()
      return true
    }
    if (this.#parts.isUnwritable(error) && this.#status.cache === 'disk') {
      const reason = messageOf(error)
      await this.#moveToMemory(`The index cannot be kept on disk (${reason}); it is kept in memory until the disk is writable.`)
      return true
    }
    return this.#status.cache === 'disk'
  }

  async #replace(): Promise<void> {
    this.#isDamaged = false
    this.#isVerified = false
    this.#indexer = undefined
    await this.#search.graphReplaced()
    this.#writer ??= this.#parts.openWriter(this.#status.cache)
    try {
      await this.#writer.reset()
    } catch (error) {
      await this.#moveToMemory(`The damaged index cannot be deleted (${String(error)}); a new one is kept in memory.`)
      return
    }
    this.#parts.onReplaced(this.#status.cache)
  }

  async #moveToMemory(message: string): Promise<void> {
    await this.#writer?.close()
    this.#writer = undefined
    this.#indexer = undefined
    const { file: _, ...status } = this.#status
    this.#status = { ...status, cache: 'memory', message }
    this.#diskReturn = 'no'
    this.#parts.onReplaced('memory')
    await this.#search.moveTo('memory')
  }

  /** Waits for room on the disk, because an index in memory takes scarce space and is lost on exit. */
  #awaitRoom(): void {
    this.#movesToMemory++
    const { hasRoom, roomCheck = ROOM_CHECK.shortest } = this.#parts
    if (hasRoom === undefined || this.#isClosed) return
    const check = (): void => {
      const delay = Math.min(roomCheck * 2 ** (this.#movesToMemory - 1), ROOM_CHECK.longest)
      clearTimeout(this.#roomTimer)
      this.#roomTimer = setTimeout(() => {
        if (!hasRoom()) return check()
        this.#diskReturn = 'requested'
        this.#request({ all: true }).catch(() => {})
      }, delay).unref()
    }
    check()
  }

  /** Opens the index on disk. Readers use the one in memory until it is up to date. */
  async #openOnDisk(): Promise<void> {
    this.#diskReturn = 'tried'
    if (this.#status.cache === 'disk') return
    await this.#writer?.close()
    this.#writer = undefined
    this.#indexer = undefined
    this.#isVerified = false
    this.#status = { ...this.#status, cache: 'disk', file: this.#parts.file }
  }

  async #returnToDisk(): Promise<void> {
    this.#diskReturn = 'no'
    this.#movesToMemory = 0
    this.#parts.onReplaced('disk')
    await this.#search.moveTo('disk')
    const { message: _, ...status } = this.#status
    this.#status = status
    this.#report({})
  }

  #finish(status: Partial<IndexStatus>): void {
    this.#report(status)
    this.#upToDate.open()
  }

  #report(status: Partial<IndexStatus>): void {
    this.#status = { ...this.#status, ...status }
    for (const listener of this.#listeners) listener(this.#status)
  }

  /** Polls for a missing vault or database, or prepares for the next change. */
  #scheduleIdleWork(): void {
    if (this.#status.phase === 'missing' || this.#isFailureTransient || this.#search.hasTransientFailure) {
      this.#timer = setTimeout(() => void this.#request({ all: true }).catch(() => {}), RECHECK_INTERVAL).unref()
      return
    }
    this.#timer = setTimeout(() => {
      this.#recent.clear()
      this.#preload()
      if (!this.#isPermitted) return
      this.#writer?.tidy().catch(() => {})
      this.#search.tidy().catch(() => {})
      this.#parts.onIdle?.()
      this.#timer = setTimeout(() => {
        this.#search.releaseMemory()
        this.#parts.onLongIdle?.()
      }, IDLE_AFTER).unref()
    }, WARM_AFTER).unref()
  }

  #shouldWatch(): boolean {
    return this.#isPermitted && this.#watcher === undefined && this.#parts.watch !== undefined && this.#status.phase !== 'missing'
  }

  #openWatcher(): Watcher | undefined {
    try {
      return this.#parts.watch?.(
        (dirty) => {
          const scope: Scope = dirty.all ? { all: true } : toScope(dirty)
          this.#request(scope, this.#freshness.noticed).catch(() => {})
        },
        (message) => this.#report({ message }),
        (file) => this.#notice(file),
      )
    } catch (error) {
      this.#parts.onError(error)
      this.#report({ message: `The folder cannot be watched (${messageOf(error)}).` })
      return { ready: Promise.resolve(), settle: async () => false, close: async () => {} }
    }
  }

  /** Errors are ignored, because the next change reports them. */
  #preload(): void {
    this.#indexer?.loadAhead().catch(() => {})
  }

  #startWatching(): void {
    const watcher = this.#openWatcher()
    this.#watcher = watcher
    this.#preload()
    // The files are compared again when the watcher is ready, because they may have changed before.
    watcher?.ready
      .then(() => this.#request({ all: true }))
      .catch((error) => {
        if (!this.#isClosed) this.#parts.onError(error)
      })
  }
}

function explain(error: unknown): Pick<IndexStatus, 'message' | 'hint'> {
  const message = messageOf(error)
  return { message, ...(error instanceof RouxError && error.hint !== undefined ? { hint: error.hint } : {}) }
}

function toScope({ folders, files }: Dirty): Scope {
  return { all: false, folders: folders.map((path) => ({ path, recursive: true })), files }
}

function join(scopes: readonly Scope[]): Scope {
  const folders = []
  const files = new Set<string>()
  for (const scope of scopes) {
    if (scope.all) return scope
    folders.push(...scope.folders)
    for (const file of scope.files) files.add(file)
  }
  return { all: false, folders, files: [...files] }
}

export class Latch {
  #opening = withResolvers<void>()
  #isOpen = false

  get opened(): Promise<void> {
    return this.#opening.promise
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  open(): void {
    this.#isOpen = true
    this.#opening.resolve()
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#opening = withResolvers()
  }
}
