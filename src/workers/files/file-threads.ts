import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { RouxError } from '../../core/errors.ts'
import { inTime, withResolvers } from '../../core/waiting.ts'
import type { FromReader, ReadJob, ReadResult, ReadVault, ToReader } from '../messages.ts'

export interface FileThread {
  post(message: ToReader): void
  /** Adds a listener that is called when the thread is ready, and after each file. */
  onMessage(listener: (message: FromReader) => void): void
  onEnd(listener: (reason: string) => void): void
  end(): Promise<void>
}

export interface FileReads {
  /** Reads a file. @throws RouxError `TIMEOUT` if it does not respond */
  read(job: ReadJob): Promise<ReadResult>
  close(): void
}

interface Pending {
  readonly id: number
  readonly vault: number
  readonly job: ReadJob
  readonly answer: Promise<ReadResult>
  readonly resolve: (result: ReadResult) => void
  readonly fail: (error: Error) => void
  readonly limit: ReturnType<typeof setTimeout>
  /** True if the caller has already received a timeout. */
  isLate: boolean
}

interface Thread {
  readonly thread: FileThread
  readonly vaults: Set<number>
  readonly queue: Pending[]
  watch: ReturnType<typeof setTimeout> | undefined
  isReady: boolean
  /** True if the current read takes too long for the thread to get more work. */
  isBlocked: boolean
  /** True if other threads have taken over the queue. */
  isReplaced: boolean
}

/** Maximum time to read a file, in milliseconds. */
export const READ_LIMIT = 5_000
/** The time in milliseconds that a file may block a thread before others take over its queue. */
export const BLOCKED_AFTER = 250
/** The maximum number of blocked threads per vault. Reads that hang in the kernel cannot be cancelled. */
export const MAX_BLOCKED = 3
/** The time in milliseconds that `close` waits for a blocked thread. */
const LAST_WAIT = 300

/**
 * A pool of threads for reading files, because network and cloud drives can block for minutes. One thread is enough until a file
 * blocks it; another thread then takes over its queue. After a timeout, further reads of the file fail immediately until it
 * responds.
 */
export class FileThreads {
  readonly #start: () => FileThread
  readonly #at = new Map<number, ReadVault>()
  readonly #pending = new Map<number, Pending>()
  readonly #threads = new Set<Thread>()
  #waiting: readonly Pending[] = []
  #nextId = 1
  #isClosed = false

  constructor(start: () => FileThread) {
    this.#start = start
  }

  open(at: ReadVault): FileReads {
    const vault = this.#nextId++
    if (!this.#isClosed) this.#at.set(vault, at)
    return { read: (job) => this.#read(vault, job), close: () => this.#forget(vault) }
  }

  boot(): void {
    if (this.#threads.size === 0 && !this.#isClosed) this.#startThread()
  }

  /** Ends idle threads. A thread takes about 10 MB. The next read starts a new one. */
  releaseMemory(): void {
    for (const thread of this.#threads) if (thread.queue.length === 0) void this.#end(thread)
  }

  /** Ends all threads. Blocked ones get at most `LAST_WAIT`. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const vault of [...this.#at.keys()]) this.#forget(vault)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  #read(vault: number, job: ReadJob): Promise<ReadResult> {
    if (!this.#at.has(vault)) return Promise.reject(new Error('The vault is closed.'))
    const jobsInProgress = this.#blocked.map(({ queue: [first] }) => first).filter((first) => first?.vault === vault)
    const sameFile = jobsInProgress.find((first) => first?.job.path === job.path)
    const late = jobsInProgress.filter((first) => first?.isLate)
    if (sameFile?.isLate || late.length >= MAX_BLOCKED) return Promise.reject(timeoutOf(job))
    // Callers share a pending read, but not a finished one, because the file may have changed.
    if (sameFile !== undefined && isDeepStrictEqual(sameFile.job, job)) return sameFile.answer
    const pending = this.#newPending(vault, job)
    this.#give(pending)
    return pending.answer
  }

  get #blocked(): readonly Thread[] {
    return [...this.#threads].filter(({ isBlocked }) => isBlocked)
  }

  #newPending(vault: number, job: ReadJob): Pending {
    const { promise: answer, resolve, reject } = withResolvers<ReadResult>()
    // This handler prevents an unhandled rejection.
    answer.catch(() => {})
    const id = this.#nextId++
    const limit = setTimeout(() => this.#giveUp(id), READ_LIMIT)
    const pending = { id, vault, job, answer, resolve, fail: reject, limit, isLate: false }
    this.#pending.set(id, pending)
    return pending
  }

  #giveUp(id: number): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const thread = [...this.#threads].find(({ queue }) => queue.includes(pending))
    // A thread that is not ready may take seconds to start on a busy machine.
    if (thread?.isReady === false) {
      pending.limit.refresh()
      return
    }
    pending.isLate = true
    pending.fail(timeoutOf(pending.job))
    // A started read stays in the queue, so its file cannot block another thread.
    if (thread?.queue[0] !== pending) this.#drop(pending)
  }

  #drop(pending: Pending): void {
    clearTimeout(pending.limit)
    this.#pending.delete(pending.id)
    if (this.#waiting.includes(pending)) this.#waiting = this.#waiting.filter((job) => job !== pending)
  }

  #give(pending: Pending): void {
    const thread = this.#threadFor(pending)
    if (thread === undefined) {
      this.#waiting = [...this.#waiting, pending]
      return
    }
    const { vault, id, job } = pending
    const at = this.#at.get(vault)
    if (at !== undefined && !thread.vaults.has(vault)) thread.thread.post({ type: 'vault', vault, at })
    thread.vaults.add(vault)
    thread.thread.post({ type: 'read', id, vault, job })
    thread.queue.push(pending)
    if (thread.queue.length === 1) this.#watch(thread)
  }

  /**
   * Chooses a thread, preferably the one that this file blocks already.
   * @returns `undefined` if the vault has `MAX_BLOCKED` blocked threads
   */
  #threadFor({ vault, job: { path } }: Pending): Thread | undefined {
    const threads = this.#blocked.filter(({ queue: [first] }) => first?.vault === vault)
    const sameFile = threads.find(({ queue: [first] }) => first?.job.path === path)
    if (sameFile !== undefined) return sameFile
    if (threads.length >= MAX_BLOCKED) return undefined
    return [...this.#threads].find(({ isBlocked }) => !isBlocked) ?? this.#startThread()
  }

  #startThread(): Thread {
    const thread: Thread = {
      thread: this.#start(),
      vaults: new Set(),
      queue: [],
      watch: undefined,
      isReady: false,
      isBlocked: false,
      isReplaced: false,
    }
    this.#threads.add(thread)
    thread.thread.onMessage((message) => this.#receive(thread, message))
    thread.thread.onEnd((reason) => this.#lose(thread, reason))
    return thread
  }

  #receive(thread: Thread, message: FromReader): void {
    if (message.type === 'up') {
      thread.isReady = true
      this.#watch(thread)
      return
    }
    const pending = this.#pending.get(message.id)
    if (pending !== undefined) {
      this.#drop(pending)
      pending.resolve(message.result)
    }
    if (thread.queue[0]?.id !== message.id) return
    thread.queue.shift()
    this.#watch(thread)
    if (thread.isBlocked) this.#release(thread)
  }

  #release(thread: Thread): void {
    thread.isBlocked = false
    blockedThreads.delete(thread.thread)
    // One thread is enough, and a replaced thread would read files twice.
    const isNeeded = !thread.isReplaced && this.#threads.size - this.#blocked.length === 1
    if (!isNeeded) void this.#end(thread)
    const unanswered = isNeeded ? this.#waiting : [...thread.queue, ...this.#waiting]
    this.#waiting = []
    for (const pending of unanswered) if (this.#pending.has(pending.id)) this.#give(pending)
  }

  async #end(thread: Thread): Promise<void> {
    clearTimeout(thread.watch)
    if (!this.#threads.delete(thread)) return
    // The thread is counted as blocked, because the current file may never respond.
    if (thread.queue.length > 0 || thread.isReplaced) blockedThreads.add(thread.thread)
    const ending = thread.thread.end().then(() => blockedThreads.delete(thread.thread))
    await inTime(ending, LAST_WAIT)
  }

  /** Starts the timer of a read, which does not include the thread's startup time. */
  #watch(thread: Thread): void {
    const [first] = thread.queue
    if (!thread.isReady) return
    if (first === undefined) {
      // A new timer will be needed, because `refresh` would not restart a cleared one.
      clearTimeout(thread.watch)
      thread.watch = undefined
    } else if (thread.watch === undefined) thread.watch = setTimeout(() => this.#suspect(thread), BLOCKED_AFTER)
    else thread.watch.refresh()
  }

  /** Processes pending events first, because they may contain the result. */
  #suspect(thread: Thread): void {
    const [first] = thread.queue
    setImmediate(() => {
      if (first !== undefined && thread.queue[0] === first && this.#threads.has(thread)) this.#leave(thread)
    })
  }

  #leave(thread: Thread): void {
    thread.isBlocked = true
    blockedThreads.add(thread.thread)
    const [first, ...waitingBehind] = thread.queue
    const others = waitingBehind.filter(({ vault, job }) => vault !== first?.vault || job.path !== first.job.path)
    thread.queue.splice(1, waitingBehind.length, ...waitingBehind.filter((pending) => !others.includes(pending)))
    thread.isReplaced ||= others.length > 0
    for (const pending of others) if (this.#pending.has(pending.id)) this.#give(pending)
  }

  #lose(thread: Thread, reason: string): void {
    clearTimeout(thread.watch)
    blockedThreads.delete(thread.thread)
    if (!this.#threads.delete(thread)) return
    // The first read may have caused the crash.
    const [first, ...others] = thread.queue
    if (first !== undefined) {
      this.#drop(first)
      first.fail(new Error(`${first.job.path} could not be read: ${reason}`))
    }
    const unanswered = [...others, ...this.#waiting]
    this.#waiting = []
    for (const pending of unanswered) if (this.#pending.has(pending.id)) this.#give(pending)
  }

  #forget(vault: number): void {
    this.#at.delete(vault)
    for (const { vaults, thread } of this.#threads) if (vaults.delete(vault)) thread.post({ type: 'forget', vault })
    for (const pending of [...this.#pending.values()].filter((candidate) => candidate.vault === vault)) {
      this.#drop(pending)
      pending.fail(new Error('The vault is closed.'))
    }
  }
}

const blockedThreads = new Set<FileThread>()

/** Returns true if a thread is blocked. Node waits for such threads at exit, possibly forever. */
export function isBlockedByFile(): boolean {
  return blockedThreads.size > 0
}

export function fileThread(worker: Worker): FileThread {
  let unsent: ToReader[] = []
  const send = (): void => {
    worker.postMessage(unsent)
    unsent = []
  }
  return {
    // Messages are collected, because sending one costs as much as reading a small file.
    post: (message) => {
      if (unsent.push(message) === 1) queueMicrotask(send)
    },
    onMessage: (listener) => {
      worker.on('message', listener)
      // The worker is unreferenced again, because the listener would keep the process alive.
      worker.unref()
    },
    onEnd: (listener) => {
      worker.on('error', (error) => listener(String(error)))
      worker.on('exit', () => listener('the thread ended'))
    },
    end: async () => {
      await worker.terminate()
    },
  }
}

function timeoutOf({ path }: ReadJob): RouxError {
  return new RouxError('TIMEOUT', `"${path}" cannot be read now: no response for ${READ_LIMIT / 1000} s.`, {
    hint: 'It may still be loading from a network drive or cloud storage. Open it there, and call again later.',
    isTransient: true,
  })
}
