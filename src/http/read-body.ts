import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import { invalidRequest, parseFault } from '../mcp/json-rpc.ts'
import { type Refusal, refusal } from './refusal.ts'

/** A body's JSON, why it is not served, or nothing where the client went away while sending. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'gone' }

export interface BodyLimits {
  /** Bytes. */
  readonly bytes: number
  /** Levels of brackets. */
  readonly depth: number
}

/** Reads a request's body as JSON in UTF-8; it is counted while it arrives. */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const bytes = await collect(request, limits.bytes)
  if (bytes === 'gone') return { kind: 'gone' }
  if (bytes === 'too large') return { kind: 'refused', refusal: tooLarge(limits.bytes) }
  return parseBody(bytes, limits.depth)
}

/** The refusal of a body of more than so many bytes. */
export function tooLarge(bytes: number): Refusal {
  return refusal(413, `The body is larger than ${bytes / 1024 / 1024} MB.`, {
    hint: 'Send less at once: write a long note in parts, with update_node and append.',
  })
}

function parseBody(bytes: Buffer, depth: number): Body {
  const text = decode(bytes)
  if (text === undefined) return fault(parseFault('the body is not UTF-8.'))
  if (isDeeper(text, depth)) return fault(invalidRequest(`the body is nested more than ${depth} levels deep.`))
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return fault(parseFault('the body is not JSON.'))
  }
}

function fault(body: object): Body {
  return { kind: 'refused', refusal: { status: 400, body, headers: {} } }
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        request.off('data', onData)
        resolve('too large')
      }
    }
    request.on('data', onData)
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', () => resolve('gone')).on('error', () => resolve('gone'))
  })
}

function decode(bytes: Buffer): string | undefined {
  try {
    // A byte order mark in front is dropped, as RFC 8259 lets readers do.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether brackets outside of strings are nested deeper; right for JSON, and nothing else is parsed further. */
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
