import { posix, win32 } from 'node:path'

/**
 * The clients in the order of the help text. The formats are documented as of 2026: Claude Desktop and Cursor read `command` and
 * `args`; Claude Code and VS Code also require `type`; Zed has read `command` as a string since 2025, and `url` with `headers`.
 */
export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: (places) => joinPath(places, appData(places), 'Claude', 'claude_desktop_config.json'),
    sign: (places) => joinPath(places, appData(places), 'Claude'),
    key: 'mcpServers',
    stdio: (launch) => ({ ...launch }),
    afterInstall: 'Quit Claude Desktop and start it again.',
    afterUninstall: 'Quit Claude Desktop and start it again; until then, its server keeps running.',
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: (places) => joinPath(places, claudeCodeFolder(places) ?? places.home, '.claude.json'),
    sign: (places) => claudeCodeFolder(places) ?? joinPath(places, places.home, '.claude'),
    key: 'mcpServers',
    stdio: (launch) => ({ type: 'stdio', ...launch, env: {} }),
    http: (endpoint) => ({ type: 'http', ...remote(endpoint) }),
    afterInstall: 'It is available in new sessions; "claude mcp list" shows it.',
    afterUninstall: 'It is gone from new sessions; open sessions keep it until they end.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: (places) => joinPath(places, places.home, '.cursor', 'mcp.json'),
    sign: (places) => joinPath(places, places.home, '.cursor'),
    key: 'mcpServers',
    stdio: (launch) => ({ ...launch }),
    http: remote,
    afterInstall: 'If its settings do not list it under MCP, start Cursor again.',
    afterUninstall: 'If its settings still list it under MCP, start Cursor again.',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: (places) => joinPath(places, appData(places), 'Code', 'User', 'mcp.json'),
    sign: (places) => joinPath(places, appData(places), 'Code', 'User'),
    key: 'servers',
    stdio: (launch) => ({ type: 'stdio', ...launch }),
    http: (endpoint) => ({ type: 'http', ...remote(endpoint) }),
    afterInstall: '"MCP: List Servers" in its command palette shows and starts it.',
    afterUninstall: 'If "MCP: List Servers" in its command palette still shows it, start VS Code again.',
  },
  {
    name: 'zed',
    title: 'Zed',
    file: (places) => joinPath(places, zedFolder(places), 'settings.json'),
    sign: zedFolder,
    key: 'context_servers',
    stdio: (launch: Launch) => ({ ...launch, env: {} }),
    http: remote,
    afterInstall: 'Zed starts it automatically; the settings of the agent panel show it.',
    afterUninstall: 'If the settings of the agent panel still show it, start Zed again.',
  },
]

export function findClient(name: string): Client | undefined {
  return CLIENTS.find((client) => client.name === name)
}

function remote({ url, token }: HttpEndpoint): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  return { url, headers: { Authorization: `Bearer ${token}` } }
}

/** Returns Roaming AppData, Application Support, or the XDG configuration folder. */
function appData(places: Places): string {
  const { platform, home, env } = places
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming')
  return platform === 'darwin' ? posix.join(home, 'Library', 'Application Support') : xdgConfig(places)
}

/** Returns Zed's folder. Zed follows XDG only on Linux, and uses `~/.config` on macOS. */
function zedFolder(places: Places): string {
  if (places.platform === 'win32') return win32.join(appData(places), 'Zed')
  return posix.join(places.platform === 'darwin' ? posix.join(places.home, '.config') : xdgConfig(places), 'zed')
}

/** Returns the XDG folder. The specification requires absolute paths. */
function xdgConfig({ home, env }: Places): string {
  const folder = env.XDG_CONFIG_HOME ?? ''
  return posix.isAbsolute(folder) ? folder : posix.join(home, '.config')
}

function claudeCodeFolder({ env }: Places): string | undefined {
  return env.CLAUDE_CONFIG_DIR || undefined
}

function joinPath({ platform }: Places, folder: string, ...names: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(folder, ...names)
}

export type ClientName = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'zed'

export type Entry = Readonly<Record<string, unknown>>

/** A command that starts a server without a shell. Its paths are absolute. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** The address of the `/mcp` endpoint of a running server. */
export interface HttpEndpoint {
  readonly url: string
  readonly token: string
}

/** The user's folders and platform. Tests use them to simulate other platforms. */
export interface Places {
  readonly platform: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface EntryPlace {
  readonly file: string
  /** The top-level property that contains the servers by name. */
  readonly key: string
  readonly name: string
}

export interface Client {
  readonly name: ClientName
  readonly title: string
  file(places: Places): string
  /** Returns a file or folder that exists once the program has run. */
  sign(places: Places): string
  readonly key: string
  stdio(launch: Launch): Entry
  /** Returns the entry for an HTTP server. The member is missing if the settings file does not support HTTP servers. */
  readonly http?: (endpoint: HttpEndpoint) => Entry
  /** A sentence that tells the user how to apply the change. */
  readonly afterInstall: string
  readonly afterUninstall: string
}
