import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type LoadedSettings, requireValid } from '../../config/load.ts'
import { type LoadedVault, type LoadedVaults, readVaults } from '../../config/load-vaults.ts'
import { type Settings, splitKey } from '../../config/settings.ts'
import { findSetting } from '../../config/settings-schema.ts'
import type { UsageRow } from '../../core/chat.ts'
import type { SwitchedOffBy } from '../../mcp/definition/define-tool.ts'
import type { ServerEvents } from '../../mcp/events/events.ts'
import type { McpServerOptions, ServerFacts } from '../../mcp/server-options.ts'
import { type Host, VERSION } from '../host.ts'
import { folderFault, type Invocation, settingsInput, withDesk } from '../session.ts'
import { notOfferedIn, switchedOffIn } from '../tools/tool-switch.ts'
import { type ServedVaults, serveVaults } from '../vaults/open-vaults.ts'
import { changedKeys, type LiveSettings, liveSettings } from './live-settings.ts'
import { type AnnouncedPage, announceServer, runningFolder } from './running-servers.ts'

type SharedOptions = Required<
  Pick<McpServerOptions, 'version' | 'switchedOffBy' | 'promptsFolder' | 'maxTokens' | 'facts' | 'mapPage'>
>

export interface Serving {
  readonly vaults: ServedVaults
  readonly events: ServerEvents
  /** Settings that follow the settings files after `watch()` has been called. */
  readonly live: LiveSettings
  readonly options: SharedOptions
  readonly switchedOffForPage: SwitchedOffBy
  /** Withdraws the announcement, which must happen before the port is released. */
  withdraw(): void
  /** Closes the vaults by a deadline in `performance.now()` time. */
  close(by: number): Promise<void>
}

export interface ServingOptions {
  readonly page?: () => AnnouncedPage | undefined
}

export async function openServing(invocation: Invocation, loaded: LoadedVaults, { page }: ServingOptions = {}): Promise<Serving> {
  const { host, printer, positionals } = invocation
  const { server, vaults } = loaded
  const { ServerEvents } = await import('../../mcp/events/events.ts')
  const events = new ServerEvents()
  let latest: readonly LoadedVault[] = vaults
  const live = liveSettings(withPlaces(loaded), {
    overHttp: invocation.options.has('http'),
    load: async () => {
      const read = await readVaults(settingsInput(invocation, positionals[0]))
      requireValid(read.server)
      latest = read.vaults.filter(({ problems }) => problems.length === 0)
      served.aiChanged()
      return withPlaces(read)
    },
    say: (line) => printer.warn(line),
    onChange: (before, now) => announceSettings(events, changedKeys(before, now)),
  })
  // A vault without a folder is read-only.
  const isStored = vaults.some(({ stored }) => stored !== undefined)
  const withoutFolder = (settings: Settings): Settings =>
    isStored ? { ...settings, tools: { ...settings.tools, write: false, attach: false } } : settings
  if (isStored && (server.origins.has('tools.write') || server.origins.has('tools.attach'))) printer.warn(NOT_WRITTEN)
  let stopAnnouncing = () => {}
  let isWithdrawn = false
  const withdraw = (): void => {
    isWithdrawn = true
    stopAnnouncing()
  }
  const served = serveVaults(host, vaults, {
    // The server is announced late, so short-lived clients leave no trace.
    onBegin: () => {
      if (isWithdrawn) return
      const folders = vaults.flatMap(({ settings, stored }) => (stored === undefined ? [settings.vault.path] : []))
      stopAnnouncing = announceServer(runningFolder(server.settings, host.env), folders, page?.())
    },
    onError: (stack) => printer.note(stack),
    permits: () => withoutFolder(live.current.settings).tools,
    ai: (started) => {
      const now = latest.find(({ name }) => name === started.name)?.settings.ai ?? started.settings.ai
      const { enabled } = live.current.settings.ai
      return { ...started.settings.ai, enabled, allow_remote: now.allow_remote, allow: now.allow, deny: now.deny }
    },
  })
  return {
    vaults: served,
    events,
    live,
    options: {
      version: VERSION,
      switchedOffBy: notOfferedIn(loaded, () => live.current.settings),
      promptsFolder: () => live.current.settings.mcp.prompts_folder,
      maxTokens: () => {
        const { max_tokens } = live.current.settings.answers
        return max_tokens === 'auto' ? undefined : Math.floor(max_tokens)
      },
      mapPage: () => readFile(join(dirname(host.program.script), '..', 'app', 'map.html'), 'utf8'),
      facts: () => ({
        ...serverFacts(live.current),
        verbose: invocation.options.get('verbose') === true,
        tokens: () => tokensToday(host, live.current.settings),
      }),
    },
    switchedOffForPage: switchedOffIn(loaded, () => live.current.settings),
    withdraw,
    async close(by) {
      live.stop()
      withdraw()
      await served.close(by)
    },
  }
}

function withPlaces({ server, vaults }: LoadedVaults): LoadedSettings {
  return { ...server, places: [...new Set([server, ...vaults].flatMap(({ places }) => places))] }
}

const NOT_WRITTEN =
  'Writing tools are not offered: these vaults are served from a database. Write on a computer that has their folders.'

/** Warns about unreadable vaults, which do not prevent startup. */
export function nameVaults({ printer }: Invocation, { vaults }: LoadedVaults): string {
  const names = vaults.map(({ settings: { vault, store }, stored }) => {
    if (stored !== undefined) return `${stored} of ${store['neo4j.url'].replace(/\/\/.*@/, '//')}`
    const fault = folderFault(vault.path)
    if (fault === undefined) return vault.path
    printer.warn(`${fault.problem} Calls get VAULT_NOT_FOUND until it can be read.`)
    return `${vault.path} (once it can be read)`
  })
  return names.join(', ')
}

function announceSettings(events: ServerEvents, keys: readonly string[]): void {
  if (keys.some((key) => key.startsWith('tools.') || key === 'ai.enabled')) events.publish({ kind: 'tools_list_changed' })
  if (keys.includes('tools.attach')) events.publish({ kind: 'resources_list_changed' })
  if (keys.includes('mcp.prompts_folder')) events.publish({ kind: 'prompts_list_changed' })
  events.publish({ kind: 'resource_updated', uri: 'roux://system-info' })
}

/** The types of settings whose values cannot reveal paths, addresses or secrets. */
const HARMLESS: readonly string[] = ['flag', 'choice', 'integer', 'number']

/** Text settings are left out, because they may contain paths, addresses or secrets. */
function serverFacts({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): Omit<ServerFacts, 'version'> {
  // Answers must not reveal whether the server is shared.
  const changedKeys = [...origins.keys()].filter(
    (key) => !key.startsWith('serve.') && HARMLESS.includes(findSetting(key)?.type.kind ?? ''),
  )
  const { kind, model } = settings.embedder
  return {
    settings: Object.fromEntries(changedKeys.sort().map((key) => [key, settingAt(settings, key)])),
    ...(kind === 'none' ? {} : { embedder: kind === 'static' || isPath(model) ? kind : `${kind}:${model}` }),
  }
}

function isPath(model: string): boolean {
  return model === '' || /^(?:[./~\\]|[a-z]:)/i.test(model)
}

function settingAt(settings: Settings, key: string): unknown {
  const [section, name] = splitKey(key)
  return (settings as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[section]?.[name]
}

type Tokens = Pick<UsageRow, 'location' | 'requests' | 'input' | 'output' | 'estimated' | 'failed'>

const COUNTED = ['requests', 'input', 'output', 'estimated', 'failed'] as const

async function tokensToday(host: Host, settings: Settings): Promise<Readonly<Record<string, Tokens>>> {
  if (!settings.ai.enabled && settings.embedder.kind !== 'openai') return {}
  const byServer = new Map<string, Tokens>()
  for (const row of await withDesk(host, { settings }, (desk) => desk.usage(1))) {
    const before = byServer.get(row.provider)
    const sums = COUNTED.map((name) => [name, (before?.[name] ?? 0) + row[name]])
    byServer.set(row.provider, { location: row.location, ...Object.fromEntries(sums) })
  }
  return Object.fromEntries(byServer)
}
