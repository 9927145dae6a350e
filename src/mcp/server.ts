import type { Implementation, Server, ServerOptions } from '@modelcontextprotocol/server'
import { connectNotifier } from './events/notifier.ts'
import { addCompletionHandler } from './handle-completion.ts'
import { addPromptHandlers } from './handle-prompts.ts'
import { addResourceHandlers } from './handle-resources.ts'
import { addToolHandlers, enabledTools } from './handle-tools.ts'
import { instructionsFor } from './instructions.ts'
import type { McpServerOptions } from './server-options.ts'
import { ValidatingServer } from './validating-server.ts'

const MINUTE = 60_000

/** One connection's server, for both eras of the protocol. Opening it and listing its tools and resources touches no vault. */
export function createMcpServer(options: McpServerOptions): Server {
  const server = new ValidatingServer(serverInfo(options), serverOptions(options), options.onOpened)
  addHandlers(server, options)
  return server
}

/** The server's name and version. */
export function serverInfo({ version }: McpServerOptions): Implementation {
  return { name: 'roux', title: 'Roux', version }
}

/** The SDK's options for the server. */
export function serverOptions(options: McpServerOptions): ServerOptions {
  return {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    instructions: instructionsFor(enabledTools(options), options.vaults.names),
    // Nothing of ours asks clients for input, so nothing is ever validated against a schema of theirs.
    jsonSchemaValidator: { getValidator: unused },
    // Lists change only with settings, and clients are notified; vault content may change at any moment.
    cacheHints: {
      'server/discover': { ttlMs: 5 * MINUTE, cacheScope: 'private' },
      'tools/list': { ttlMs: 5 * MINUTE, cacheScope: 'private' },
      'resources/list': { ttlMs: 5 * MINUTE, cacheScope: 'private' },
      'resources/templates/list': { ttlMs: 5 * MINUTE, cacheScope: 'private' },
      'prompts/list': { ttlMs: MINUTE, cacheScope: 'private' },
      'resources/read': { ttlMs: 0, cacheScope: 'private' },
    },
  }
}

/** Has a server answer everything that ours answers. */
export function addHandlers(server: ValidatingServer, options: McpServerOptions): void {
  addToolHandlers(server, options)
  addResourceHandlers(server, options)
  addPromptHandlers(server, options)
  addCompletionHandler(server, options)
  connectNotifier(server, options)
}

function unused(): never {
  throw new Error('No schema of a client is ever used.')
}
