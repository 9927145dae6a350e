import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/server'
import { SHUTDOWN } from '../core/shutdown.ts'
import { type EventFeed, feedOf, ServerEvents } from '../mcp/events.ts'
import type { Access } from './access.ts'
import { authorize } from './authorize.ts'
import { checkDoor } from './check-door.ts'
import { checkAddress, checkEnabled, checkForm, checkMethod, type Door, HEALTH, HEALTH_PATH, pathOf } from './checks.ts'
import { allowOrigin, isPreflight, sendPreflight } from './cors.ts'
import { type Exchange, LegacyLeg } from './legacy-leg.ts'
import { LIMITS, type Limits } from './limits.ts'
import { Load } from './load.ts'
import { isLegacy, isListening, ModernLeg } from './modern-leg.ts'
import { inUrl, isEveryAddress } from './names.ts'
import { listen, openNode } from './node-server.ts'
import { withoutExtras } from './posted.ts'
import { readBody, tooLarge } from './read-body.ts'
import { type Refusal, refusal, sendJson, sendRefusal } from './refusal.ts'
import { Sessions } from './sessions.ts'
import { TokenGate } from './token-gate.ts'
import { Turns } from './turns.ts'

export type Era = 'legacy' | 'modern'

export interface HttpServerOptions extends Door {
  /** 0 for any that is free. */
  readonly port: number
  /** The tokens' file; a change of it counts at once. */
  readonly tokenFile: string
  /** Makes the server that a client talks to: one a session, or one a request. */
  serverFor(access: Access, era: Era): Server
  /** What clients that listen are told of; absent where nothing is. */
  eventsFor?(access: Access): EventFeed
  /** Told of what the owner of the server should know, a line each. */
  log(line: string): void
  readonly limits?: Limits
}

/** A server that listens. */
export interface HttpServer {
  /** Where the protocol is served. */
  readonly url: string
  /** Answers what is in work, ends every stream, and resolves when nothing is open any more; within `limits.drain`. */
  stop(): Promise<void>
}

/**
 * Serves the protocol over HTTP in every version.
 * @throws RouxError `INVALID_SETTINGS` when nothing can listen at that address and port, or a list of names holds what is none
 */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  checkDoor(options)
  const endpoint = new Endpoint(options)
  const { port } = await listen(endpoint.node, options).catch(async (error: unknown) => {
    await endpoint.stop()
    throw error
  })
  return {
    url: `http://${isEveryAddress(options.host) ? '127.0.0.1' : inUrl(options.host)}:${port}/mcp`,
    stop: () => endpoint.stop(),
  }
}

/** How soon a stream ends whose token has changed, or when serving is switched off, in milliseconds; calls notice at once. */
const CHECK_MS = 1_000

class Endpoint {
  readonly node: NodeServer
  readonly #options: HttpServerOptions
  readonly #limits: Limits
  readonly #gate: TokenGate
  readonly #load: Load
  readonly #turns = new Turns()
  readonly #sessions: Sessions
  readonly #legacy: LegacyLeg
  readonly #modern: ModernLeg
  readonly #watch: NodeJS.Timeout
  #isStopping = false

  constructor(options: HttpServerOptions) {
    const { serverFor, eventsFor = silence, log, tokenFile, limits = LIMITS } = options
    this.#options = options
    this.#limits = limits
    this.#gate = new TokenGate(tokenFile, log)
    this.#load = new Load(limits)
    this.#sessions = new Sessions(limits)
    const parts = { load: this.#load, limits }
    this.#legacy = new LegacyLeg({ ...parts, sessions: this.#sessions, serverFor: ({ access }) => serverFor(access, 'legacy') })
    this.#modern = new ModernLeg({
      ...parts,
      eventsFor,
      serverFor: ({ access }) => serverFor(access, 'modern'),
      log,
    })
    this.#watch = setInterval(() => this.#endOutdated(), CHECK_MS).unref()
    this.node = openNode(limits, (request, response) => void this.#serve(request, response))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#watch)
    const closed = new Promise<void>((resolve) => this.node.close(() => resolve()))
    this.#sessions.endStreams()
    await this.#modern.endStreams()
    await this.#load.idle(this.#limits.drain)
    this.#sessions.close()
    await Promise.all([this.#legacy.close(), this.#modern.close()])
    this.node.closeIdleConnections()
    const timer = setTimeout(() => this.node.closeAllConnections(), SHUTDOWN.lastBytes)
    await closed
    clearTimeout(timer)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#options.log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`)
      if (response.headersSent) response.destroy()
      else sendRefusal(response, refusal(500, 'Internal error, a mistake in Roux.'))
    }
  }

  /** The checks, in this order, before anything of the body is read. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request
    // Answers hold notes: nobody on the way shall keep them, or take them for anything but JSON.
    response.setHeader('Cache-Control', 'no-store').setHeader('X-Content-Type-Options', 'nosniff')
    const stranger = checkAddress(request, this.#options, this.#limits)
    if (stranger !== undefined) return sendRefusal(response, stranger)
    allowOrigin(request, response)
    if (this.#isStopping) return sendRefusal(response, stopping())
    if (pathOf(request) === HEALTH_PATH) return sendHealth(request, response)
    if (isPreflight(request)) return sendPreflight(response)
    const closed = checkMethod(request, this.#options, this.#limits) ?? checkEnabled(request, this.#options, this.#limits)
    if (closed !== undefined) return sendRefusal(response, closed)
    const admission = authorize(request, this.#gate)
    if ('refusal' in admission) return sendRefusal(response, admission.refusal)
    const malformed = checkForm(request, this.#options, this.#limits)
    if (malformed !== undefined) return sendRefusal(response, malformed)
    const exchange: Exchange = { request, response, holder: admission.holder }
    if (method === 'GET') await this.#legacy.listen(exchange)
    else if (method === 'DELETE') await this.#legacy.end(exchange)
    else await this.#post(exchange)
  }

  async #post(exchange: Exchange): Promise<void> {
    const { request, response, holder } = exchange
    const bytes = holder.access.scopes.has('attach') ? this.#limits.attachmentBody : this.#limits.body
    if (Number(request.headers['content-length'] ?? 0) > bytes) return sendRefusal(response, tooLarge(bytes))
    const full = this.#load.callsRefusal
    if (full !== undefined) return sendRefusal(response, full)
    const done = this.#load.beginCall()
    try {
      if (request.headers.expect !== undefined) response.writeContinue()
      const body = await readBody(request, { bytes, depth: this.#limits.bodyDepth })
      if (body.kind === 'refused') return sendRefusal(response, body.refusal)
      if (body.kind === 'gone') return
      await this.#turns.take()
      const posted = withoutExtras(body.value)
      if (isLegacy(request, posted)) return await this.#legacy.post(exchange, posted)
      // A stream is no call: it lasts as long as its client likes.
      if (isListening(posted)) done()
      await this.#modern.post(exchange, posted)
    } finally {
      done()
    }
  }

  /** A token that was changed takes along what it opened, and all goes when serving is switched off. */
  #endOutdated(): void {
    const mayGoOn = (holder: string): boolean => this.#options.enabled && this.#gate.isCurrent(holder)
    this.#sessions.endUnless(mayGoOn)
    this.#modern.endUnless(mayGoOn)
  }
}

function silence(): EventFeed {
  return feedOf(new ServerEvents())
}

function sendHealth({ method = '' }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' || method === 'HEAD') sendJson(response, 200, HEALTH)
  else sendRefusal(response, refusal(405, `${HEALTH_PATH} knows no ${method}.`, { headers: { Allow: 'GET, HEAD' } }))
}

function stopping(): Refusal {
  return refusal(503, 'The server is ending.', { headers: { Connection: 'close', 'Retry-After': '5' } })
}
