import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { preparePicture } from '../../app/links/picture.ts'
import { vaultHealth } from '../../app/system-info.ts'
import { openAll, type Vaults } from '../../app/vaults.ts'
import { userFolders } from '../../config/environment.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { closedBy } from '../../core/waiting.ts'
import type { HealthReport } from '../../http/health.ts'
import { type AccessPolicy, isLoopbackAddress, type PublicAddress, readPublicAddress } from '../../http/host-and-origin.ts'
import { type HttpServerOptions, openHttpServer } from '../../http/http-server.ts'
import type { PublicSide, ServerParts } from '../../http/routes.ts'
import { isBearerOf } from '../../http/token-gate.ts'
import { type Access, closeToOthers, openTokens, type Principal, readTokens, SCOPES, tokenFileIn } from '../../http/tokens.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import type { SwitchedOffBy } from '../../mcp/definition/define-tool.ts'
import { type EventFeed, feedOf } from '../../mcp/events/events.ts'
import { followVaults } from '../../mcp/events/follow-vaults.ts'
import { createMcpServer } from '../../mcp/server.ts'
import type { AddressOf } from '../../mcp/tools/connectors.ts'
import { TOOLS, toolsFor } from '../../mcp/tools/index.ts'
import type { WebOptions } from '../../web/routes.ts'
import type { WebSessions } from '../../web/sessions.ts'
import { UsageError } from '../host.ts'
import type { Invocation } from '../session.ts'
import type { LiveSettings } from './live-settings.ts'
import type { AnnouncedPage } from './running-servers.ts'
import { nameVaults, openServing } from './serving.ts'
import { refusedTo, unnamedVault, vaultsAnnouncedTo, visibleVaults } from './token-rights.ts'

export interface WebView {
  /** A callback for a single-use address that expires after a minute. It is omitted if other processes request the address. */
  readonly onAddress?: (address: string, isWaiting: () => boolean) => void
  readonly portAdvice?: string
}

/** Serves the vaults over HTTP. @throws UsageError if `--set` contradicts `--http` */
export async function serveHttp(invocation: Invocation, loaded: LoadedVaults, web?: WebView): Promise<number> {
  const { host, printer } = invocation
  requireNoContradiction(loaded)
  const { http } = loaded.server.settings
  const tokenFile = tokenFileIn(userFolders(host.env).state)
  const warning = closeToOthers(tokenFile)
  if (warning !== undefined) printer.warn(warning)
  openTokens(tokenFile)
  let page: AnnouncedPage | undefined
  const { vaults, events, live, options, switchedOffForPage, withdraw, close } = await openServing(invocation, loaded, {
    page: () => page,
  })
  const followedVaults = followVaults(vaults, events, options.promptsFolder)
  const eventsFor = (access: Access): EventFeed => feedOf(events, vaultsAnnouncedTo(access, vaults, loaded))
  const isEnabled = (): boolean => live.current.settings.http.enabled
  // The page of `roux open` keeps working if HTTP is turned off for clients.
  const ownerHasAccess = (): boolean => web?.onAddress !== undefined || isEnabled()
  const view = web === undefined ? undefined : await webView(invocation, ownerHasAccess)
  const refusing =
    (switchedOffBy: SwitchedOffBy) =>
    (access: Access): SwitchedOffBy =>
    (tool) =>
      switchedOffBy(tool) ?? refusedTo(access, tool)
  const log = (line: string): void => printer.note(line)
  // The page of `roux open` is served only to this computer.
  const signIn = web?.onAddress === undefined ? await publicSide(invocation, loaded, { live, vaults: followedVaults }) : undefined
  const tools = await toolsFor(loaded.server.settings.mcp, signIn?.addressOf)
  const server = await openHttpServer({
    ...http,
    ...signIn?.reachableAs(http),
    publicSide: signIn?.side,
    get enabled() {
      return isEnabled()
    },
    tokenFile,
    eventsFor,
    healthFor: async (access) =>
      access.scopes.has('read') ? await healthOf(visibleVaults(access, followedVaults, loaded)) : undefined,
    serverFor: (access) =>
      createMcpServer({
        ...options,
        vaults: visibleVaults(access, followedVaults, loaded),
        tools,
        switchedOffBy: refusing(options.switchedOffBy)(access),
        mayRead: access.scopes.has('read'),
        events: eventsFor(access),
        log,
      }),
    ...view?.routesFor({
      tools: TOOLS,
      log,
      vaultsFor: (access) => visibleVaults(access, followedVaults, loaded),
      switchedOffFor: refusing(switchedOffForPage),
      eventsFor,
    }),
    portAdvice: web?.portAdvice ?? 'choose another port with --http <port> or http.port; 0 means any free one',
    log: (line) => printer.warn(line),
  })
  const home = new URL('/', server.url).href
  // The page of `roux open` is not announced, because it ends with this process.
  if (view !== undefined && web?.onAddress === undefined) page = { address: home, key: view.key }
  live.watch()
  const stopped = new Promise<void>((resolve) => host.onSignal(resolve))
  if (!isLoopbackAddress(http.host)) printer.warn(OPEN_TO_OTHERS)
  const names = nameVaults(invocation, loaded)
  if (web?.onAddress === undefined) printer.note(welcome(names, server.url, signIn?.address))
  else if (view !== undefined) {
    const code = view.newCode()
    web.onAddress(`${home}#code=${code}`, () => view.isWaiting(code))
  }
  openAll(followedVaults).then(
    (cores) => {
      for (const { indexing } of cores) indexing.begin()
      const [first] = cores
      // An error is ignored here, because the page reports it.
      if (web?.onAddress !== undefined && first !== undefined) preparePicture(first).catch(() => {})
    },
    (error: unknown) => printer.warn(`A vault could not be opened: ${String(error)}`),
  )
  await stopped
  const by = closedBy()
  // Withdraw the announcement before releasing the port, because another program may take the port.
  withdraw()
  await server.stop()
  followedVaults.stop()
  await close(by)
  return 0
}

const HEALTH_WAIT_MS = 3_000

async function healthOf(vaults: Vaults): Promise<HealthReport> {
  try {
    const signal = AbortSignal.timeout(HEALTH_WAIT_MS)
    const health = await Promise.all((await openAll(vaults)).map((core) => vaultHealth(core, signal)))
    return { isWell: health.every(({ store }) => store !== 'unreachable'), vaults: health }
  } catch {
    return { isWell: false, vaults: [] }
  }
}

interface View {
  routesFor(options: Omit<WebOptions, 'folder'>): Pick<HttpServerOptions, 'extraRoutes'>
  readonly key: string
  newCode(): string
  isWaiting(code: string): boolean
}

async function webView({ host }: Invocation, ownerHasAccess: () => boolean): Promise<View> {
  const { webRoutes } = await import('../../web/routes.ts')
  const owner: Principal = { key: 'the owner', access: { name: 'roux open', scopes: new Set(SCOPES), vaults: '*' } }
  const key = randomBytes(32).toString('base64url')
  let sessions: WebSessions | undefined
  return {
    key,
    routesFor: (options) => ({
      extraRoutes(parts) {
        const isCurrent = (of: string): boolean => (of === owner.key ? ownerHasAccess() : parts.isCurrent(of))
        const authorize: ServerParts['authorize'] = (request) =>
          ownerHasAccess() && isBearerOf(request, key) ? { sender: owner } : parts.authorize(request)
        const folder = join(dirname(host.program.script), '..', 'web')
        const routes = webRoutes({ ...options, folder }, { ...parts, isCurrent, authorize })
        sessions = routes.sessions
        const isAllowed = (of: string, others: (of: string) => boolean): boolean =>
          of === owner.key ? ownerHasAccess() : others(of)
        return { ...routes, endUnless: (others) => routes.endUnless((of) => isAllowed(of, others)) }
      },
    }),
    newCode: () => sessions?.makeCode(owner) ?? '',
    isWaiting: (code) => sessions?.isWaiting(code) === true,
  }
}

interface SignIn {
  readonly address: PublicAddress
  readonly side: PublicSide
  reachableAs(policy: Pick<AccessPolicy, 'hosts' | 'origins'>): Pick<AccessPolicy, 'hosts' | 'origins'>
  readonly addressOf: AddressOf
}

async function publicSide(
  { host }: Invocation,
  { server, vaults: [first] }: LoadedVaults,
  { live, vaults }: { readonly live: LiveSettings; readonly vaults: Vaults },
): Promise<SignIn | undefined> {
  const { http } = server.settings
  const address = readPublicAddress(http.public_url)
  if (address === undefined) return undefined
  const { openSignIn } = await import('../../oauth/open-sign-in.ts')
  const { state } = userFolders(host.env)
  const side = openSignIn({
    address,
    clients: http.clients,
    stateFolder: state,
    allowedScopes: () => {
      const { write, attach } = live.current.settings.tools
      return SCOPES.filter((scope) => scope === 'read' || (scope === 'write' && write) || (scope === 'attach' && attach))
    },
    vaults: () => (vaults.names.length > 0 ? vaults.names : [unnamedVault(first.settings)]),
    isToken: (name) => readTokens(tokenFileIn(state))?.some((token) => token.name === name) === true,
  })
  return {
    address,
    side,
    addressOf({ id, path, title }) {
      const name = vaultOf(id, vaults.names)
      const folder = (name !== undefined && vaults.folderOf?.(name)) || first.settings.vault.path
      return side.addressOf({ folder: basename(folder), path: path ?? id.slice(name === undefined ? 0 : name.length + 1), title })
    },
    reachableAs: ({ hosts, origins }) => ({ hosts: [...hosts, address.host], origins: [...origins, address.origin] }),
  }
}

function requireNoContradiction({ server: { settings, origins } }: LoadedVaults): void {
  if (settings.http.enabled || origins.get('http.enabled') !== '--set') return
  throw new UsageError('--http and --set http.enabled=false contradict each other.', 'Remove one of them.')
}

const OPEN_TO_OTHERS =
  'Other computers can connect, and the connection is not encrypted: use a reverse proxy with TLS, and set http.host to 127.0.0.1 if it runs on this computer.'

function welcome(names: string, url: string, address: PublicAddress | undefined): string {
  const entry = { type: 'http', url, headers: { Authorization: 'Bearer <token>' } }
  return `Roux serves ${names} at ${url} (MCP over HTTP). Press Ctrl+C to stop.

  The token:    roux token show
  Claude Code:  roux install claude-code --http --set http.port=${new URL(url).port}
  Others:       ${JSON.stringify({ mcpServers: { roux: entry } })}
${address === undefined ? '' : `  Hosted ones:  ${address.resource} (run "roux connect" first)\n`}`
}
