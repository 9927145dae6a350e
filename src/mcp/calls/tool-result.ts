import { type Counts, sums } from '../../app/answer/budget.ts'
import type { Answer, ListFacts, Omitted, Picture } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { amountOf } from '../../core/text/format.ts'
import type { OffSwitch, Tool, Wrap } from '../definition/define-tool.ts'
import { membersToJson, toJson } from '../transport/json-rpc.ts'

export type ToolResult = {
  readonly content: ContentBlock[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: true
}

export type ContentBlock = { readonly type: 'text'; readonly text: string } | ({ readonly type: 'image' } & Picture)

/** Writes a line to the log. @param clientLine what the client may see of the line */
export type Log = (line: string, clientLine?: string) => void

/** Formats compact JSON and images, then sentences about omissions and warnings. */
export function toolResult(answer: Answer<unknown>, { wrap: wrapMember, present }: Pick<Tool, 'wrap' | 'present'>): ToolResult {
  const { value, warnings, images = [] } = answer
  const warningMember = warnings.length === 0 ? {} : { _warnings: warnings }
  if (present !== undefined) {
    const structuredContent = { ...present(value), ...warningMember }
    return { content: [textBlock(JSON.stringify(structuredContent))], structuredContent }
  }
  // A tool that lists notes may also return only a count.
  const wrap = wrapMember === 'results' && isRecord(value) && typeof value.total === 'number' ? 'object' : wrapMember
  const content: ContentBlock[] = [textBlock(wrap === 'object' && isRecord(value) ? membersToJson(value) : toJson(value))]
  content.push(...images.map((picture) => ({ type: 'image' as const, ...picture })))
  const structuredContent = { ...wrapped(value, wrap), ...extentOf(answer) }
  const sentences = [...extentSentences(answer), ...warnings.map(({ code, message }) => `${code}: ${message}`)]
  if (sentences.length > 0) content.push(textBlock(sentences.join('\n')))
  return { content, structuredContent: { ...structuredContent, ...warningMember } }
}

export function errorResult(cause: unknown, log: Log): ToolResult {
  const error = cause instanceof RouxError ? cause.toJSON() : internalError(cause, log)
  return { content: [textBlock(JSON.stringify({ error }))], structuredContent: { error }, isError: true }
}

/** Logs a bug. The client receives only a reference to the log entry. */
export function internalError(error: unknown, log: Log) {
  const reference = Math.random().toString(36).slice(2, 10)
  const message = `Internal error, reference ${reference}.`
  log(`Internal error ${reference}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, message)
  return { code: 'INTERNAL_ERROR', message }
}

function wrapped(value: unknown, wrap: Wrap): Record<string, unknown> {
  if (wrap === 'object') return isRecord(value) ? { ...value } : { result: value ?? null }
  return { [wrap]: value }
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

type Extent = Pick<Answer<unknown>, 'list' | 'omitted'>

/** Describes how long the list is, where it continues and what was left out. */
function extentOf({ list, omitted }: Extent): Readonly<Record<string, unknown>> {
  return {
    ...(list?.counted === 'all' ? { total: list.count } : {}),
    ...(list?.counted === 'relevant' ? { relevant: list.count } : {}),
    ...(list !== undefined && hasMore(list) ? { next_offset: endOf(list) } : {}),
    ...(omitted === undefined ? {} : { omitted: sums(omitted.counts, omitted.capped ?? {}) }),
  }
}

/** Describes the extent in sentences, for clients that show only text to the model. A complete list needs no sentences. */
function extentSentences({ list, omitted }: Extent): readonly string[] {
  return [...(list === undefined ? [] : listSentences(list)), ...(omitted === undefined ? [] : omittedSentences(omitted))]
}

export function listSentences(list: ListFacts, offsetBy = 'offset '): readonly string[] {
  const { offset, shown } = list
  if (hasMore(list)) {
    const which = offset === 0 ? `${shown}` : `${offset + 1}–${endOf(list)}`
    return [`Showing ${which} of ${countOf(list)}; for more, use ${offsetBy}${endOf(list)}.`]
  }
  const verb = list.count === 1 ? 'is' : 'are'
  return offset > 0 && shown === 0 ? [`Nothing at offset ${offset}: there ${verb} ${countOf(list)}.`] : []
}

function countOf({ count, counted }: ListFacts): string {
  if (counted === 'all') return `${count}`
  return counted === 'relevant' ? `${count} relevant enough` : `at least ${count}`
}

function hasMore(list: ListFacts): boolean {
  return endOf(list) < list.count
}

function endOf({ offset, shown }: ListFacts): number {
  return offset + shown
}

function omittedSentences({ maxTokens, counts, capped = {} }: Omitted): readonly string[] {
  const sentence = (reason: string, of: Counts): readonly string[] => {
    const parts = Object.entries(of).map(([name, count]) => amountOf(count, name))
    return parts.length === 0 ? [] : [`Left out ${reason}: ${parts.join(', ')}.`]
  }
  return [...sentence(`to fit max_tokens ${maxTokens}`, counts), ...sentence('regardless of max_tokens', capped)]
}

export function toolDisabled(name: string, off: OffSwitch): RouxError {
  return new RouxError('TOOL_DISABLED', `The tool ${name} is switched off.`, {
    hint: typeof off === 'string' ? `Turn it on with the setting ${off}.` : off.hint,
  })
}
