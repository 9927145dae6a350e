import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { GraphCore } from '../app/graph-core.ts'
import type { SwitchedOffBy } from './define-tool.ts'
import { ServerEvents } from './events.ts'
import { createMcpServer, type McpServerOptions } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { TOOLS } from './tools/index.ts'

export interface ServeStdioOptions extends Pick<McpServerOptions, 'facts' | 'promptsFolder'> {
  /** Opens the vault: called after a client has been welcomed, or by the first call; again where it failed. */
  core(): Promise<GraphCore>
  readonly version: string
  readonly switchedOffBy: SwitchedOffBy
  /** What happens beside requests; the vault's own changes are added. */
  readonly events?: ServerEvents
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Called once, when the first client has been welcomed. */
  onInitialized?(): void
}

export interface StdioServer {
  /** Resolves when the connection has ended and every answer has left. */
  readonly finished: Promise<void>
  /** Ends the connection as the end of input does: what is in flight is answered first. */
  stop(): void
}

/** Serves one client over stdin and stdout, in both eras of the protocol. */
export function serveStdioServer(options: ServeStdioOptions): StdioServer {
  const log = (line: string) => void options.stderr.write(`${line}\n`)
  const { stdin, stdout, events = new ServerEvents(), promptsFolder = () => '' } = options
  let stopFollowing = () => {}
  const core = openOnce(async () => {
    const opened = await options.core()
    // Loaded with the vault, which a client that only says hello never needs.
    const { followVault } = await import('./follow-vault.ts')
    stopFollowing = followVault(opened, events, promptsFolder)
    return opened
  })
  let welcomed = false
  const onOpened = () => {
    if (welcomed) return
    welcomed = true
    options.onInitialized?.()
    core().catch((error: unknown) => log(`The vault could not be opened: ${String(error)}`))
  }
  const transport = new StdioTransport({
    stdin,
    stdout,
    onDrained: () => void connection.close(),
    onListen: (uris) => {
      for (const uri of uris) events.heed(uri)
    },
  })
  const connection = serveStdio(() => createMcpServer({ ...options, core, events, tools: TOOLS, log, onOpened }), {
    transport,
    onerror: (error) => log(error.message),
  })
  const finished = transport.finished.then(() => stopFollowing())
  return { finished, stop: () => transport.drain() }
}

/** Opens at the first call and shares the result; a failure is tried again by the next. */
function openOnce(open: () => Promise<GraphCore>): () => Promise<GraphCore> {
  let opened: Promise<GraphCore> | undefined
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}
