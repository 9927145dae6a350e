import type { Adjacency } from '../../core/csr.ts'
import { SnapshotOutdated } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Metric, Ranked, RankedNode, Scope, Scores, Topology } from '../../core/store.ts'
import type { Graph } from '../../graph/graph.ts'
import { selectTop } from '../../graph/select-top.ts'
import { isWhole } from '../note-facts.ts'
import type { Projection } from './projection.ts'
import { inScope } from './scope.ts'

interface CachedRanking {
  /** The graph that the keys belong to. */
  readonly graph: Graph
  readonly generation: number
  /** The scores by key. Notes newer than the scores have none. */
  readonly scores: Float64Array
  readonly sampled: number | undefined
}

/** Ranks notes by degree, or by stored scores for other metrics. */
export class Rankings {
  readonly #projection: Projection
  readonly #cache = new Map<Metric, CachedRanking>()
  readonly #keys = new WeakMap<Topology, { readonly graph: Graph; readonly keys: Uint32Array }>()

  constructor(projection: Projection) {
    this.#projection = projection
  }

  topology(): Topology {
    const { graph, generation } = this.#projection
    const { keys, offsets, targets } = topologyOf(graph)
    const ids = (): readonly NodeId[] => {
      if (this.#projection.graph !== graph || this.#projection.generation !== generation) throw new SnapshotOutdated()
      return Array.from(keys, (key) => graph.id(key))
    }
    const topology = { generation, ids, offsets, targets }
    this.#keys.set(topology, { graph, keys })
    return topology
  }

  keep(metric: Metric, topology: Topology, { scores, sampled }: Scores): void {
    const of = this.#keys.get(topology)
    if (of === undefined || of.graph !== this.#projection.graph) return
    const { graph, keys } = of
    const byKey = new Float64Array((keys[keys.length - 1] ?? -1) + 1)
    keys.forEach((key, node) => {
      byKey[key] = scores[node] ?? 0
    })
    this.#cache.set(metric, { graph, generation: topology.generation, scores: byKey, sampled })
  }

  top(metric: Metric, scope: Scope, limit: number): Ranked | undefined {
    const { graph, generation } = this.#projection
    if (metric === 'in_degree') return { items: this.#best(scope, limit, (key) => graph.inDegree(key)), generation }
    if (metric === 'out_degree') return { items: this.#best(scope, limit, (key) => graph.outDegree(key)), generation }
    const cached = this.#cache.get(metric)
    if (cached === undefined || cached.graph !== graph) return undefined
    return {
      items: this.#best(scope, limit, (key) => cached.scores[key] ?? 0),
      generation: cached.generation,
      ...(cached.sampled === undefined ? {} : { sampled: cached.sampled }),
    }
  }

  #best(scope: Scope, limit: number, scoreOf: (key: number) => number): readonly RankedNode[] {
    if (limit <= 0) return []
    const { graph } = this.#projection
    const best = selectTop(listedNodes(this.#projection, scope), limit, (a, b) => {
      const difference = scoreOf(a) - scoreOf(b)
      return difference > 0 || (difference === 0 && graph.id(a) < graph.id(b))
    })
    return best.map((key) => ({ id: graph.id(key), title: graph.title(key), score: scoreOf(key) }))
  }
}

function listedNodes(projection: Projection, scope: Scope): readonly number[] {
  return isWhole(scope)
    ? inScope(projection, {})
    : inScope(projection, scope).filter((node) => projection.graph.isListedNote(node))
}

/** Returns the listed notes and the links among them, without self-links. The result is sent to other threads. */
function topologyOf(graph: Graph): Adjacency & { readonly keys: Uint32Array } {
  const keys: number[] = []
  const numbers = new Int32Array(graph.size).fill(-1)
  for (let key = 0; key < graph.size; key++) {
    if (graph.isListedNote(key)) numbers[key] = keys.push(key) - 1
  }
  const offsets = new Uint32Array(keys.length + 1)
  const targets: number[] = []
  keys.forEach((key, node) => {
    for (const target of graph.targets(key)) {
      const number = numbers[target] ?? -1
      if (number >= 0 && target !== key) targets.push(number)
    }
    offsets[node + 1] = targets.length
  })
  return { keys: Uint32Array.from(keys), offsets, targets: Uint32Array.from(targets) }
}
