export interface RestartRule {
  /** Pause before the first restart, ms; doubled with each further death. */
  readonly firstPause: number
  /** Deaths that are followed by a restart, within the window. */
  readonly limit: number
  /** ms. */
  readonly window: number
}

/** 0.1 to 1.6 s: a worker that dies of its input would die again at once. */
const RESTARTS: RestartRule = { firstPause: 100, limit: 5, window: 60_000 }

/** Counts the deaths of a worker, and says when it may be started again. */
export class Restarts {
  readonly #rule: RestartRule
  #deaths: readonly number[] = []

  constructor(rule: RestartRule = RESTARTS) {
    this.#rule = rule
  }

  died(): void {
    this.#deaths = [...this.#recent(), performance.now()]
  }

  /** How long to wait before the next start, ms; `undefined` while it died too often within the window. */
  get pause(): number | undefined {
    const { firstPause, limit } = this.#rule
    const count = this.#recent().length
    if (count > limit) return undefined
    return count === 0 ? 0 : firstPause * 2 ** (count - 1)
  }

  /** A sentence for errors about a worker that died too often. */
  get givenUp(): string {
    const { limit, window } = this.#rule
    return `It ended ${limit + 1} times within ${window / 1_000} s, and is not started again before that time has passed.`
  }

  #recent(): readonly number[] {
    const since = performance.now() - this.#rule.window
    return this.#deaths.filter((death) => death > since)
  }
}
