/** A name that may be meant, and whose it is. */
export interface SimilarName {
  readonly key: number
  readonly name: string
  /** 0–1. */
  readonly score: number
}

/** The best of the names offered so far, best first, then by id; a key once, under its best name. */
export class BestNames {
  readonly #limit: number
  readonly #idOf: (key: number) => string
  readonly #names: SimilarName[] = []

  constructor(limit: number, idOf: (key: number) => string) {
    this.#limit = limit
    this.#idOf = idOf
  }

  /** The similarity a name needs; `minimum` while there is room. */
  least(minimum: number): number {
    const last = this.#names.length < this.#limit ? undefined : this.#names[this.#limit - 1]
    return last === undefined ? minimum : last.score
  }

  offer(name: SimilarName): void {
    if (name.score < this.least(0)) return
    const known = this.#names.findIndex(({ key }) => key === name.key)
    const other = this.#names[known]
    if (other !== undefined) {
      if (other.score > name.score || (other.score === name.score && other.name <= name.name)) return
      this.#names.splice(known, 1)
    }
    let low = 0
    let high = this.#names.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#comesBefore(this.#names[middle] as SimilarName, name)) low = middle + 1
      else high = middle
    }
    this.#names.splice(low, 0, name)
    if (this.#names.length > this.#limit) this.#names.pop()
  }

  #comesBefore(a: SimilarName, b: SimilarName): boolean {
    return a.score > b.score || (a.score === b.score && this.#idOf(a.key) < this.#idOf(b.key))
  }

  list(): readonly SimilarName[] {
    return this.#names
  }
}
