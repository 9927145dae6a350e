import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, JSONRPCRequest, Server } from '@modelcontextprotocol/server'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { type Arrival, batchFault, type Messages } from '../mcp/transport/arrival.ts'
import { invalidRequest, isInitialize, isRequest, messageToJson } from '../mcp/transport/json-rpc.ts'
import { eventStream, eventsOnDemand } from './event-stream.ts'
import type { Limits, Load } from './limits.ts'
import { type Refusal, refusal, sendFault, sendJson, sendRefusal } from './refusal.ts'
import type { Exchange } from './routes.ts'
import { ExchangeTransport, type Session, type Sessions } from './sessions.ts'
import type { Principal } from './tokens.ts'

export interface LegacyOptions {
  readonly sessions: Sessions
  readonly load: Load
  readonly limits: Limits
  serverFor(principal: Principal): Server
}

type TokenExchange = Exchange<Principal>

/** The last protocol version without the `MCP-Protocol-Version` header. */
const VERSION_WITHOUT_HEADER = '2025-03-26'

/** A handler for protocol versions up to 2025-11-25, with or without sessions. */
export class LegacyHandler {
  readonly #options: LegacyOptions
  /** The transports of requests without a session. */
  readonly #single = new Set<ExchangeTransport>()

  constructor(options: LegacyOptions) {
    this.#options = options
  }

  async post(exchange: TokenExchange, arrival: Arrival): Promise<void> {
    const { response } = exchange
    const lookup = this.#sessionOf(exchange)
    if ('refusal' in lookup) return sendRefusal(response, lookup.refusal)
    const { session } = lookup
    if (arrival.kind === 'fault') return sendFault(response, arrival.response)
    const errorResponse = batchFault(arrival, session?.version ?? versionOf(exchange))
    if (errorResponse !== undefined) return sendFault(response, errorResponse)
    const opening = arrival.messages.find(isInitialize)
    if (opening === undefined) return this.#answer(exchange, { ...arrival, session })
    if (session !== undefined) return sendFault(response, invalidRequest('the session is already open.', opening.id))
    await this.#open(exchange, opening)
  }

  async listen(exchange: TokenExchange): Promise<void> {
    const { response } = exchange
    const { load, limits } = this.#options
    const lookup = this.#requireSession(exchange)
    if ('refusal' in lookup) return sendRefusal(response, lookup.refusal)
    if (response.destroyed) return
    const { session } = lookup
    const slot = load.stream(session.principal)
    if ('refusal' in slot) return sendRefusal(response, slot.refusal)
    // A client that reconnects has lost its old stream, even if the socket still looks open.
    session.stream?.end()
    response.setHeader('Mcp-Session-Id', session.id)
    const stream = eventStream(response, limits, () => {
      slot.end()
      if (session.stream === stream) session.stream = undefined
    })
    session.stream = stream
  }

  async end(exchange: TokenExchange): Promise<void> {
    const lookup = this.#requireSession(exchange)
    if ('refusal' in lookup) return sendRefusal(exchange.response, lookup.refusal)
    this.#options.sessions.end(lookup.session)
    exchange.response.writeHead(204).end()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#single].map((transport) => transport.close()))
  }

  async #open(exchange: TokenExchange, opening: JSONRPCRequest): Promise<void> {
    const { sessions, serverFor } = this.#options
    const { sender, response } = exchange
    const server = serverFor(sender)
    const transport = new ExchangeTransport()
    await server.connect(transport)
    const [answer] = await transport.post([opening], () => {})
    const version = answer !== undefined && 'result' in answer ? String(answer.result.protocolVersion) : undefined
    const opened = version === undefined ? undefined : sessions.open({ principal: sender.key, version, server, transport })
    if (opened === undefined || 'refusal' in opened) await server.close()
    if (opened !== undefined) {
      if ('refusal' in opened) return sendRefusal(response, opened.refusal)
      const { session } = opened
      transport.onNotification = (message) => session.stream?.send(message)
      response.setHeader('Mcp-Session-Id', session.id)
    }
    sendAnswers(response, answer === undefined ? [] : [answer])
  }

  async #answer(
    exchange: TokenExchange,
    { messages, faults, isBatch, session }: Messages & { readonly session: Session | undefined },
  ): Promise<void> {
    const { response } = exchange
    if (!messages.some(isRequest) && session === undefined) return sendAnswers(response, faults, isBatch)
    const transport = session?.transport ?? (await this.#connectOnce(exchange))
    const repeated = transport.pending.repeatedFault(messages)
    if (repeated !== undefined) return sendFault(response, repeated)
    const events = eventsOnDemand(exchange, this.#options.limits)
    const answers = await transport.post(messages, (message) => events.send(message))
    const isGivenUp = transport.isClosed
    if (session === undefined) await transport.close()
    if (events.end([...faults, ...answers])) return
    if (isGivenUp) sendRefusal(response, session === undefined ? closedRefusal() : noSession())
    else sendAnswers(response, [...faults, ...answers], isBatch)
  }

  /** Closes the server after the request, or when the client disconnects. */
  async #connectOnce({ sender, response }: TokenExchange): Promise<ExchangeTransport> {
    const transport = new ExchangeTransport()
    const server = this.#options.serverFor(sender)
    await server.connect(transport)
    this.#single.add(transport)
    response.once('close', () => {
      this.#single.delete(transport)
      void transport.close()
    })
    return transport
  }

  #sessionOf(exchange: TokenExchange): { readonly session: Session | undefined } | { readonly refusal: Refusal } {
    const wrong = wrongVersion(exchange)
    if (wrong !== undefined) return { refusal: wrong }
    const id = exchange.request.headers['mcp-session-id']
    if (id === undefined) return { session: undefined }
    const session = this.#options.sessions.find(String(id), exchange.sender.key)
    if (session !== undefined) return { session }
    return { refusal: noSession() }
  }

  #requireSession(exchange: TokenExchange): { readonly session: Session } | { readonly refusal: Refusal } {
    const lookup = this.#sessionOf(exchange)
    if ('refusal' in lookup) return lookup
    if (lookup.session !== undefined) return { session: lookup.session }
    const message = 'The header Mcp-Session-Id is missing.'
    return { refusal: refusal(400, message, { hint: 'The answer to "initialize" contains it.' }) }
  }
}

function versionOf({ request }: TokenExchange): string {
  return String(request.headers['mcp-protocol-version'] ?? VERSION_WITHOUT_HEADER)
}

function wrongVersion(exchange: TokenExchange): Refusal | undefined {
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(versionOf(exchange))) return undefined
  return refusal(400, 'The version in the header MCP-Protocol-Version is not supported.', {
    hint: `Supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
  })
}

function noSession(): Refusal {
  return refusal(404, 'There is no such session.', { hint: 'Open a new one with "initialize".' })
}

function closedRefusal(): Refusal {
  return refusal(503, 'The server stopped before the request was finished.', {
    headers: { Connection: 'close', 'Retry-After': '5' },
  })
}

/** Sends the answers to a request. Notifications and cancelled requests have none. */
function sendAnswers(response: ServerResponse, answers: readonly JSONRPCMessage[], isBatch = false): void {
  const [first] = answers
  if (response.destroyed) return
  if (first === undefined) response.writeHead(202).end()
  else sendJson(response, 200, isBatch ? `[${answers.map(messageToJson).join()}]` : messageToJson(first))
}
