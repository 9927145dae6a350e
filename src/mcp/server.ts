import { type ListToolsResult, ProtocolError, Server } from '@modelcontextprotocol/server'
import { nearest } from '../core/nearest.ts'
import { type CallOptions, callTool } from './call-tool.ts'
import type { SwitchedOffBy, Tool } from './define-tool.ts'
import { instructionsFor } from './instructions.ts'
import { toolDisabled } from './tool-disabled.ts'
import { errorResult } from './tool-result.ts'
import { definitionFor } from './vault-parameter.ts'

export interface McpServerOptions extends Pick<CallOptions, 'vaults' | 'log' | 'timeout'> {
  readonly version: string
  readonly tools: readonly Tool[]
  readonly switchedOffBy: SwitchedOffBy
  /** Called when the opening request of a client has been answered. */
  onOpened?(): void
}

const INVALID_PARAMS = -32602

/** One connection's server, for both eras of the protocol. Opening it and listing its tools touches no vault. */
export function createMcpServer(options: McpServerOptions): Server {
  const { tools, vaults, switchedOffBy, log } = options
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const enabled = () => tools.filter((tool) => switchedOffBy(tool) === undefined)
  const server = new ValidatingServer(
    { name: 'roux', title: 'Roux', version: options.version },
    // Nothing of ours asks clients for input, so nothing is ever validated against a schema of theirs.
    {
      capabilities: { tools: {} },
      instructions: instructionsFor(enabled(), vaults.names),
      jsonSchemaValidator: { getValidator: unused },
    },
    options.onOpened,
  )
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined) throw new ProtocolError(INVALID_PARAMS, 'There is no such page: the list has one.')
    // The SDK's types ask for mutable values; these are only written out.
    return { tools: enabled().map((tool) => definitionFor(tool, vaults.names)) as unknown as ListToolsResult['tools'] }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = byName.get(params.name)
    if (tool === undefined) throw unknownTool(params.name, enabled())
    const setting = switchedOffBy(tool)
    if (setting !== undefined) return errorResult(toolDisabled(tool.name, setting), log)
    return callTool(tool, params.arguments, { ...options, signal: mcpReq.signal })
  })
  return server
}

/**
 * The SDK answers a request that breaks the protocol's own schema as an internal error and shows its dump; it is the
 * client's error. Our handlers throw nothing else, so any other exception is of that kind.
 */
class ValidatingServer extends Server {
  #onOpened: (() => void) | undefined

  constructor(
    info: ConstructorParameters<typeof Server>[0],
    options: ConstructorParameters<typeof Server>[1],
    onOpened?: () => void,
  ) {
    super(info, options)
    this.#onOpened = onOpened
  }

  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>): ReturnType<Server['_wrapHandler']> {
    const inner = super._wrapHandler(method, handler)
    return async (request, ctx) => {
      try {
        return await inner(request, ctx)
      } catch (error) {
        throw error instanceof ProtocolError
          ? error
          : new ProtocolError(INVALID_PARAMS, `Invalid params for ${method}${issuesOf(error)}.`)
      } finally {
        if (method === 'initialize' || method === 'server/discover') setImmediate(() => this.#onOpened?.())
      }
    }
  }
}

/** What the schema library found, as path and message; nothing where the exception is of another kind. */
function issuesOf(error: unknown): string {
  try {
    const issues: unknown = JSON.parse(String((error as Error).message))
    if (!Array.isArray(issues)) return ''
    return issues.map(({ path, message }) => `: ${path.join('.')}: ${message}`).join('')
  } catch {
    return ''
  }
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  return new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}.${hint}`, { nearest: near })
}

function unused(): never {
  throw new Error('No schema of a client is ever used.')
}
