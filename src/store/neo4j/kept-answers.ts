/** Names that are kept at once: of folders there may be many. */
const MOST = 50

/**
 * Answers about a whole vault that many use cases need and that scan all of it. They are valid while the vault's state
 * is the same, which each use case confirms as with any answer.
 */
export class KeptAnswers {
  #state = ''
  readonly #answers = new Map<string, unknown>()

  /** The answer of this name in a state of the vault; asked for where it is not known. */
  async of<T>(state: string, name: string, ask: () => Promise<T>): Promise<T> {
    if (this.#state === state && this.#answers.has(name)) return this.#answers.get(name) as T
    const answer = await ask()
    if (this.#state !== state) {
      this.#answers.clear()
      this.#state = state
    }
    const [oldest] = this.#answers.keys()
    if (this.#answers.size >= MOST && oldest !== undefined) this.#answers.delete(oldest)
    this.#answers.set(name, answer)
    return answer
  }
}
