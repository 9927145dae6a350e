import { openAll } from '../../app/vaults.ts'
import { userFolders } from '../../config/folders.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { closedBy } from '../../core/shutdown.ts'
import type { Access } from '../../http/access.ts'
import { openHttpServer } from '../../http/http-server.ts'
import { isLoopbackAddress } from '../../http/names.ts'
import { closeToOthers, openTokens, tokenFileIn } from '../../http/token-file.ts'
import { type EventFeed, feedOf } from '../../mcp/events/events.ts'
import { followVaults } from '../../mcp/events/follow-vaults.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { TOOLS } from '../../mcp/tools/index.ts'
import type { Invocation } from '../session.ts'
import { UsageError } from '../usage-error.ts'
import { seenBy, toldOf } from './seen-vaults.ts'
import { nameVaults, openServing } from './serving.ts'
import { refusedTo } from './token-scope.ts'

/** Serves the vaults over HTTP until a signal ends it. @throws UsageError where `--set` says the opposite */
export async function serveHttp(invocation: Invocation, loaded: LoadedVaults): Promise<number> {
  const { host, printer } = invocation
  requireNoContradiction(loaded)
  const { http } = loaded.server.settings
  const tokenFile = tokenFileIn(userFolders(host.env).state)
  const warning = closeToOthers(tokenFile)
  if (warning !== undefined) printer.warn(warning)
  openTokens(tokenFile)
  const { vaults, events, live, options, close } = await openServing(invocation, loaded)
  const followed = followVaults(vaults, events, options.promptsFolder)
  const eventsFor = (access: Access): EventFeed => feedOf(events, toldOf(access, vaults, loaded))
  const server = await openHttpServer({
    ...http,
    get enabled() {
      return live.current.settings.http.enabled
    },
    tokenFile,
    eventsFor,
    serverFor: (access) =>
      createMcpServer({
        ...options,
        vaults: seenBy(access, followed, loaded),
        tools: TOOLS,
        switchedOffBy: (tool) => options.switchedOffBy(tool) ?? refusedTo(access, tool),
        mayRead: access.scopes.has('read'),
        events: eventsFor(access),
        log: (line) => printer.note(line),
      }),
    log: (line) => printer.warn(line),
  })
  live.watch()
  const ended = new Promise<void>((resolve) => host.onSignal(resolve))
  if (!isLoopbackAddress(http.host)) printer.warn(OPEN_TO_OTHERS)
  printer.note(welcome(nameVaults(invocation, loaded), server.url))
  // A server that was started by hand is meant to be used: vaults are read now, not when the first client asks.
  openAll(followed).then(
    (cores) => {
      for (const { indexing } of cores) indexing.begin()
    },
    (error: unknown) => printer.warn(`A vault could not be opened: ${String(error)}`),
  )
  await ended
  const by = closedBy()
  await server.stop()
  followed.stop()
  await close(by)
  return 0
}

function requireNoContradiction({ server: { settings, origins } }: LoadedVaults): void {
  if (settings.http.enabled || origins.get('http.enabled') !== '--set') return
  throw new UsageError('--http serves over HTTP, and --set http.enabled=false forbids it.', 'Leave one of them out.')
}

const OPEN_TO_OTHERS =
  'Other computers can connect, and what is sent is not encrypted: put a reverse proxy with TLS in front, and set http.host to 127.0.0.1 where that is on this computer.'

function welcome(names: string, url: string): string {
  const entry = { type: 'http', url, headers: { Authorization: 'Bearer <token>' } }
  return `Roux serves ${names} at ${url} (MCP over HTTP). Ctrl+C ends it.

  The token:    roux token show
  Claude Code:  claude mcp add --transport http roux ${url} --header "Authorization: Bearer $(roux token show)"
  Others:       ${JSON.stringify({ mcpServers: { roux: entry } })}
`
}
