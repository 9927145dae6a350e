import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FetchOptions, fetchDocument, isOnInternet } from '../../src/oauth/fetch-document.ts'

/** A key made for these tests, with a certificate for the name claude.ai. Nothing else trusts it. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgf+8rC94YQEHgF718
/TBhrU4CpIeQoQxDrIV5X4xrIQShRANCAATqvIieKK5ijZKdUBy15SxwV0wOSo4M
zJm83yM8tcCIxR312aJWWZAAqab+3qNmlASM5CuMccxYR0VFCW3hH71N
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUf9eWJviQiRDyeheMa26rmmDrUUEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJY2xhdWRlLmFpMCAXDTI2MTEyODAzMTYzNVoYDzIxMjYxMTA0
MDMxNjM1WjAUMRIwEAYDVQQDDAljbGF1ZGUuYWkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATqvIieKK5ijZKdUBy15SxwV0wOSo4MzJm83yM8tcCIxR312aJWWZAA
qab+3qNmlASM5CuMccxYR0VFCW3hH71No2kwZzAdBgNVHQ4EFgQU4K9+F5v8M+/0
1X3Jl8u6xzUa9AMwHwYDVR0jBBgwFoAU4K9+F5v8M+/01X3Jl8u6xzUa9AMwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALggljbGF1ZGUuYWkwCgYIKoZIzj0EAwID
SAAwRQIgUYBNRAG5KCJ6ftE6CiVDQzsPdJwpuMLQV58hxzbKH8cCIQDEzWa6QHmU
VU88mJC7Ma12KkuACEsMe7oGWTgUzyTd7A==
-----END CERTIFICATE-----`

const ID = new URL('https://claude.ai/oauth/client')

/** Fetches from a server on this computer that stands for claude.ai. */
async function fetchFrom(answer: (response: ServerResponse) => void, options: FetchOptions = {}): Promise<string> {
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (_, response) => answer(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return fetchDocument(ID, {
    port,
    ca: CERTIFICATE,
    resolve: async () => ['127.0.0.1'],
    isAllowed: () => true,
    ...options,
  })
}

test('a document is fetched over a connection with a verified certificate', async () => {
  expect(await fetchFrom((response) => response.end('{"a":1}'))).toBe('{"a":1}')
  await expect(fetchFrom((response) => response.end('{}'), { ca: '' })).rejects.toThrow(/certificate|self-signed/i)
})

describe('a document is refused', () => {
  test.each<[string, (response: ServerResponse) => void, string]>([
    ['that redirects', (response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(), 'it redirects'],
    ['that is not there', (response) => response.writeHead(404).end(), 'the server answered 404'],
    ['that is large', (response) => response.end('x'.repeat(6_000)), 'it is larger than 5 KB'],
    ['without an end', (response) => endless(response), 'it is larger than 5 KB'],
    [
      'that is cut short',
      (response) => response.writeHead(200, { 'Content-Length': 10 }).write('x', () => response.destroy()),
      'aborted',
    ],
  ])('%s', async (_, answer, reason) => {
    await expect(fetchFrom(answer)).rejects.toThrow(reason)
  })

  test('that does not arrive in time', async () => {
    await expect(fetchFrom(() => {}, { within: 100 })).rejects.toThrow('it took longer than 0.1 s')
    const never = { within: 100, resolve: () => new Promise<readonly string[]>(() => {}) }
    await expect(fetchFrom(() => {}, never)).rejects.toThrow('it took longer than 0.1 s')
  })

  test('whose host has an internal address, even beside a public one', async () => {
    let asked = 0
    const connected = (response: ServerResponse): void => {
      asked++
      response.end('{}')
    }
    for (const addresses of [['127.0.0.1'], ['160.79.104.10', '127.0.0.1'], ['169.254.169.254'], ['64:ff9b::a9fe:a9fe'], []])
      await expect(fetchFrom(connected, { resolve: async () => addresses, isAllowed: isOnInternet })).rejects.toThrow(
        'its address is not on the internet',
      )
    expect(asked).toBe(0)
  })
})

test('the host is resolved once, so a name that changes its address gains nothing', async () => {
  const answers = [['127.0.0.1'], ['169.254.169.254']]
  const checked: string[] = []
  const text = await fetchFrom((response) => response.end('{}'), {
    resolve: async () => answers.shift() ?? [],
    isAllowed: (address) => {
      checked.push(address)
      return true
    },
  })
  expect([text, checked, answers.length]).toEqual(['{}', ['127.0.0.1'], 1])
})

describe('public addresses', () => {
  test.each(['160.79.104.10', '8.8.8.8', '172.32.0.1', '2606:4700::6810:1', '64:ff9b::a04f:680a'])('%s is public', (address) => {
    expect(isOnInternet(address)).toBe(true)
  })

  test.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['192.0.0.8', '198.18.0.1', '203.0.113.1', '224.0.0.1', '255.255.255.255', '', 'claude.ai', '1.2.3', '0x7f000001'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'ff02::1'],
    ...['2001:db8::1', '2001::1', '2002:7f00:1::', '3fff::1', '64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::8.8.8.8'],
  ])('%s is not public', (address) => {
    expect(isOnInternet(address)).toBe(false)
  })
})

function endless(response: ServerResponse): void {
  const write = (): void => void (response.destroyed || response.write('x'.repeat(1_000), write))
  response.on('error', () => {})
  write()
}
