/** How many begin in one turn of the event loop: each takes about a millisecond, and looking for other work a twentieth of that. */
const AT_ONCE = 2

/**
 * Lets calls begin in the order of their arrival, a few in each turn of the event loop. Otherwise all that arrived together are answered
 * before anything else is looked at: the answer of another thread, which a change waits for more than once, would lie there behind each
 * time as many calls as there are clients.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #isRunning = false

  /** Resolves when it is the caller's turn. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#isRunning) return
      this.#isRunning = true
      setImmediate(() => this.#give())
    })
  }

  #give(): void {
    for (const begin of this.#waiting.splice(0, AT_ONCE)) begin()
    this.#isRunning = this.#waiting.length > 0
    if (this.#isRunning) setImmediate(() => this.#give())
  }
}
