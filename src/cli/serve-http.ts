import { basename } from 'node:path'
import { userFolders } from '../config/folders.ts'
import type { LoadedSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import type { Access } from '../http/access.ts'
import { openHttpServer } from '../http/http-server.ts'
import { isLoopbackAddress } from '../http/names.ts'
import { closeToOthers, openTokens, tokenFileIn } from '../http/token-file.ts'
import type { SwitchedOffBy } from '../mcp/define-tool.ts'
import { openOnce } from '../mcp/open-once.ts'
import { createMcpServer } from '../mcp/server.ts'
import { TOOLS } from '../mcp/tools/index.ts'
import type { VaultOnDemand } from './serve.ts'
import type { Invocation } from './session.ts'
import { refusedTo } from './token-scope.ts'
import { switchOff } from './tool-switch.ts'
import { VERSION } from './version.ts'

/** Serves the vault over HTTP until a signal ends it. */
export async function serveHttp(
  { host, printer }: Invocation,
  { settings }: LoadedSettings,
  vault: VaultOnDemand,
): Promise<number> {
  const log = (line: string): void => printer.note(line)
  const tokenFile = tokenFileIn(userFolders(host.env).state)
  const warning = closeToOthers(tokenFile)
  if (warning !== undefined) printer.warn(warning)
  openTokens(tokenFile)
  const core = openOnce(vault.open)
  const server = await openHttpServer({
    ...settings.http,
    tokenFile,
    serverFor: (access) =>
      createMcpServer({ core, version: VERSION, tools: TOOLS, switchedOffBy: switchedOffFor(access, settings), log }),
    log: (line) => printer.warn(line),
  })
  const ended = new Promise<void>((resolve) => host.onSignal(resolve))
  if (!isLoopbackAddress(settings.http.host)) printer.warn(OPEN_TO_OTHERS)
  log(welcome(settings.vault.path, server.url))
  // Whoever starts this means it to be there: the vault is read now, not when the first client asks.
  core().catch((error: unknown) => printer.warn(`The vault could not be opened: ${String(error)}`))
  await ended
  await server.stop()
  await vault.close()
  return 0
}

/** What the settings have switched off, and what the token does not allow. */
function switchedOffFor(access: Access, settings: Settings): SwitchedOffBy {
  const vault = basename(settings.vault.path)
  return (tool) => switchOff(tool, settings)?.setting ?? refusedTo(access, tool, vault)
}

const OPEN_TO_OTHERS =
  'Other computers can connect, and what is sent is not encrypted: put a reverse proxy with TLS in front, and set http.host to 127.0.0.1 where that is on this computer.'

function welcome(vault: string, url: string): string {
  const entry = { type: 'http', url, headers: { Authorization: 'Bearer <token>' } }
  return `Roux serves ${vault} at ${url} (MCP over HTTP). Ctrl+C ends it.

  The token:    roux token show
  Claude Code:  claude mcp add --transport http roux ${url} --header "Authorization: Bearer $(roux token show)"
  Others:       ${JSON.stringify({ mcpServers: { roux: entry } })}
`
}
