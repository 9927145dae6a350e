import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { messageToJson } from '../mcp/transport/json-rpc.ts'

export interface Refusal {
  readonly status: number
  /** The response body, a JSON object with the member `error`. */
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

export interface RefusalDetails {
  readonly hint?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function refusal(status: number, message: string, { hint, headers = {} }: RefusalDetails = {}): Refusal {
  return { status, headers, body: { error: { message, ...(hint === undefined ? {} : { hint }) } } }
}

// The server reads and discards up to this many bytes, because some clients read the response only after sending the body.
const LINGER_BYTES = 16 * 1024 * 1024
const LINGER_MS = 1_000

export function sendJson(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
  response.end(response.req.method === 'HEAD' ? undefined : json)
}

export function sendFault(response: ServerResponse, errorResponse: JSONRPCMessage): void {
  sendJson(response, 400, messageToJson(errorResponse))
}

/** The connection closes after a delay, because the body may still be arriving. */
export function sendRefusal(response: ServerResponse, { status, body, headers }: Refusal): void {
  const request = response.req
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const json = JSON.stringify(body)
  if (request.complete || !hasBody(request)) {
    sendJson(response, status, json)
    return
  }
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(json),
    Connection: 'close',
  })
  response.write(json)
  discard(request, () => response.end())
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function discard(request: IncomingMessage, onDone: () => void): void {
  let remaining = LINGER_BYTES
  let over = false
  const stop = (): void => {
    if (over) return
    over = true
    clearTimeout(timer)
    onDone()
  }
  const timer = setTimeout(stop, LINGER_MS)
  request.on('data', (chunk: Buffer) => {
    remaining -= chunk.length
    if (remaining < 0) stop()
  })
  request.on('end', stop).on('close', stop).on('error', stop)
  request.resume()
}
