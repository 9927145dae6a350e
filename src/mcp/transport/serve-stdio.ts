import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { openAll, type Vaults } from '../../app/vaults.ts'
import type { SwitchedOffBy } from '../definition/define-tool.ts'
import { feedOf, ServerEvents, subscriptionRefusal } from '../events/events.ts'
import { followVaults } from '../events/follow-vaults.ts'
import { createMcpServer } from '../server.ts'
import type { McpServerOptions } from '../server-options.ts'
import { TOOLS } from '../tools/index.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface ServeStdioOptions extends Pick<McpServerOptions, 'facts' | 'promptsFolder' | 'mapPage'> {
  /** The tools to offer. By default, these are all tools except those for connectors. */
  readonly tools?: McpServerOptions['tools']
  readonly vaults: Vaults
  /** If true, the vaults are opened once a client has initialized, and not only on the first call. The default is true. */
  readonly opensEarly?: boolean
  readonly version: string
  readonly switchedOffBy: SwitchedOffBy
  /** Events of the client. Changes in the vaults are added to them. */
  readonly events?: ServerEvents
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  onInitialized?(): void
}

export interface StdioServer {
  /** The promise resolves to the deadline for closing the vaults, once all responses have been sent. */
  readonly finished: Promise<number>
  /** Answers running requests first. */
  stop(): void
}

export function serveStdioServer(options: ServeStdioOptions): StdioServer {
  const log = (line: string) => void options.stderr.write(`${line}\n`)
  const { stdin, stdout, tools = TOOLS, events = new ServerEvents(), promptsFolder = () => '' } = options
  const vaults = followVaults(options.vaults, events, promptsFolder)
  const feed = feedOf(events, vaults.names)
  let subscribed = 0
  let welcomed = false
  const onOpened = () => {
    if (welcomed) return
    welcomed = true
    options.onInitialized?.()
    if (options.opensEarly !== false)
      openAll(vaults).catch((error: unknown) => log(`The vault could not be opened: ${String(error)}`))
  }
  const transport = new StdioTransport({
    stdin,
    stdout,
    onDrained: () => void connection.close(),
    onListen: (uris) => {
      const refusal = subscriptionRefusal(uris, subscribed)
      if (refusal !== undefined) return { refusal }
      subscribed += uris.length
      const unsubscribe = feed.subscribeResources(uris)
      return {
        end: () => {
          subscribed -= uris.length
          unsubscribe()
        },
      }
    },
  })
  const connection = serveStdio(() => createMcpServer({ ...options, vaults, events: feed, tools, log, onOpened }), {
    transport,
    onerror: (error) => log(error.message),
  })
  const finished = transport.finished.finally(() => vaults.stop())
  return { finished, stop: () => transport.drain() }
}
