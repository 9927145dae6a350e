import type { Answer, Picture } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Wrap } from '../definition/define-tool.ts'
import { membersToJson, toJson } from '../transport/json.ts'
import { extentOf, extentSentences } from './extent.ts'

/** A tool's answer on the wire: the same facts as text and under an object root. */
export type ToolResult = {
  readonly content: ContentBlock[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: true
}

export type ContentBlock = TextBlock | ({ readonly type: 'image' } & Picture)

interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** Receives lines for the log; `told` is the part a client may see. */
export type Log = (line: string, told?: string) => void

/** The result of an answer: compact JSON, pictures; how long a list is, what was left out and warnings as sentences of their own. */
export function toolResult(answer: Answer<unknown>, wrap: Wrap): ToolResult {
  const { value, warnings, images = [] } = answer
  const content: ContentBlock[] = [textBlock(wrap === 'object' && isRecord(value) ? membersToJson(value) : toJson(value))]
  content.push(...images.map((picture) => ({ type: 'image' as const, ...picture })))
  const structuredContent = { ...wrapped(value, wrap), ...extentOf(answer) }
  const sentences = [...extentSentences(answer), ...warnings.map(({ code, message }) => `${code}: ${message}`)]
  if (sentences.length > 0) content.push(textBlock(sentences.join('\n')))
  return { content, structuredContent: warnings.length === 0 ? structuredContent : { ...structuredContent, _warnings: warnings } }
}

/** The result of a failure: an error the caller can act on, or a reference to the log. */
export function errorResult(thrown: unknown, log: Log): ToolResult {
  const error = thrown instanceof RouxError ? thrown.toJSON() : internalError(thrown, log)
  return { content: [textBlock(JSON.stringify({ error }))], structuredContent: { error }, isError: true }
}

/** A bug as clients see it: a reference to the log. */
export function internalError(thrown: unknown, log: Log) {
  const reference = Math.random().toString(36).slice(2, 10)
  const message = `Internal error, reference ${reference}.`
  log(`Internal error ${reference}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`, message)
  return { code: 'INTERNAL_ERROR', message }
}

function wrapped(value: unknown, wrap: Wrap): Record<string, unknown> {
  if (wrap === 'object') return isRecord(value) ? { ...value } : { result: value ?? null }
  return { [wrap]: value }
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text }
}
