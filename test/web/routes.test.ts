import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Vaults, vaultsOnDemand } from '../../src/app/vaults.ts'
import { refusedTo } from '../../src/cli/serving/token-rights.ts'
import type { AccessPolicy } from '../../src/http/host-and-origin.ts'
import { feedOf, ServerEvents } from '../../src/mcp/events/events.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { webRoutes } from '../../src/web/routes.ts'
import { type Listening, listening, speak } from '../http/support.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { settled } from '../support/settled.ts'

const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Page extends Listening {
  /** Sends a request as the page would. */
  ask(
    path: string,
    body: unknown,
    secret?: string,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly json: unknown }>
  /** A session's secret. */
  session(): Promise<string>
  readonly asked: readonly (string | undefined)[]
}

/** A server with the page over an in-memory vault. */
async function page(
  isEnabled = (): boolean => true,
  names: readonly string[] = [],
  policy: Partial<AccessPolicy> = {},
): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'roux-page-'))
  writeFileSync(join(folder, 'index.html'), '<p>Page')
  const core = fakeCore(fakeStore(GARDEN))
  const asked: (string | undefined)[] = []
  const vaults: Vaults = vaultsOnDemand(names, async (name) => {
    asked.push(name)
    if (name !== undefined && !names.includes(name)) throw new Error(`There is no vault ${name}.`)
    return core
  })
  const listened = await listening({
    ...policy,
    extraRoutes: (parts) =>
      webRoutes(
        {
          folder,
          tools: TOOLS,
          log: () => {},
          vaultsFor: () => vaults,
          switchedOffFor: (access) => (tool) => refusedTo(access, tool),
          eventsFor: () => feedOf(new ServerEvents()),
        },
        parts,
      ),
    get enabled() {
      return isEnabled()
    },
  })
  open.push(
    () => listened.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  const ask: Page['ask'] = async (path, body, secret, headers = {}) => {
    const authorization = secret === undefined ? {} : { Authorization: `Bearer ${secret}` }
    const response = await fetch(`http://127.0.0.1:${listened.port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization, ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: await response.json() }
  }
  return {
    ...listened,
    asked,
    ask,
    async session() {
      const { json } = await ask('/web/code', {}, listened.token)
      return ((await ask('/web/session', json)).json as { readonly session: string }).session
    },
  }
}

test.each(['/web/note', '/web/picture', '/web/attachment'])(
  '%s of an unknown vault is an error that says so, and opens nothing',
  async (path) => {
    const { ask, session, asked, logged } = await page()
    const answer = await ask(path, { id: 'home.md', vault: 'no\nsuch' }, await session())
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'INVALID_PARAMS' } } })
    expect([asked, logged]).toEqual([[], []])
  },
)

test('notes that the vault excludes do not reach the page', async () => {
  const { ask, session } = await page()
  const secret = await session()
  expect((await ask('/web/note', { id: 'soil/compost.md' }, secret)).json).toMatchObject({ title: 'Compost' })
  expect((await ask('/web/note', { id: 'Hidden.md' }, secret)).json).toBeNull()
})

test('behind a TLS proxy, the page is served only under the configured names', async () => {
  const { port, session } = await page(() => true, [], {
    hosts: ['notes.example'],
    origins: ['https://notes.example', 'https://app.example'],
  })
  const secret = await session()
  const status = async (host: string, headers: Record<string, string>) => {
    const all = { Host: host, Authorization: `Bearer ${secret}`, ...headers }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const ask = `POST /web/note HTTP/1.1\r\n${lines.join('')}Content-Length: 16\r\n\r\n{"id":"home.md"}`
    return (await speak(port, (socket) => void socket.write(ask))).statuses[0]
  }
  const own = { Origin: 'https://notes.example' }
  expect(await status('notes.example', own)).toBe(200)
  expect(await status('notes.example', { ...own, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  expect(await status('notes.example', { ...own, 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await status('notes.example', { Origin: 'https://app.example' })).toBe(403)
  expect(await status('notes.example', { Origin: 'https://notes.example:8443' })).toBe(403)
  expect(await status('notes.example:8443', own)).toBe(403)
  // Without a proxy, these addresses have no page.
  expect(await status('localhost', own)).toBe(403)
  expect(await status('localhost', { Origin: 'https://localhost' })).toBe(403)
  expect(await status('evil.example', { Origin: 'https://evil.example' })).toBe(403)
})

test('slow senders without a session do not block others', async () => {
  const { port, ask, token } = await page()
  const slow = Array.from({ length: 64 }, () =>
    speak(port, (socket) => void socket.write('POST /web/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')),
  )
  await settled()
  expect((await ask('/web/code', {}, token)).status).toBe(200)
  void slow
})

test('limits the size of a request that opens a session', async () => {
  const { ask } = await page()
  expect((await ask('/web/session', { code: 'x'.repeat(10_000) })).status).toBe(413)
})

test('refuses the tokens page while serving over HTTP is off', async () => {
  let enabled = true
  const { ask, session, token } = await page(() => enabled)
  const secret = await session()
  enabled = false
  expect((await ask('/web/note', { id: 'home.md' }, secret)).status).toBe(401)
  expect((await ask('/web/code', {}, token)).status).toBe(403)
})

const ROUTES = ['/web/code', '/web/session', '/web/call', '/web/note', '/web/picture', '/web/attachment']

test.each([
  ['by a name that leads here', { Host: 'notes.example' }],
  ['by a name that begins as ours', { Host: 'localhost.example' }],
  ['for a page at another port', { Origin: 'http://localhost:1' }],
  ['for a page of another scheme', { Origin: 'https://localhost' }],
  ['for a page without an origin', { Origin: 'null' }],
  ['for a page of another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['for a page at another port, as browsers say it', { 'Sec-Fetch-Site': 'same-site' }],
  ['with a token in the place of a session', {}],
])('answers no request for the page %s', async (_, more) => {
  const { port, session, token, ask } = await page()
  const secret = 'Host' in more || 'Origin' in more || 'Sec-Fetch-Site' in more ? await session() : token
  const { json } = await ask('/web/code', {}, token)
  const headers = { Host: 'localhost', Authorization: `Bearer ${secret}`, 'Content-Type': 'text/plain', ...more }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n${body}`
  const paths = secret === token ? ROUTES.slice(2) : ROUTES
  for (const path of paths) {
    const { statuses, text } = await speak(
      port,
      (socket) => void socket.write(post(path, JSON.stringify({ ...(json as object), id: 'home.md' }))),
    )
    expect([401, 403], `${path} ${text}`).toContain(statuses[0])
  }
})

test.each(['OPTIONS', 'HEAD', 'GET', 'PUT'])("the page's routes reject %s", async (method) => {
  const { port } = await page()
  for (const path of ROUTES) {
    const { statuses, text } = await speak(
      port,
      (socket) =>
        void socket.write(
          `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:1\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
        ),
      (heard) => heard.includes('\r\n\r\n'),
    )
    expect([405, 403], text).toContain(statuses[0])
    expect(text).not.toMatch(/^access-control-allow-methods/im)
  }
})

test('a read-only session cannot write anything', async () => {
  const { ask, session } = await page()
  const secret = await session()
  const before = (await ask('/web/note', { id: 'home.md' }, secret)).json
  const calls = TOOLS.filter(({ annotations }) => !annotations.readOnlyHint)
  expect(calls.length).toBeGreaterThan(5)
  for (const { name } of calls) {
    const { json } = await ask('/web/call', { tool: name, arguments: {} }, secret)
    expect(json, name).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
  }
  expect((await ask('/web/note', { id: 'home.md' }, secret)).json).toEqual(before)
})
