import type { Analytics, CentralMetric } from '../../core/analytics.ts'
import type { Metric, Ranked, RankedNode, Scope } from '../../core/store.ts'
import type { Graph } from '../../graph/graph.ts'
import { selectTop } from '../../graph/select-top.ts'
import { snapshotOf } from '../../graph/snapshot.ts'
import type { Projection } from './projection.ts'
import { inScope } from './scope.ts'

interface Result {
  /** Keys are those of this graph: in an index that was built anew they mean other files. */
  readonly graph: Graph
  readonly generation: number
  /** By key; of notes that came later there are none. */
  readonly scores: Float64Array
  readonly sampled?: number
}

/**
 * The most central notes. Degrees are counted; the others belong to a generation: computed when asked for, one run at a time, the last
 * result serving meanwhile.
 */
export class Rankings {
  readonly #projection: Projection
  readonly #analytics: Analytics
  readonly #results = new Map<CentralMetric, Result>()
  readonly #running = new Map<CentralMetric, Promise<void>>()

  constructor(projection: Projection, analytics: Analytics) {
    this.#projection = projection
    this.#analytics = analytics
  }

  async top(metric: Metric, scope: Scope, limit: number): Promise<Ranked> {
    const { graph } = this.#projection
    if (metric === 'in_degree') return { items: this.#best(scope, limit, (key) => graph.inDegree(key)), stale: false }
    if (metric === 'out_degree') return { items: this.#best(scope, limit, (key) => graph.outDegree(key)), stale: false }
    const { generation } = this.#projection
    if (this.#results.get(metric)?.graph !== graph) this.#results.delete(metric)
    if (this.#results.get(metric)?.generation !== generation) {
      const run = this.#start(metric)
      // The first time there is nothing to serve meanwhile.
      if (!this.#results.has(metric)) await run
      else run.catch(() => {})
    }
    const result = this.#results.get(metric)
    if (result === undefined || result.graph !== this.#projection.graph) return { items: [], stale: true }
    return {
      items: this.#best(scope, limit, (key) => result.scores[key] ?? 0),
      stale: result.generation !== this.#projection.generation,
      ...(result.sampled === undefined ? {} : { sampled: result.sampled }),
    }
  }

  #start(metric: CentralMetric): Promise<void> {
    const running = this.#running.get(metric)
    if (running !== undefined) return running
    const run = this.#compute(metric).finally(() => this.#running.delete(metric))
    this.#running.set(metric, run)
    return run
  }

  async #compute(metric: CentralMetric): Promise<void> {
    const { generation, graph } = this.#projection
    const { keys, offsets, targets } = snapshotOf(graph)
    const { scores, sampled } = await this.#analytics.run(metric, { offsets, targets })
    const byKey = new Float64Array((keys[keys.length - 1] ?? -1) + 1)
    keys.forEach((key, node) => {
      byKey[key] = scores[node] ?? 0
    })
    this.#results.set(metric, { graph, generation, scores: byKey, ...(sampled === undefined ? {} : { sampled }) })
  }

  /** By score, then id. */
  #best(scope: Scope, limit: number, scoreOf: (key: number) => number): readonly RankedNode[] {
    const { graph } = this.#projection
    const best = selectTop(listed(this.#projection, scope), limit, (a, b) => {
      const difference = scoreOf(a) - scoreOf(b)
      return difference > 0 || (difference === 0 && graph.id(a) < graph.id(b))
    })
    return best.map((key) => ({ id: graph.id(key), title: graph.title(key), score: scoreOf(key) }))
  }
}

/** Without a filter the order by id is not needed, which a big vault takes long to sort. */
function listed(projection: Projection, scope: Scope): readonly number[] {
  const { graph } = projection
  if (scope.folder !== undefined || scope.path !== undefined || scope.tags !== undefined) {
    return inScope(projection, scope).filter((node) => graph.isListedNote(node))
  }
  const keys: number[] = []
  for (let key = 0; key < graph.size; key++) if (graph.isListedNote(key)) keys.push(key)
  return keys
}
