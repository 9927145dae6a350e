import { setTimeout } from 'node:timers/promises'

const BUSY = 1
const ENDING = 2
/** How often it is looked whether a thread has left its native code, ms. */
const LOOK = 1
/** How long that is waited for: what holds it longer hangs on a disk, ms. */
const PATIENCE = 2_000

/**
 * Keeps a thread from being ended while native code runs in it: SQLite's binding, ended in the middle of a call, takes the whole process along. Two
 * threads share it through its memory.
 */
export class ThreadGuard {
  /** The part handed to the other thread. */
  readonly cells: Int32Array<SharedArrayBuffer>

  constructor(cells = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.cells = cells
  }

  /** Does what must not be interrupted. Once the thread is being ended nothing is begun: it waits for its end. */
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

  /** Asked by another thread: resolves when nothing is being done any more, and nothing begins; after two seconds at the latest. */
  async end(): Promise<void> {
    const until = performance.now() + PATIENCE
    Atomics.or(this.cells, 0, ENDING)
    while ((Atomics.load(this.cells, 0) & BUSY) !== 0 && performance.now() < until) await setTimeout(LOOK)
  }
}
