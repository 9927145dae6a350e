import type { Readable, Writable } from 'node:stream'
import type { GraphCore } from '../app/graph-core.ts'
import { loadSettings } from '../config/load.ts'
import { shellWord } from '../config/shell-word.ts'
import type { ServerEvents } from '../mcp/events.ts'
import type { Host } from './host.ts'
import { changedKeys, LiveSettings } from './live-settings.ts'
import { serverFacts } from './server-facts.ts'
import { type Invocation, requireSettings, settingsInput } from './session.ts'
import { switchOff } from './tool-switch.ts'
import { VERSION } from './version.ts'

/** Serves the vault over stdin and stdout until the client or a signal ends it. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const loaded = await requireSettings(invocation, positionals[0])
  const vaultPath = loaded.settings.vault.path
  if (host.stdin.isTTY) printer.note(greeting(vaultPath))
  const [{ serveStdioServer }, { ServerEvents }] = await Promise.all([
    import('../mcp/serve-stdio.ts'),
    import('../mcp/events.ts'),
  ])
  const events = new ServerEvents()
  const live = new LiveSettings(loaded, {
    load: () => loadSettings(settingsInput(invocation, positionals[0])),
    say: (line) => printer.warn(line),
    onChange: (before, now) => tellOfSettings(events, changedKeys(before, now)),
  })
  const vault = openOnDemand(host, live, (stack) => printer.note(stack))
  const server = serveStdioServer({
    core: vault.open,
    version: VERSION,
    switchedOffBy: (tool) => switchOff(tool, live.current.settings)?.setting,
    promptsFolder: () => live.current.settings.mcp.prompts_folder,
    facts: () => serverFacts(live.current),
    events,
    stdin: host.stdin as Readable,
    stdout: host.stdout as Writable,
    stderr: host.stderr as Writable,
    onInitialized: () => live.watch(),
  })
  host.onSignal(() => server.stop())
  await server.finished
  live.stop()
  await vault.close()
  return 0
}

/** What a client should ask for again when these settings changed. */
function tellOfSettings(events: ServerEvents, keys: readonly string[]): void {
  if (keys.some((key) => key.startsWith('tools.'))) events.toolsChanged()
  if (keys.includes('tools.attach')) events.resourcesChanged()
  if (keys.includes('mcp.prompts_folder')) events.promptsChanged()
  events.resourceUpdated('roux://system-info')
}

// A vault that is being indexed closes at the next batch; a client that waits for our end shall not wait for more.
const CLOSE_MS = 2_000

/** The vault, opened when the server asks for it: a probe that only says hello costs no reading. */
function openOnDemand(
  host: Host,
  live: LiveSettings,
  onError: (stack: string) => void,
): { open(): Promise<GraphCore>; close(): Promise<void> } {
  const { settings, apiKey } = live.current
  const key = apiKey === undefined ? {} : { apiKey }
  const permits = () => live.current.settings.tools
  let opening: Promise<GraphCore> | undefined
  return {
    open() {
      opening = host.compose().then(({ openCore }) => openCore(settings, { watch: true, onError, permits, ...key }))
      return opening
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS)
      })
      await Promise.race([opening?.then((core) => core.close()).catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

function greeting(vault: string): string {
  const config = JSON.stringify({ mcpServers: { roux: { command: 'roux', args: ['serve', vault] } } })
  return `Roux serves ${vault} over stdin and stdout (MCP): this is started by an AI assistant, not by people.

  Claude Code:            claude mcp add roux -- roux serve ${shellWord(vault)}
  Claude Desktop, Cursor: ${config}

For yourself: roux search "…", roux get-node <title>, roux help. Ctrl+C ends this.`
}
