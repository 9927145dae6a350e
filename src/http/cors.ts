import type { IncomingMessage, ServerResponse } from 'node:http'

const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'
const METHODS = 'GET, POST, DELETE'
const HEADERS = 'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'
const PREFLIGHT_SECONDS = '600'

/** Whether this is a browser's preflight. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Lets the page that asks read the answer: its origin was checked. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (headers.origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', headers.origin)
  response.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

/** Tells a browser what pages of an allowed origin may send. */
export function sendPreflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', METHODS)
  response.setHeader('Access-Control-Allow-Headers', HEADERS)
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  response.writeHead(204).end()
}
