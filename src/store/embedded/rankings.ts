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
  /** By key. */
  readonly scores: ReadonlyMap<number, number>
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
      items: this.#best(scope, limit, (key) => result.scores.get(key) ?? 0),
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
    const byKey = new Map<number, number>()
    keys.forEach((key, node) => void byKey.set(key, scores[node] ?? 0))
    this.#results.set(metric, { graph, generation, scores: byKey, ...(sampled === undefined ? {} : { sampled }) })
  }

  /** By score, then id. */
  #best(scope: Scope, limit: number, scoreOf: (key: number) => number): readonly RankedNode[] {
    const { graph } = this.#projection
    const candidates = function* (projection: Projection) {
      for (const key of listed(projection, scope)) yield { key, score: scoreOf(key) }
    }
    const best = selectTop(candidates(this.#projection), limit, (a, b) => comesBefore(graph, a, b))
    return best.map(({ key, score }) => ({ id: graph.id(key), title: graph.title(key), score }))
  }
}

interface Candidate {
  readonly key: number
  readonly score: number
}

function comesBefore(graph: Graph, a: Candidate, b: Candidate): boolean {
  return a.score > b.score || (a.score === b.score && graph.id(a.key) < graph.id(b.key))
}

/** Without a filter the order by id is not needed, which a big vault takes long to sort. */
function* listed(projection: Projection, scope: Scope): IterableIterator<number> {
  const { graph } = projection
  if (scope.folder !== undefined || scope.path !== undefined || scope.tags !== undefined) {
    for (const node of inScope(projection, scope)) if (graph.isListedNote(node)) yield node
    return
  }
  for (let key = 0; key < graph.size; key++) if (graph.isListedNote(key)) yield key
}
