import type { Answer } from '../app/graph-core.ts'
import type { Vaults } from '../app/vaults.ts'
import { RouxError } from '../core/errors.ts'
import type { SwitchedOffBy, Tool } from './define-tool.ts'
import { prepareCall } from './prepare-call.ts'
import { errorResult, type Log, type ToolResult, toolResult } from './tool-result.ts'

export interface CallOptions {
  /** Opened when the first call needs them. */
  readonly vaults: Vaults
  readonly log: Log
  /** Asked of tools that other tools' arguments name. */
  readonly switchedOffBy?: SwitchedOffBy
  readonly signal?: AbortSignal
  /** Milliseconds. */
  readonly timeout?: number
}

/** How long a call may take. */
const CALL_TIMEOUT = 30_000

/** Calls a tool; whatever goes wrong is a result. */
export async function callTool(tool: Tool, args: unknown, options: CallOptions): Promise<ToolResult> {
  try {
    const run = prepareCall(tool, args, options)
    return toolResult(await withinTime(tool, options, (signal) => run({ signal })), tool.wrap)
  } catch (error) {
    // Nobody waits for this one any more: it is never sent.
    return errorResult(options.signal?.aborted ? cancelled() : error, options.log)
  }
}

async function withinTime(
  tool: Tool,
  { signal, timeout = CALL_TIMEOUT }: CallOptions,
  run: (signal: AbortSignal) => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  let giveUp: (reason: unknown) => void = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      stop.abort(reason)
      reject(reason)
    }
  })
  const timer = setTimeout(() => giveUp(timeoutError(tool, timeout)), timeout)
  const cancel = () => giveUp(signal?.reason)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([run(stop.signal), givenUp])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

function timeoutError({ annotations }: Tool, timeout: number): RouxError {
  return new RouxError('TIMEOUT', `The call took longer than ${timeout / 1000} s.`, {
    hint: annotations.readOnlyHint
      ? 'Ask for less: a lower limit, a folder, a tag.'
      : 'It may still be done: list_changes tells, before it is asked for again.',
  })
}

function cancelled(): RouxError {
  return new RouxError('TIMEOUT', 'The call was cancelled.')
}
