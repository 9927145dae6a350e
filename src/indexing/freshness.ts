/**
 * Counts the changes that a watcher told and those of them that are in the index. The counts are shared between threads: a thread that answers
 * sees at once that there is something that the index does not say yet.
 */
export class Freshness {
  readonly #counts: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#counts = new Int32Array(memory)
  }

  /** Shared memory from which another thread creates a `Freshness` with the same counters. */
  get memory(): SharedArrayBuffer {
    return this.#counts.buffer as SharedArrayBuffer
  }

  /** True if a reported change is not in the index yet. */
  get isBehind(): boolean {
    return Atomics.load(this.#counts, NOTICED) !== Atomics.load(this.#counts, TAKEN)
  }

  /** The number of reported changes. */
  get noticed(): number {
    return Atomics.load(this.#counts, NOTICED)
  }

  notice(): void {
    Atomics.add(this.#counts, NOTICED, 1)
  }

  /** The first so many changes are in the index. */
  take(count: number): void {
    Atomics.store(this.#counts, TAKEN, count)
  }
}

const NOTICED = 0
const TAKEN = 1
