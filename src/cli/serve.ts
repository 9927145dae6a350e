import type { Readable, Writable } from 'node:stream'
import type { GraphCore } from '../app/graph-core.ts'
import type { LoadedSettings } from '../config/load.ts'
import { shellWord } from '../config/shell-word.ts'
import type { Host } from './host.ts'
import { type Invocation, requireSettings } from './session.ts'
import { switchOff } from './tool-switch.ts'
import { VERSION } from './version.ts'

/** Serves the vault over stdin and stdout until the client or a signal ends it. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const loaded = await requireSettings(invocation, positionals[0])
  const { settings } = loaded
  if (host.stdin.isTTY) printer.note(greeting(settings.vault.path))
  const { serveStdioServer } = await import('../mcp/serve-stdio.ts')
  const vault = openOnDemand(host, loaded, (stack) => printer.note(stack))
  const server = serveStdioServer({
    core: vault.open,
    version: VERSION,
    switchedOffBy: (tool) => switchOff(tool, settings)?.setting,
    stdin: host.stdin as Readable,
    stdout: host.stdout as Writable,
    stderr: host.stderr as Writable,
  })
  host.onSignal(() => server.stop())
  await server.finished
  await vault.close()
  return 0
}

// A vault that is being indexed closes at the next batch; a client that waits for our end shall not wait for more.
const CLOSE_MS = 2_000

/** The vault, opened when the server asks for it: a probe that only says hello costs no reading. */
function openOnDemand(
  host: Host,
  { settings, apiKey }: LoadedSettings,
  onError: (stack: string) => void,
): { open(): Promise<GraphCore>; close(): Promise<void> } {
  const key = apiKey === undefined ? {} : { apiKey }
  let opening: Promise<GraphCore> | undefined
  return {
    open() {
      opening = host.compose().then(({ openCore }) => openCore(settings, { watch: true, onError, ...key }))
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

  With one command:       roux install claude-desktop|claude-code|cursor|vscode|zed --vault ${shellWord(vault)}
  Claude Code:            claude mcp add roux -- roux serve ${shellWord(vault)}
  Claude Desktop, Cursor: ${config}

For yourself: roux search "…", roux get-node <title>, roux help. Ctrl+C ends this.`
}
