import type { Metric, Scores, Topology } from './store.ts'

export type CentralMetric = Exclude<Metric, 'in_degree' | 'out_degree'>

export function isCentral(metric: Metric): metric is CentralMetric {
  return metric !== 'in_degree' && metric !== 'out_degree'
}

/** Each method runs off the main thread. The arrays are transferred to a worker, so the caller must not use them again. */
export interface Analytics {
  run(metric: CentralMetric, topology: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores>
}
