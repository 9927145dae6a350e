import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { GraphCore } from '../app/graph-core.ts'
import type { SwitchedOffBy } from './define-tool.ts'
import { openOnce } from './open-once.ts'
import { createMcpServer } from './server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { TOOLS } from './tools/index.ts'

export interface ServeStdioOptions {
  /** Opens the vault: called after a client has been welcomed, or by the first call; again where it failed. */
  core(): Promise<GraphCore>
  readonly version: string
  readonly switchedOffBy: SwitchedOffBy
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
  const core = openOnce(options.core)
  let welcomed = false
  const onOpened = () => {
    if (welcomed) return
    welcomed = true
    options.onInitialized?.()
    core().catch((error: unknown) => log(`The vault could not be opened: ${String(error)}`))
  }
  const { stdin, stdout, version, switchedOffBy } = options
  const transport = new StdioTransport({ stdin, stdout, onDrained: () => void connection.close() })
  const connection = serveStdio(() => createMcpServer({ core, version, tools: TOOLS, switchedOffBy, log, onOpened }), {
    transport,
    onerror: (error) => log(error.message),
  })
  return { finished: transport.finished, stop: () => transport.drain() }
}
