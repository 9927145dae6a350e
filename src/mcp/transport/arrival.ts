import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { hasBatches } from '../protocol.ts'
import { idFromEnds, invalidRequest, isInitialize, isRequest, parseFault, readMessage } from './json-rpc.ts'
import { KEPT_ENDS } from './line-splitter.ts'

/** The content of one line or body, which is a single message or a batch. */
export type Arrival = Messages | { readonly kind: 'fault'; readonly response: JSONRPCMessage }

export interface Messages {
  readonly kind: 'messages'
  readonly messages: readonly JSONRPCMessage[]
  /** Responses to those members of a batch that are not messages. */
  readonly faults: readonly JSONRPCMessage[]
  readonly isBatch: boolean
}

/** A larger batch is rejected as a whole. */
const MAX_MESSAGES = 100
/** The maximum nesting of brackets. Tools need only a few levels, and later parsers are recursive. */
const MAX_LEVELS = 64

/** Parses JSON. `fault` is the response to invalid JSON. */
export function readJson(text: string, unit: 'line' | 'body'): { readonly value: unknown } | { readonly fault: JSONRPCMessage } {
  if (isDeeper(text, MAX_LEVELS)) {
    // The error needs the request's id, or the client would keep waiting.
    const id = idFromEnds(text.slice(0, KEPT_ENDS), text.slice(-KEPT_ENDS))
    return { fault: invalidRequest(`the ${unit} is nested more than ${MAX_LEVELS} levels deep.`, id) }
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: parseFault(`the ${unit} is not valid JSON.`) }
  }
}

/** Parses a message or batch. `batchFault` checks whether the protocol version supports batches. */
export function readArrival(value: unknown): Arrival {
  if (!Array.isArray(value)) {
    const read = readMessage(value)
    return read.kind === 'fault' ? read : { kind: 'messages', messages: [read.message], faults: [], isBatch: false }
  }
  if (value.length === 0) return refuse('the batch is empty.')
  if (value.length > MAX_MESSAGES) return refuse(`the batch has more than ${MAX_MESSAGES} messages.`)
  const members = value.map(readMessage)
  const messages = members.flatMap((member) => (member.kind === 'message' ? [member.message] : []))
  const faults = members.flatMap((member) => (member.kind === 'fault' ? [member.response] : []))
  const ids = messages.filter(isRequest).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return refuse('two requests in the batch have the same id.')
  const opening = messages.find(isInitialize)
  if (opening !== undefined) return refuse('"initialize" must come alone, and not in a batch.', opening.id)
  return { kind: 'messages', messages, faults, isBatch: true }
}

/** @returns undefined if the protocol version supports batches */
export function batchFault({ isBatch }: Messages, version: string | undefined): JSONRPCMessage | undefined {
  return isBatch && !hasBatches(version) ? invalidRequest('batches are not supported in this protocol version.') : undefined
}

function refuse(reason: string, id?: unknown): Arrival {
  return { kind: 'fault', response: invalidRequest(reason, id) }
}

/** Returns true if the nesting is deeper than the limit. The result is exact for valid JSON. Other text fails to parse anyway. */
function isDeeper(text: string, limit: number): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isString = false
    } else if (code === QUOTE) isString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > limit) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
