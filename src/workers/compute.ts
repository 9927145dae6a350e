import { parentPort } from 'node:worker_threads'
import { betweenness, pageRank } from '../graph/analytics.ts'
import type { ComputeReply, ComputeRequest } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

port.on('message', ({ id, metric, offsets, targets }: ComputeRequest) => {
  port.postMessage(
    reply(id, () => (metric === 'pagerank' ? { scores: pageRank({ offsets, targets }) } : betweenness({ offsets, targets }))),
  )
})

function reply(id: number, compute: () => { scores: Float64Array; sampled?: number }): ComputeReply {
  try {
    return { id, result: compute() }
  } catch (error) {
    return { id, error: String(error) }
  }
}
