import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { checkPublicAddress } from '../../src/cli/doctor/checks.ts'
import { type PublicAddress, readPublicAddress } from '../../src/http/host-and-origin.ts'
import { type ExamineOptions, examineAddress } from '../../src/oauth/examine-address.ts'
import { PublicServer } from './support.ts'

/** The behavior of a proxy for a request. `pass` forwards the request with these headers and returns the answer. */
type Behave = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (headers?: Readonly<Record<string, string>>) => void,
) => void

const PUBLIC = { resolve: async () => ['93.184.215.14'] }

/** A server behind a proxy on this computer, which is its public address. */
async function behind(behave: Behave): Promise<PublicAddress> {
  let target = 0
  const proxy = createServer((given, response) =>
    behave(given, response, (headers = {}) => {
      const { method, url: path } = given
      const sent = request(
        { host: '127.0.0.1', port: target, method, path, headers: { ...given.headers, ...headers } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers)
          answer.pipe(response)
        },
      )
      given.pipe(sent)
    }),
  ).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  target = (await PublicServer.start({ origin })).http.port
  const address = readPublicAddress(origin)
  if (address === undefined) throw new Error('There is no address.')
  return address
}

/** The faults of an address, without its port. */
async function faultsOf(address: PublicAddress, options: ExamineOptions = {}): Promise<readonly string[]> {
  const faults = await examineAddress(address, { ...PUBLIC, ...options })
  return faults.map(({ message, hint }) => `${message}: ${hint}`.replaceAll(address.origin, 'ORIGIN'))
}

test('a proxy that passes everything on has no faults', async () => {
  const agents: unknown[] = []
  const address = await behind(({ method, headers }, _, pass) => {
    if (method === 'POST') agents.push(headers['user-agent'], headers.authorization)
    pass()
  })
  expect(await faultsOf(address)).toEqual([])
  expect(agents.filter((agent) => agent !== undefined).toSorted()).toEqual(['Claude-User', 'curl/8.0', 'python-httpx'])
})

const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, text = ''): Behave =>
  (_, response) =>
    response.writeHead(status, headers).end(text)
const blocking =
  (names: RegExp): Behave =>
  ({ headers }, response, pass) =>
    names.test(headers['user-agent'] ?? '') ? response.writeHead(403).end('<html>Attention Required!') : pass()
const atPath =
  (path: RegExp, behave: Behave): Behave =>
  (given, response, pass) =>
    path.test(given.url ?? '') ? behave(given, response, pass) : pass()

test.each<[string, Behave, RegExp]>([
  ['blocks Claude', blocking(/Claude/), /^something in front .* blocks Claude-User: .*"Block AI bots"/],
  ['blocks a library', blocking(/httpx/), /blocks python-httpx: /],
  ['blocks both', blocking(/Claude|httpx/), /blocks Claude-User and python-httpx: /],
  [
    'puts its own name into Host',
    (_, __, pass) => pass({ host: 'localhost' }),
    /reached under a name other than.*forward the Host header/,
  ],
  ['puts a foreign name into Host', (_, __, pass) => pass({ host: 'inner.example' }), /reached under a name other than/],
  ['redirects', atPath(/^\/mcp$/, answering(308, { Location: '/mcp/' })), /^ORIGIN\/mcp redirects to \/mcp\/: .*exactly \/mcp/],
  [
    'redirects to a login',
    answering(302, { Location: 'https://login.example' }),
    /redirects to https:\/\/login\.example: .*login/,
  ],
  ['shows a page', answering(200, {}, '<html>Welcome'), /^something other than Roux answers at ORIGIN\/mcp \(200\): /],
  ['asks for its own token', answering(401, { 'WWW-Authenticate': 'Basic' }), /^something other than Roux .*\(401\)/],
  ['reaches no server', answering(502), /^the proxy at ORIGIN\/mcp cannot reach the server \(502\): .*roux serve --http/],
  ['passes on /mcp only', atPath(/well-known/, answering(404)), /does not describe the server \(404\): .*every path/],
  [
    'leads to a server with another address',
    atPath(/well-known/, answering(200, {}, '{"issuer":"https://other.example"}')),
    /^the server states its address as https:\/\/other\.example, not ORIGIN: .*same http\.public_url/,
  ],
  ['closes the connection', ({ socket }) => socket.destroy(), /^ORIGIN cannot be reached .*\(\w+\): .*certificate/],
])('a proxy that %s is reported with what to do', async (_, behave, expected) => {
  expect(await faultsOf(await behind(behave))).toEqual([expect.stringMatching(expected)])
})

test.each<[string, Behave]>([
  ['at all', () => {}],
  ['to the end', (_, response) => response.writeHead(401).write('{')],
])('a proxy that does not answer %s is reported after a timeout', async (_, behave) => {
  expect(await faultsOf(await behind(behave), { within: 200 })).toEqual([
    expect.stringMatching(/^ORIGIN does not answer within 0\.2 s: /),
  ])
})

test.each<[string, () => Promise<readonly string[]>, RegExp]>([
  ['a local address', async () => ['93.184.215.14', '192.168.1.2'], /resolves to 192\.168\.1\.2, .*: Point its A record/],
  ['an address of a private network', async () => ['100.101.102.103'], /100\.101\.102\.103.*Funnel/],
  [
    'no address',
    () => Promise.reject(Object.assign(new Error('x'), { code: 'ENODATA' })),
    /has no address on the internet \(ENODATA\): .*DNS A record/,
  ],
])('a name with %s is a fault', async (_, resolve, expected) => {
  const address = await behind((__, ___, pass) => pass())
  expect(await faultsOf(address, { resolve })).toEqual([expect.stringMatching(expected)])
})

test('doctor reports these faults, and contacts no one without a public address', async () => {
  const address = await behind(answering(502))
  expect((await checkPublicAddress(address.origin)).map(({ check, state }) => [check, state])).toEqual([
    ['public', 'fail'],
    ['public', 'fail'],
  ])
  expect(await checkPublicAddress('')).toEqual([])
  expect(await checkPublicAddress('http://notes.example')).toMatchObject([
    { state: 'fail', hint: expect.stringMatching('https') },
  ])
})
