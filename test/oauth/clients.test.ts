import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { listConnections, removeConnection } from '../../src/oauth/connections.ts'
import { signInFiles } from '../../src/oauth/state-files.ts'
import { filledIn, freePort, type Json, OWN_PAGE, PublicServer } from './support.ts'

const DOCUMENT = 'https://claude.ai/oauth/claude-code-client-metadata'
const CALLBACK = 'http://localhost:43210/callback'

const DOCUMENTS = {
  [DOCUMENT]: {
    client_id: DOCUMENT,
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
}

/** What a client keeps on its disk. */
class Kept {
  readonly redirectUrl = CALLBACK
  readonly clientMetadata = { client_name: 'A client', redirect_uris: [CALLBACK] }
  readonly clientMetadataUrl: string | undefined
  client: Json
  stored: Json
  verifier = ''
  discovery: Json
  asked: URL | undefined

  constructor(clientMetadataUrl: string | undefined) {
    this.clientMetadataUrl = clientMetadataUrl
  }

  state = () => 'the state'
  clientInformation = () => this.client
  saveClientInformation = (client: Json) => {
    this.client = client
  }
  tokens = () => this.stored
  saveTokens = (tokens: Json) => {
    this.stored = tokens
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  discoveryState = () => this.discovery
  saveDiscoveryState = (state: Json) => {
    this.discovery = state
  }
  redirectToAuthorization = (url: URL) => {
    this.asked = url
  }
}

type Open = (url: URL, kept: Kept) => { readonly client: Json; readonly transport: Json }

const CLIENTS: readonly (readonly [string, Open])[] = [
  [
    'the older SDK',
    (url, kept) => ({
      client: new OldClient({ name: 'old', version: '1' }),
      transport: new OldTransport(url, { authProvider: kept as Json, fetch: persistent }),
    }),
  ],
  ...(['legacy', 'auto', { pin: '2026-07-28' }] as const).map((mode): readonly [string, Open] => [
    `the newer SDK, ${typeof mode === 'string' ? mode : mode.pin}`,
    (url, kept) => ({
      client: new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode } }),
      transport: new ModernTransport(url, { authProvider: kept as Json, fetch: persistent }),
    }),
  ]),
]

/** Repeats a request if the server restarted while a connection to it was kept open. */
const persistent: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return fetch(input, init)
  }
}

/** Fills in the page as a person would, and returns what the program receives. */
async function allow(server: PublicServer, asked: URL, step: () => Promise<void>): Promise<URLSearchParams> {
  const code = server.connect(['read', 'write'])
  await step()
  const page = await server.ask(asked.pathname + asked.search)
  expect(page.status, page.text).toBe(200)
  await step()
  const returned = await server.ask('/authorize', {
    form: { ...filledIn(page), code, decision: 'allow', scope: 'read' },
    headers: OWN_PAGE,
  })
  expect(returned.status).toBe(303)
  return new URL(String(returned.headers.location)).searchParams
}

describe.each(CLIENTS)('%s', (_, open) => {
  describe.each([
    ['by its published description', DOCUMENT],
    ['by registering itself', undefined],
  ])('%s', (_, document) => {
    test.each([
      ['without a restart', false],
      ['with a restart between any two steps', true],
    ])('a program signs in, refreshes, also in parallel, and is refused once it is removed, %s', async (_, restarts) => {
      const port = await freePort()
      const server = await PublicServer.start({ port, documents: DOCUMENTS })
      const step = async (): Promise<void> => void (restarts && (await server.restart()))
      const url = new URL(`http://127.0.0.1:${port}/mcp`)
      const kept = new Kept(document)
      const first = open(url, kept)
      await expect(first.client.connect(first.transport)).rejects.toThrow()
      const asked = kept.asked
      if (asked === undefined) throw new Error('The client did not ask for consent.')
      expect(asked.searchParams.get('client_id')?.startsWith('https://')).toBe(document !== undefined)
      const returned = await allow(server, asked, step)
      await step()
      // The older SDK accepts the code alone, and the newer one also checks the issuer.
      await first.transport.finishAuth(first.client instanceof OldClient ? returned.get('code') : returned)
      await step()
      const tools = async (): Promise<readonly string[]> => {
        const { client, transport } = open(url, kept)
        await client.connect(transport)
        const listed = await client.listTools()
        await client.close()
        return listed.tools.map(({ name }: Json) => name)
      }
      expect(await tools()).toContain('search')
      const issued = kept.stored
      expect(issued.scope).toBe('read')

      // The access token expires, and the client refreshes it by itself.
      server.ahead += 61 * 60_000
      expect(await tools()).toContain('search')
      const refreshed = kept.stored
      expect(refreshed.refresh_token).not.toBe(issued.refresh_token)
      await step()

      // Two processes of the program that share what it keeps.
      server.ahead += 61 * 60_000
      const others = [clone(kept), clone(kept)]
      await Promise.all(others.map((one) => connectOnce(open(url, one))))
      expect(others[0]?.stored.access_token).not.toBe(others[1]?.stored.access_token)
      await step()

      const [connection] = listConnections(signInFiles(server.state).connections, server.now())
      expect(connection?.client.knownBy).toBe(document === undefined ? undefined : 'claude.ai')
      removeConnection(signInFiles(server.state).connections, connection?.name ?? '')
      // The program is removed while it is in use. Its tokens become invalid, so it asks for consent again.
      const last = others[0] as Kept
      await expect(connectOnce(open(url, last))).rejects.toThrow()
      expect(await server.ping(last.stored?.access_token ?? 'nothing')).toBe(401)
    })
  })
})

function clone(kept: Kept): Kept {
  return Object.assign(new Kept(kept.clientMetadataUrl), {
    client: kept.client,
    stored: kept.stored,
    discovery: kept.discovery,
  })
}

async function connectOnce({ client, transport }: ReturnType<Open>): Promise<void> {
  await client.connect(transport)
  await client.close()
}
