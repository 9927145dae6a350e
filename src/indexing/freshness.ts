/** Counters of the changes that the watcher has reported and of those in the index, in memory that threads share. */
export class Freshness {
  readonly #counts: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#counts = new Int32Array(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#counts.buffer as SharedArrayBuffer
  }

  /** Returns true if a reported change is not in the index yet. */
  get isBehind(): boolean {
    return Atomics.load(this.#counts, NOTICED) !== Atomics.load(this.#counts, TAKEN)
  }

  get noticed(): number {
    return Atomics.load(this.#counts, NOTICED)
  }

  notice(): void {
    Atomics.add(this.#counts, NOTICED, 1)
  }

  /** Marks the first `count` changes as indexed. */
  take(count: number): void {
    Atomics.store(this.#counts, TAKEN, count)
  }
}

const NOTICED = 0
const TAKEN = 1
