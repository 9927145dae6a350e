import { parentPort } from 'node:worker_threads'
import type { InsightCache } from '../core/insight/insight-cache.ts'
import { betweenness, pageRank } from '../graph/analytics.ts'
import { InsightRun, type RunPlan, type RunResult } from '../insight/insight-run.ts'
import { layOutFrom } from '../insight/layout.ts'
import { openInsightCache } from '../store/embedded/insight-cache.ts'
import { HnswGraph, loadHnswAddon } from '../store/embedded/vectors/hnsw-graph.ts'
import { collectGarbage } from './collect-garbage.ts'
import type { ComputeJob, ComputeReply, ComputeRequest, ComputeResult } from './messages.ts'
import { ThreadGuard } from './thread-guard.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

const graphs = new Map<number, HnswGraph>()

port.on('message', (request: ComputeRequest) => {
  void reply(request).then(send)
})

function send(reply: ComputeReply): void {
  port?.postMessage(reply)
}

async function reply({ id, ...job }: ComputeRequest): Promise<ComputeReply> {
  try {
    return { id, result: await run(job, (share) => send({ id, share })) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

async function run(job: ComputeJob, onProgress: (share: number) => void): Promise<ComputeResult> {
  if (job.type === 'metric') return job.metric === 'pagerank' ? { scores: pageRank(job) } : betweenness(job)
  if (job.type === 'layOut') return layOutFrom(job.graph, job.before, { again: job.again, onProgress })
  if ('run' in job) return runInsight(job)
  if (job.type === 'beginGraph') return await beginGraph(job.graph, job.dimensions)
  const graph = graphs.get(job.graph)
  if (graph === undefined) throw new Error('the graph was not begun here')
  switch (job.type) {
    case 'addVectors':
      for (const [at, label] of job.labels.entries()) {
        graph.set(label, job.vectors.subarray(at * graph.dimensions, (at + 1) * graph.dimensions))
      }
      return undefined
    case 'deleteVectors':
      for (const label of job.labels) graph.delete(label)
      return undefined
    case 'writeGraph':
      return await graph.write(job.path)
    case 'endGraph':
      graphs.delete(job.graph)
      graph.free()
      return undefined
  }
}

async function beginGraph(number: number, dimensions: number): Promise<undefined> {
  const { addon, reason } = await loadHnswAddon()
  if (addon === undefined) throw new Error(reason)
  graphs.set(number, HnswGraph.create(addon, dimensions))
}

type InsightJob = Extract<ComputeJob, { readonly run: number }>

/** Runs over a vault as a whole, by their numbers. */
const runs = new Map<number, { readonly run: InsightRun; readonly cache: InsightCache }>()

function runInsight(job: InsightJob): RunPlan | RunResult | undefined {
  if (job.type === 'beginInsight') {
    const guard = new ThreadGuard(job.guard)
    const cache = guarded(
      guard.run(() => openInsightCache(job.file)),
      guard,
    )
    runs.set(job.run, { cache, run: new InsightRun(cache, job.subject) })
    return undefined
  }
  const open = runs.get(job.run)
  if (open === undefined) throw new Error('the run was not begun here')
  try {
    return stepOf(open.run, job)
  } catch (error) {
    // The cache may be to blame and can be rebuilt.
    open.cache.reset()
    throw error
  } finally {
    if (job.type === 'endInsight') {
      runs.delete(job.run)
      open.cache.close()
    }
  }
}

/** The cache, which the thread is not ended in the middle of. */
function guarded(cache: InsightCache, guard: ThreadGuard): InsightCache {
  return {
    lacking: (contents) => guard.run(() => cache.lacking(contents)),
    records: () => {
      const recordOf = guard.run(() => cache.records())
      return (content) => guard.run(() => recordOf(content))
    },
    keepRecords: (records) => guard.run(() => cache.keepRecords(records)),
    keepOnly: (contents) => guard.run(() => cache.keepOnly(contents)),
    result: (of) => guard.run(() => cache.result(of)),
    keepResult: (of, kind, bytes) => guard.run(() => cache.keepResult(of, kind, bytes)),
    reset: () => guard.run(() => cache.reset()),
    close: () => guard.run(() => cache.close()),
  }
}

function stepOf(run: InsightRun, job: InsightJob): RunPlan | RunResult | undefined {
  switch (job.type) {
    case 'addNotes':
      run.addNotes(job.notes)
      return undefined
    case 'planInsight':
      return run.plan()
    case 'addTexts':
      run.addTexts(job.texts)
      return undefined
    case 'finishInsight':
      return run.finish(job.former, () => collectGarbage())
    default:
      return undefined
  }
}
