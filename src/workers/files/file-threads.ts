import { isDeepStrictEqual } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { RouxError } from '../../core/errors.ts'
import { inTime } from '../../core/waiting/aborting.ts'
import type { FromReader, ReadJob, ReadResult, ReadVault, ToReader } from '../messages.ts'

/** A thread that reads one file after another. */
export interface FileThread {
  post(message: ToReader): void
  /** Called after each file, and once when the thread is up. */
  onMessage(listener: (message: FromReader) => void): void
  /** Called once when the thread fails or ends. */
  onEnd(listener: (reason: string) => void): void
  end(): Promise<void>
}

/** Reads files of one vault. */
export interface FileReads {
  /** @throws RouxError `TIMEOUT` when the file does not respond. */
  read(job: ReadJob): Promise<ReadResult>
  /** Rejects all waiting reads. */
  close(): void
}

/** A file that is to be read. */
interface Pending {
  readonly id: number
  readonly vault: number
  readonly job: ReadJob
  readonly answer: Promise<ReadResult>
  readonly resolve: (result: ReadResult) => void
  readonly fail: (error: Error) => void
  readonly limit: ReturnType<typeof setTimeout>
  /** It took too long and its caller has been answered. */
  isLate: boolean
}

interface Thread {
  readonly thread: FileThread
  /** Vaults that it knows. */
  readonly vaults: Set<number>
  /** Jobs in order; the first one is being read. */
  readonly given: Pending[]
  /** Runs while the first one is read. */
  watch: ReturnType<typeof setTimeout> | undefined
  isUp: boolean
  /** The first one takes so long that nothing else is given to it. */
  isHeld: boolean
  /** Its queued reads were reassigned; the thread does not know that. */
  isSpent: boolean
}

/** How long a file may take, ms. */
export const READ_LIMIT = 5_000
/** How long a thread may take for one file before others take over what waits behind it, ms. */
export const HELD_AFTER = 250
/** Threads that files of one vault may hold at a time: what waits in the kernel cannot be called back, and must not pile up. */
export const MOST_HELD = 3
/** How long the end waits for a file that holds a thread, ms. */
const LAST_WAIT = 300

/**
 * Reads files in threads of their own: a file on a network drive or in a cloud may block its thread for minutes. One
 * thread reads everything while files answer. When a file blocks it, the next thread takes over the other files. A
 * caller that asks for a file that timed out gets an error at once until the file answers.
 */
export class FileThreads {
  readonly #start: () => FileThread
  readonly #at = new Map<number, ReadVault>()
  readonly #pending = new Map<number, Pending>()
  readonly #threads = new Set<Thread>()
  /** Reads waiting for a free thread because files of their vault block too many. */
  #waiting: readonly Pending[] = []
  #nextId = 1
  #isClosed = false

  constructor(start: () => FileThread) {
    this.#start = start
  }

  /** A way to read files of one more vault. */
  open(at: ReadVault): FileReads {
    const vault = this.#nextId++
    if (!this.#isClosed) this.#at.set(vault, at)
    return { read: (job) => this.#read(vault, job), close: () => this.#forget(vault) }
  }

  /** Starts a thread before there is anything to read. */
  boot(): void {
    if (this.#threads.size === 0 && !this.#isClosed) this.#startThread()
  }

  /** Ends threads that read nothing: each takes some 10 MB, and the next file starts one again. */
  rest(): void {
    for (const thread of this.#threads) if (thread.given.length === 0) void this.#end(thread)
  }

  /** Ends the threads. One that a file holds ends when that answers, and is not waited for any longer than `LAST_WAIT`. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const vault of [...this.#at.keys()]) this.#forget(vault)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  #read(vault: number, job: ReadJob): Promise<ReadResult> {
    if (!this.#at.has(vault)) return Promise.reject(new Error('The vault is closed.'))
    const held = this.#held.map(({ given: [first] }) => first).filter((first) => first?.vault === vault)
    const same = held.find((first) => first?.job.path === job.path)
    const late = held.filter((first) => first?.isLate)
    if (same?.isLate || late.length >= MOST_HELD) return Promise.reject(timeoutOf(job))
    // A file that answers is read again: it may have changed since.
    if (same !== undefined && isDeepStrictEqual(same.job, job)) return same.answer
    const pending = this.#newPending(vault, job)
    this.#give(pending)
    return pending.answer
  }

  get #held(): readonly Thread[] {
    return [...this.#threads].filter(({ isHeld }) => isHeld)
  }

  #newPending(vault: number, job: ReadJob): Pending {
    const { promise: answer, resolve, reject } = withResolvers<ReadResult>()
    // The caller gets the error; nobody listening is not a program failure.
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
    pending.isLate = true
    pending.fail(timeoutOf(pending.job))
    // A read that no thread has begun is dropped. One in progress stays listed to keep the file from blocking a second
    // thread.
    if (![...this.#threads].some(({ given: [first] }) => first === pending)) this.#drop(pending)
  }

  #drop(pending: Pending): void {
    clearTimeout(pending.limit)
    this.#pending.delete(pending.id)
    if (this.#waiting.includes(pending)) this.#waiting = this.#waiting.filter((one) => one !== pending)
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
    thread.given.push(pending)
    if (thread.given.length === 1) this.#watch(thread)
  }

  /** One that no file holds, unless it is the very file. */
  #threadFor({ vault, job: { path } }: Pending): Thread | undefined {
    const held = this.#held.filter(({ given: [first] }) => first?.vault === vault)
    const same = held.find(({ given: [first] }) => first?.job.path === path)
    if (same !== undefined) return same
    if (held.length >= MOST_HELD) return undefined
    return [...this.#threads].find(({ isHeld }) => !isHeld) ?? this.#startThread()
  }

  #startThread(): Thread {
    const thread: Thread = {
      thread: this.#start(),
      vaults: new Set(),
      given: [],
      watch: undefined,
      isUp: false,
      isHeld: false,
      isSpent: false,
    }
    this.#threads.add(thread)
    thread.thread.onMessage((message) => this.#receive(thread, message))
    thread.thread.onEnd((reason) => this.#lose(thread, reason))
    return thread
  }

  #receive(thread: Thread, message: FromReader): void {
    if (message.type === 'up') {
      thread.isUp = true
      this.#watch(thread)
      return
    }
    const pending = this.#pending.get(message.id)
    if (pending !== undefined) {
      this.#drop(pending)
      pending.resolve(message.result)
    }
    if (thread.given[0]?.id !== message.id) return
    thread.given.shift()
    this.#watch(thread)
    if (thread.isHeld) this.#release(thread)
  }

  /** The file that held the thread has answered. */
  #release(thread: Thread): void {
    thread.isHeld = false
    heldThreads.delete(thread.thread)
    // One thread is enough for files that answer, and one that was left would read once more what others have read meanwhile.
    const isNeeded = !thread.isSpent && this.#threads.size - this.#held.length === 1
    if (!isNeeded) void this.#end(thread)
    const again = isNeeded ? this.#waiting : [...thread.given, ...this.#waiting]
    this.#waiting = []
    for (const one of again) if (this.#pending.has(one.id)) this.#give(one)
  }

  async #end(thread: Thread): Promise<void> {
    clearTimeout(thread.watch)
    if (!this.#threads.delete(thread)) return
    // The current file may never answer.
    if (thread.given.length > 0 || thread.isSpent) heldThreads.add(thread.thread)
    const ended = thread.thread.end().then(() => heldThreads.delete(thread.thread))
    await inTime(ended, LAST_WAIT)
  }

  /** Looks after the file that the thread is at; its start does not count. */
  #watch(thread: Thread): void {
    const [first] = thread.given
    if (!thread.isUp) return
    if (first === undefined) {
      // One that was stopped does not start again by `refresh`.
      clearTimeout(thread.watch)
      thread.watch = undefined
    } else if (thread.watch === undefined) thread.watch = setTimeout(() => this.#suspect(thread), HELD_AFTER)
    else thread.watch.refresh()
  }

  /** Perhaps it is this thread that was busy, and the answer has arrived. */
  #suspect(thread: Thread): void {
    const [first] = thread.given
    setImmediate(() => {
      if (first !== undefined && thread.given[0] === first && this.#threads.has(thread)) this.#leave(thread)
    })
  }

  /** Others take over what waits behind the file that holds the thread. */
  #leave(thread: Thread): void {
    thread.isHeld = true
    heldThreads.add(thread.thread)
    const [first, ...behind] = thread.given
    const others = behind.filter(({ vault, job }) => vault !== first?.vault || job.path !== first.job.path)
    thread.given.splice(1, behind.length, ...behind.filter((one) => !others.includes(one)))
    thread.isSpent ||= others.length > 0
    for (const one of others) if (this.#pending.has(one.id)) this.#give(one)
  }

  #lose(thread: Thread, reason: string): void {
    clearTimeout(thread.watch)
    heldThreads.delete(thread.thread)
    if (!this.#threads.delete(thread)) return
    // The current file may have ended the thread.
    const [first, ...others] = thread.given
    if (first !== undefined) {
      this.#drop(first)
      first.fail(new Error(`${first.job.path} could not be read: ${reason}`))
    }
    const again = [...others, ...this.#waiting]
    this.#waiting = []
    for (const one of again) if (this.#pending.has(one.id)) this.#give(one)
  }

  #forget(vault: number): void {
    this.#at.delete(vault)
    for (const pending of [...this.#pending.values()].filter((one) => one.vault === vault)) {
      this.#drop(pending)
      pending.fail(new Error('The vault is closed.'))
    }
  }
}

const heldThreads = new Set<FileThread>()

/** True while an unanswered file blocks a thread of this process. Node waits for that thread at exit, perhaps forever. */
export function isHeldByFile(): boolean {
  return heldThreads.size > 0
}

/** A worker as a thread that reads files; what waits for it keeps the process alive, it does not. */
export function fileThread(worker: Worker): FileThread {
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      worker.on('message', listener)
      // A listener holds the process.
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

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}
