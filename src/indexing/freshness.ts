/**
 * Counts the changes that the watcher has reported, and how many of them are in the index. Threads share the counters, so the
 * thread that answers calls knows immediately whether the index is outdated.
 */
export class Freshness {
  readonly #counts: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#counts = new Int32Array(memory)
  }

  /** Shared memory from which another thread can create a `Freshness` with the same counters. */
  get memory(): SharedArrayBuffer {
    return this.#counts.buffer as SharedArrayBuffer
  }

  /** True if a reported change is not in the index yet. */
  get isBehind(): boolean {
    return Atomics.load(this.#counts, NOTICED) !== Atomics.load(this.#counts, TAKEN)
  }

  get noticed(): number {
    return Atomics.load(this.#counts, NOTICED)
  }

  notice(): void {
    Atomics.add(this.#counts, NOTICED, 1)
  }

  /** Records that the first `count` changes are in the index. */
  take(count: number): void {
    Atomics.store(this.#counts, TAKEN, count)
  }
}

const NOTICED = 0
const TAKEN = 1
