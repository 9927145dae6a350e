import { parentPort } from 'node:worker_threads'
import type { InsightCache } from '../core/insight/insight.ts'
import type { LaidOutGraph } from '../core/insight/layouts.ts'
import type { CentralMetric, Scores } from '../core/store.ts'
import { answer, type Call } from '../core/thread-calls.ts'
import type { WrittenGraph } from '../core/vectors.ts'
import { betweenness, pageRank } from '../graph/analytics.ts'
import {
  InsightRun,
  type NoteFacts,
  type RunPlan,
  type RunResult,
  type RunSubject,
  type TextOfNote,
} from '../insight/insight-run.ts'
import { type LaidOut, layOutFrom } from '../insight/layout.ts'
import { openInsightCache } from '../store/embedded/insight-cache.ts'
import { guardSqlite } from '../store/embedded/sqlite.ts'
import { HnswGraph, loadHnswAddon } from '../store/embedded/vectors/hnsw-graph.ts'
import { collectGarbage } from './heap.ts'
import { ownGuard } from './thread-guard.ts'

const port = parentPort
if (port === null) throw new Error('This file can only run as a worker.')
port.on('message', (call: Call) => void answer(service, call, (reply) => port.postMessage(reply)))
guardSqlite(ownGuard())

const graphs = new Map<number, HnswGraph>()
const runs = new Map<number, { readonly run: InsightRun; readonly cache: InsightCache }>()

export type ComputeService = typeof service

const service = {
  metric: (graph: { metric: CentralMetric; offsets: Uint32Array; targets: Uint32Array }): Scores =>
    graph.metric === 'pagerank' ? { scores: pageRank(graph) } : betweenness(graph),

  layOut: (
    { graph, before, again }: { graph: Omit<LaidOutGraph, 'ids'>; before: Float32Array | undefined; again: boolean },
    onProgress: (share: number) => void,
  ): LaidOut => layOutFrom(graph, before, { again, onProgress }),

  async beginGraph({ graph, dimensions }: { graph: number; dimensions: number }): Promise<void> {
    const { addon, reason } = await loadHnswAddon()
    if (addon === undefined) throw new Error(reason)
    graphs.set(graph, HnswGraph.create(addon, dimensions))
  },

  addVectors({ graph, labels, vectors }: { graph: number; labels: Uint32Array; vectors: Float32Array }): void {
    const into = graphOf(graph)
    for (const [at, label] of labels.entries()) {
      into.set(label, vectors.subarray(at * into.dimensions, (at + 1) * into.dimensions))
    }
  },

  deleteVectors({ graph, labels }: { graph: number; labels: Uint32Array }): void {
    for (const label of labels) graphOf(graph).delete(label)
  },

  writeGraph: ({ graph, path }: { graph: number; path: string }): Promise<WrittenGraph> => graphOf(graph).write(path),

  endGraph(graph: number): void {
    graphs.get(graph)?.free()
    graphs.delete(graph)
  },

  /** @param start `file` is the path of a persistent cache */
  beginInsight({ run, file, subject }: InsightStart): void {
    const cache = openInsightCache(file)
    runs.set(run, { cache, run: new InsightRun(cache, subject) })
  },

  addNotes: ({ run, notes }: { run: number; notes: readonly NoteFacts[] }): void => step(run, (open) => open.addNotes(notes)),

  planInsight: (run: number): RunPlan => step(run, (open) => open.plan()),

  addTexts: ({ run, texts }: { run: number; texts: readonly TextOfNote[] }): void => step(run, (open) => open.addTexts(texts)),

  finishInsight: ({ run, former }: { run: number; former: Uint8Array | undefined }): RunResult =>
    step(run, (open) => open.finish(former, () => collectGarbage())),

  endInsight(run: number): void {
    runs.get(run)?.cache.close()
    runs.delete(run)
  },
}

interface InsightStart {
  readonly run: number
  readonly file: string
  readonly subject: RunSubject
}

function graphOf(number: number): HnswGraph {
  const graph = graphs.get(number)
  if (graph === undefined) throw new Error('this worker has no such graph')
  return graph
}

function step<T>(number: number, use: (run: InsightRun) => T): T {
  const open = runs.get(number)
  if (open === undefined) throw new Error('this worker has no such run')
  try {
    return use(open.run)
  } catch (error) {
    // The cache is reset, because damage to it may be the cause. It can be rebuilt.
    open.cache.reset()
    throw error
  }
}
