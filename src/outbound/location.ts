import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'

/** `local` if data sent to a model stays on this computer, `remote` if it leaves it. */
export type Location = 'local' | 'remote'

/** Resolves a host name to its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** A model and its server. */
export interface Place {
  readonly baseUrl: string
  readonly model: string
}

/**
 * Determines where a model runs. It is local only if the server has a loopback address and does not forward the request. The local
 * network, `0.0.0.0` and all names except `localhost` are considered remote.
 */
export async function locationOf({ baseUrl, model }: Place, resolve: Resolve = addressesOf): Promise<Location> {
  // Ollama runs models such as `gpt-oss:120b-cloud` and `glm-4.6:cloud` on its own servers.
  if (/[-:]cloud$/i.test(model.trim())) return 'remote'
  const { hostname } = new URL(baseUrl)
  if (hostname !== 'localhost') return isLoopback(hostname) ? 'local' : 'remote'
  const addresses = await resolve(hostname).catch(() => [])
  return addresses.length > 0 && addresses.every((address) => isLoopback(address.includes(':') ? `[${address}]` : address))
    ? 'local'
    : 'remote'
}

/** Returns the origin that consent refers to, such as `https://api.openai.com`. It consists of scheme, host and port. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

/** Checks whether a host is a loopback address. Expects the format of `URL`: IPv4 as four decimal numbers and IPv6 compressed in brackets. */
function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  if (host === '[::1]') return true
  const [, high] = /^\[::ffff:(?:([0-9a-f]{1,4}):[0-9a-f]{1,4}|127\.\d+\.\d+\.\d+)\]$/.exec(host) ?? [undefined, 'none']
  if (high === 'none') return false
  return high === undefined || Number.parseInt(high, 16) >> 8 === 127
}

async function addressesOf(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
