import type { BestLabels } from './best-labels.ts'
import type { CoarseVector } from './coarse-vector.ts'
import { BLOCK, createKernel, type Kernel, QUERY_PEAK, strideOf } from './kernel.ts'
import type { AcceptLabel } from './vector-index.ts'

/** Vectors as int8 with a scale each, the label being the number of the row. Scores are estimates, good to about a hundredth. */
export class QuantisedRows {
  readonly #dimensions: number
  readonly #stride: number
  readonly #kernel: Kernel
  /** One a row; NaN where there is none: no comparison is true of it, so a free row never gets among the best. */
  #scales = new Float32Array(0)
  #end = 0
  #size = 0

  constructor(dimensions: number, kernel = createKernel(strideOf(dimensions))) {
    this.#dimensions = dimensions
    this.#stride = strideOf(dimensions)
    this.#kernel = kernel
  }

  get size(): number {
    return this.#size
  }

  has(label: number): boolean {
    return label < this.#end && !Number.isNaN(this.#scales[label])
  }

  /** All labels, ascending. */
  *labels(): Generator<number> {
    for (let label = 0; label < this.#end; label++) if (this.has(label)) yield label
  }

  /** Replaces what the label had, by a vector of as many dimensions. */
  set(label: number, { scale, values }: CoarseVector): void {
    this.#reserve(label + 1)
    this.#kernel.rows.set(values, label * this.#stride)
    if (!this.has(label)) this.#size++
    this.#scales[label] = scale
    if (label >= this.#end) this.#end = label + 1
  }

  delete(label: number): boolean {
    if (!this.has(label)) return false
    this.#scales[label] = Number.NaN
    this.#size--
    while (this.#end > 0 && Number.isNaN(this.#scales[this.#end - 1])) this.#end--
    return true
  }

  /** Offers the estimated cosine of every row that `accept` allows; it is asked only about rows that would get in. */
  scan(query: Float32Array, best: BestLabels, accept: AcceptLabel | undefined): void {
    const unit = this.#quantiseQuery(query)
    const scales = this.#scales
    const scores = new Float64Array(Math.min(BLOCK, this.#end))
    for (let first = 0; first < this.#end; first += BLOCK) {
      const count = Math.min(BLOCK, this.#end - first)
      const dots = this.#kernel.dots(first, count)
      for (let i = 0; i < count; i++) scores[i] = (dots[i] as number) * (scales[first + i] as number) * unit
      const block = { scores: scores.subarray(0, count), first, accept }
      // In the order of rows most of those that get in at first would have to go again.
      const likely = best.isFull ? Number.NEGATIVE_INFINITY : leastOfBest(block.scores, best.limit)
      offerBetween(best, block, { from: likely, below: Number.POSITIVE_INFINITY })
      if (best.threshold < likely) offerBetween(best, block, { from: Number.NEGATIVE_INFINITY, below: likely })
    }
  }

  /** Offers the estimated cosines of these labels alone. */
  scanLabels(query: Float32Array, best: BestLabels, labels: Iterable<number>): void {
    const unit = this.#quantiseQuery(query)
    for (const label of labels) {
      if (!this.has(label)) continue
      const dot = this.#kernel.dots(label, 1)[0] as number
      best.offer(label, dot * (this.#scales[label] as number) * unit)
    }
  }

  /** Lays the query out for the kernel; answers what makes cosines of the products with it. */
  #quantiseQuery(query: Float32Array): number {
    let peak = 0
    for (const value of query) peak = Math.max(peak, Math.abs(value))
    if (peak === 0) {
      this.#kernel.query.fill(0)
      return 0
    }
    let squares = 0
    for (let i = 0; i < this.#dimensions; i++) {
      const value = (query[i] as number) / peak
      squares += value * value
      this.#kernel.query[i] = Math.round(value * QUERY_PEAK)
    }
    return 1 / (Math.sqrt(squares) * QUERY_PEAK)
  }

  #reserve(rows: number): void {
    this.#kernel.reserve(rows)
    if (rows <= this.#scales.length) return
    const grown = new Float32Array(Math.max(rows, 1024, Math.ceil(this.#scales.length * 1.5))).fill(Number.NaN)
    grown.set(this.#scales)
    this.#scales = grown
  }
}

/** Scores of rows from `first` on. */
interface ScoredRows {
  readonly scores: Float64Array
  readonly first: number
  readonly accept: AcceptLabel | undefined
}

/** Offers the rows whose scores lie between, and would get in. */
function offerBetween(
  best: BestLabels,
  { scores, first, accept }: ScoredRows,
  { from, below }: { readonly from: number; readonly below: number },
): void {
  let least = Math.max(from, best.threshold)
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number
    if (!(score >= least) || score >= below || (accept !== undefined && !accept(first + i))) continue
    best.offer(first + i, score)
    least = Math.max(from, best.threshold)
  }
}

/** A score that a few more than `count` of them reach, none above it left out; −∞ where there are not so many. */
function leastOfBest(scores: Float64Array, count: number): number {
  if (scores.length <= count) return Number.NEGATIVE_INFINITY
  const steps = new Uint32Array(2 * STEPS + 1)
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number
    if (score > -1) steps[stepOf(score)] = (steps[stepOf(score)] as number) + 1
  }
  let step = 2 * STEPS
  for (let left = count - (steps[step] as number); left > 0 && step > 0; left -= steps[--step] as number);
  return step === 0 ? Number.NEGATIVE_INFINITY : step / STEPS - 1
}

/** Steps of scores from 0 to 1, and as many from −1 to 0. */
const STEPS = 512

function stepOf(score: number): number {
  return Math.min(2 * STEPS, Math.floor((score + 1) * STEPS))
}
