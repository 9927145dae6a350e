import { readArrival } from '../mcp/transport/arrival.ts'
import { checkForm, MCP_PATH } from './host-and-origin.ts'
import type { LegacyHandler } from './legacy-handler.ts'
import { isLegacy, isListening, type ModernHandler } from './modern-handler.ts'
import { readBody, tooLarge } from './read-body.ts'
import { sendRefusal } from './refusal.ts'
import { defineRoute, type Exchange, type Route, type ServerParts } from './routes.ts'
import type { Principal } from './tokens.ts'

/** The number of calls to start per turn of the event loop. A call takes about 1 ms, and a turn without calls 0.05 ms. */
const AT_ONCE = 2

export interface McpRouteOptions extends Pick<ServerParts, 'load' | 'limits' | 'authorize'> {
  readonly legacy: LegacyHandler
  readonly modern: ModernHandler
}

export function mcpRoute(options: McpRouteOptions): Route {
  const { legacy, authorize } = options
  const turns = new Turns()
  return defineRoute<Principal>({
    path: MCP_PATH,
    methods: {
      GET: (exchange) => legacy.listen(exchange),
      POST: (exchange) => post(exchange, options, turns),
      DELETE: (exchange) => legacy.end(exchange),
    },
    // The headers of known tokens are checked before the body is read.
    admit(request) {
      const admission = authorize(request)
      const malformed = 'refusal' in admission ? undefined : checkForm(request)
      return malformed === undefined ? admission : { refusal: malformed }
    },
    answersPreflight: true,
  })
}

async function post(exchange: Exchange<Principal>, options: McpRouteOptions, turns: Turns): Promise<void> {
  const { request, response, sender } = exchange
  const { legacy, modern, load, limits } = options
  const bytes = sender.access.scopes.has('attach') ? limits.attachmentBody : limits.body
  if (Number(request.headers['content-length'] ?? 0) > bytes) return sendRefusal(response, tooLarge(bytes))
  const slot = load.call(sender.key)
  if ('refusal' in slot) return sendRefusal(response, slot.refusal)
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    const body = await readBody(request, bytes)
    if (body.kind === 'refused') return sendRefusal(response, body.refusal)
    if (body.kind === 'gone') return
    await turns.take()
    if (response.destroyed) return
    const arrival = readArrival(body.value)
    if (isLegacy(request, arrival)) return await legacy.post(exchange, arrival)
    // A stream can stay open indefinitely, so it must not occupy a call slot.
    if (isListening(arrival)) slot.end()
    await modern.post(exchange, arrival)
  } finally {
    slot.end()
  }
}

/**
 * A queue that starts calls in order, a few per turn of the event loop. Otherwise, a burst of calls would delay all other events.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #isRunning = false

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#isRunning) return
      this.#isRunning = true
      setImmediate(() => this.#give())
    })
  }

  #give(): void {
    for (const begin of this.#waiting.splice(0, AT_ONCE)) begin()
    this.#isRunning = this.#waiting.length > 0
    if (this.#isRunning) setImmediate(() => this.#give())
  }
}
