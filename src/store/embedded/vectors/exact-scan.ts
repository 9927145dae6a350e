import { BestLabels, compareHits } from './best-labels.ts'
import { type CoarseVector, coarsen } from './coarse-vector.ts'
import { createKernel, strideOf } from './kernel.ts'
import { packVector } from './packed-vector.ts'
import { QuantisedRows } from './quantised-rows.ts'
import {
  type AcceptLabel,
  requireDimensions,
  requireLabel,
  requireLimit,
  requireVector,
  type StoredVector,
  type VectorHit,
  type VectorIndex,
} from './vector-index.ts'

export interface ExactScanOptions {
  /** 1–4096. */
  readonly dimensions: number
  /** Where the fine vectors are; the best candidates are scored with them. Without one, scores are the estimates of int8. */
  readonly exact: StoredVector
  /** Maximum fine vectors that `exact` reads per search, for the best candidates. Default: unlimited. */
  readonly fineReads?: number
  /** Whether WebAssembly SIMD is used; otherwise plain JavaScript with the same results. */
  readonly simd?: boolean
}

/**
 * Compares the query with every vector: int8 in a SIMD kernel first, then the best 30, or three times as many as
 * wanted, with their fine vectors. Needs no building, and deletions apply at once. 100,000 vectors of 256 dimensions
 * take 26 MB.
 */
export class ExactScan implements VectorIndex {
  readonly #options: ExactScanOptions
  #rows: QuantisedRows

  constructor(options: ExactScanOptions) {
    requireDimensions(options.dimensions)
    this.#options = options
    this.#rows = createRows(options)
  }

  get size(): number {
    return this.#rows.size
  }

  has(label: number): boolean {
    return this.#rows.has(label)
  }

  /** All labels, ascending. */
  labels(): Iterable<number> {
    return this.#rows.labels()
  }

  set(label: number, vector: Float32Array): void {
    const { dimensions } = this.#options
    this.load(label, coarsen(packVector(requireVector(vector, dimensions)), dimensions))
  }

  /** `set` with a vector as it is compared, of the scan's dimensions. */
  load(label: number, vector: CoarseVector): void {
    this.#rows.set(requireLabel(label), vector)
  }

  delete(label: number): void {
    this.#rows.delete(requireLabel(label))
  }

  search(query: Float32Array, limit: number, accept?: AcceptLabel): readonly VectorHit[] {
    return this.#best(query, limit, (candidates) => this.#rows.scan(query, candidates, accept))
  }

  /** `search` among these labels alone; unknown ones are left out. */
  searchAmong(query: Float32Array, limit: number, labels: Iterable<number>): readonly VectorHit[] {
    return this.#best(query, limit, (candidates) => this.#rows.scanLabels(query, candidates, labels))
  }

  close(): void {
    this.#rows = createRows(this.#options)
  }

  #best(query: Float32Array, limit: number, scan: (candidates: BestLabels) => void): readonly VectorHit[] {
    requireVector(query, this.#options.dimensions)
    const wanted = requireLimit(limit, this.size)
    if (wanted === 0) return []
    const { exact, fineReads = Number.POSITIVE_INFINITY } = this.#options
    // Beyond the wanted number, candidates with estimates cannot get in, even if all rescored ones fall behind them.
    const candidates = new BestLabels(Math.min(Math.max(MIN_CANDIDATES, CANDIDATES_PER_HIT * wanted), wanted + fineReads))
    scan(candidates)
    const cosine = cosineWith(query)
    return candidates
      .sorted()
      .map(({ label, score }) => ({ label, score: cosine(exact(label)) ?? score }))
      .sort(compareHits)
      .slice(0, wanted)
  }
}

/** Candidates that are scored again: int8 confuses near neighbours, and with so many the first ten of 20,000 are the right ones. */
const MIN_CANDIDATES = 30
const CANDIDATES_PER_HIT = 3

function createRows({ dimensions, simd }: ExactScanOptions): QuantisedRows {
  return new QuantisedRows(dimensions, createKernel(strideOf(dimensions), simd))
}

/** The cosine of the query with a vector; `undefined` with what is no vector of its dimension. A query of zeros has 0 with all. */
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
