import * as z from 'zod/v4'

import { LEAST_TOKENS, MOST_TOKENS } from '../../app/budget.ts'
import { MAX_LINKS } from '../../app/node-response.ts'

/** Parameters that several tools take alike. */

const KINDS = ['note', 'attachment', 'canvas', 'missing'] as const

export function nodeId(what: string) {
  return z.string().describe(`${what}: its path in the vault, in any case; ".md" may be left out.`)
}

export function limit(maximum: number, fallback: number, what = 'Maximum results.') {
  return z.int().min(1).max(maximum).default(fallback).describe(what)
}

/** Which stretch of a list is wanted. */
export function page(maximum: number, fallback: number) {
  return { limit: limit(maximum, fallback), offset: offset() }
}

export function offset() {
  return z.int().min(0).default(0).describe('Results to skip.')
}

/** What an answer keeps within; its default is a setting, and stands in the instructions. */
export function maxTokens() {
  return z.int().min(LEAST_TOKENS).max(MOST_TOKENS).optional().describe('Budget.')
}

export function links() {
  return z.int().min(0).max(MAX_LINKS).optional().describe('Links shown of each.')
}

export function folder() {
  return z.string().optional().describe('Only this folder and below.')
}

export function tag() {
  return z.string().optional().describe('Only notes with this tag or one nested in it, in any case.')
}

export function path() {
  return z.string().optional().describe('Only ids that begin with this, in any case.')
}

export function kinds() {
  return z.array(z.enum(KINDS)).optional().describe('Kinds of nodes; notes if absent. "missing" is a link without a target.')
}

export function includeContent() {
  return z.boolean().default(false).describe('Show the beginning of the content instead of properties.')
}

export function relevance() {
  return z
    .enum(['strict', 'normal', 'loose'])
    .default('normal')
    .describe('How sure a result must be; strict gives nothing for what the notes are not about.')
}

export function expectedHash() {
  return z.string().optional().describe('The hash you read; refused if the file changed since.')
}

export function dryRun() {
  return z.boolean().default(false).describe('Show diff and plan_id only.')
}

export function tags() {
  return z.array(z.string())
}

export function properties(what: string) {
  return z.record(z.string(), z.unknown()).optional().describe(what)
}

export function relations() {
  return z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('Links in properties, by ids, titles or aliases: {"up": ["Home"]}.')
}

export function attachmentId() {
  return z.string().describe('Attachment: its path in the vault, in any case.')
}
