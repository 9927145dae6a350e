import type { Answer, Warning } from '../../app/graph-core.ts'
import { type ErrorCode, RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import type { ToolFacts } from '../definition/define-tool.ts'

const NOTHING: ReadonlySet<string> = new Set()

/** Warnings that are about the index, not about notes. */
const OF_THE_INDEX: readonly Warning['code'][] = ['INDEX_BUILDING', 'STALE']

/** Errors that say what was wrong with the call; others may name notes and headings that could be meant. */
const OF_THE_CALL: readonly ErrorCode[] = ['INVALID_PARAMS', 'TOOL_DISABLED']

/** The same answer for a client that may change something but not read notes. */
export function redactAnswer(answer: Answer<unknown>, { needs, unredacted = NOTHING }: ToolFacts): Answer<unknown> {
  if (needs === undefined) return answer
  const warnings = answer.warnings.filter(({ code }) => OF_THE_INDEX.includes(code))
  return { ...answer, value: only(unredacted, answer.value), warnings }
}

/** The same failure for a client that may not read notes. */
export function redactError(thrown: unknown): unknown {
  if (!(thrown instanceof RouxError) || OF_THE_CALL.includes(thrown.code)) return thrown
  const { code, message, hint } = thrown
  return new RouxError(code, message, { ...(hint === undefined ? {} : { hint }), cause: thrown })
}

function only(names: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => only(names, item))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([name]) => names.has(name))
  return Object.fromEntries(
    // A hash says how much was shown: here nothing is.
    kept.map(([name, member]) => [name, name === 'hash' ? partialHash(String(member)) : only(names, member)]),
  )
}
