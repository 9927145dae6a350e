import type { ServerContext } from '@modelcontextprotocol/server'
import type { GraphCore } from '../app/graph-core.ts'
import type { IndexStatus } from '../core/indexing.ts'

/** The least time between two notifications of one request, ms. */
const INTERVAL = 100

/**
 * Runs a request that may wait for the index, and tells a client that asked for it how far that is: never less than before, and
 * nothing after the request is done.
 */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  open: () => Promise<GraphCore>,
  run: (open: () => Promise<GraphCore>) => Promise<T>,
): Promise<T> {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return await run(open)
  let stop = () => {}
  let isDone = false
  const report = reporter((progress) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, ...progress } }).catch(() => {}),
  )
  try {
    return await run(async () => {
      const core = await open()
      if (isDone) return core
      stop()
      report(core.indexing.status())
      stop = core.indexing.onStatus(report)
      return core
    })
  } finally {
    isDone = true
    stop()
  }
}

interface Progress {
  readonly progress: number
  readonly total: number
  readonly message: string
}

function reporter(send: (progress: Progress) => void): (status: IndexStatus) => void {
  let last = -1
  let sentAt = Number.NEGATIVE_INFINITY
  return ({ phase, done, total }) => {
    const now = performance.now()
    if ((phase !== 'building' && phase !== 'verifying') || total === 0 || done <= last || now - sentAt < INTERVAL) return
    last = done
    sentAt = now
    send({ progress: done, total, message: `Reading the vault: ${done} of ${total} files` })
  }
}
