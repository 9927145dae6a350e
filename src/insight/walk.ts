import type { Adjacency } from '../core/csr.ts'

/** Probability that a walk ends at each step. */
const STOP_PROBABILITY = 0.15
/** Drops smaller residuals to limit the work per note. */
const MIN_VISITS = 1e-4

/** Personalized PageRank by residual pushing (Andersen, Chung, Lang 2006). */
export class Walker {
  readonly #links: Adjacency
  readonly #visits: Float64Array
  readonly #residuals: Float64Array
  readonly #touchedNodes: number[] = []

  constructor(links: Adjacency) {
    this.#links = links
    this.#visits = new Float64Array(links.offsets.length - 1)
    this.#residuals = new Float64Array(links.offsets.length - 1)
  }

  /** The result is valid until the next call. */
  from(start: number): readonly number[] {
    const { offsets, targets } = this.#links
    for (const node of this.#touchedNodes) {
      this.#visits[node] = 0
      this.#residuals[node] = 0
    }
    this.#touchedNodes.length = 0
    this.#touchedNodes.push(start)
    this.#residuals[start] = 1
    const queue = [start]
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head] as number
      const rest = this.#residuals[node] as number
      this.#residuals[node] = 0
      this.#visits[node] = (this.#visits[node] as number) + STOP_PROBABILITY * rest
      const from = offsets[node] as number
      const to = offsets[node + 1] as number
      const share = ((1 - STOP_PROBABILITY) * rest) / (to - from)
      for (let at = from; at < to; at++) this.#give(targets[at] as number, share, queue)
    }
    return this.#touchedNodes
  }

  #give(node: number, share: number, queue: number[]): void {
    const { offsets } = this.#links
    const before = this.#residuals[node] as number
    if (before === 0 && this.#visits[node] === 0) this.#touchedNodes.push(node)
    const after = before + share
    this.#residuals[node] = after
    const minResidual = MIN_VISITS * ((offsets[node + 1] as number) - (offsets[node] as number))
    if (before < minResidual && after >= minResidual) queue.push(node)
  }

  visits(node: number): number {
    return (this.#visits[node] as number) + STOP_PROBABILITY * (this.#residuals[node] as number)
  }
}
