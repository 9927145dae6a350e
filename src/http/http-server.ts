import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Server } from '@modelcontextprotocol/server'
import { RouxError } from '../core/errors.ts'
import { SHUTDOWN } from '../core/waiting.ts'
import { type EventFeed, feedOf, ServerEvents } from '../mcp/events/events.ts'
import { type HealthFor, healthRoute } from './health.ts'
import {
  type AccessPolicy,
  allowOrigin,
  checkAccessPolicy,
  checkAddress,
  inUrl,
  isEveryAddress,
  isPreflight,
  MCP_PATH,
  sendPreflight,
} from './host-and-origin.ts'
import { LegacyHandler } from './legacy-handler.ts'
import { LIMITS, type Limits, openLoad } from './limits.ts'
import { mcpRoute } from './mcp-route.ts'
import { ModernHandler } from './modern-handler.ts'
import { type Refusal, refusal, sendRefusal } from './refusal.ts'
import { type ExtraRoutes, findRoute, type PublicSide, type Route, type ServerParts } from './routes.ts'
import { Sessions } from './sessions.ts'
import { authorize, TokenGate } from './token-gate.ts'
import type { Access } from './tokens.ts'

export type Era = 'legacy' | 'modern'

export interface HttpServerOptions extends AccessPolicy {
  /** The port to listen on, or 0 for any free port. */
  readonly port: number
  /** The path of the token file. Changes to the file take effect immediately. */
  readonly tokenFile: string
  serverFor(access: Access, era: Era): Server
  eventsFor?(access: Access): EventFeed
  readonly healthFor?: HealthFor
  extraRoutes?(parts: ServerParts): ExtraRoutes
  readonly publicSide?: PublicSide | undefined
  readonly portAdvice?: string
  log(line: string): void
  readonly limits?: Limits
}

export interface HttpServer {
  readonly url: string
  /** Finishes running calls and ends all streams, within `limits.drain` milliseconds. */
  stop(): Promise<void>
}

/**
 * Opens the server.
 * @throws RouxError `INVALID_SETTINGS` if the server cannot listen on the address and port, or if a list contains an invalid name
 */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  checkAccessPolicy(options)
  const endpoint = openEndpoint(options)
  const { port } = await listen(endpoint.node, options).catch(async (error: unknown) => {
    await endpoint.stop()
    throw error
  })
  return {
    url: `http://${isEveryAddress(options.host) ? '127.0.0.1' : inUrl(options.host)}:${port}${MCP_PATH}`,
    stop: endpoint.stop,
  }
}

/** The interval between checks of the tokens of open streams. The tokens of calls are checked immediately. */
const CHECK_MS = 1_000

function openEndpoint(options: HttpServerOptions): { readonly node: NodeServer; stop(): Promise<void> } {
  const { serverFor, eventsFor = () => feedOf(new ServerEvents()), log, tokenFile, limits = LIMITS, publicSide: side } = options
  const gate = new TokenGate(tokenFile, log)
  const load = openLoad(limits)
  const sessions = new Sessions(limits)
  const parts = { load, limits }
  const legacy = new LegacyHandler({
    ...parts,
    sessions,
    serverFor: ({ access }) => serverFor(access, 'legacy'),
  })
  const modern = new ModernHandler({
    ...parts,
    eventsFor,
    serverFor: ({ access }) => serverFor(access, 'modern'),
    log,
  })
  const authorizing = (request: IncomingMessage) =>
    options.enabled ? authorize(request, gate, side?.isPublic(request) === true ? side : undefined) : { refusal: switchedOff() }
  const isAllowed = (principal: string): boolean =>
    options.enabled && (gate.isCurrent(principal) || side?.isCurrent(principal) === true)
  const whileEnabled = (route: Route): Route => ({
    ...route,
    serve: async (request, response) => (options.enabled ? route.serve(request, response) : switchedOff()),
  })
  const extra = options.extraRoutes?.({ ...parts, hosts: options.hosts, authorize: authorizing, isCurrent: isAllowed })
  const protocol = mcpRoute({ ...parts, legacy, modern, authorize: authorizing })
  // The public address exposes neither the map page nor the state of the vaults.
  const publicHealth = healthRoute({ authorize: () => ({ refusal: nothingHere() }), healthFor: async () => undefined })
  const publicRoutes = [protocol, publicHealth, ...(side?.routes ?? []).map(whileEnabled)]
  const routes = [
    protocol,
    healthRoute({
      authorize: authorizing,
      healthFor: async (access) => (options.enabled ? options.healthFor?.(access) : undefined),
    }),
    ...(extra?.routes ?? []),
  ]
  /** Ends the sessions and streams of changed or removed tokens, or all of them if serving is disabled. */
  const endOutdated = (): void => {
    for (const part of [sessions, modern, extra]) part?.endUnless(isAllowed)
  }
  const watch = setInterval(endOutdated, CHECK_MS).unref()
  let isStopping = false

  /** All checks run before the body is read. */
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Responses contain notes, so proxies must not cache them.
    response.setHeader('Cache-Control', 'no-store').setHeader('X-Content-Type-Options', 'nosniff')
    const route = findRoute(side?.isPublic(request) === true ? publicRoutes : routes, request)
    if (route === undefined) return sendRefusal(response, nothingHere())
    const stranger = checkAddress(request, options, limits)
    if (stranger !== undefined) return sendRefusal(response, stranger)
    allowOrigin(request, response)
    if (isStopping) return sendRefusal(response, stopping())
    if (route.answersPreflight && isPreflight(request)) return sendPreflight(response)
    const refusal = route.methodRefusal(request.method ?? '') ?? (await route.serve(request, response))
    if (refusal !== undefined) sendRefusal(response, refusal)
  }
  const serve = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    answer(request, response).catch((error: unknown) => {
      log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) response.destroy()
      else sendRefusal(response, refusal(500, 'Internal error: a bug in Roux.'))
    })
  const node = openNode(limits, (request, response) => void serve(request, response))
  return {
    node,
    async stop() {
      isStopping = true
      clearInterval(watch)
      const closing = new Promise<void>((resolve) => node.close(() => resolve()))
      sessions.endStreams()
      extra?.endUnless(() => false)
      await modern.endStreams()
      await load.idle(limits.drain)
      sessions.close()
      await Promise.all([legacy.close(), modern.close()])
      node.closeIdleConnections()
      const timer = setTimeout(() => node.closeAllConnections(), SHUTDOWN.lastBytes)
      await closing
      clearTimeout(timer)
    },
  }
}

function nothingHere(): Refusal {
  return refusal(404, 'Not found.', { hint: `The MCP endpoint is exactly ${MCP_PATH}.` })
}

function stopping(): Refusal {
  return refusal(503, 'The server is stopping.', { headers: { Connection: 'close', 'Retry-After': '5' } })
}

function switchedOff(): Refusal {
  return refusal(403, 'Serving over HTTP is turned off.', {
    hint: 'Set http.enabled to true, or run "roux serve --http".',
  })
}

function openNode(limits: Limits, onRequest: (request: IncomingMessage, response: ServerResponse) => void): NodeServer {
  const node = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: SLOWNESS_CHECK_MS,
    // Node's own check is off, because `checkHost` sends a more helpful error.
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
  // The listener replaces Node's default, which asks for the body before the token is checked.
  node.on('checkContinue', onAny)
  node.on('clientError', (error, socket) => refuseClient(error, socket as Socket, last.get(socket)))
  return node
}

const SLOWNESS_CHECK_MS = 1_000

function refuseClient(error: NodeJS.ErrnoException, socket: Socket, response: ServerResponse | undefined): void {
  // A second response must not be written into the one being sent.
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

function listen(node: NodeServer, { host, port, portAdvice }: Address): Promise<AddressInfo> {
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
  const notHere = [
    `${host} is not an address of this computer.`,
    'Set http.host to 127.0.0.1, or to 0.0.0.0 for all of its addresses.',
  ]
  const [message, hint] = {
    EADDRINUSE: [`Port ${port} of ${host} is in use.`, `Another program uses it: ${portAdvice}.`],
    EACCES: [`Listening on port ${port} is not permitted.`, 'Ports below 1024 are reserved: choose a higher port.'],
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
  }[cause.code ?? ''] ?? [`Cannot listen on ${host}, port ${port}: ${cause.message}.`, 'Check http.host and http.port.']
  return new RouxError('INVALID_SETTINGS', message ?? '', { hint, cause })
}
