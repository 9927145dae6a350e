import { setMaxListeners } from 'node:events'
import type { ServerContext } from '@modelcontextprotocol/server'
import type { GraphCore } from '../../app/graph-core.ts'
import type { Vaults } from '../../app/vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import { withResolvers } from '../../core/waiting.ts'

/** The timeout of a request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000

/** Minimum time between two progress notifications, in milliseconds. */
const INTERVAL = 100

/** Reports progress if the client requested it. The reported value never decreases. */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  vaults: Vaults,
  run: (vaults: Vaults, report?: (message: string) => void) => Promise<T>,
): Promise<T> {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return await run(vaults)
  const stops = new Map<GraphCore, () => void>()
  let isDone = false
  const { report, say } = reporter((progress) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, ...progress } }).catch(() => {}),
  )
  const open = async (name?: string): Promise<GraphCore> => {
    const core = await vaults.open(name)
    if (isDone || stops.has(core)) return core
    report(core, core.indexing.status())
    stops.set(
      core,
      core.indexing.onStatus((status) => report(core, status)),
    )
    return core
  }
  try {
    return await run({ names: vaults.names, open }, (message) => {
      if (!isDone) say(message)
    })
  } finally {
    isDone = true
    for (const stop of stops.values()) stop()
  }
}

interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message: string
}

/** Adds up the progress of several vaults, with each message as one step. */
function reporter(send: (progress: Progress) => void): {
  report(core: GraphCore, status: IndexStatus): void
  say(message: string): void
} {
  const byVault = new Map<GraphCore, { readonly done: number; readonly total: number }>()
  let last = -1
  let sentAt = Number.NEGATIVE_INFINITY
  const report = (core: GraphCore, { phase, done: ownDone, total: ownTotal }: IndexStatus): void => {
    const now = performance.now()
    if ((phase !== 'building' && phase !== 'verifying') || ownTotal === 0) return
    byVault.set(core, { done: ownDone, total: ownTotal })
    const doneTotal = sum(byVault, (counts) => counts.done)
    if (doneTotal <= last || now - sentAt < INTERVAL) return
    last = doneTotal
    sentAt = now
    const total = sum(byVault, (counts) => counts.total)
    send({ progress: doneTotal, total, message: `Reading the vault: ${doneTotal} of ${total} files` })
  }
  return {
    report,
    say(message) {
      last = Math.max(0, last) + 1
      send({ progress: last, message })
    },
  }
}

function sum<T>(all: ReadonlyMap<unknown, T>, of: (one: T) => number): number {
  let total = 0
  for (const item of all.values()) total += of(item)
  return total
}

export interface TimeLimit {
  readonly signal?: AbortSignal | undefined
  /** The timeout in milliseconds. */
  readonly timeout?: number | undefined
  readonly hint: string
}

/** Waits for a result. @throws RouxError `TIMEOUT`, or the signal's reason if it is aborted */
export async function withinTime<T>(
  { signal, timeout = REQUEST_TIMEOUT, hint }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  // Node warns about more than ten listeners, and each vault adds one.
  setMaxListeners(0, stop.signal)
  const { promise: givenUp, reject } = withResolvers<never>()
  const giveUp = (reason: Error) => {
    stop.abort(reason)
    reject(reason)
  }
  const tooLong = () => new RouxError('TIMEOUT', `The call took longer than ${timeout / 1000} s.`, { hint })
  const timer = setTimeout(() => giveUp(tooLong()), timeout)
  const cancel = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([run(stop.signal), givenUp])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}
