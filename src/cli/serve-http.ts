import { basename } from 'node:path'
import { onlyVaults, openAll, type Vaults } from '../app/vaults.ts'
import { userFolders } from '../config/folders.ts'
import type { LoadedVaults } from '../config/load-vaults.ts'
import { RouxError } from '../core/errors.ts'
import type { Access } from '../http/access.ts'
import { openHttpServer } from '../http/http-server.ts'
import { isLoopbackAddress } from '../http/names.ts'
import { openTokens, tokenFileIn } from '../http/token-file.ts'
import { type EventFeed, eventsSeen, ServerEvents } from '../mcp/events.ts'
import { followVaults } from '../mcp/follow-vaults.ts'
import { createMcpServer } from '../mcp/server.ts'
import { TOOLS } from '../mcp/tools/index.ts'
import { serveVaults } from './open-vaults.ts'
import { serverFacts } from './server-facts.ts'
import type { Invocation } from './session.ts'
import { anotherToken, refusedTo } from './token-scope.ts'
import { switchOff } from './tool-switch.ts'
import { VERSION } from './version.ts'

/** Serves the vaults over HTTP until a signal ends it. */
export async function serveHttp({ host, printer }: Invocation, loaded: LoadedVaults): Promise<number> {
  const { settings } = loaded.server
  const tokenFile = tokenFileIn(userFolders(host.env).state)
  openTokens(tokenFile)
  const served = serveVaults(host, loaded.vaults, (stack) => printer.note(stack))
  const events = new ServerEvents()
  const eventsFor = ({ vaults }: Access): EventFeed =>
    vaults === '*' ? events : eventsSeen(events, (name) => vaults.includes(name))
  const promptsFolder = (): string => settings.mcp.prompts_folder
  const followed = followVaults(served, events, promptsFolder)
  const server = await openHttpServer({
    ...settings.http,
    tokenFile,
    eventsFor,
    serverFor: (access) =>
      createMcpServer({
        vaults: seenBy(access, followed, loaded),
        version: VERSION,
        tools: TOOLS,
        switchedOffBy: (tool) => switchOff(tool, settings)?.setting ?? refusedTo(access, tool),
        events: eventsFor(access),
        promptsFolder,
        facts: () => serverFacts(loaded.server),
        log: (line) => printer.note(line),
      }),
    log: (line) => printer.warn(line),
  })
  const ended = new Promise<void>((resolve) => host.onSignal(resolve))
  if (!isLoopbackAddress(settings.http.host)) printer.warn(OPEN_TO_OTHERS)
  printer.note(welcome(loaded.vaults.map((vault) => vault.settings.vault.path).join(', '), server.url))
  // Whoever starts this means it to be there: vaults are read now, not when the first client asks.
  openAll(followed).then(
    (cores) => {
      for (const { indexing } of cores) indexing.begin()
    },
    (error: unknown) => printer.warn(`A vault could not be opened: ${String(error)}`),
  )
  await ended
  await server.stop()
  followed.stop()
  await served.close()
  return 0
}

/** The vaults that a token is for. One that has no name goes by that of its folder. */
function seenBy(access: Access, vaults: Vaults, { vaults: [first] }: LoadedVaults): Vaults {
  if (access.vaults === '*') return vaults
  const allowed = new Set(access.vaults)
  const refusal = (): RouxError =>
    new RouxError('PERMISSION_DENIED', `The token "${access.name}" is for none of the vaults that are served here.`, {
      hint: anotherToken(access.scopes, '*'),
    })
  if (vaults.names.length === 0 && allowed.has(basename(first.settings.vault.path))) return vaults
  return onlyVaults(vaults, (name) => allowed.has(name), refusal)
}

const OPEN_TO_OTHERS =
  'Other computers can connect, and what is sent is not encrypted: put a reverse proxy with TLS in front, and set http.host to 127.0.0.1 where that is on this computer.'

function welcome(vaults: string, url: string): string {
  const entry = { type: 'http', url, headers: { Authorization: 'Bearer <token>' } }
  return `Roux serves ${vaults} at ${url} (MCP over HTTP). Ctrl+C ends it.

  The token:    roux token show
  Claude Code:  claude mcp add --transport http roux ${url} --header "Authorization: Bearer $(roux token show)"
  Others:       ${JSON.stringify({ mcpServers: { roux: entry } })}
`
}
