import type { VectorHit } from './vector-index.ts'

/**
 * The best hits offered, by score, then label: a heap with the worst on top, so an offer costs log(limit). Labels and
 * scores are in arrays, because an object per hit is a tenth of a search's garbage.
 */
export class BestLabels {
  /** How many are kept. */
  readonly limit: number
  readonly #labels: Uint32Array
  readonly #scores: Float64Array
  #size = 0

  /** `limit` is at least 1. */
  constructor(limit: number) {
    this.limit = limit
    this.#labels = new Uint32Array(limit)
    this.#scores = new Float64Array(limit)
  }

  get isFull(): boolean {
    return this.#size === this.limit
  }

  /** A later label needs a score above this to get in: −∞ until as many as wanted are there. */
  get threshold(): number {
    return this.#size < this.limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number)
  }

  /** Keeps the hit if it is among the best so far; labels are whole numbers below 2³². */
  offer(label: number, score: number): void {
    if (this.#size < this.limit) this.#rise(label, score)
    else if (this.#isWorse(0, label, score)) this.#sink(label, score)
  }

  /** Best first. */
  sorted(): VectorHit[] {
    return Array.from(this.#labels.subarray(0, this.#size), (label, at) => ({ label, score: this.#scores[at] as number })).sort(
      compareHits,
    )
  }

  /** Whether the entry there ranks after this hit. */
  #isWorse(at: number, label: number, score: number): boolean {
    const own = this.#scores[at] as number
    return own === score ? (this.#labels[at] as number) > label : own < score
  }

  #put(at: number, label: number, score: number): void {
    this.#labels[at] = label
    this.#scores[at] = score
  }

  #copy(from: number, to: number): void {
    this.#put(to, this.#labels[from] as number, this.#scores[from] as number)
  }

  #rise(label: number, score: number): void {
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#isWorse(parent, label, score)) break
      this.#copy(parent, at)
      at = parent
    }
    this.#put(at, label, score)
  }

  #sink(label: number, score: number): void {
    let at = 0
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      const right = child + 1
      if (right < this.#size && this.#isWorse(right, this.#labels[child] as number, this.#scores[child] as number)) child = right
      if (!this.#isWorse(child, label, score)) break
      this.#copy(child, at)
      at = child
    }
    this.#put(at, label, score)
  }
}

/** The order of hits: higher scores first, then lower labels. */
export function compareHits(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.label - b.label
}
