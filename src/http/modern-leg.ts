import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { classifyInboundRequest, createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server'
import type { EventFeed } from '../mcp/events.ts'
import { heedRefusal } from '../mcp/heeded-addresses.ts'
import { messageToJson } from '../mcp/json.ts'
import { invalidParams, readMessage } from '../mcp/json-rpc.ts'
import type { Access } from './access.ts'
import type { Exchange } from './legacy-leg.ts'
import type { Limits } from './limits.ts'
import type { Load } from './load.ts'
import { sendJson, sendRefusal } from './refusal.ts'
import type { Holder } from './token-gate.ts'

export interface ModernOptions {
  /** What the holders of such a token are told of. */
  eventsFor(access: Access): EventFeed
  readonly load: Load
  readonly limits: Limits
  /** Makes the server of one request. */
  serverFor(holder: Holder): Server
  /** Told of what is a mistake of ours; what clients do wrong is answered, and not told. */
  log(line: string): void
}

interface Streams {
  readonly handler: McpHttpHandler
  readonly events: EventFeed
}

/** Serves the version of 2026-07-28: without sessions, and with streams that are listened to. */
export class ModernLeg {
  readonly #options: ModernOptions
  readonly #calls: McpHttpHandler
  /** Apart from calls, so that at the end streams can be closed while calls are still answered; one for those who may see the same. */
  readonly #streams = new Map<string, Streams>()
  readonly #holders = new WeakMap<Request, Holder>()
  readonly #listening = new Map<AbortController, string>()

  constructor(options: ModernOptions) {
    this.#options = options
    this.#calls = this.#handler()
  }

  /** Answers a posted body. Resolves when it is answered, or the stream has ended. */
  async post(exchange: Exchange, body: unknown): Promise<void> {
    const gone = new AbortController()
    exchange.response.once('close', () => {
      if (!exchange.response.writableFinished) gone.abort()
    })
    const request = toRequest(exchange.request, gone.signal)
    this.#holders.set(request, exchange.holder)
    if (!isListening(body)) return send(await this.#calls.fetch(request, { parsedBody: body }), exchange.response)
    const { load } = this.#options
    const full = load.streamsRefusal
    if (full !== undefined) return sendRefusal(exchange.response, full)
    const uris = urisIn(body)
    const tooMuch = heedRefusal(uris)
    if (tooMuch !== undefined)
      return sendJson(exchange.response, 200, messageToJson(invalidParams(tooMuch, (body as { readonly id?: unknown }).id)))
    const { handler, events } = this.#streamsFor(exchange.holder.access)
    const unheed = events.heed(uris)
    const ended = load.beginStream()
    this.#listening.set(gone, exchange.holder.key)
    try {
      await send(await handler.fetch(request, { parsedBody: body }), exchange.response)
    } finally {
      this.#listening.delete(gone)
      unheed()
      ended()
    }
  }

  /** Ends the streams of every holder who may not go on. */
  endUnless(mayGoOn: (holder: string) => boolean): void {
    for (const [stream, holder] of this.#listening) if (!mayGoOn(holder)) stream.abort()
  }

  /** Ends the streams, each with its last word. */
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
      const holder = request === undefined ? undefined : this.#holders.get(request)
      if (holder === undefined) throw new Error('A request came past the door.')
      return this.#options.serverFor(holder)
    } catch (error) {
      // The SDK answers it as an internal error, and says nothing of it.
      this.#options.log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`)
      throw error
    }
  }
}

/** Whether a posted body is of a version before 2026-07-28. What is no message says nothing about it. */
export function isLegacy({ headers }: IncomingMessage, body: unknown): boolean {
  const known = Array.isArray(body) ? body.filter((item) => readMessage(item).kind === 'message') : body
  if (Array.isArray(known) && known.length === 0) return true
  // What the SDK's own handler goes by, without the request that it wants to be made of it.
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...member('protocolVersionHeader', headers['mcp-protocol-version']),
    ...member('mcpMethodHeader', headers['mcp-method']),
    ...member('mcpNameHeader', headers['mcp-name']),
    body: known,
  })
  return outcome.kind === 'legacy'
}

function member<Name extends string>(
  name: Name,
  header: string | readonly string[] | undefined,
): { readonly [N in Name]?: string } {
  return (header === undefined ? {} : { [name]: String(header) }) as { readonly [N in Name]?: string }
}

/** Whether a posted body asks for a stream. */
export function isListening(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
}

/** The resources that a listener wants to be told of, as it writes their addresses. */
function urisIn(body: unknown): readonly string[] {
  const { params } = body as { readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } } }
  const uris = params?.notifications?.resourceSubscriptions
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

/** The head of a request as the SDK takes it; the body is given apart, parsed. */
function toRequest({ method = 'POST', headers }: IncomingMessage, signal: AbortSignal): Request {
  const known = HEADERS.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
  )
  return new Request('http://localhost/mcp', { method, headers: known, signal })
}

/** Those that have a meaning in the protocol; the token goes no further than the door. */
const HEADERS = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const

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
    // The client went away, or its stream was ended: there is nobody to tell.
  }
}
