import * as z from 'zod/v4'
import { MAX_TOKENS, MIN_TOKENS } from '../../app/answer/budget.ts'
import { MAX_LINKS } from '../../app/answer/node-response.ts'
import { isRecord } from '../../core/is-record.ts'
import { READS, type ToolAnnotations } from '../definition/define-tool.ts'

/** Annotations of tools that create something. A repeated call creates another one or fails. */
export const CREATES: ToolAnnotations = { ...READS, readOnlyHint: false, idempotentHint: false }

/** Annotations of tools that create something unless it exists. */
export const ENSURES: ToolAnnotations = { ...CREATES, idempotentHint: true }

export const CHANGES: ToolAnnotations = { ...CREATES, destructiveHint: true }

/** Annotations of tools whose repeated calls have no further effect. */
export const SETS: ToolAnnotations = { ...CHANGES, idempotentHint: true }

const KINDS = ['note', 'attachment', 'canvas', 'missing'] as const

export function nodeName(description: string) {
  return z.string().describe(`${description}: id or title.`)
}

export function limit(maximum: number, fallback: number, description = 'Maximum results.') {
  return z.int().min(1).max(maximum).default(fallback).describe(description)
}

export function page(maximum: number, fallback: number) {
  return { limit: limit(maximum, fallback), offset: offset() }
}

export function offset(description = 'Results to skip.') {
  return z.int().min(0).default(0).describe(description)
}

/** The parameter `max_tokens`. Its description omits the default, which the server's instructions state. */
export function maxTokens(description = 'Token limit.') {
  return integer(MIN_TOKENS, MAX_TOKENS, description)
}

export function links() {
  return integer(0, MAX_LINKS, 'Links per result.')
}

/** Defines an integer whose bounds are not part of the schema, because models would read them with every tool. */
function integer(from: number, to: number, description: string) {
  return z
    .int()
    .refine((value) => value >= from && value <= to, `an integer from ${from} to ${to}`)
    .optional()
    .describe(description)
}

/** Defines a path of headings. A single string is one heading (optionally `## Text`), or a path as in a link (`A#B`). */
export function headingPath(description?: string) {
  const asPath = (value: unknown) => (typeof value === 'string' && value !== '' ? [value.replace(/^#{1,6}\s+/, '')] : value)
  const path = z.array(z.string()).min(1)
  return z.preprocess(asPath, description === undefined ? path : path.describe(description))
}

export function folder() {
  return z.string().optional().describe('Only this folder.')
}

export function tag() {
  return z.string().optional().describe('Only this tag.')
}

export function path() {
  return z.string().optional().describe('Only ids with this prefix: "projects/".')
}

export function kinds() {
  return z.array(z.enum(KINDS)).optional().describe('Default: note. missing: targets that do not exist.')
}

export function includeContent() {
  return z.boolean().default(false).describe('Content instead of properties.')
}

export function relevance() {
  return z.enum(['strict', 'normal', 'loose']).default('normal').describe('Minimum relevance.')
}

export function expectedHash() {
  return z.string().optional().describe('The hash you read; fails if the file has changed since.')
}

export function tags() {
  return z.array(z.string())
}

export function properties(description: string) {
  return mapping(z.unknown()).optional().describe(description)
}

export function relations() {
  return mapping(z.array(z.string()))
    .optional()
    .describe('Links to set in properties, as ids, titles or aliases: {"up": ["Home"]}.')
}

/** Defines a map that rejects `__proto__`, which `z.record` would silently drop. */
function mapping<Value extends z.ZodType>(value: Value) {
  const refuseDropped = (given: unknown, { addIssue }: z.RefinementCtx) => {
    if (isRecord(given) && Object.hasOwn(given, '__proto__')) addIssue('names other than __proto__')
    return given
  }
  return z.preprocess(refuseDropped, z.record(z.string(), value))
}

export function attachmentId() {
  return z.string().describe('Path in the vault; case is ignored.')
}
