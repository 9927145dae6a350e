import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filledIn, freePort, type Json } from '../oauth/support.ts'
import { eventually } from '../support/eventually.ts'
import { openWorld, PROGRAM, type Server, type World } from './support.ts'

const CALLBACK = 'http://127.0.0.1:9/callback'

/** A server at a public address on this computer, under another name than its own. */
async function startPublic(world: World, port: number, options: readonly string[] = []): Promise<Server> {
  const server = world.serve([world.vault, '--http', String(port), '--public-url', `http://localhost:${port}`, ...options])
  await eventually(async () => expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200))
  return server
}

test('a program signs in with the code of roux connect, stays signed in over restarts, and is refused once it is removed', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const port = await freePort()
  const origin = `http://localhost:${port}`
  let server = await startPublic(world, port)
  const restart = async (): Promise<void> => {
    server.child.kill('SIGTERM')
    await server.ended
    server = await startPublic(world, port)
  }
  const form = (path: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<Response> =>
    fetch(origin + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers })
  const registered = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'A program', redirect_uris: [CALLBACK] }),
  })
  const { client_id } = (await registered.json()) as Json
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
  })
  expect((await fetch(`${origin}/authorize?${query}`)).status).toBe(403)
  const { out } = await world.roux(['connect', '--scope', 'read,write', '--json'])
  const { code, address } = JSON.parse(out)
  expect(address).toBe(`${origin}/mcp`)
  const page = { text: await (await fetch(`${origin}/authorize?${query}`)).text() }
  // The settings do not allow changes, so the page does not offer them.
  expect(filledIn(page)).toMatchObject({ scope: ['read'], vault: ['vault'] })
  await restart()
  const { request = [], scope = [], vault = [] } = filledIn(page)
  const fields = { request: request[0] ?? '', scope: scope[0] ?? '', vault: vault[0] ?? '', code, decision: 'allow' }
  const returned = await form('/authorize', fields, { Origin: origin })
  const given = new URL(returned.headers.get('location') ?? '').searchParams
  expect([returned.status, given.get('iss')]).toEqual([303, origin])
  await restart()
  const token = {
    grant_type: 'authorization_code',
    client_id,
    code: given.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: CALLBACK,
  }
  const first = (await (await form('/token', token)).json()) as Json
  await restart()
  const again = { grant_type: 'refresh_token', client_id, refresh_token: first.refresh_token }
  const { access_token } = (await (await form('/token', again)).json()) as Json
  await restart()
  const post = (body: object, headers = {}): Promise<Response> =>
    fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
  const clientInfo = { name: 'x', version: '1' }
  const opened = await post({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  const call = { method: 'tools/call', params: { name: 'nodes_exist', arguments: { ids: ['readme'] } } }
  expect(((await (await post(call, session)).json()) as Json).result.structuredContent).toEqual({
    results: { 'readme.md': true },
  })
  const change = { method: 'tools/call', params: { name: 'create_node', arguments: { id: 'new', content: 'x' } } }
  const refused = ((await (await post(change)).json()) as Json).result.structuredContent.error
  expect([refused.code, refused.hint]).toEqual(['TOOL_DISABLED', expect.any(String)])
  // The same access token goes on after a refresh, in the same session.
  await form('/token', { ...again, refresh_token: first.refresh_token })
  expect((await post({ method: 'ping' }, session)).status).toBe(200)
  const stream = await fetch(`${origin}/mcp`, {
    headers: { Authorization: `Bearer ${access_token}`, Accept: 'text/event-stream', ...session },
  })
  expect(stream.status).toBe(200)
  const listed = JSON.parse((await world.roux(['token', 'list', '--json'])).out)
  expect(listed).toContainEqual(
    expect.objectContaining({ name: 'a-program', scopes: ['read'], vaults: ['vault'], returns_to: '127.0.0.1' }),
  )
  expect(await world.roux(['token', 'remove', 'a-program'])).toMatchObject({ code: 0 })
  // The stream ends by itself, and the token cannot be used again.
  await stream.text()
  expect((await post({ method: 'ping' })).status).toBe(401)
  expect(JSON.parse((await world.roux(['token', 'list', '--json'])).out)).toHaveLength(1)
})

test('a source that a connector finds leads to a page at the public address', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const port = await freePort()
  const origin = `http://localhost:${port}`
  await startPublic(world, port, ['--set', 'mcp.connector_tools=true'])
  const { out } = await world.roux(['token', 'show'])
  const call = async (name: string, args: object): Promise<Json> => {
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${out.trim()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    })
    return ((await answer.json()) as Json).result.structuredContent
  }
  const found = await call('search', { query: 'readme' })
  const { id, url, title } = found.results.find((one: Json) => one.id === 'readme.md')
  expect(await call('fetch', { id })).toMatchObject({ id, url, title })
  const page = await fetch(url)
  expect([page.status, url.startsWith(`${origin}/open?note=`)]).toEqual([200, true])
  expect(await page.text()).toMatch(/href="obsidian:\/\/open\?vault=vault&#38;file=README\.md"/)
})

test('there is no sign-in without a public address, and none of its files', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const port = await freePort()
  world.serve([world.vault, '--http', String(port)])
  await eventually(async () => expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200))
  const at = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).status
  expect([await at('/authorize'), await at('/.well-known/oauth-protected-resource')]).toEqual([404, 404])
  const { headers } = await fetch(`http://localhost:${port}/mcp`, { method: 'POST', body: '{}' })
  expect(headers.get('www-authenticate')).toBe('Bearer realm="roux"')
  expect(existsSync(join(world.root, 'state/roux/sign-in.json'))).toBe(false)
})

/** Texts that occur only in the modules for sign-in, which evaluate them when they are loaded. */
const OF_SIGN_IN = ['No sign-in is expected right now', '0123456789ABCDEFGHJKMNPQRSTVWXYZ', '192.88.99.0/24', 'rouxa_']

/** Returns how often the functions around these texts ran in a server that was asked something and ended. */
async function runsOf(texts: readonly string[], options: readonly string[]): Promise<readonly number[]> {
  const world = openWorld({ fixture: 'docs-folder' })
  const coverage = join(world.root, 'coverage')
  const port = await freePort()
  const args = [world.vault, '--http', String(port), ...options.map((option) => option.replace('PORT', String(port)))]
  const server = world.serve(args, { env: { NODE_V8_COVERAGE: coverage } })
  await eventually(async () => expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200))
  expect((await fetch(`http://localhost:${port}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401)
  server.child.kill('SIGTERM')
  await server.ended
  const reports = readdirSync(coverage).map((file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Json)
  const scripts = reports.flatMap(({ result }) => result).filter(({ url }) => url.endsWith('/main.app.js'))
  expect(scripts).toHaveLength(1)
  const program = readFileSync(join(dirname(PROGRAM), 'main.app.js'), 'utf8')
  return texts.map((text) => {
    const at = program.indexOf(text)
    const [range] = scripts[0].functions
      .map(({ ranges }: Json) => ranges[0])
      .filter(({ startOffset, endOffset }: Json) => startOffset <= at && at < endOffset)
      .toSorted((a: Json, b: Json) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
    expect([text, at > 0]).toEqual([text, true])
    return range.count
  })
}

test('the program loads no sign-in code without a public address', async () => {
  expect(await runsOf(OF_SIGN_IN, [])).toEqual(OF_SIGN_IN.map(() => 0))
  expect(await runsOf(OF_SIGN_IN.slice(0, 3), ['--public-url', 'http://localhost:PORT'])).toEqual([1, 1, 1])
})

test.each<[string, readonly string[], number, RegExp]>([
  [
    'without TLS',
    ['serve', '--http', '0', '--public-url', 'http://notes.example'],
    1,
    /"http:\/\/notes\.example" is not an https:\/\/ address.*\n.*https:\/\//,
  ],
  ['with a path', ['serve', '--http', '0', '--public-url', 'https://notes.example/mcp'], 1, /without a path/],
  ['over stdio', ['serve', '--public-url', 'https://notes.example'], 2, /--public-url needs --http/],
  [
    'of a client that is not a host',
    ['serve', '--http', '0', '--set', 'http.public_url=https://a.example', '--set', 'http.clients=https://claude.ai'],
    1,
    /http\.clients: "https:\/\/claude\.ai" is not a host name/,
  ],
  ['that nobody gave', ['connect'], 2, /No server has a public address yet.*\n.*http\.public_url/],
  [
    'with an unknown scope',
    ['connect', '--scope', 'ai', '--set', 'http.public_url=https://a.example'],
    2,
    /There is no scope "ai"/,
  ],
])('an address %s is an error that says what to do', async (_, args, code, message) => {
  const world = openWorld({ fixture: 'docs-folder' })
  const outcome = await world.roux([...args, '--vault', world.vault])
  expect([outcome.code, outcome.err]).toEqual([code, expect.stringMatching(message)])
})
