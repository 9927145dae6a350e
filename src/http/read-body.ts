import type { IncomingMessage } from 'node:http'
import { TextDecoder } from 'node:util'
import { quietly } from '../core/quietly.ts'
import { readJson } from '../mcp/transport/arrival.ts'
import { parseFault } from '../mcp/transport/json-rpc.ts'
import { type Refusal, refusal } from './refusal.ts'

/** The result of reading a body. `gone` means that the client has disconnected. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'gone' }

export async function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  const bytes = await readBytes(request, limit)
  if (bytes === 'gone') return { kind: 'gone' }
  if (bytes === 'too large') return { kind: 'refused', refusal: tooLarge(limit) }
  return parseBody(bytes)
}

/** Reads a body and checks its size while it arrives. `gone` means that the client has disconnected. */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer | 'too large' | 'gone'> {
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

export function tooLarge(bytes: number): Refusal {
  return refusal(413, `The body is larger than ${bytes / 1024 / 1024} MB.`, {
    hint: 'Send less at once. Write a long note in parts, using append in update_node.',
  })
}

function parseBody(bytes: Buffer): Body {
  // The decoder drops a byte order mark, which RFC 8259 allows parsers to ignore.
  const text = quietly(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (text === undefined) return errorBody(parseFault('the body is not UTF-8.'))
  const json = readJson(text, 'body')
  return 'fault' in json ? errorBody(json.fault) : { kind: 'json', value: json.value }
}

function errorBody(body: object): Body {
  return { kind: 'refused', refusal: { status: 400, body, headers: {} } }
}
