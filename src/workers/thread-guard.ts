import { setTimeout } from 'node:timers/promises'
import { type Worker, workerData } from 'node:worker_threads'

const BUSY = 1
const ENDING = 2
const POLL_INTERVAL = 1
/** Milliseconds to wait for a thread, which may be waiting for a disk. */
const EXIT_TIMEOUT = 2_000

/** A guard that prevents termination inside SQLite's binding, which would crash the process. Threads share its memory. */
export class ThreadGuard {
  readonly cells: Int32Array<SharedArrayBuffer>

  constructor(cells = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.cells = cells
  }

  /** Runs `work`. After `end`, no work starts, and the thread waits for its termination. */
  run<T>(work: () => T): T {
    const before = Atomics.or(this.cells, 0, BUSY)
    if (before === BUSY || before === (BUSY | ENDING)) return work()
    if (before === ENDING) {
      Atomics.and(this.cells, 0, ENDING)
      Atomics.wait(this.cells, 0, ENDING)
    }
    try {
      return work()
    } finally {
      Atomics.and(this.cells, 0, ENDING)
      Atomics.notify(this.cells, 0)
    }
  }

  /** Called from another thread. The promise resolves once no work is running, or after two seconds. */
  async end(): Promise<void> {
    const until = performance.now() + EXIT_TIMEOUT
    while (this.#isBusy() && performance.now() < until) await setTimeout(POLL_INTERVAL)
  }

  /** Blocks the calling thread. @returns false if work is still running after two seconds */
  endNow(): boolean {
    return !this.#isBusy() || Atomics.wait(this.cells, 0, BUSY | ENDING, EXIT_TIMEOUT) !== 'timed-out'
  }

  #isBusy(): boolean {
    return (Atomics.or(this.cells, 0, ENDING) & BUSY) !== 0
  }
}

const guards = new Map<Worker, ThreadGuard>()

export function startGuarded(start: (data: GuardData) => Worker): Worker {
  const guard = new ThreadGuard()
  const worker = start({ guard: guard.cells })
  guards.set(worker, guard)
  worker.once('exit', () => guards.delete(worker))
  return worker
}

interface GuardData {
  readonly guard: ThreadGuard['cells']
}

export function ownGuard(): ThreadGuard {
  return new ThreadGuard((workerData as GuardData | null)?.guard)
}

/** Terminates a worker once it is not inside SQLite. */
export async function terminate(worker: Worker): Promise<void> {
  await guards.get(worker)?.end()
  await worker.terminate()
}

/** Waits for workers before the process exits. @returns false if a worker is still inside SQLite after two seconds */
export function leaveNativeCode(): boolean {
  return [...guards.values()].map((guard) => guard.endNow()).every(Boolean)
}
