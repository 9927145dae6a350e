import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { eventually } from '../support/eventually.ts'
import type { RunOptions, Server, Wire, World } from './support.ts'

/** A running `roux serve --http`. */
export interface HttpProcess {
  readonly url: string
  readonly token: string
  readonly server: Server
  /** Posts a message, or raw text. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
}

/** Starts `roux serve --http` on a free port, for the world's vault. */
export function serveHttp(world: World, args: readonly string[] = [], options: RunOptions = {}): Promise<HttpProcess> {
  return startHttp(world, [world.vault, ...args], options)
}

/** Starts `roux serve --http` on a free port. */
export async function startHttp(world: World, args: readonly string[], options: RunOptions = {}): Promise<HttpProcess> {
  const server = world.serve([...args, '--http', '0'], options)
  let told = ''
  server.child.stderr.on('data', (chunk: string) => {
    told += chunk
  })
  const url = await eventually(async () => {
    const found = /http:\/\/\S+\/mcp/.exec(told)?.[0]
    if (found === undefined) throw new Error(`It does not listen: ${told}`)
    return found
  })
  const { out } = await world.roux(['token', 'show'])
  const token = out.trim()
  return {
    url,
    token,
    server,
    post: (body, headers = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

type Connect = (http: HttpProcess) => readonly [client: Wire, transport: unknown]

const initOf = ({ token }: HttpProcess) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } })

/** Third-party clients, and how each connects. */
export const HTTP_CLIENTS: readonly (readonly [name: string, Connect])[] = [
  [
    'the older SDK over HTTP',
    (http) => [new OldClient({ name: 'old', version: '1' }), new OldTransport(new URL(http.url), initOf(http))],
  ],
  [
    'the newer SDK over HTTP in the legacy era',
    (http) => [new ModernClient({ name: 'new', version: '1' }), new ModernTransport(new URL(http.url), initOf(http))],
  ],
  [
    'the newer SDK over HTTP in auto mode',
    (http) => [
      new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: 'auto' } }),
      new ModernTransport(new URL(http.url), initOf(http)),
    ],
  ],
  [
    'the newer SDK over HTTP in the era of 2026-07-28',
    (http) => [
      new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      new ModernTransport(new URL(http.url), initOf(http)),
    ],
  ],
]
