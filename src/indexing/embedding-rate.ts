/** How fast notes were embedded lately. */
export class EmbeddingRate {
  #notes = 0
  #ms = 0

  add(notes: number, ms: number): void {
    // Older batches count half: a loading model says nothing about its later speed.
    this.#notes = this.#notes / 2 + notes
    this.#ms = this.#ms / 2 + ms
  }

  /** Milliseconds for so many notes; `undefined` before anything was measured. */
  remaining(notes: number): number | undefined {
    return this.#notes === 0 ? undefined : Math.round((notes * this.#ms) / this.#notes)
  }
}
