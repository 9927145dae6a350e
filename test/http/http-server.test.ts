import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Server } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type HttpServerOptions, openHttpServer } from '../../src/http/http-server.ts'
import { LIMITS } from '../../src/http/limits.ts'
import { addToken, firstToken } from '../../src/http/tokens.ts'
import { feedOf, ServerEvents } from '../../src/mcp/events/events.ts'
import { settled } from '../support/settled.ts'
import { type Listening, listening, speak } from './support.ts'

let http: Listening | undefined
afterEach(async () => {
  await http?.close()
  http = undefined
})

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

type Options = Partial<HttpServerOptions>
type Headers = Readonly<Record<string, string>>

async function start(options: Options = {}): Promise<Listening> {
  await http?.close()
  http = await listening(options)
  return http
}

/** Sends a request and returns the answer's head as soon as it arrives. */
async function open(
  { port, token }: Listening,
  { method = 'POST', path = '/mcp', body = '', headers = {} as Headers } = {},
): Promise<IncomingMessage> {
  const asked = ask({
    port,
    method,
    path,
    agent: false,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
  })
  asked.on('error', () => {})
  asked.end(body)
  const [response] = await once(asked, 'response')
  return response.setEncoding('utf8')
}

async function read(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response) text += chunk
  } catch {
    // The connection was cut, so only what has arrived is used.
  }
  return text
}

async function get(on: Listening, request: Parameters<typeof open>[1] = {}): Promise<Answer> {
  const response = await open(on, request)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await read(response) }
}

const post = (on: Listening, body: object, headers: Headers = {}): Promise<Answer> =>
  get(on, { body: JSON.stringify(body), headers })
const message = (method: string, params = {}, id: string | number = 1) => ({ jsonrpc: '2.0', id, method, params })
const PING = message('ping')
const INITIALIZE = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
})
const MODERN = { 'MCP-Protocol-Version': '2026-07-28' }
const claim = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}
const LISTEN = message('subscriptions/listen', { notifications: { toolsListChanged: true }, ...claim }, 'l')
const listen = (on: Listening) =>
  open(on, { body: JSON.stringify(LISTEN), headers: { ...MODERN, 'Mcp-Method': 'subscriptions/listen' } })

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Servers whose `ping` is answered on `release`, and that record aborted calls. */
function slowServers() {
  const waiting: (() => void)[] = []
  const made: Server[] = []
  let aborted = 0
  return {
    waiting,
    made,
    aborted: () => aborted,
    serverFor: () => {
      const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: { listChanged: true }, logging: {} } })
      server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
        mcpReq.signal.addEventListener('abort', () => aborted++)
        await new Promise<void>((resolve) => waiting.push(resolve))
        return { tools: [] }
      })
      made.push(server)
      return server
    },
  }
}

const eventually = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 10 }).toBe(true)

async function openSession(on: Listening): Promise<Headers> {
  const { headers } = await post(on, INITIALIZE)
  return { 'Mcp-Session-Id': String(headers['mcp-session-id']) }
}

describe('access', () => {
  test('pages of this computer and of listed origins may ask and read the answer', async () => {
    const on = await start({ origins: ['https://notes.example.com/'] })
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:80', 'https://NOTES.example.com']) {
      const { status, headers } = await post(on, PING, { Origin: origin })
      expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([200, origin, 'Origin'])
    }
  })

  test('a preflight request needs no token and lists what a page may send', async () => {
    const on = await start()
    const headers = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST', Authorization: '' }
    const answer = await get(on, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-headers']).toMatch(/Authorization.*Mcp-Session-Id.*MCP-Protocol-Version/)
  })

  test('the refused page can read the refusal', async () => {
    const on = await start()
    const { status, headers } = await post(on, PING, { Origin: 'http://localhost', Authorization: 'Bearer x' })
    expect([status, headers['access-control-allow-origin']]).toEqual([401, 'http://localhost'])
    expect(headers['www-authenticate']).toBe('Bearer realm="roux", error="invalid_token"')
  })

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1:80', '[::1]', 'notes.example.com', 'notes.example.com:443'])(
    'Host: %s',
    async (host) => {
      const on = await start({ hosts: ['Notes.example.com'] })
      expect((await post(on, PING, { Host: host })).status).toBe(200)
    },
  )

  test('when listening on every address, accepts the address that was asked', async () => {
    const on = await start({ host: '0.0.0.0' })
    expect((await post(on, PING, { Host: '127.0.0.1:7583' })).status).toBe(200)
    expect((await post(on, PING, { Host: '192.0.2.1' })).status).toBe(403)
  })

  test('when switched off, refuses everything except /health and names the setting', async () => {
    const on = await start({ enabled: false })
    const { status, text } = await post(on, PING)
    expect([status, text]).toEqual([403, expect.stringContaining('http.enabled')])
    expect(await get(on, { path: '/health', method: 'GET' })).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  })

  test('/health needs no token and only allows GET and HEAD', async () => {
    const on = await start()
    const headers = { Authorization: '' }
    expect((await get(on, { path: '/health', method: 'HEAD', headers })).text).toBe('')
    expect(await get(on, { path: '/health', method: 'POST', headers })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })

  test('/health shows the state of the vaults only to token holders', async () => {
    const healthFor: HttpServerOptions['healthFor'] = async ({ name }) =>
      name === 'reader' ? { isWell: false, vaults: [{ name: 'garden', store: 'unreachable' }] } : { isWell: true, vaults: [] }
    const on = await start({ healthFor })
    const asked = async (authorization: string) => {
      const { status, text } = await get(on, { path: '/health', method: 'GET', headers: { Authorization: authorization } })
      return [status, text]
    }
    expect(await asked(`Bearer ${on.token}`)).toEqual([200, '{"status":"ok","vaults":[]}'])
    expect(await asked(`Bearer ${on.reader}`)).toEqual([
      503,
      '{"status":"degraded","vaults":[{"name":"garden","store":"unreachable"}]}',
    ])
    for (const stranger of ['', 'Bearer no-such-token', `Bearer ${'x'.repeat(9_000)}`])
      expect(await asked(stranger)).toEqual([200, '{"status":"ok"}'])
    const off = await start({ healthFor, enabled: false })
    const headers = { Authorization: `Bearer ${off.token}` }
    expect((await get(off, { path: '/health', method: 'GET', headers })).text).toBe('{"status":"ok"}')
  })

  test('a token with the scope attach may send larger requests', async () => {
    const on = await start()
    const body = JSON.stringify({ ...PING, params: { x: 'x'.repeat(5 * 1024 * 1024) } })
    expect((await get(on, { body })).status).toBe(200)
    expect((await get(on, { body, headers: { Authorization: `Bearer ${on.reader}` } })).status).toBe(413)
    expect((await get(on, { body: body + ' '.repeat(3 * 1024 * 1024) })).status).toBe(413)
  })
})

describe('sessions', () => {
  test('a session lasts until it is deleted', async () => {
    const on = await start()
    const session = await openSession(on)
    expect(JSON.parse((await post(on, PING, session)).text)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect((await get(on, { method: 'DELETE', headers: session })).status).toBe(204)
    expect((await post(on, PING, session)).status).toBe(404)
  })

  test('a failed `initialize` opens no session', async () => {
    const on = await start()
    const { headers, text } = await post(on, message('initialize', { protocolVersion: 7 }))
    expect([headers['mcp-session-id'], JSON.parse(text).error.code]).toEqual([undefined, -32602])
  })

  test('batches are accepted only in sessions whose version has them', async () => {
    const on = await start()
    const old = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2025-03-26' } }
    const session = { 'Mcp-Session-Id': String((await post(on, old)).headers['mcp-session-id']) }
    const batch = [message('ping', {}, 1), message('ping', {}, 2), { jsonrpc: '2.0', method: 'notifications/initialized' }, 7]
    const answers = JSON.parse((await post(on, batch, session)).text)
    expect(answers.map(({ id, error }: { id?: number; error?: { code: number } }) => id ?? error?.code).sort()).toEqual([
      -32600, 1, 2,
    ])
    expect((await post(on, batch, await openSession(on))).status).toBe(400)
    expect((await post(on, [{ jsonrpc: '2.0', method: 'notifications/initialized' }], session)).status).toBe(202)
  })

  test('a session keeps its version if a client names another supported one in the header', async () => {
    const on = await start()
    const headers = { ...(await openSession(on)), 'MCP-Protocol-Version': '2025-03-26' }
    expect((await post(on, message('tools/list'), headers)).status).toBe(200)
    expect((await post(on, [message('ping')], headers)).status).toBe(400)
  })

  test.each([
    ['what is no message', { no: 'message' }, '"jsonrpc" must be'],
    ['a batch', [message('ping', {}, 1)], 'batches are not supported in this protocol version'],
    ['a batch that is too large', Array.from({ length: 101 }, (_, id) => message('ping', {}, id)), 'more than 100 messages'],
  ])('in 2026-07-28 %s is refused as in every version', async (_, body, reason) => {
    const { status, text } = await post(await start(), body, { 'MCP-Protocol-Version': '2026-07-28' })
    expect([status, JSON.parse(text).error]).toEqual([400, { code: -32600, message: expect.stringContaining(reason) }])
  })

  test('the stream carries notifications, and a second stream replaces the first', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const headers = { ...(await openSession(on)), Accept: 'text/event-stream' }
    const first = await open(on, { method: 'GET', headers })
    expect(first.headers['content-type']).toBe('text/event-stream')
    const second = await open(on, { method: 'GET', headers })
    expect(await read(first)).toBe('')
    await slow.made[0]?.sendToolListChanged()
    const [event] = await once(second, 'data')
    expect(event).toBe('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
    second.destroy()
  })

  test('an id in use is refused, and the running call is answered', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const session = await openSession(on)
    const first = post(on, message('tools/list'), session)
    await eventually(() => slow.waiting.length === 1)
    expect(await post(on, message('tools/list'), session)).toMatchObject({
      status: 400,
      text: expect.stringContaining('still running'),
    })
    slow.waiting[0]?.()
    expect(JSON.parse((await first).text)).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } })
  })

  test('a cancelled call ends without an answer', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const session = await openSession(on)
    const call = post(on, message('tools/list'), session)
    await eventually(() => slow.waiting.length === 1)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect((await post(on, cancel, session)).status).toBe(202)
    expect(await call).toMatchObject({ status: 202, text: '' })
    expect(slow.aborted()).toBe(1)
  })

  test('clients that accept events get progress as events, with the answer last', async () => {
    const serverFor = () => {
      const server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } })
        return { tools: [] }
      })
      return server
    }
    const on = await start({ serverFor })
    const both = await post(on, message('tools/list'), { Accept: 'application/json, text/event-stream' })
    expect(both.text.match(/"method":"notifications\/progress"|"result":/g)).toEqual([
      '"method":"notifications/progress"',
      '"result":',
    ])
    const plain = await post(on, message('tools/list'))
    expect(JSON.parse(plain.text)).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } })
  })

  /** Servers that report progress and answer `tools/list` on release. */
  function tellingServers() {
    const waiting: (() => void)[] = []
    const serverFor = () => {
      const server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } })
        await new Promise<void>((resolve) => waiting.push(resolve))
        return { tools: [] }
      })
      return server
    }
    return { waiting, serverFor }
  }
  const EVENTS = { Accept: 'application/json, text/event-stream' }

  test('deleting a session ends the stream of a running call without logging an error', async () => {
    const on = await start({ serverFor: tellingServers().serverFor })
    const session = await openSession(on)
    const call = await open(on, { body: JSON.stringify(message('tools/list')), headers: { ...EVENTS, ...session } })
    const text = read(call)
    expect((await get(on, { method: 'DELETE', headers: session })).status).toBe(204)
    expect(await text).toContain('notifications/progress')
    expect([call.complete, on.logged]).toEqual([true, []])
  })

  test('errors in a batch are also reported when the answers became a stream', async () => {
    const { waiting, serverFor } = tellingServers()
    const on = await start({ serverFor })
    const batch = [message('tools/list'), { jsonrpc: '1.0', id: 2, method: 'ping' }]
    const answer = post(on, batch, EVENTS)
    await eventually(() => waiting.length === 1)
    waiting[0]?.()
    const { text } = await answer
    expect(text.match(/"method":"[^"]*"|"error":|"result":/g)).toEqual([
      '"method":"notifications/progress"',
      '"error":',
      '"result":',
    ])
  })

  test('a client that left before the first event gets no stream', async () => {
    let tell = async (): Promise<void> => {}
    const serverFor = () => {
      const server = new Server({ name: 'x', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', async (_, { mcpReq }) => {
        tell = () => mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } })
        await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve()))
        return { tools: [] }
      })
      return server
    }
    const on = await start({ serverFor })
    const session = await openSession(on)
    const began = vi.spyOn(globalThis, 'setInterval')
    const asked = ask({
      port: on.port,
      method: 'POST',
      path: '/mcp',
      agent: false,
      headers: { Authorization: `Bearer ${on.token}`, 'Content-Type': 'application/json', ...EVENTS, ...session },
    })
    asked.on('error', () => {})
    asked.end(JSON.stringify(message('tools/list')))
    const first = tell
    await eventually(() => tell !== first)
    asked.destroy()
    await settled()
    began.mockClear()
    await tell()
    expect(began).not.toHaveBeenCalled()
    began.mockRestore()
  })
})

describe('revision 2026-07-28', () => {
  test('a listener gets notifications, and a final answer at the end', async () => {
    const slow = slowServers()
    const events = new ServerEvents()
    const on = await start({ serverFor: slow.serverFor, eventsFor: () => feedOf(events) })
    const stream = await listen(on)
    let heard = ''
    stream.on('data', (chunk: string) => {
      heard += chunk
    })
    await eventually(() => heard.includes('acknowledged'))
    events.publish({ kind: 'tools_list_changed' })
    await Promise.all([once(stream, 'end'), on.server.stop()])
    expect(heard.match(/"method":"[^"]*"|"result":/g)).toEqual(
      expect.arrayContaining(['"method":"notifications/tools/list_changed"', '"result":']),
    )
  })

  test('listeners that disconnect before their turn leave no subscription behind', async () => {
    const feed = feedOf(new ServerEvents())
    let subscriptions = 0
    const subscribe: typeof feed.subscribe = (listener) => {
      subscriptions++
      const stop = feed.subscribe(listener)
      return () => {
        subscriptions--
        stop()
      }
    }
    const on = await start({ eventsFor: () => ({ ...feed, subscribe }) })
    const body = JSON.stringify(LISTEN)
    const head = { Host: 'localhost', Authorization: `Bearer ${on.token}`, 'Content-Type': 'application/json', ...MODERN }
    const lines = Object.entries({ ...head, 'Mcp-Method': 'subscriptions/listen', 'Content-Length': body.length })
    const sockets = Array.from({ length: 60 }, () => connect({ port: on.port, host: '127.0.0.1' }).on('error', () => {}))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    // The server accepts one connection in each turn of the event loop, and starts two calls.
    await turns(sockets.length + 5)
    for (const socket of sockets)
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
    await turns(5)
    for (const socket of sockets) socket.destroy()
    expect((await post(on, PING)).status).toBe(200)
    await expect.poll(() => subscriptions).toBe(0)
  })

  test('listeners do not affect each other, and asking for too much names the limit', async () => {
    const events = new ServerEvents()
    const on = await start({ eventsFor: () => feedOf(events) })
    const listenTo = (resourceSubscriptions: readonly string[]) =>
      open(on, {
        body: JSON.stringify(message('subscriptions/listen', { notifications: { resourceSubscriptions }, ...claim }, 'l')),
        headers: { ...MODERN, 'Mcp-Method': 'subscriptions/listen' },
      })
    const victim = await listenTo(['roux://node/A'])
    let heard = ''
    victim.on('data', (chunk: string) => {
      heard += chunk
    })
    for (let round = 0; round < 3; round++) {
      const many = await listenTo(Array.from({ length: 5_000 }, (_, at) => `roux://node/${round}-${at}`))
      many.destroy()
    }
    const tooMuch = await Promise.all(
      [Array.from({ length: 5_001 }, (_, at) => `roux://node/${at}`), [`roux://node/${'x'.repeat(5_000)}`]].map(async (uris) =>
        JSON.parse(await read(await listenTo(uris))),
      ),
    )
    expect(tooMuch).toEqual([
      { jsonrpc: '2.0', id: 'l', error: { code: -32602, message: expect.stringContaining('5000 resources') } },
      { jsonrpc: '2.0', id: 'l', error: { code: -32602, message: expect.stringContaining('5000 characters') } },
    ])
    events.filesUpdated(['a.md'])
    await eventually(() => heard.includes('"roux://node/A"'))
    victim.destroy()
  })

  test('a client that disconnects aborts its call', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const body = JSON.stringify(message('tools/list', claim))
    const headers = {
      Authorization: `Bearer ${on.token}`,
      'Content-Type': 'application/json',
      ...MODERN,
      'Mcp-Method': 'tools/list',
    }
    const asked = ask({ port: on.port, method: 'POST', path: '/mcp', agent: false, headers })
    asked.on('error', () => {})
    asked.end(body)
    await eventually(() => slow.waiting.length === 1)
    asked.destroy()
    await eventually(() => slow.aborted() === 1)
  })
})

test('an internal error is reported without details, which go to the log only', async () => {
  const on = await start({
    serverFor: () => {
      throw new Error('secret detail')
    },
  })
  const modern = await post(on, message('tools/list', claim), { ...MODERN, 'Mcp-Method': 'tools/list' })
  const legacy = await post(on, PING)
  expect([modern.status, legacy.status]).toEqual([500, 500])
  expect(modern.text + legacy.text).not.toContain('secret detail')
  expect(on.logged).toEqual([expect.stringContaining('secret detail'), expect.stringContaining('secret detail')])
})

describe('a changed token', () => {
  test('ends the streams it opened, in every version', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const listening = await listen(on)
    const notified = await open(on, { method: 'GET', headers: { ...(await openSession(on)), Accept: 'text/event-stream' } })
    const reader = await open(
      { ...on, token: on.reader },
      {
        method: 'GET',
        headers: { ...(await openSession({ ...on, token: on.reader })), Accept: 'text/event-stream' },
      },
    )
    const kept = addToken([firstToken()], { name: 'reader', scopes: ['read'], vaults: '*' })
    on.write(kept.map((token) => (token.name === 'reader' ? { ...token, secret: on.reader } : token)))
    await Promise.all([read(listening), read(notified)])
    expect(reader.readableEnded || reader.destroyed).toBe(false)
    reader.destroy()
  })
})

test('switching off ends sessions and streams and refuses requests until it is on again', async () => {
  let enabled = true
  const on = await start({
    get enabled() {
      return enabled
    },
  } as Options)
  const session = await openSession(on)
  const notified = await open(on, { method: 'GET', headers: { ...session, Accept: 'text/event-stream' } })
  const listening = await listen(on)
  enabled = false
  await Promise.all([read(notified), read(listening)])
  expect((await post(on, PING)).status).toBe(403)
  enabled = true
  expect((await post(on, PING)).status).toBe(200)
  expect((await post(on, PING, session)).status).toBe(404)
})

describe('limits', () => {
  test('calls beyond the limit are told to retry, and answers make room', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor, limits: { ...LIMITS, calls: 2 } })
    const calls = [post(on, message('tools/list')), post(on, message('tools/list'))]
    await eventually(() => slow.waiting.length === 2)
    const refused = await post(on, message('tools/list'))
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      text: expect.stringContaining('2 calls are in progress'),
    })
    for (const go of slow.waiting) go()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    expect((await post(on, PING)).status).toBe(200)
  })

  test('streams beyond the limit are refused in every version, and do not count as calls', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor, limits: { ...LIMITS, calls: 1, streams: 1 } })
    const session = { ...(await openSession(on)), Accept: 'text/event-stream' }
    const first = await listen(on)
    expect((await listen(on)).statusCode).toBe(429)
    expect((await get(on, { method: 'GET', headers: session })).status).toBe(429)
    expect((await post(on, PING)).status).toBe(200)
    first.destroy()
    await expect.poll(async () => (await open(on, { method: 'GET', headers: session })).statusCode).toBe(200)
  })

  test('one token cannot use up the sessions, calls and streams of others', async () => {
    const slow = slowServers()
    const two = { sessions: 4, sessionsPerToken: 3, calls: 3, callsPerToken: 2, streams: 3, streamsPerToken: 2 }
    const owner = await start({ serverFor: slow.serverFor, limits: { ...LIMITS, ...two } })
    const reader = { ...owner, token: owner.reader }
    const session = await openSession(owner)
    for (let at = 0; at < 6; at++) await openSession(reader)
    expect((await post(owner, PING, session)).status).toBe(200)
    for (let at = 0; at < 2; at++) expect((await listen(reader)).statusCode).toBe(200)
    expect(await read(await listen(reader))).toContain('2 streams are open for this token, which is the limit per token.')
    expect((await listen(owner)).statusCode).toBe(200)
    const calls = [0, 1].map(() => post(reader, message('tools/list')))
    await eventually(() => slow.waiting.length === 2)
    expect((await post(reader, PING)).text).toContain('2 calls are in progress for this token')
    expect((await post(owner, PING)).status).toBe(200)
    for (const go of slow.waiting) go()
    await Promise.all(calls)
  })

  test('a client that stops reading events loses its stream', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor, limits: { ...LIMITS, streamBacklog: 5 } })
    const stream = await open(on, { method: 'GET', headers: { ...(await openSession(on)), Accept: 'text/event-stream' } })
    stream.pause()
    stream.on('error', () => {})
    const closed = new Promise((resolve) => stream.once('close', resolve))
    const big = { level: 'info', data: 'x'.repeat(1024 * 1024) } as const
    for (let at = 0; at < 50; at++)
      await slow.made[0]?.notification({ method: 'notifications/message', params: big }).catch(() => {})
    stream.resume()
    await closed
    expect((await post(on, PING)).status).toBe(200)
  })
})

describe('shutdown', () => {
  test('answers running calls and refuses new ones', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor })
    const call = post(on, message('tools/list'))
    await eventually(() => slow.waiting.length === 1)
    const stopped = on.server.stop()
    slow.waiting[0]?.()
    expect(await call).toMatchObject({ status: 200 })
    await stopped
    await expect(post(on, PING)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('does not wait for a call that takes too long', async () => {
    const slow = slowServers()
    const on = await start({ serverFor: slow.serverFor, limits: { ...LIMITS, drain: 50 } })
    const calls = [await openSession(on), {}, { Accept: 'application/json, text/event-stream' }].map((headers) =>
      post(on, message('tools/list'), headers),
    )
    await eventually(() => slow.waiting.length === 3)
    await on.server.stop()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 503, 503])
    expect(slow.aborted()).toBe(3)
  })
})

test('a used port and an invalid address are errors with a hint', async () => {
  const on = await start()
  const options = {
    enabled: true,
    host: '127.0.0.1',
    port: on.port,
    hosts: [],
    origins: [],
    tokenFile: on.file,
    log: () => {},
    serverFor: slowServers().serverFor,
  }
  await expect(openHttpServer(options)).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: `Port ${on.port} of 127.0.0.1 is in use.`,
    hint: expect.stringContaining('choose another port'),
  })
  await expect(openHttpServer({ ...options, host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
    hint: expect.stringContaining('http.host'),
  })
})

test('garbage after an open stream closes the connection without writing into the stream', async () => {
  const on = await start()
  const { 'Mcp-Session-Id': session } = await openSession(on)
  const heard = await speak(
    on.port,
    async (socket) => {
      socket.write(
        `GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${on.token}\r\nMcp-Session-Id: ${session}\r\nAccept: text/event-stream\r\n\r\n`,
      )
      await eventually(() => socket.bytesRead > 0)
      socket.write('NOISE\r\n\r\n')
    },
    () => false,
  )
  expect([heard.statuses, heard.wasClosed]).toEqual([[200], true])
  expect(heard.text).not.toContain('400 Bad Request')
})
