import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The parts of a request. */
export interface Ground {
  readonly port: number
  readonly token: string
  readonly reader: string
  /** A session opened with the first token. */
  readonly session: string
}

/** A request that no honest client sends, and the expected answer: a status, or a closed connection without one. */
export interface Hostile {
  readonly about: string
  readonly name: string
  readonly expected: number | 'closed'
  readonly send: (ground: Ground) => string | Buffer | ((socket: Socket) => Promise<void> | void)
  /** Text that the answer must contain. */
  readonly says?: RegExp
}

type Headers = Readonly<Record<string, string | undefined>>

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

/** A valid request with the given changes; a header of `undefined` is left out. */
function request(
  { token }: Ground,
  {
    method = 'POST',
    path = '/mcp',
    headers = {},
    body = PING,
  }: { method?: string; path?: string; headers?: Headers; body?: string | Buffer } = {},
): Buffer {
  const bytes = Buffer.from(body)
  const all: Headers = {
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1'), bytes])
}

/** The same with raw header lines. */
function raw(ground: Ground, lines: readonly string[], body = PING): string {
  return [
    `POST /mcp HTTP/1.1`,
    `Host: localhost`,
    `Authorization: Bearer ${ground.token}`,
    'Content-Type: application/json',
    ...lines,
    '',
    body,
  ].join('\r\n')
}

const withToken = (
  name: string,
  header: (ground: Ground) => string | undefined,
  expected: Hostile['expected'] = 401,
): Hostile => ({
  about: 'token',
  name,
  expected,
  send: (ground) => request(ground, { headers: { Authorization: header(ground) } }),
})
const withHeaders = (about: string, name: string, headers: Headers, expected: Hostile['expected']): Hostile => ({
  about,
  name,
  expected,
  send: (ground) => request(ground, { headers }),
})
const withPath = (path: string): Hostile => ({
  about: 'path',
  name: `\`${path}\``,
  expected: 404,
  send: (ground) => request(ground, { path }),
})
const withMethod = (method: string, expected: Hostile['expected']): Hostile => ({
  about: 'method',
  name: method,
  expected,
  send: (ground) => request(ground, { method }),
})
const withBody = (name: string, body: string | Buffer, expected: Hostile['expected'], headers: Headers = {}): Hostile => ({
  about: 'body',
  name,
  expected,
  send: (ground) => request(ground, { body, headers }),
})
const withMessage = (
  name: string,
  body: unknown,
  expected: Hostile['expected'],
  headers: (ground: Ground) => Headers = () => ({}),
): Hostile => ({
  about: 'protocol',
  name,
  expected,
  send: (ground) => request(ground, { body: JSON.stringify(body), headers: headers(ground) }),
})
const withHead = (name: string, lines: readonly string[], expected: Hostile['expected'], body?: string): Hostile => ({
  about: 'framing',
  name,
  expected,
  send: (ground) => raw(ground, lines, body),
})

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
const lastChanged = (text: string): string => text.slice(0, -2) + (text.at(-2) === 'A' ? 'B' : 'A') + text.slice(-1)

const TOKENS: readonly Hostile[] = [
  withToken('none', () => undefined),
  withToken('empty header', () => ''),
  withToken('another scheme', ({ token }) => `Basic ${token}`),
  withToken('no scheme', ({ token }) => token),
  withToken('scheme alone', () => 'Bearer '),
  withToken('of the right form, but no one’s', () => `Bearer roux_${'A'.repeat(43)}`),
  withToken('one character off', ({ token }) => `Bearer ${lastChanged(token)}`),
  withToken('one character short', ({ token }) => `Bearer ${token.slice(0, -1)}`),
  withToken('one character long', ({ token }) => `Bearer ${token}A`),
  withToken('upper and lower case swapped', ({ token }) => `Bearer roux_${swapCase(token.slice(5))}`),
  withToken('two in one header', ({ token, reader }) => `Bearer ${token}, Bearer ${reader}`),
  withToken('10,000 characters', () => `Bearer ${'A'.repeat(10_000)}`),
  withToken('with a NUL written as %00', ({ token }) => `Bearer ${token}%00`),
  {
    about: 'token',
    name: 'in the query',
    expected: 401,
    send: (ground) =>
      request(ground, { path: `/mcp?token=${ground.token}&access_token=${ground.token}`, headers: { Authorization: undefined } }),
  },
  {
    about: 'token',
    name: 'in a cookie',
    expected: 401,
    send: (ground) => request(ground, { headers: { Authorization: undefined, Cookie: `token=${ground.token}` } }),
  },
  {
    about: 'token',
    name: 'in the header for proxies',
    expected: 401,
    send: (ground) => request(ground, { headers: { Authorization: undefined, 'Proxy-Authorization': `Bearer ${ground.token}` } }),
  },
  {
    about: 'token',
    name: 'two headers, the right one first',
    expected: 400,
    send: (ground) => raw(ground, ['Authorization: Bearer x', `Content-Length: ${PING.length}`]),
  },
  {
    about: 'token',
    name: 'two headers, the right one last',
    expected: 400,
    send: (ground) => request(ground, { headers: { Authorization: 'Bearer x', authorization: `Bearer ${ground.token}` } }),
  },
]

const HOSTS: readonly Hostile[] = [
  withHeaders('host', 'none', { Host: undefined }, 403),
  withHeaders('host', 'empty', { Host: '' }, 403),
  ...[
    'evil.example',
    'evil.example:7583',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    '0.0.0.0',
    '2130706433',
    '[::ffff:127.0.0.1]',
    'user@localhost',
    'localhost:80:80',
    'localhost, evil.example',
  ].map((host) => withHeaders('host', `\`${host}\``, { Host: host }, 403)),
  withHeaders('host', 'a right one besides in X-Forwarded-Host', { Host: 'evil.example', 'X-Forwarded-Host': 'localhost' }, 403),
  {
    about: 'host',
    name: 'two',
    expected: 400,
    send: (ground) => raw(ground, ['Host: evil.example', `Content-Length: ${PING.length}`]),
  },
  {
    about: 'host',
    name: '`evil.example`, asking for /health',
    expected: 403,
    send: () => 'GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n',
  },
  { about: 'host', name: 'none, in HTTP/1.0', expected: 403, send: () => 'GET /health HTTP/1.0\r\n\r\n' },
]

const ORIGINS: readonly Hostile[] = [
  ...[
    'null',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://localhost:80@evil.example',
    'file://',
    'chrome-extension://localhost',
    'http://localhost/',
    'https://notes.example.com.evil.example',
  ].map((origin) => withHeaders('origin', `\`${origin}\``, { Origin: origin }, 403)),
  {
    about: 'origin',
    name: 'preflight of `https://evil.example`',
    expected: 403,
    send: (ground) =>
      request(ground, {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
        body: '',
      }),
  },
  {
    about: 'origin',
    name: 'a listed one without a token',
    expected: 401,
    send: (ground) => request(ground, { headers: { Origin: 'https://notes.example.com', Authorization: undefined } }),
  },
]

const METHODS: readonly Hostile[] = [
  ...['PUT', 'PATCH', 'HEAD', 'TRACE', 'OPTIONS', 'PROPFIND'].map((method) => withMethod(method, 405)),
  withMethod('post', 400),
  withMethod('HACK', 400),
  {
    about: 'method',
    name: 'CONNECT',
    expected: 'closed',
    send: () => 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  },
  withHeaders(
    'method',
    'POST that asks for WebSocket',
    { Connection: 'Upgrade', Upgrade: 'websocket', Authorization: undefined },
    401,
  ),
]

const PATHS: readonly Hostile[] = [
  '/',
  '//mcp',
  '/mcp/',
  '/MCP',
  '/mcp/../health',
  '/%6dcp',
  '/mcp%00',
  '/mcp;x',
  'http://localhost/mcp',
  '/health/../mcp',
  '/../../etc/passwd',
  '/.well-known/oauth-protected-resource',
].map(withPath)

const FORMS: readonly Hostile[] = [
  withHeaders('body', 'of no type', { 'Content-Type': undefined }, 415),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    'application/json; charset=latin1',
  ].map((type) => withHeaders('body', `of the type \`${type}\``, { 'Content-Type': type }, 415)),
  withHeaders('body', 'compressed', { 'Content-Encoding': 'gzip' }, 415),
  withHeaders('body', 'for who wants HTML', { Accept: 'text/html' }, 406),
  withBody('empty', '', 400),
  withBody('no JSON', 'id=1&method=ping', 400),
  withBody('JSON cut short', PING.slice(0, -1), 400),
  withBody('two JSON values', PING + PING, 400),
  withBody('NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}', 400),
  withBody('not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400),
  withBody('UTF-8 in too many bytes', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 400),
  withBody('UTF-16', Buffer.from(PING, 'utf16le'), 400),
  withBody('with a byte order mark (allowed)', `\uFEFF${PING}`, 200),
  withBody('100,000 nested lists', '['.repeat(100_000) + ']'.repeat(100_000), 400),
  withBody('100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400),
  withBody('10 MB', Buffer.alloc(10 * 1024 * 1024, 0x20), 413),
  withBody('said to be 10 TB', PING, 413, { 'Content-Length': String(10 ** 13) }),
  {
    about: 'body',
    name: '5 MB, with a token that may not attach',
    expected: 413,
    send: (ground) => request({ ...ground, token: ground.reader }, { body: Buffer.alloc(5 * 1024 * 1024, 0x20) }),
  },
  {
    about: 'body',
    name: 'in chunks, without end',
    expected: 413,
    send: (ground) => async (socket) => {
      socket.write(raw(ground, ['Transfer-Encoding: chunked'], ''))
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
      while (socket.writable && !socket.readableEnded) {
        if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(50)])
        if (socket.readableLength > 0 || socket.bytesRead > 0) return
      }
    },
  },
]

const FRAMING: readonly Hostile[] = [
  withHead(
    'length and chunks at once',
    [`Content-Length: ${PING.length}`, 'Transfer-Encoding: chunked'],
    400,
    `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`,
  ),
  withHead('two lengths that differ', [`Content-Length: ${PING.length}`, 'Content-Length: 5'], 400),
  withHead('two lengths that are the same', [`Content-Length: ${PING.length}`, `Content-Length: ${PING.length}`], 400),
  withHead('two lengths in one header', [`Content-Length: ${PING.length}, ${PING.length}`], 400),
  withHead('a negative length', ['Content-Length: -1'], 400),
  withHead('a length of 1e2', ['Content-Length: 1e2'], 400),
  withHead('chunks that are not said last', ['Transfer-Encoding: chunked, identity'], 400),
  withHead('chunks misspelled', ['Transfer-Encoding: xchunked'], 400),
  withHead('a chunk of size zz', ['Transfer-Encoding: chunked'], 400, 'zz\r\n{}\r\n0\r\n\r\n'),
  withHead('a chunk of size ffffffffffffffff1', ['Transfer-Encoding: chunked'], 400, 'ffffffffffffffff1\r\n{}\r\n0\r\n\r\n'),
  withHead('a chunk with 20 KB of extensions', ['Transfer-Encoding: chunked'], 413, `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  withHead('a chunk longer than it says', ['Transfer-Encoding: chunked'], 400, '2\r\n{}{}\r\n0\r\n\r\n'),
  withHead('a folded header', ['X-A: b', ' c', `Content-Length: ${PING.length}`], 400),
  withHead('a space before the colon', ['X-A : b', `Content-Length : ${PING.length}`], 400),
  withHead('a header without a colon', ['X-A', `Content-Length: ${PING.length}`], 400),
  withHead('a NUL in a header', ['X-A: b\0c', `Content-Length: ${PING.length}`], 400),
  withHead('a line feed alone in a header', [`X-A: b\nX-B: c`, `Content-Length: ${PING.length}`], 400),
  withHead('a carriage return alone in a header', [`X-A: b\rX-B: c`, `Content-Length: ${PING.length}`], 400),
  withHead('a header of 20 KB', [`X-A: ${'b'.repeat(20_000)}`, `Content-Length: ${PING.length}`], 431),
  withHead('200 headers', [...Array.from({ length: 200 }, (_, at) => `X-${at}: b`), `Content-Length: ${PING.length}`], 431),
  withHead('an expectation that no one knows', ['Expect: 200-ok', `Content-Length: ${PING.length}`], 417),
  { about: 'framing', name: 'HTTP/9.9', expected: 400, send: () => 'POST /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n' },
  { about: 'framing', name: 'HTTP/2 at once', expected: 400, send: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { about: 'framing', name: 'TLS', expected: 400, send: () => Buffer.from('16030100a5010000a10303', 'hex') },
  { about: 'framing', name: 'noise', expected: 400, send: () => Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10]) },
  { about: 'framing', name: 'a line of 1 MB', expected: 431, send: () => `GET /${'a'.repeat(1024 * 1024)}` },
  {
    about: 'framing',
    name: 'a request behind a request that is refused',
    expected: 401,
    send: (ground) => Buffer.concat([request(ground, { headers: { Authorization: 'Bearer x' } }), request(ground)]),
  },
  {
    about: 'framing',
    name: 'more than the length says',
    expected: 400,
    send: (ground) => Buffer.concat([request(ground), Buffer.from('GARBAGE')]),
  },
  {
    about: 'framing',
    name: '50 requests at once on one connection (allowed)',
    expected: 200,
    send: (ground) => Buffer.concat(Array.from({ length: 50 }, () => request(ground))),
  },
]

const SLOW: readonly Hostile[] = [
  { about: 'pace', name: 'says nothing', expected: 408, send: () => () => {} },
  {
    about: 'pace',
    name: 'headers letter by letter',
    expected: 408,
    send: (ground) => drip(raw(ground, [`Content-Length: ${PING.length}`])),
  },
  {
    about: 'pace',
    name: 'body letter by letter',
    expected: 408,
    send: (ground) => async (socket) => {
      socket.write(raw(ground, ['Content-Length: 1000'], ''))
      await drip(' '.repeat(1000))(socket)
    },
  },
  {
    about: 'pace',
    name: 'less of the body than it says',
    expected: 408,
    send: (ground) => raw(ground, ['Content-Length: 1000']),
  },
  {
    about: 'pace',
    name: 'chunks, one byte now and then',
    expected: 408,
    send: (ground) => async (socket) => {
      socket.write(raw(ground, ['Transfer-Encoding: chunked'], ''))
      await drip('1\r\n \r\n'.repeat(200), 6)(socket)
    },
  },
  {
    about: 'pace',
    name: 'closed for writing in the midst of the headers',
    expected: 400,
    send: (ground) => (socket) => void socket.end(raw(ground, []).slice(0, 40)),
  },
  {
    about: 'pace',
    name: 'closed for writing in the midst of the body',
    expected: 400,
    send: (ground) => (socket) => void socket.end(raw(ground, ['Content-Length: 1000'])),
  },
  {
    about: 'pace',
    name: 'closed for writing behind the request (allowed)',
    expected: 200,
    send: (ground) => (socket) => void socket.end(request(ground)),
  },
  {
    about: 'pace',
    name: 'cut off in the midst of the body',
    expected: 'closed',
    send: (ground) => async (socket) => {
      socket.write(raw(ground, ['Content-Length: 1000']))
      await sleep(20)
      socket.resetAndDestroy()
    },
  },
]

const claim = (version: string) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
const message = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})
const INITIALIZE = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
})
const version = (value: string) => () => ({ 'MCP-Protocol-Version': value })

const PROTOCOL: readonly Hostile[] = [
  withMessage('null', null, 400),
  withMessage('a number', 42, 400),
  withMessage('a text', 'ping', 400),
  withMessage('an object that is no message', { no: 'message' }, 400),
  withMessage('JSON-RPC 1.0', { ...message('ping'), jsonrpc: '1.0' }, 400),
  withMessage('an id of null', message('ping', undefined, null), 400),
  withMessage('an id that is an object', message('ping', undefined, {}), 400),
  withMessage('a method that is a number', { jsonrpc: '2.0', id: 1, method: 7 }, 400),
  withMessage('an empty batch', [], 400),
  withMessage(
    'a batch of 101',
    Array.from({ length: 101 }, (_, id) => message('ping', undefined, id)),
    400,
  ),
  withMessage('a batch with one id twice', [message('ping'), message('ping')], 400),
  withMessage('a batch with `initialize`', [INITIALIZE, message('ping', undefined, 2)], 400),
  withMessage('a batch with nothing but `initialize`', [INITIALIZE], 400),
  withMessage('a batch in 2025-06-18', [message('ping')], 400, version('2025-06-18')),
  withMessage('a batch in 2025-11-25', [message('ping')], 400, version('2025-11-25')),
  withMessage('a batch in 2026-07-28', [message('ping', claim('2026-07-28'))], 400, version('2026-07-28')),
  withMessage('a version that no one knows', message('ping'), 400, version('2099-01-01')),
  withMessage('a version that is none', message('ping'), 400, version('../../etc')),
  withMessage('2026-07-28 in the header only', message('tools/list'), 400, version('2026-07-28')),
  withMessage('2026-07-28 in the body only', message('tools/list', claim('2026-07-28')), 400),
  withMessage('another method in the header than in the body', message('tools/list', claim('2026-07-28')), 400, () => ({
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
  })),
  withMessage('a version in the body that no one knows', message('tools/list', claim('2099-01-01')), 400, version('2099-01-01')),
  withMessage('a session that never was', message('ping'), 404, () => ({
    'Mcp-Session-Id': '00000000-0000-4000-8000-000000000000',
  })),
  withMessage('a session that is a path', message('ping'), 404, () => ({ 'Mcp-Session-Id': '../x' })),
  withMessage('a session named __proto__', message('ping'), 404, () => ({ 'Mcp-Session-Id': '__proto__' })),
  withMessage('another token’s session', message('ping'), 404, ({ session, reader }) => ({
    'Mcp-Session-Id': session,
    Authorization: `Bearer ${reader}`,
  })),
  withMessage('a second `initialize` in a session', INITIALIZE, 400, ({ session }) => ({ 'Mcp-Session-Id': session })),
  {
    about: 'protocol',
    name: 'keys named __proto__ and constructor (harmless)',
    expected: 200,
    send: (ground) =>
      request(ground, {
        body: '{"jsonrpc":"2.0","id":1,"__proto__":{"polluted":1},"method":"tools/call","params":{"name":"get_hubs","__proto__":{"polluted":1},"arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}',
      }),
    says: /INVALID_PARAMS|-32602/,
  },
  {
    about: 'protocol',
    name: 'two session headers',
    expected: 400,
    send: (ground) => request(ground, { headers: { 'Mcp-Session-Id': ground.session, 'mcp-session-id': 'x' } }),
  },
  {
    about: 'protocol',
    name: 'GET without a session',
    expected: 400,
    send: (ground) => request(ground, { method: 'GET', body: '' }),
  },
  {
    about: 'protocol',
    name: 'GET for JSON',
    expected: 406,
    send: (ground) =>
      request(ground, { method: 'GET', body: '', headers: { Accept: 'application/json', 'Mcp-Session-Id': ground.session } }),
  },
  {
    about: 'protocol',
    name: 'GET for another token’s notifications',
    expected: 404,
    send: (ground) =>
      request({ ...ground, token: ground.reader }, { method: 'GET', body: '', headers: { 'Mcp-Session-Id': ground.session } }),
  },
  {
    about: 'protocol',
    name: 'DELETE without a session',
    expected: 400,
    send: (ground) => request(ground, { method: 'DELETE', body: '' }),
  },
  {
    about: 'protocol',
    name: 'DELETE of another token’s session',
    expected: 404,
    send: (ground) =>
      request({ ...ground, token: ground.reader }, { method: 'DELETE', body: '', headers: { 'Mcp-Session-Id': ground.session } }),
  },
]

export const HOSTILE: readonly Hostile[] = [
  ...TOKENS,
  ...HOSTS,
  ...ORIGINS,
  ...METHODS,
  ...PATHS,
  ...FORMS,
  ...FRAMING,
  ...SLOW,
  ...PROTOCOL,
]

function drip(text: string, size = 1): (socket: Socket) => Promise<void> {
  return async (socket) => {
    for (let at = 0; at < text.length && socket.writable && socket.bytesRead === 0; at += size) {
      socket.write(text.slice(at, at + size))
      await sleep(20)
    }
  }
}
