import type { VectorHit } from './vector-index.ts'

/** The best so many of the hits it is offered, by score, then label: a heap with the worst on top, so an offer costs log(limit). */
export class BestLabels {
  readonly #limit: number
  readonly #heap: VectorHit[] = []

  /** `limit` is at least 1. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** A later label needs a score above this to get in: −∞ until as many as wanted are there. */
  get threshold(): number {
    return this.#heap.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#heap[0] as VectorHit).score
  }

  /** Keeps the hit if it is among the best so far. */
  offer(label: number, score: number): void {
    const hit = { label, score }
    if (this.#heap.length < this.#limit) this.#rise(hit)
    else if (compareHits(hit, this.#heap[0] as VectorHit) < 0) this.#sink(hit)
  }

  /** Best first. */
  sorted(): VectorHit[] {
    return this.#heap.toSorted(compareHits)
  }

  #rise(hit: VectorHit): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (compareHits(heap[parent] as VectorHit, hit) >= 0) break
      heap[at] = heap[parent] as VectorHit
      at = parent
    }
    heap[at] = hit
  }

  #sink(hit: VectorHit): void {
    const heap = this.#heap
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = child + 1
      if (right < heap.length && compareHits(heap[right] as VectorHit, heap[child] as VectorHit) > 0) child = right
      if (compareHits(heap[child] as VectorHit, hit) <= 0) break
      heap[at] = heap[child] as VectorHit
      at = child
    }
    heap[at] = hit
  }
}

/** The order of hits: higher scores first, then lower labels. */
export function compareHits(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.label - b.label
}
