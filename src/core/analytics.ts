import type { Metric, Scores, Topology } from './store.ts'

/** Metrics that require a pass over the whole graph. */
export type CentralMetric = Exclude<Metric, 'in_degree' | 'out_degree'>

export function isCentral(metric: Metric): metric is CentralMetric {
  return metric !== 'in_degree' && metric !== 'out_degree'
}

/** Runs graph algorithms off the main thread. The arrays are transferred to a worker, so the caller can no longer use them. */
export interface Analytics {
  run(metric: CentralMetric, topology: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores>
}
