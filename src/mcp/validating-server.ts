import { type JSONRPCMessage, ProtocolError, type RequestId, Server, type Transport } from '@modelcontextprotocol/server'
import { ICONS_VERSION, INVALID_PARAMS, MissingResource, MODERN_VERSION } from './protocol.ts'

const SVG =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='M6 7l12-1M6 7l5 11M18 6l-7 12' stroke='#8a5a2b' stroke-width='2'/>" +
  "<g fill='#d9822b'><circle cx='6' cy='7' r='4'/><circle cx='18' cy='6' r='3'/><circle cx='11' cy='18' r='4'/></g></svg>"

export const ICON = {
  src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}

type Handler = Parameters<Server['_wrapHandler']>[1]

/** The legacy code for a missing resource. The SDK defines only the modern one. */
const LEGACY_MISSING_RESOURCE = -32002

/**
 * Reports invalid requests as client errors. The SDK would respond with an internal error. Handlers throw only protocol errors,
 * so any other exception is a schema violation.
 */
export class ValidatingServer extends Server {
  readonly #onOpened: (() => void) | undefined
  readonly #onEnd: (() => void)[] = []
  readonly #missing = new Set<RequestId>()

  constructor(
    info: ConstructorParameters<typeof Server>[0],
    options: ConstructorParameters<typeof Server>[1],
    onOpened?: () => void,
  ) {
    super(info, options)
    this.#onOpened = onOpened
  }

  /** False until the protocol version is known. */
  get isModern(): boolean {
    return (this._negotiatedProtocolVersion ?? '') >= MODERN_VERSION
  }

  onEnd(end: () => void): void {
    this.#onEnd.push(end)
  }

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(this.#inItsEra(message), options)
    await super.connect(transport)
    const { onclose } = transport
    transport.onclose = () => {
      for (const end of this.#onEnd.splice(0)) end()
      onclose?.()
    }
  }

  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>): ReturnType<Server['_wrapHandler']> {
    const inner = super._wrapHandler(method, handler)
    const wrapped: Handler = async (request, ctx) => {
      try {
        const result = await inner(request, ctx)
        return method === 'initialize' ? this.#withIcon(result) : result
      } catch (error) {
        if (error instanceof MissingResource && !this.isModern) this.#missing.add(request.id)
        throw error instanceof ProtocolError
          ? error
          : new ProtocolError(INVALID_PARAMS, `Invalid params for ${method}${issuesOf(error)}.`)
      } finally {
        if (method === 'initialize' || method === 'server/discover') setImmediate(() => this.#onOpened?.())
      }
    }
    return wrapped
  }

  /** Adds the icon to the response to `initialize`. Modern responses all contain the server's info. */
  #withIcon<T extends object>(result: T): T {
    if ((this._negotiatedProtocolVersion ?? '') < ICONS_VERSION || !('serverInfo' in result)) return result
    return { ...result, serverInfo: { ...(result.serverInfo as object), icons: [ICON] } }
  }

  #inItsEra(message: JSONRPCMessage): JSONRPCMessage {
    if (!('error' in message) || message.id === undefined || !this.#missing.delete(message.id)) return message
    return { ...message, error: { ...message.error, code: LEGACY_MISSING_RESOURCE } }
  }
}

/** Returns an empty string for other exceptions than schema violations. */
function issuesOf(error: unknown): string {
  try {
    const issues: unknown = JSON.parse(String((error as Error).message))
    if (!Array.isArray(issues)) return ''
    return issues.map(({ path, message }) => `: ${path.join('.')}: ${message}`).join('')
  } catch {
    return ''
  }
}
