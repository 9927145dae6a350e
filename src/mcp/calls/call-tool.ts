import { waiting } from '../../app/answer/answer-when-ready.ts'
import type { Vaults } from '../../app/vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { SwitchedOffBy, Tool } from '../definition/define-tool.ts'
import { prepareCall } from './prepare-call.ts'
import { redactAnswer, redactError } from './redact.ts'
import { errorResult, type Log, type ToolResult, toolResult } from './tool-result.ts'
import { withinTime } from './within-time.ts'

export interface CallOptions {
  /** Opened when the first call needs them. */
  readonly vaults: Vaults
  readonly log: Log
  /** Asked of tools that other tools' arguments name. */
  readonly switchedOffBy?: SwitchedOffBy
  readonly signal?: AbortSignal
  /** Milliseconds. */
  readonly timeout?: number
  /** Whether the caller may read notes; if not, answers of changes reveal nothing about them. Default: true. */
  readonly mayRead?: boolean
  /** The budget of the answer in tokens, unless its arguments set one; absent: the tool's own. */
  readonly maxTokens?: number | undefined
  /** Called with the current step; absent if the client does not ask for progress. */
  readonly report?: ((message: string) => void) | undefined
}

/** How long a tool may take that asks a model, ms: it ends by itself before, or goes on as long as `ai.timeout` lets it. */
const MODEL_TIMEOUT = 660_000

/** Calls a tool; an error is a result, too. */
export async function callTool(tool: Tool, args: unknown, options: CallOptions): Promise<ToolResult> {
  const { signal, mayRead = true, maxTokens, report } = options
  const timeout = options.timeout ?? (tool.byModel === true ? MODEL_TIMEOUT : undefined)
  try {
    const run = prepareCall(tool, args, options)
    const limit = { signal, timeout, hint: hintOf(tool) }
    const answer = await withinTime(limit, (stop) => run(waiting({ signal: stop, maxTokens, report })))
    return toolResult(mayRead ? answer : redactAnswer(answer, tool), tool.wrap)
  } catch (error) {
    // Nobody waits for a cancelled call: its result is never sent.
    const shown = signal?.aborted ? cancelled() : error
    return errorResult(mayRead ? shown : redactError(shown), options.log)
  }
}

function hintOf({ annotations }: Tool): string {
  return annotations.readOnlyHint
    ? 'Ask for less: a lower limit, a folder, a tag.'
    : 'It may still be done: look at list_changes before you ask for it again.'
}

function cancelled(): RouxError {
  return new RouxError('TIMEOUT', 'The call was cancelled.')
}
