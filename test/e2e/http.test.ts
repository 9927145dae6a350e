import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SHUTDOWN } from '../../src/core/waiting.ts'
import { PATIENCE } from '../support/patience.ts'
import { serveHttp } from './http-support.ts'
import { changedLimits, openWorld, type Wire } from './support.ts'

const call = (name: string, args: object, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const LISTEN = {
  jsonrpc: '2.0',
  id: 'l',
  method: 'subscriptions/listen',
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

describe('without a session, like a script', () => {
  test('a call gets an answer, a batch gets a batch, and a notification gets 202', async () => {
    const http = await serveHttp(openWorld({ fixture: 'docs-folder' }))
    const single = await http.post(call('nodes_exist', { ids: ['readme'] }))
    const { result } = (await single.json()) as Wire
    expect([single.status, result.structuredContent]).toEqual([200, { results: { 'readme.md': true } }])
    const batch = await http.post([call('list_tags', {}, 'a'), { jsonrpc: '2.0', id: 'b', method: 'ping' }, { no: 'message' }])
    const answers = (await batch.json()) as Wire[]
    expect(answers.map(({ id, error }) => id ?? error.code).sort()).toEqual([-32600, 'a', 'b'])
    const notified = await http.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([notified.status, await notified.text()]).toEqual([202, ''])
    const refused = await http.post([call('list_tags', {})], { 'MCP-Protocol-Version': '2025-06-18' })
    expect([refused.status, ((await refused.json()) as Wire).error.code]).toEqual([400, -32600])
  })
})

describe('tokens', () => {
  test('show prints the same token each time and nothing else; the file is private to its owner', async () => {
    const world = openWorld()
    const first = await world.roux(['token', 'show'])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/^roux_[\w-]{43}\n$/)
    expect((await world.roux(['token', 'show'])).out).toBe(first.out)
    const file = join(world.root, 'state/roux/tokens.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await world.roux(['token', 'list', '--json'])).out).not.toContain(first.out.trim())
  })

  test('a rotated token is refused at once, and its session ends', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const http = await serveHttp(world)
    const opened = await http.post(INITIALIZE)
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
    expect((await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, session)).status).toBe(200)
    const rotated = await world.roux(['token', 'rotate'])
    const now = { Authorization: `Bearer ${rotated.out.trim()}` }
    expect((await http.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(401)
    expect((await http.post({ jsonrpc: '2.0', id: 3, method: 'ping' }, now)).status).toBe(200)
    expect((await http.post({ jsonrpc: '2.0', id: 4, method: 'ping' }, { ...now, ...session })).status).toBe(404)
  })

  test("a token's scopes limit it, and the error names the token and the scope", async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const http = await serveHttp(world, ['--write'])
    const { out } = await world.roux(['token', 'add', 'reader'])
    const reader = { Authorization: `Bearer ${out.trim()}` }
    const list = async (headers = {}) => {
      const answer = await http.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
      return ((await answer.json()) as Wire).result.tools.map(({ name }: Wire) => name)
    }
    expect(await list()).toEqual(expect.arrayContaining(['get_node', 'create_node', 'add_attachment']))
    const names = await list(reader)
    expect(names).toContain('get_node')
    expect(names).not.toContain('create_node')
    expect(names).not.toContain('add_attachment')
    const refused = await http.post(call('create_node', { id: 'new', content: 'x' }), reader)
    expect(((await refused.json()) as Wire).result.structuredContent.error).toMatchObject({
      code: 'TOOL_DISABLED',
      hint: expect.stringMatching(/"reader" has no scope "write".*roux token add/),
    })
    const nested = { operations: [{ tool: 'create_node', arguments: { id: 'new', content: 'x' } }] }
    expect(((await (await http.post(call('apply_changes', nested), reader)).json()) as Wire).result.isError).toBe(true)
    const exists = async () => ((await (await http.post(call('nodes_exist', { ids: ['new.md'] }), reader)).json()) as Wire).result
    expect((await exists()).structuredContent.results).toEqual({ 'new.md': false })
    await http.post(call('create_node', { id: 'new', content: 'x' }))
    expect((await exists()).structuredContent.results).toEqual({ 'new.md': true })
  })

  test('a token for another vault has no access here', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const http = await serveHttp(world)
    const { out } = await world.roux(['token', 'add', 'other', '--vaults', 'work'])
    const answer = await http.post(call('list_tags', {}), { Authorization: `Bearer ${out.trim()}` })
    expect(((await answer.json()) as Wire).result.structuredContent.error).toMatchObject({ code: 'PERMISSION_DENIED' })
  })

  test('a damaged file grants no access, is reported, and stays unchanged', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const http = await serveHttp(world)
    const file = join(world.root, 'state/roux/tokens.json')
    writeFileSync(file, '{"tokens": [')
    expect((await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(503)
    const { code, err } = await world.roux(['token', 'rotate'])
    expect([code, err]).toEqual([1, expect.stringContaining('is damaged')])
    expect(readFileSync(file, 'utf8')).toBe('{"tokens": [')
    const second = await world.roux(['serve', world.vault, '--http', '0'])
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('is damaged')])
  })
})

test('a used port is an error with a hint', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url } = await serveHttp(world)
  const { port } = new URL(url)
  const { code, err } = await world.roux(['serve', world.vault, '--http', port])
  expect([code, err]).toEqual([1, expect.stringMatching(new RegExp(`Port ${port} of 127.0.0.1 is in use\\.\\n.*another port`))])
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('answers running calls, ends streams with a final message, and exits cleanly', async () => {
    const world = openWorld({ fixture: 'demo' })
    // On a busy machine, the call takes longer than a server that ends waits for it.
    const env = changedLimits(world, `(ms) => (ms === ${SHUTDOWN.drain} ? ${PATIENCE} : ms)`)
    const http = await serveHttp(world, [], { env })
    const opened = await http.post(INITIALIZE)
    const session = { Authorization: `Bearer ${http.token}`, 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
    const notifications = await fetch(http.url, { headers: { ...session, Accept: 'text/event-stream' } })
    expect(notifications.status).toBe(200)
    const listening = await http.post(LISTEN, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' })
    expect(listening.status).toBe(200)
    const heard = listening.text()
    // Its body is still arriving when the signal comes.
    const { request, socket } = await halfSent(http, JSON.stringify(call('get_hubs', { metric: 'betweenness' }, 'late')))
    http.server.child.kill(signal)
    expect(await notifications.text()).toBe('')
    expect(await heard).toMatch(/"id":"l","result":/)
    request.finish()
    const answer = await socket
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(answer).toMatch(/"id":"late".*structuredContent/)
    const { code, signal: killed } = await http.server.ended
    expect([code, killed]).toEqual([0, null])
  })
})

/** A request that lacks its last byte; the server has begun to read it. */
async function halfSent({ url, token }: { url: string; token: string }, body: string) {
  const { connect } = await import('node:net')
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  const ended = once(socket, 'close').then(() => received)
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  )
  await expect.poll(() => received).toContain('100 Continue')
  received = ''
  socket.write(body.slice(0, -1))
  return { request: { finish: () => void socket.write(body.slice(-1)) }, socket: ended }
}
