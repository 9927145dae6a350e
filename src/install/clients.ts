import { posix, win32 } from 'node:path'

/**
 * The documented settings files of each program, in the order of the help.
 * As documented in 2026: Claude Desktop and Cursor take `command` and `args`; Claude Code and VS Code also need `type`;
 * Zed takes `command`, `args` and `env` on one level since 2025 (before, `command` was an object), and `url` with
 * `headers`.
 */
export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    file: (places) => below(places, appData(places), 'Claude', 'claude_desktop_config.json'),
    sign: (places) => below(places, appData(places), 'Claude'),
    key: 'mcpServers',
    stdio: (launch) => ({ ...launch }),
    afterInstall: 'Quit Claude Desktop and start it again.',
    afterUninstall: 'Quit Claude Desktop and start it again: until then its server goes on.',
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    file: (places) => below(places, claudeCodeFolder(places) ?? places.home, '.claude.json'),
    sign: (places) => claudeCodeFolder(places) ?? below(places, places.home, '.claude'),
    key: 'mcpServers',
    stdio: (launch) => ({ type: 'stdio', ...launch, env: {} }),
    http: (endpoint) => ({ type: 'http', ...remote(endpoint) }),
    afterInstall: 'Sessions that are started from now on have it; "claude mcp list" shows it.',
    afterUninstall: 'Sessions that are started from now on do not have it; those that are open keep it until they end.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    file: (places) => below(places, places.home, '.cursor', 'mcp.json'),
    sign: (places) => below(places, places.home, '.cursor'),
    key: 'mcpServers',
    stdio: (launch) => ({ ...launch }),
    http: remote,
    afterInstall: 'If its settings do not list it under MCP, start Cursor again.',
    afterUninstall: 'If its settings still list it under MCP, start Cursor again.',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    file: (places) => below(places, appData(places), 'Code', 'User', 'mcp.json'),
    sign: (places) => below(places, appData(places), 'Code', 'User'),
    key: 'servers',
    stdio: (launch) => ({ type: 'stdio', ...launch }),
    http: (endpoint) => ({ type: 'http', ...remote(endpoint) }),
    afterInstall: '"MCP: List Servers" in its command palette shows and starts it.',
    afterUninstall: 'If "MCP: List Servers" in its command palette still shows it, start VS Code again.',
  },
  {
    name: 'zed',
    title: 'Zed',
    file: (places) => below(places, zedFolder(places), 'settings.json'),
    sign: zedFolder,
    key: 'context_servers',
    stdio: (launch: Launch) => ({ ...launch, env: {} }),
    http: remote,
    afterInstall: 'Zed starts it by itself; the settings of its agent panel show it.',
    afterUninstall: 'If the settings of its agent panel still show it, start Zed again.',
  },
]

/** The client of a name; `undefined` when there is none. */
export function findClient(name: string): Client | undefined {
  return CLIENTS.find((client) => client.name === name)
}

function remote({ url, token }: HttpEndpoint): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  return { url, headers: { Authorization: `Bearer ${token}` } }
}

/** Where programs keep what is theirs: roaming application data, Application Support, or the XDG configuration folder. */
function appData(places: Places): string {
  const { platform, home, env } = places
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming')
  return platform === 'darwin' ? posix.join(home, 'Library', 'Application Support') : xdgConfig(places)
}

/** Zed follows XDG on Linux only, and on macOS has its settings where others have them on Linux. */
function zedFolder(places: Places): string {
  if (places.platform === 'win32') return win32.join(appData(places), 'Zed')
  return posix.join(places.platform === 'darwin' ? posix.join(places.home, '.config') : xdgConfig(places), 'zed')
}

/** The specification has relative paths ignored. */
function xdgConfig({ home, env }: Places): string {
  const folder = env.XDG_CONFIG_HOME ?? ''
  return posix.isAbsolute(folder) ? folder : posix.join(home, '.config')
}

/** Claude Code keeps everything in this folder where the variable names one. */
function claudeCodeFolder({ env }: Places): string | undefined {
  return env.CLAUDE_CONFIG_DIR || undefined
}

function below({ platform }: Places, folder: string, ...names: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(folder, ...names)
}

/** The programs that `roux install` knows. */
export type ClientName = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'zed'

/** A server as a client's settings file holds it. */
export type Entry = Readonly<Record<string, unknown>>

/** A command that starts a server without a shell: absolute paths, one word per argument. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** A server that runs already: the address of its `/mcp`, and a token that it takes. */
export interface HttpEndpoint {
  readonly url: string
  readonly token: string
}

/** Where files of a user are found; tests are any platform. */
export interface Places {
  readonly platform: string
  /** The home folder. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Where an entry lies in a settings file. */
export interface EntryPlace {
  /** For messages. */
  readonly file: string
  /** The property of the root that holds servers by name. */
  readonly key: string
  /** The name of the server. */
  readonly name: string
}

/** A program that takes servers, as one literal. */
export interface Client {
  readonly name: ClientName
  /** Its name for people. */
  readonly title: string
  /** Its settings file, absolute. */
  file(places: Places): string
  /** A file or folder that is there where the program was ever started. */
  sign(places: Places): string
  readonly key: string
  stdio(launch: Launch): Entry
  /** Absent where the file takes programs only. */
  readonly http?: (endpoint: HttpEndpoint) => Entry
  /** How the program picks up a new or removed entry. */
  readonly afterInstall: string
  readonly afterUninstall: string
}
