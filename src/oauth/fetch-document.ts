import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isOnInternet } from './internet-address.ts'

/** Dependencies that tests replace. */
export interface FetchOptions {
  readonly resolve?: (host: string) => Promise<readonly string[]>
  readonly isAllowed?: (address: string) => boolean
  readonly port?: number
  /** A certificate authority to trust instead of the usual ones. */
  readonly ca?: string
  /** Maximum time for a complete answer, in milliseconds. */
  readonly within?: number
}

const MAX_BYTES = 5 * 1024
const TIMEOUT_MS = 5_000

/**
 * Fetches a small document over https. The host is resolved once, all of its addresses must be public, and the connection goes to one
 * of these addresses. Redirects are not followed.
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
