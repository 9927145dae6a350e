import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage, JSONRPCRequest, Server } from '@modelcontextprotocol/server'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { messageToJson } from '../mcp/json.ts'
import { invalidRequest, isRequest } from '../mcp/json-rpc.ts'
import { EventStream, EventsOnDemand } from './event-stream.ts'
import { ExchangeTransport } from './exchange-transport.ts'
import type { Limits } from './limits.ts'
import type { Load } from './load.ts'
import { type Posted, readPosted } from './posted.ts'
import { type Refusal, refusal, sendJson, sendRefusal } from './refusal.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Holder } from './token-gate.ts'

export interface LegacyOptions {
  readonly sessions: Sessions
  readonly load: Load
  readonly limits: Limits
  /** Makes the server of a session, or of one post without a session. */
  serverFor(holder: Holder): Server
}

/** One request of a client whose token is known. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly holder: Holder
}

/** What clients that name no version mean: the one before which the header did not exist. */
const VERSION_WITHOUT_HEADER = '2025-03-26'

/** Serves the versions of the protocol up to 2025-11-25: in sessions, or post by post to who never opened one. */
export class LegacyLeg {
  readonly #options: LegacyOptions
  /** Of posts without a session that are in work. */
  readonly #single = new Set<ExchangeTransport>()

  constructor(options: LegacyOptions) {
    this.#options = options
  }

  /** Answers a posted body. Resolves when it is answered. */
  async post(exchange: Exchange, body: unknown): Promise<void> {
    const found = this.#sessionOf(exchange)
    if ('refusal' in found) return sendRefusal(exchange.response, found.refusal)
    const { session } = found
    const read = readPosted(body, { version: session?.version ?? versionOf(exchange), batch: this.#options.limits.batch })
    if (!('messages' in read)) return sendFault(exchange.response, read.fault)
    const { messages, faults } = read
    const opening = messages.find(isInitialize)
    if (opening === undefined) return this.#answer(exchange, { ...read, session })
    if (session !== undefined) return sendFault(exchange.response, invalidRequest('the session is open already.', opening.id))
    if (messages.length + faults.length > 1)
      return sendFault(exchange.response, invalidRequest('"initialize" must come alone.', opening.id))
    await this.#open(exchange, opening)
  }

  /** Opens the stream of a session's notifications. */
  async listen(exchange: Exchange): Promise<void> {
    const { response } = exchange
    const { load, limits } = this.#options
    const found = this.#requireSession(exchange)
    if ('refusal' in found) return sendRefusal(response, found.refusal)
    const full = load.streamsRefusal
    if (full !== undefined) return sendRefusal(response, full)
    if (response.destroyed) return
    const { session } = found
    // Whoever asks again has lost the one before, even if nobody has noticed yet.
    session.stream?.end()
    const ended = load.beginStream()
    response.setHeader('Mcp-Session-Id', session.id)
    const stream = new EventStream(response, limits, () => {
      ended()
      if (session.stream === stream) session.stream = undefined
    })
    session.stream = stream
  }

  /** Ends a session. */
  async end(exchange: Exchange): Promise<void> {
    const found = this.#requireSession(exchange)
    if ('refusal' in found) return sendRefusal(exchange.response, found.refusal)
    this.#options.sessions.end(found.session)
    exchange.response.writeHead(204).end()
  }

  /** Gives up what is in work without a session. */
  async close(): Promise<void> {
    await Promise.all([...this.#single].map((transport) => transport.close()))
  }

  async #open(exchange: Exchange, opening: JSONRPCRequest): Promise<void> {
    const { sessions, serverFor } = this.#options
    const { holder, response } = exchange
    const server = serverFor(holder)
    const transport = new ExchangeTransport()
    await server.connect(transport)
    const [answer] = await transport.post([opening], () => {})
    const version = answer === undefined ? undefined : agreedVersion(answer)
    const session = version === undefined ? undefined : sessions.open({ holder: holder.key, version, server, transport })
    if (session === undefined) await server.close()
    if (session === undefined && version !== undefined) return sendRefusal(response, tooManySessions())
    if (session !== undefined) {
      transport.onNotification = (message) => session.stream?.send(message)
      response.setHeader('Mcp-Session-Id', session.id)
    }
    sendAnswers(response, answer === undefined ? [] : [answer])
  }

  async #answer(
    exchange: Exchange,
    { messages, faults, isBatch, session }: Posted & { session: Session | undefined },
  ): Promise<void> {
    const { response } = exchange
    if (!messages.some(isRequest) && session === undefined) return sendAnswers(response, faults, isBatch)
    const transport = session?.transport ?? (await this.#connectOnce(exchange))
    const repeated = messages.filter(isRequest).find(({ id }) => transport.isAwaited(id))
    if (repeated !== undefined) return sendFault(response, invalidRequest('a request with this id is in work.', repeated.id))
    const events = new EventsOnDemand(exchange, this.#options.limits)
    const answers = await transport.post(messages, (message) => events.send(message))
    const isGivenUp = transport.isClosed
    if (session === undefined) await transport.close()
    if (events.end([...faults, ...answers])) return
    if (isGivenUp) sendRefusal(response, session === undefined ? givenUp() : noSession())
    else sendAnswers(response, [...faults, ...answers], isBatch)
  }

  /** A server for one post; it ends with the post, also when the client goes away. */
  async #connectOnce({ holder, response }: Exchange): Promise<ExchangeTransport> {
    const transport = new ExchangeTransport()
    const server = this.#options.serverFor(holder)
    await server.connect(transport)
    this.#single.add(transport)
    response.once('close', () => {
      this.#single.delete(transport)
      void transport.close()
    })
    return transport
  }

  #sessionOf(exchange: Exchange): { readonly session: Session | undefined } | { readonly refusal: Refusal } {
    const wrong = wrongVersion(exchange)
    if (wrong !== undefined) return { refusal: wrong }
    const id = exchange.request.headers['mcp-session-id']
    if (id === undefined) return { session: undefined }
    const session = this.#options.sessions.find(String(id), exchange.holder.key)
    if (session !== undefined) return { session }
    return { refusal: noSession() }
  }

  #requireSession(exchange: Exchange): { readonly session: Session } | { readonly refusal: Refusal } {
    const found = this.#sessionOf(exchange)
    if ('refusal' in found) return found
    if (found.session !== undefined) return { session: found.session }
    const message = 'The header Mcp-Session-Id is missing.'
    return { refusal: refusal(400, message, { hint: 'It comes with the answer to "initialize", which is sent with POST.' }) }
  }
}

function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'initialize'
}

function agreedVersion(answer: JSONRPCMessage): string | undefined {
  return 'result' in answer ? String(answer.result.protocolVersion) : undefined
}

function versionOf({ request }: Exchange): string {
  return String(request.headers['mcp-protocol-version'] ?? VERSION_WITHOUT_HEADER)
}

function wrongVersion(exchange: Exchange): Refusal | undefined {
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(versionOf(exchange))) return undefined
  return refusal(400, 'The version in the header MCP-Protocol-Version is not known.', {
    hint: `Versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
  })
}

function noSession(): Refusal {
  return refusal(404, 'There is no such session.', { hint: 'Open another one with "initialize".' })
}

function givenUp(): Refusal {
  return refusal(503, 'The server ended before this was done.', { headers: { Connection: 'close', 'Retry-After': '5' } })
}

function tooManySessions(): Refusal {
  return refusal(429, 'There are as many sessions as there may be, all of them in use.', {
    hint: 'Try again in a moment.',
    headers: { 'Retry-After': '1' },
  })
}

function sendFault(response: ServerResponse, fault: JSONRPCMessage): void {
  sendJson(response, 400, messageToJson(fault))
}

/** Notifications, and requests that were cancelled, have no answer. */
function sendAnswers(response: ServerResponse, answers: readonly JSONRPCMessage[], isBatch = false): void {
  const [first] = answers
  if (response.destroyed) return
  if (first === undefined) response.writeHead(202).end()
  else sendJson(response, 200, isBatch ? `[${answers.map(messageToJson).join()}]` : messageToJson(first))
}
