import type { Readable, Writable } from 'node:stream'
import type { LoadedVault, LoadedVaults } from '../../config/load-vaults.ts'
import { shellWord } from '../../config/values.ts'
import { UsageError } from '../host.ts'
import { type Invocation, requireVaults } from '../session.ts'
import { nameVaults, openServing } from './serving.ts'

export async function run(invocation: Invocation): Promise<number> {
  const { host, options, positionals } = invocation
  const loaded = await requireVaults(invocation, positionals[0])
  if (options.has('web') && !options.has('http'))
    throw new UsageError('--web needs --http, because the page is served over HTTP.', 'roux serve --http --web, or roux open.')
  if (options.has('public-url') && !options.has('http'))
    throw new UsageError(
      '--public-url needs --http, because assistants connect over HTTP.',
      'roux serve --http --public-url <address>',
    )
  if (options.has('http')) {
    const { serveHttp } = await import('./serve-http.ts')
    return serveHttp(invocation, loaded, options.has('web') ? {} : undefined)
  }
  if (options.get('background') === true)
    return await (await import('../shared/background.ts')).startInBackground(invocation, loaded)
  const { sharing } = host
  if (sharing !== undefined && sharing.unsharedReason === undefined && !host.stdin.isTTY) {
    const { relayFirst, whyAlone } = await import('../shared/relay-first.ts')
    if (whyAlone(invocation, loaded) === undefined) {
      return await relayFirst(sharing, host, (own, options) => serveClient({ ...invocation, host: own }, loaded, options))
    }
    sharing.bootIndexer()
  }
  return await serveClient(invocation, loaded)
}

async function serveClient(invocation: Invocation, loaded: LoadedVaults, { opensEarly = true } = {}): Promise<number> {
  const { host, printer } = invocation
  const names = nameVaults(invocation, loaded)
  if (host.stdin.isTTY) printer.note(greeting(names, loaded.vaults))
  const [{ serveStdioServer }, { toolsFor }, serving] = await Promise.all([
    import('../../mcp/transport/serve-stdio.ts'),
    import('../../mcp/tools/index.ts'),
    openServing(invocation, loaded),
  ])
  const server = serveStdioServer({
    ...serving.options,
    opensEarly,
    tools: await toolsFor(loaded.server.settings.mcp),
    vaults: serving.vaults,
    events: serving.events,
    stdin: host.stdin as Readable,
    stdout: host.stdout as Writable,
    stderr: host.stderr as Writable,
    onInitialized: () => serving.live.watch(),
  })
  host.onSignal(() => server.stop())
  await serving.close(await server.finished)
  return 0
}

function greeting(names: string, vaults: readonly LoadedVault[]): string {
  // The client passes the same settings, so only a single vault must be named.
  const vault = vaults.length === 1 ? vaults[0]?.settings.vault.path : undefined
  const config = JSON.stringify({
    mcpServers: { roux: { command: 'roux', args: ['serve', ...(vault === undefined ? [] : [vault])] } },
  })
  return `Roux serves ${names} over stdin and stdout (MCP): this is started by an AI assistant, not by people.

  With one command:       roux install claude-desktop|claude-code|cursor|vscode|zed${vault === undefined ? '' : ` --vault ${shellWord(vault)}`}
  Claude Code:            claude mcp add roux -- roux serve${vault === undefined ? '' : ` ${shellWord(vault)}`}
  Claude Desktop, Cursor: ${config}

For yourself: roux search "…", roux get-node <title>, roux help. Press Ctrl+C to stop.`
}
