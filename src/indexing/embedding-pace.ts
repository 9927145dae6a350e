/** How long after a question the next one is expected, ms. */
const EXPECTED_MS = 500
/** Pause between two pieces of work while idle, ms: on two cores a server and its client need both. */
const PAUSE_MS = 4
/** How long is rested after work while someone asks: so many times as long as it took, and no longer than that, ms. */
const REST = 2
const MOST_REST_MS = 16

/** When to embed, and how much at once: callers that ask meanwhile have most of the processor. */
export class EmbeddingPace {
  #askedAt = Number.NEGATIVE_INFINITY
  #workedSince = performance.now()

  /** A question came. */
  asked(): void {
    this.#askedAt = performance.now()
  }

  /** Whether questions come. */
  get isAsked(): boolean {
    return performance.now() - this.#askedAt < EXPECTED_MS
  }

  /** Work begins after a time in which nothing was done. */
  begin(): void {
    this.#workedSince = performance.now()
  }

  /** Leaves the processor to others for a while. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.#workedSince
    const pause = this.isAsked ? Math.min(MOST_REST_MS, REST * worked) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, pause)))
    this.begin()
  }
}
