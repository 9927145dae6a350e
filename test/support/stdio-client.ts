import { PassThrough } from 'node:stream'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { type ServeStdioOptions, type StdioServer, serveStdioServer } from '../../src/mcp/transport/serve-stdio.ts'

/** A message from the wire; the test's expectation gives its type. */
// biome-ignore lint/suspicious/noExplicitAny: every test reads another shape
export type Wire = any

/** A server over in-process streams, written and read as bytes. */
export interface StdioPair {
  readonly server: StdioServer
  readonly stdin: PassThrough
  readonly stdout: PassThrough
  readonly logged: string[]
  /** Writes one line. */
  send(message: unknown): void
  /** The next line, parsed. */
  next(): Promise<Wire>
  /** Everything up to the end. */
  rest(): Promise<readonly Wire[]>
  /** Initializes the legacy era. */
  initialize(protocolVersion?: string): Promise<Wire>
}

export function stdioPair(core: () => Promise<GraphCore>, options: Partial<ServeStdioOptions> = {}): StdioPair {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const logged: string[] = []
  stderr.on('data', (chunk: Buffer) => logged.push(chunk.toString()))
  const server = serveStdioServer({
    vaults: vaultsOnDemand([], core),
    version: '1.2.3',
    switchedOffBy: () => undefined,
    stdin,
    stdout,
    stderr,
    ...options,
  })
  const lines: unknown[] = []
  const waiting: ((line: unknown) => void)[] = []
  let partial = ''
  stdout.on('data', (chunk: Buffer) => {
    const parts = (partial + chunk.toString()).split('\n')
    partial = parts.pop() ?? ''
    for (const part of parts) {
      const take = waiting.shift()
      if (take) take(JSON.parse(part))
      else lines.push(JSON.parse(part))
    }
  })
  const send = (message: unknown) => void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const next = () =>
    lines.length > 0
      ? Promise.resolve(lines.shift())
      : new Promise<unknown>((resolve) => {
          waiting.push(resolve)
        })
  return {
    server,
    stdin,
    stdout,
    logged,
    send,
    next,
    async rest() {
      await server.finished
      await new Promise((resolve) => setImmediate(resolve))
      return lines
    },
    initialize(protocolVersion = '2025-11-25') {
      send(initializeRequest(protocolVersion))
      return next()
    },
  }
}

export function initializeRequest(protocolVersion: string): Wire {
  const clientInfo = { name: 'test', version: '0' }
  return { jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } }
}

export function callRequest(id: number | string, name: string, args: object = {}): Wire {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}
