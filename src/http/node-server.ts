import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { RouxError } from '../core/errors.ts'
import type { Limits } from './limits.ts'

/** Creates a Node server that enforces limits and responds to invalid HTTP itself. */
export function openNode(limits: Limits, onRequest: (request: IncomingMessage, response: ServerResponse) => void): NodeServer {
  const node = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: CHECK_MS,
    // Roux's own error explains how to fix the problem.
    requireHostHeader: false,
  })
  node.maxConnections = limits.connections
  node.maxRequestsPerSocket = limits.requestsPerConnection
  node.timeout = limits.stallTimeout
  const last = new WeakMap<object, ServerResponse>()
  const onAny = (request: IncomingMessage, response: ServerResponse): void => {
    last.set(request.socket, response)
    onRequest(request, response)
  }
  node.on('request', onAny)
  // By default, Node would ask for the body before the sender is known.
  node.on('checkContinue', onAny)
  node.on('clientError', (error, socket) => refuseClient(error, socket as Socket, last.get(socket)))
  return node
}

/** Interval between checks for connections that are too slow, in milliseconds. */
const CHECK_MS = 1_000

/** Responds to invalid HTTP if possible. */
function refuseClient(error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined): void {
  // A second response would end up inside the one being sent.
  const isAnswering = response?.headersSent === true && !response.writableEnded
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.']
  const body = JSON.stringify({ error: { message } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
}

/**
 * Starts listening and returns the port.
 * @throws RouxError `INVALID_SETTINGS` if the address and port cannot be used
 */
export function listen(node: NodeServer, { host, port, portAdvice }: Address): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    node.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, { host, port, portAdvice })))
    node.listen({ host, port }, () => resolve(node.address() as AddressInfo))
  })
}

interface Address {
  readonly host: string
  readonly port: number
  readonly portAdvice?: string | undefined
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port, portAdvice = 'choose another port' }: Address): RouxError {
  const [message, hint] = {
    EADDRINUSE: [`Port ${port} of ${host} is in use.`, `Another program uses it: ${portAdvice}.`],
    EACCES: [`Listening on port ${port} is not permitted.`, 'Ports below 1024 are reserved: choose a higher port.'],
    EADDRNOTAVAIL: [
      `${host} is not an address of this computer.`,
      'Set http.host to 127.0.0.1, or to 0.0.0.0 for all of its addresses.',
    ],
    ENOTFOUND: [
      `${host} is not an address of this computer.`,
      'Set http.host to 127.0.0.1, or to 0.0.0.0 for all of its addresses.',
    ],
  }[cause.code ?? ''] ?? [`Cannot listen on ${host}, port ${port}: ${cause.message}.`, 'Check http.host and http.port.']
  return new RouxError('INVALID_SETTINGS', message ?? '', { hint, cause })
}
