import { BLOCK, type ColumnRange, createKernel, type Kernel, QUERY_PEAK, strideOf, WIDTH } from './kernel.ts'
import type { CoarseVector } from './packed-vector.ts'
import { type AcceptLabel, limitTo, requireDimensions, requireVector, type StoredVector, type VectorHit } from './vector-index.ts'

/** The number of histogram buckets for scores from 0 to 1. Negative scores have as many. */
const STEPS = 512

export interface ExactScanOptions {
  /** The number of dimensions, from 1 to 4096. */
  readonly dimensions: number
  /** Returns a candidate's full-precision vector, or `undefined` to keep the estimated score. */
  readonly exact: StoredVector
  /** The maximum number of vectors that `exact` returns per search. The default is unlimited. */
  readonly fineReads?: number
  /** If true, WebAssembly SIMD is used. JavaScript gives the same results. */
  readonly simd?: boolean
}

/**
 * An index of unit vectors with small integers as labels, searched by cosine. It compares int8 rows with SIMD and rescores the
 * best candidates with full precision. 100,000 vectors of 256 dimensions take 26 MB.
 */
export class ExactScan {
  readonly #options: ExactScanOptions
  readonly #rowBytes: number
  #kernel: Kernel
  /** The scale of each row. Unused rows have NaN, so they never compare as better. */
  #scales = new Float32Array(0)
  #end = 0
  #size = 0

  constructor(options: ExactScanOptions) {
    this.#options = options
    this.#rowBytes = strideOf(requireDimensions(options.dimensions))
    this.#kernel = createKernel(this.#rowBytes, options.simd)
  }

  get size(): number {
    return this.#size
  }

  has(label: number): boolean {
    return label < this.#end && !Number.isNaN(this.#scales[label])
  }

  /** Yields labels in ascending order. */
  *labels(): Generator<number> {
    for (let label = 0; label < this.#end; label++) if (this.has(label)) yield label
  }

  /** Sets a vector, which must have the dimensions of the index. */
  set(label: number, { scale, values }: CoarseVector): void {
    this.#reserve(label + 1)
    this.#kernel.rows.set(values, label * this.#rowBytes)
    if (!this.has(label)) this.#size++
    this.#scales[label] = scale
    if (label >= this.#end) this.#end = label + 1
  }

  /** Deletes a label. Unknown labels are ignored. */
  delete(label: number): void {
    if (!this.has(label)) return
    this.#scales[label] = Number.NaN
    this.#size--
    while (this.#end > 0 && Number.isNaN(this.#scales[this.#end - 1])) this.#end--
  }

  /** Returns hits by cosine, highest first, then by label. */
  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[] {
    return this.#best(query, limit, (candidates) => this.#scan(query, candidates, accept))
  }

  /** Works like `search`, but only among the given labels. Unknown labels are ignored. */
  searchAmong(query: Float32Array, limit: number, labels: Iterable<number>): readonly VectorHit[] {
    return this.#best(query, limit, (candidates) => this.#scanLabels(query, candidates, labels))
  }

  /** Frees the memory. The index is empty afterwards. */
  close(): void {
    this.#kernel = createKernel(this.#rowBytes, this.#options.simd)
    this.#scales = new Float32Array(0)
    this.#end = 0
    this.#size = 0
  }

  #best(query: Float32Array, limit: number, scan: (candidates: BestLabels) => void): readonly VectorHit[] {
    requireVector(query, this.#options.dimensions)
    const count = limitTo(limit, this.size)
    if (count === 0) return []
    const { exact, fineReads = Number.POSITIVE_INFINITY } = this.#options
    // At most `count` of the candidates keep their estimated scores.
    const candidates = new BestLabels(Math.min(Math.max(MIN_CANDIDATES, CANDIDATES_PER_HIT * count), count + fineReads))
    scan(candidates)
    const cosine = cosineWith(query)
    return candidates
      .sorted()
      .map(({ label, score }) => ({ label, score: cosine(exact(label)) ?? score }))
      .sort(compareHits)
      .slice(0, count)
  }

  /** Calls `accept` only for rows that would be among the best. */
  #scan(query: Float32Array, best: BestLabels, accept: AcceptLabel | undefined): void {
    const unit = this.#quantizeQuery(query)
    const columns = columnsOf(this.#kernel.query)
    const scales = this.#scales
    const scores = new Float64Array(Math.min(BLOCK, this.#end))
    for (let first = 0; first < this.#end; first += BLOCK) {
      const count = Math.min(BLOCK, this.#end - first)
      const dots = this.#kernel.dots(first, count, columns)
      for (let i = 0; i < count; i++) scores[i] = (dots[i] as number) * (scales[first + i] as number) * unit
      const block = { scores: scores.subarray(0, count), first, accept }
      // The threshold brings likely hits to the front. In row order, later hits would displace most early ones.
      const threshold = best.isFull ? Number.NEGATIVE_INFINITY : leastOfBest(block.scores, best.limit)
      offerBetween(best, block, { from: threshold, below: Number.POSITIVE_INFINITY })
      if (best.threshold < threshold) offerBetween(best, block, { from: Number.NEGATIVE_INFINITY, below: threshold })
    }
  }

  #scanLabels(query: Float32Array, best: BestLabels, labels: Iterable<number>): void {
    const unit = this.#quantizeQuery(query)
    for (const label of labels) {
      if (!this.has(label)) continue
      const dot = this.#kernel.dots(label, 1)[0] as number
      best.offer(label, dot * (this.#scales[label] as number) * unit)
    }
  }

  /** Returns the factor that converts dot products to cosines. */
  #quantizeQuery(query: Float32Array): number {
    let peak = 0
    for (const value of query) peak = Math.max(peak, Math.abs(value))
    if (peak === 0) {
      this.#kernel.query.fill(0)
      return 0
    }
    let squares = 0
    for (let i = 0; i < this.#options.dimensions; i++) {
      const value = (query[i] as number) / peak
      squares += value * value
      this.#kernel.query[i] = Math.round(value * QUERY_PEAK)
    }
    return 1 / (Math.sqrt(squares) * QUERY_PEAK)
  }

  #reserve(rows: number): void {
    this.#kernel.reserve(rows)
    if (rows <= this.#scales.length) return
    const larger = new Float32Array(Math.max(rows, 1024, Math.ceil(this.#scales.length * 1.5))).fill(Number.NaN)
    larger.set(this.#scales)
    this.#scales = larger
  }
}

/** The minimum number of candidates. Rescoring 30 finds the exact top ten of 20,000 vectors. */
const MIN_CANDIDATES = 30

const CANDIDATES_PER_HIT = 3

/** Returns `undefined` for another dimension, and 0 for a zero query. */
function cosineWith(query: Float32Array): (vector: Float32Array | undefined) => number | undefined {
  const length = Math.hypot(...query)
  return (vector) => {
    if (vector?.length !== query.length) return undefined
    let dot = 0
    let squares = 0
    for (let i = 0; i < query.length; i++) {
      const value = vector[i] as number
      dot += (query[i] as number) * value
      squares += value * value
    }
    const cosine = length === 0 ? 0 : dot / (length * Math.sqrt(squares))
    return Number.isFinite(cosine) ? Math.max(-1, Math.min(1, cosine)) : undefined
  }
}

/**
 * Returns the range of columns with nonzero values, in whole registers. Queries of the built-in embedder use the columns of only
 * one table.
 */
function columnsOf(query: Int16Array): ColumnRange {
  const first = Math.max(
    0,
    query.findIndex((value) => value !== 0),
  )
  const last = query.findLastIndex((value) => value !== 0)
  return { from: first - (first % WIDTH), to: Math.max(WIDTH, WIDTH * Math.ceil((last + 1) / WIDTH)) }
}

interface ScoredRows {
  readonly scores: Float64Array
  readonly first: number
  readonly accept: AcceptLabel | undefined
}

function offerBetween(
  best: BestLabels,
  { scores, first, accept }: ScoredRows,
  { from, below }: { readonly from: number; readonly below: number },
): void {
  let minScore = Math.max(from, best.threshold)
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number
    if (!(score >= minScore) || score >= below || (accept !== undefined && !accept(first + i))) continue
    best.offer(first + i, score)
    minScore = Math.max(from, best.threshold)
  }
}

/** Returns a score that slightly more than `count` rows exceed, or −∞. */
function leastOfBest(scores: Float64Array, count: number): number {
  if (scores.length <= count) return Number.NEGATIVE_INFINITY
  const steps = new Uint32Array(2 * STEPS + 1)
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] as number
    if (score > -1) steps[stepOf(score)] = (steps[stepOf(score)] as number) + 1
  }
  let step = 2 * STEPS
  for (let remaining = count - (steps[step] as number); remaining > 0 && step > 0; remaining -= steps[--step] as number);
  return step === 0 ? Number.NEGATIVE_INFINITY : step / STEPS - 1
}

function stepOf(score: number): number {
  return Math.min(2 * STEPS, Math.floor((score + 1) * STEPS))
}

/** A heap with the worst hit on top. Its typed arrays avoid an object per hit. */
export class BestLabels {
  readonly limit: number
  readonly #labels: Uint32Array
  readonly #scores: Float64Array
  #size = 0

  /** @param limit at least 1 */
  constructor(limit: number) {
    this.limit = limit
    this.#labels = new Uint32Array(limit)
    this.#scores = new Float64Array(limit)
  }

  get isFull(): boolean {
    return this.#size === this.limit
  }

  /** Returns the score that later labels must exceed, or −∞ until the heap is full. */
  get threshold(): number {
    return this.#size < this.limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number)
  }

  /** Offers a label, which must be below 2³². */
  offer(label: number, score: number): void {
    if (this.#size < this.limit) this.#rise(label, score)
    else if (this.#isWorse(0, label, score)) this.#sink(label, score)
  }

  /** Returns hits, best first. */
  sorted(): VectorHit[] {
    return Array.from(this.#labels.subarray(0, this.#size), (label, at) => ({ label, score: this.#scores[at] as number })).sort(
      compareHits,
    )
  }

  #isWorse(at: number, label: number, score: number): boolean {
    const ownScore = this.#scores[at] as number
    return ownScore === score ? (this.#labels[at] as number) > label : ownScore < score
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

function compareHits(a: VectorHit, b: VectorHit): number {
  return b.score - a.score || a.label - b.label
}
