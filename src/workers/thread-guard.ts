import { setTimeout } from 'node:timers/promises'

const BUSY = 1
const ENDING = 2
/** Polling interval while waiting for a thread to leave native code, in milliseconds. */
const LOOK = 1
/** Maximum time to wait for it, in milliseconds. If it takes longer, it hangs on a disk. */
const PATIENCE = 2_000

/**
 * Keeps a thread from being terminated while it runs native code. Terminating it inside SQLite's binding would crash the whole
 * process. Two threads share the guard through its memory.
 */
export class ThreadGuard {
  /** The shared memory to pass to the other thread. */
  readonly cells: Int32Array<SharedArrayBuffer>

  constructor(cells = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.cells = cells
  }

  /** Runs work that must not be interrupted. Once the thread is being ended, no new work starts. */
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
    }
  }

  /** Called by another thread. Resolves once no work is in progress and none can start, or after two seconds. */
  async end(): Promise<void> {
    const until = performance.now() + PATIENCE
    Atomics.or(this.cells, 0, ENDING)
    while ((Atomics.load(this.cells, 0) & BUSY) !== 0 && performance.now() < until) await setTimeout(LOOK)
  }
}
