import type { ServerContext } from '@modelcontextprotocol/server'
import { type Call, waiting } from '../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../app/graph-core.ts'
import { openAll } from '../app/vaults.ts'
import type { CallOptions } from './calls/call-tool.ts'
import { withProgress } from './calls/progress.ts'
import type { Log } from './calls/tool-result.ts'
import { withinTime } from './calls/within-time.ts'
import { protocolError } from './protocol-errors.ts'

/** Runs a request that is no tool call over the vaults that its client may see. */
export type RunRequest = <T>(ctx: ServerContext, run: (vaults: readonly GraphCore[], call: Call) => Promise<T>) => Promise<T>

/** Runs requests with a time limit and progress, and turns errors into protocol errors. */
export function requestRunner({ vaults, log, timeout }: Pick<CallOptions, 'vaults' | 'log' | 'timeout'>): RunRequest {
  return async (ctx, run) => {
    const { signal } = ctx.mcpReq
    try {
      return await withProgress(ctx, vaults, (followed) =>
        withinTime({ signal, timeout, hint: 'Ask again in a moment.' }, async (stop) =>
          run(await openAll(followed), waiting({ signal: stop })),
        ),
      )
    } catch (error) {
      // Nobody waits for a cancelled request: its error is neither sent nor logged.
      throw protocolError(error, signal.aborted ? () => {} : logFor(ctx, log))
    }
  }
}

/** A log that also tells the client of a request what concerns it. */
export function logFor({ mcpReq }: ServerContext, log: Log): Log {
  return (line, told) => {
    log(line)
    if (told !== undefined) mcpReq.log('error', told, 'roux').catch(() => {})
  }
}
