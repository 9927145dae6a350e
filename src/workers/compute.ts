import { parentPort } from 'node:worker_threads'
import { betweenness, pageRank } from '../graph/analytics.ts'
import { layOutFrom } from '../insight/layout.ts'
import { loadHnswAddon } from '../store/embedded/vectors/hnsw-addon.ts'
import { HnswGraph } from '../store/embedded/vectors/hnsw-graph.ts'
import type { ComputeJob, ComputeReply, ComputeRequest, ComputeResult } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

const graphs = new Map<number, HnswGraph>()

port.on('message', (request: ComputeRequest) => {
  void reply(request).then((answer) => port.postMessage(answer))
})

async function reply({ id, ...job }: ComputeRequest): Promise<ComputeReply> {
  try {
    return { id, result: await run(job) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

async function run(job: ComputeJob): Promise<ComputeResult> {
  if (job.type === 'metric') return job.metric === 'pagerank' ? { scores: pageRank(job) } : betweenness(job)
  if (job.type === 'layOut') return layOutFrom(job.graph, job.before, job.again)
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
