import { lookup } from 'node:dns/promises'
import { isIPv4 } from 'node:net'

/** True if data for a model stays on this computer. */
export type Location = 'local' | 'remote'

/** The addresses that a name stands for. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** A model, and the server that is asked for it. */
export interface Place {
  readonly baseUrl: string
  readonly model: string
}

/**
 * Where a model is: on this computer only at an address of its loopback interface, and where the server there does not pass it on. The
 * local network, `0.0.0.0` and every name but `localhost` are other computers.
 */
export async function locationOf({ baseUrl, model }: Place, resolve: Resolve = addressesOf): Promise<Location> {
  if (isPassedOn(model)) return 'remote'
  const { hostname } = new URL(baseUrl)
  if (hostname !== 'localhost') return isLoopback(hostname) ? 'local' : 'remote'
  const addresses = await resolve(hostname).catch(() => [])
  return addresses.length > 0 && addresses.every((address) => isLoopback(address.includes(':') ? `[${address}]` : address))
    ? 'local'
    : 'remote'
}

/** The origin that consent refers to: scheme, host and port, e.g. `https://api.openai.com`. */
export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

/** Ollama runs such models on computers of its own: `gpt-oss:120b-cloud`, `glm-4.6:cloud`. */
function isPassedOn(model: string): boolean {
  return /[-:]cloud$/i.test(model.trim())
}

/** For a host as `URL` writes it: IPv4 as four decimal numbers, IPv6 compressed in brackets. */
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
