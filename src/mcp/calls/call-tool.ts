import { waiting } from '../../app/answer/answer-when-ready.ts'
import type { Answer, Warning } from '../../app/graph-core.ts'
import type { Vaults } from '../../app/vaults.ts'
import { type ErrorCode, RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import { type SwitchedOffBy, type Tool, type ToolFacts, UNREDACTED } from '../definition/define-tool.ts'
import { prepareCall } from './prepare-call.ts'
import { withinTime } from './progress.ts'
import { errorResult, type Log, type ToolResult, toolResult } from './tool-result.ts'

/** Warnings that reveal nothing about notes. */
const INDEX_WARNINGS: readonly Warning['code'][] = ['INDEX_BUILDING', 'STALE']

/** The errors that are shown in full. Others can contain names of similar notes and headings. */
const CALLER_ERRORS: readonly ErrorCode[] = ['INVALID_PARAMS', 'TOOL_DISABLED']

export interface CallOptions {
  readonly vaults: Vaults
  readonly log: Log
  readonly switchedOffBy?: SwitchedOffBy
  readonly signal?: AbortSignal
  /** The timeout in milliseconds. */
  readonly timeout?: number
  /** Tools that the client is not offered. Messages do not mention them. */
  readonly missing?: readonly string[]
  /** If false, results of changes reveal nothing about notes. The default is true. */
  readonly mayRead?: boolean
  /** The token budget, unless the arguments set one. By default, each tool's own limit applies. */
  readonly maxTokens?: number | undefined
  readonly report?: ((message: string) => void) | undefined
}

/** The time limit in milliseconds for calls of a model, which exceeds the maximum of `ai.timeout`. */
const MODEL_TIMEOUT = 660_000

/** Returns errors as results. */
export async function callTool(tool: Tool, args: unknown, options: CallOptions): Promise<ToolResult> {
  const { signal, mayRead = true, maxTokens, report, missing = [] } = options
  const timeout = options.timeout ?? (tool.needsChatModel === true ? MODEL_TIMEOUT : undefined)
  try {
    const run = prepareCall(tool, args, options)
    const limit = { signal, timeout, hint: hintOf(tool) }
    const answer = await withinTime(limit, (stop) => run(waiting({ signal: stop, maxTokens, report })))
    return toolResult(onlyOffered(mayRead ? answer : redactAnswer(answer, tool), missing), tool)
  } catch (error) {
    // A client that has cancelled the call receives no result.
    const shownError = onlyOfferedHint(signal?.aborted ? new RouxError('TIMEOUT', 'The call was cancelled.') : error, missing)
    return errorResult(mayRead ? shownError : redactError(shownError), options.log)
  }
}

function hintOf({ annotations }: Tool): string {
  return annotations.readOnlyHint
    ? 'Narrow the request with a lower limit, a folder or a tag.'
    : 'It may still complete: check list_changes before you retry.'
}

/** Removes what a client that may change notes but not read them must not see. */
function redactAnswer(answer: Answer<unknown>, { needs, unredacted }: ToolFacts): Answer<unknown> {
  if (needs === undefined) return answer
  const warnings = answer.warnings.filter(({ code }) => INDEX_WARNINGS.includes(code))
  return { ...answer, value: only(unredacted ?? UNREDACTED[needs], answer.value), warnings }
}

/** Removes details that a client without read access must not see. */
function redactError(error: unknown): unknown {
  if (!(error instanceof RouxError) || CALLER_ERRORS.includes(error.code)) return error
  const { code, message, hint } = error
  return new RouxError(code, message, { hint, cause: error })
}

function only(names: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => only(names, item))
  if (!isRecord(value)) return value
  const allowedEntries = Object.entries(value).filter(([name]) => names.has(name))
  return Object.fromEntries(
    // The prefix `partial:` marks the hash of a note that the caller has not read completely.
    allowedEntries.map(([name, member]) => [name, name === 'hash' ? partialHash(String(member)) : only(names, member)]),
  )
}

/** Matches whitespace after a sentence, or after a semicolon. */
const END = /(?<=[.!?;])\s+/

/**
 * Removes sentences that mention a missing tool, because the client cannot follow that advice. A warning without other sentences
 * stays.
 */
export function onlyOffered<V>(answer: Answer<V>, missing: readonly string[]): Answer<V> {
  if (answer.warnings.length === 0) return answer
  const warnings = answer.warnings.map((warning) => ({
    ...warning,
    message: offeredPart(warning.message, missing) || warning.message,
  }))
  return { ...answer, warnings }
}

/** Works like `onlyOffered`, but for an error's hint. */
function onlyOfferedHint(error: unknown, missing: readonly string[]): unknown {
  if (!(error instanceof RouxError) || error.hint === undefined) return error
  const hint = offeredPart(error.hint, missing)
  if (hint === error.hint) return error
  const { code, message, candidates, isTransient } = error
  return new RouxError(code, message, { ...(hint === '' ? {} : { hint }), candidates, isTransient, cause: error })
}

function offeredPart(text: string, missing: readonly string[]): string {
  // A one-word name such as `ask` or `map` may also be an English word, so only names with an underscore count.
  const names = missing.filter((name) => name.includes('_') && text.includes(name))
  if (names.length === 0) return text
  const namesPattern = new RegExp(`\\b(?:${names.join('|')})\\b`)
  return text
    .split(END)
    .filter((sentence) => !namesPattern.test(sentence))
    .join(' ')
    .replace(/;$/, '.')
}
