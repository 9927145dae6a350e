import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { BlockList, isIP } from 'node:net'

export interface FetchOptions {
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly isAllowed?: (address: string) => boolean
  readonly port?: number
  /** Replaces the default certificate authorities. */
  readonly ca?: string
  /** The time limit for the complete response, in milliseconds. */
  readonly within?: number
}

const MAX_BYTES = 5 * 1024
const TIMEOUT_MS = 5_000

/**
 * Fetches a document and prevents SSRF: the host is resolved once, all its addresses must be public, the connection goes to one
 * of them, and redirects are not followed.
 * @throws Error whose message states the reason
 */
export async function fetchDocument(url: URL, options: FetchOptions = {}): Promise<string> {
  const { resolve = addressesOf, isAllowed = isOnInternet, within = TIMEOUT_MS } = options
  const late = AbortSignal.timeout(within)
  const isLate = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`it took longer than ${within / 1000} s`)))
  })
  const fetched = async (): Promise<string> => {
    const addresses = await resolve(url.hostname)
    const [address] = addresses
    if (address === undefined || !addresses.every(isAllowed)) throw new Error('its address is not on the internet')
    return read(url, { ...options, address, signal: late })
  }
  return Promise.race([fetched(), isLate])
}

interface Target extends FetchOptions {
  readonly address: string
  readonly signal: AbortSignal
}

function read({ hostname, pathname, search }: URL, { address, port = 443, ca, signal }: Target): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: address,
      port,
      servername: hostname,
      path: pathname + search,
      headers: { Host: hostname, Accept: 'application/json', 'User-Agent': 'roux' },
      agent: false,
      signal,
      ...(ca === undefined ? {} : { ca }),
    })
    sent.on('error', reject)
    sent.on('response', (response: IncomingMessage) => {
      collect(response).then(resolve, (error: unknown) => {
        sent.destroy()
        reject(error)
      })
    })
    sent.end()
  })
}

async function collect(response: IncomingMessage): Promise<string> {
  const { statusCode = 0 } = response
  if (statusCode >= 300 && statusCode < 400) throw new Error('it redirects')
  if (statusCode !== 200) throw new Error(`the server answered ${statusCode}`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024} KB`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** The IPv4 ranges that are not public. */
const INTERNAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** The parts of 2000::/3 that are not public, or that relay to IPv4 addresses. */
const INTERNAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const internal4 = listOf(INTERNAL_4, 'ipv4')
const internal6 = listOf(INTERNAL_6, 'ipv6')
const internet6 = listOf(['2000::/3'], 'ipv6')
const nat64 = listOf(['64:ff9b::/96'], 'ipv6')

/** Returns true for a public address. For a NAT64 address, the embedded IPv4 address counts. */
export function isOnInternet(address: string): boolean {
  if (isIP(address) === 4) return !internal4.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  if (nat64.check(address, 'ipv6')) return isOnInternet(lastFourBytes(address))
  return internet6.check(address, 'ipv6') && !internal6.check(address, 'ipv6')
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** Returns the embedded IPv4 address, which `URL` rewrites in hexadecimal. */
function lastFourBytes(address: string): string {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2)
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
