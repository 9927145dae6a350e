import type { Metric, Scores, Topology } from './store.ts'

/** The metrics that take a run over the whole graph. */
export type CentralMetric = Exclude<Metric, 'in_degree' | 'out_degree'>

export function isCentral(metric: Metric): metric is CentralMetric {
  return metric !== 'in_degree' && metric !== 'out_degree'
}

/** Runs graph algorithms off the main thread; the arrays are taken over and are empty afterwards. */
export interface Analytics {
  run(metric: CentralMetric, topology: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores>
}
