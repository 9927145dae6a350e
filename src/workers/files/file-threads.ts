import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { RouxError } from '../../core/errors.ts'
import { inTime, withResolvers } from '../../core/waiting.ts'
import type { FromReader, ReadJob, ReadResult, ReadVault, ToReader } from '../messages.ts'

/** A thread that reads files one at a time. */
export interface FileThread {
  post(message: ToReader): void
  /** Called after each file, and once when the thread is ready. */
  onMessage(listener: (message: FromReader) => void): void
  /** Called once, when the thread fails or ends. */
  onEnd(listener: (reason: string) => void): void
  end(): Promise<void>
}

export interface FileReads {
  /**
   * Reads a file.
   * @throws RouxError `TIMEOUT` if the file does not respond
   */
  read(job: ReadJob): Promise<ReadResult>
  /** Rejects all pending reads. */
  close(): void
}

/** A queued read. */
interface Pending {
  readonly id: number
  readonly vault: number
  readonly job: ReadJob
  readonly answer: Promise<ReadResult>
  readonly resolve: (result: ReadResult) => void
  readonly fail: (error: Error) => void
  readonly limit: ReturnType<typeof setTimeout>
  /** True after the timeout, when the caller has already received an error. */
  isLate: boolean
}

interface Thread {
  readonly thread: FileThread
  readonly vaults: Set<number>
  /** The thread's reads, in order. The first one is in progress. */
  readonly queue: Pending[]
  /** Timer for the read in progress. */
  watch: ReturnType<typeof setTimeout> | undefined
  isReady: boolean
  /** True if the read in progress takes so long that the thread must not get more work. */
  isBlocked: boolean
  /** True if other threads have taken over its queued reads. The thread itself would still perform them. */
  isReplaced: boolean
}

/** Maximum time to read a file, in milliseconds. */
export const READ_LIMIT = 5_000
/** How long a file may block a thread, in milliseconds, before other threads take over its queue. */
export const BLOCKED_AFTER = 250
/**
 * Maximum number of threads that the files of one vault may block. A read that hangs in the kernel cannot be cancelled, so
 * blocked threads must not pile up.
 */
export const MAX_BLOCKED = 3
/** How long `close` waits for a blocked thread, in milliseconds. */
const LAST_WAIT = 300

/**
 * Reads files in separate threads, because a file on a network drive or in the cloud can block its thread for minutes. As long as
 * files respond, one thread reads them all. If a file blocks it, another thread takes over the rest of its queue. Once a file has
 * timed out, further reads of it fail immediately until it responds.
 */
export class FileThreads {
  readonly #start: () => FileThread
  readonly #at = new Map<number, ReadVault>()
  readonly #pending = new Map<number, Pending>()
  readonly #threads = new Set<Thread>()
  /** Reads that wait until their vault's files block fewer than `MAX_BLOCKED` threads. */
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

  /** Starts a thread before the first read. */
  boot(): void {
    if (this.#threads.size === 0 && !this.#isClosed) this.#startThread()
  }

  /** Ends idle threads. Each takes about 10 MB. The next read starts a new one. */
  rest(): void {
    for (const thread of this.#threads) if (thread.queue.length === 0) void this.#end(thread)
  }

  /** Ends all threads. Waits at most `LAST_WAIT` for blocked ones. */
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
    // Callers share a pending read of the same file, but not its result afterwards, because the file may have changed.
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
    // Prevents an unhandled rejection. The caller still gets the error.
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
    // On a busy machine, starting a thread can take seconds. Do not blame the file.
    if (thread?.isReady === false) {
      pending.limit.refresh()
      return
    }
    pending.isLate = true
    pending.fail(timeoutOf(pending.job))
    // Remove a read that has not started. Keep one that has, or its file could block a second thread.
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
   * Returns the thread that this file already blocks, if any, or else a thread that is free or busy but not blocked. Returns
   * `undefined` if the vault's files already block `MAX_BLOCKED` threads.
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
    // While files respond, one thread is enough. A thread whose queue was taken over would read files twice.
    const isNeeded = !thread.isReplaced && this.#threads.size - this.#blocked.length === 1
    if (!isNeeded) void this.#end(thread)
    const unanswered = isNeeded ? this.#waiting : [...thread.queue, ...this.#waiting]
    this.#waiting = []
    for (const pending of unanswered) if (this.#pending.has(pending.id)) this.#give(pending)
  }

  async #end(thread: Thread): Promise<void> {
    clearTimeout(thread.watch)
    if (!this.#threads.delete(thread)) return
    // The file in progress may never respond.
    if (thread.queue.length > 0 || thread.isReplaced) blockedThreads.add(thread.thread)
    const ending = thread.thread.end().then(() => blockedThreads.delete(thread.thread))
    await inTime(ending, LAST_WAIT)
  }

  /** Starts the timeout of the read in progress. The time for starting the thread does not count. */
  #watch(thread: Thread): void {
    const [first] = thread.queue
    if (!thread.isReady) return
    if (first === undefined) {
      // Clear and unset the timer, because `refresh` would not restart a cleared one.
      clearTimeout(thread.watch)
      thread.watch = undefined
    } else if (thread.watch === undefined) thread.watch = setTimeout(() => this.#suspect(thread), BLOCKED_AFTER)
    else thread.watch.refresh()
  }

  /** Checks again after pending events, because the result may have arrived while this thread was busy. */
  #suspect(thread: Thread): void {
    const [first] = thread.queue
    setImmediate(() => {
      if (first !== undefined && thread.queue[0] === first && this.#threads.has(thread)) this.#leave(thread)
    })
  }

  /** Hands the queue of a blocked thread to other threads. */
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
    // Do not retry the current file, which may have caused the crash.
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
    for (const pending of [...this.#pending.values()].filter((candidate) => candidate.vault === vault)) {
      this.#drop(pending)
      pending.fail(new Error('The vault is closed.'))
    }
  }
}

const blockedThreads = new Set<FileThread>()

/** Checks whether a file is blocking one of this process's threads. Node waits for such a thread at exit, possibly forever. */
export function isBlockedByFile(): boolean {
  return blockedThreads.size > 0
}

/** Wraps a worker as a thread that reads files. Only pending reads keep the process alive. */
export function fileThread(worker: Worker): FileThread {
  let unsent: ToReader[] = []
  const send = (): void => {
    worker.postMessage(unsent)
    unsent = []
  }
  return {
    // Batch messages, because an answer needs many files and a message costs as much as reading a small file.
    post: (message) => {
      if (unsent.push(message) === 1) queueMicrotask(send)
    },
    onMessage: (listener) => {
      worker.on('message', listener)
      // Without this, the listener would keep the process alive.
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
