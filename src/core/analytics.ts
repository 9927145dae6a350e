import type { Metric } from './store.ts'

/** The metrics that take a run over the whole graph. */
export type CentralMetric = Exclude<Metric, 'in_degree' | 'out_degree'>

/** Scores of one metric over a snapshot's nodes. */
export interface Scores {
  readonly scores: Float64Array
  /** Estimated from this many sources; absent when exact. */
  readonly sampled?: number
}

/** Runs graph algorithms off the main thread. */
export interface Analytics {
  run(metric: CentralMetric, snapshot: { readonly offsets: Uint32Array; readonly targets: Uint32Array }): Promise<Scores>
}
