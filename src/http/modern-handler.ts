import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server'
import { type EventFeed, subscriptionRefusal } from '../mcp/events/events.ts'
import { MODERN_VERSION } from '../mcp/protocol.ts'
import { type Arrival, batchFault } from '../mcp/transport/arrival.ts'
import { invalidParams, isListen, listenedUris, messageToJson } from '../mcp/transport/json-rpc.ts'
import type { LegacyOptions } from './legacy-handler.ts'
import { sendFault, sendJson, sendRefusal } from './refusal.ts'
import type { Exchange } from './routes.ts'
import type { Access, Principal } from './tokens.ts'

export interface ModernOptions extends Omit<LegacyOptions, 'sessions'> {
  eventsFor(access: Access): EventFeed
  /** Logs internal errors. Client errors are sent to the client instead. */
  log(line: string): void
}

interface Streams {
  readonly handler: McpHttpHandler
  readonly events: EventFeed
}

/** A handler for protocol version 2026-07-28, which has no sessions. */
export class ModernHandler {
  readonly #options: ModernOptions
  readonly #calls: McpHttpHandler
  /** The streams by permissions. At shutdown, streams close while calls are still being answered. */
  readonly #streams = new Map<string, Streams>()
  readonly #principals = new WeakMap<Request, Principal>()
  readonly #listening = new Map<AbortController, string>()

  constructor(options: ModernOptions) {
    this.#options = options
    this.#calls = this.#handler()
  }

  /** Answers a request. The promise resolves when the response has been sent or the stream has ended. */
  async post({ request, response, sender }: Exchange<Principal>, arrival: Arrival): Promise<void> {
    const errorResponse = arrival.kind === 'fault' ? arrival.response : batchFault(arrival, MODERN_VERSION)
    if (errorResponse !== undefined) return sendFault(response, errorResponse)
    const disconnected = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) disconnected.abort()
    })
    const pending: PendingRequest = { request: toRequest(request, disconnected.signal), response, message: onlyMessage(arrival) }
    this.#principals.set(pending.request, sender)
    if (pending.message === undefined || !isListen(pending.message)) return await answer(this.#calls, pending)
    const { load } = this.#options
    const uris = listenedUris(pending.message)
    const tooMuch = subscriptionRefusal(uris)
    if (tooMuch !== undefined) return sendJson(response, 200, messageToJson(invalidParams(tooMuch, pending.message.id)))
    const slot = load.stream(sender.key)
    if ('refusal' in slot) return sendRefusal(response, slot.refusal)
    const { handler, events } = this.#streamsFor(sender.access)
    const unsubscribe = events.subscribeResources(uris)
    this.#listening.set(disconnected, sender.key)
    try {
      await answer(handler, pending)
    } finally {
      this.#listening.delete(disconnected)
      unsubscribe()
      slot.end()
    }
  }

  endUnless(isAllowed: (principal: string) => boolean): void {
    for (const [stream, principal] of this.#listening) if (!isAllowed(principal)) stream.abort()
  }

  async endStreams(): Promise<void> {
    await Promise.all([...this.#streams.values()].map(({ handler }) => handler.close()))
  }

  async close(): Promise<void> {
    await Promise.all([this.endStreams(), this.#calls.close()])
  }

  #streamsFor(access: Access): Streams {
    const key = JSON.stringify([access.vaults, access.scopes.has('read')])
    const known = this.#streams.get(key)
    if (known !== undefined) return known
    const events = this.#options.eventsFor(access)
    const streams = { handler: this.#handler(events), events }
    this.#streams.set(key, streams)
    return streams
  }

  #handler(events?: EventFeed): McpHttpHandler {
    const { limits } = this.#options
    return createMcpHandler(({ requestInfo }) => this.#open(requestInfo), {
      legacy: 'reject',
      ...(events === undefined ? {} : { bus: { publish: () => {}, subscribe: (listener) => events.subscribe(listener) } }),
      keepAliveMs: limits.keepAlive,
      maxSubscriptions: limits.streams,
    })
  }

  #open(request: Request | undefined): Server {
    try {
      const principal = request === undefined ? undefined : this.#principals.get(request)
      if (principal === undefined) throw new Error('A request bypassed the table of routes.')
      return this.#options.serverFor(principal)
    } catch (error) {
      // The error is logged here, because the SDK does not report its internal errors.
      this.#options.log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`)
      throw error
    }
  }
}

export function isLegacy({ headers }: IncomingMessage, arrival: Arrival): boolean {
  const message = onlyMessage(arrival)
  if (message === undefined && headers['mcp-protocol-version'] === MODERN_VERSION) return false
  if (arrival.kind === 'fault' || arrival.messages.length === 0) return true
  // The request is classified as the SDK does it, without creating a `Request`.
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...member('protocolVersionHeader', headers['mcp-protocol-version']),
    ...member('mcpMethodHeader', headers['mcp-method']),
    ...member('mcpNameHeader', headers['mcp-name']),
    body: message ?? arrival.messages,
  })
  return outcome.kind === 'legacy'
}

function member<Name extends string>(
  name: Name,
  header: string | readonly string[] | undefined,
): { readonly [N in Name]?: string } {
  return (header === undefined ? {} : { [name]: String(header) }) as { readonly [N in Name]?: string }
}

export function isListening(arrival: Arrival): boolean {
  const message = onlyMessage(arrival)
  return message !== undefined && isListen(message)
}

function onlyMessage(arrival: Arrival): JSONRPCMessage | undefined {
  return arrival.kind === 'messages' && !arrival.isBatch ? arrival.messages[0] : undefined
}

/** Converts a request without its body, which is passed to the SDK separately. */
function toRequest({ method = 'POST', headers }: IncomingMessage, signal: AbortSignal): Request {
  const forwarded = HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
  )
  return new Request('http://localhost/mcp', { method, headers: forwarded, signal })
}

/** The headers that the SDK receives. The token is not among them. */
const HEADERS = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const

interface PendingRequest {
  readonly request: Request
  readonly response: ServerResponse
  readonly message: JSONRPCMessage | undefined
}

async function answer(handler: McpHttpHandler, { request, response, message }: PendingRequest): Promise<void> {
  await send(await handler.fetch(request, { parsedBody: message }), response)
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  answer.headers.forEach((value, name) => {
    if (name !== 'connection') response.setHeader(name, value)
  })
  if (answer.headers.get('content-type') !== 'text/event-stream') {
    const text = await answer.text()
    response.writeHead(answer.status, { 'Content-Length': Buffer.byteLength(text) }).end(text)
    return
  }
  response.writeHead(answer.status).flushHeaders()
  try {
    await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
  } catch {
    // The client has disconnected or its stream has ended, so nobody needs the response.
  }
}
