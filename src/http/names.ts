import { isIP } from 'node:net'

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/

/** The name in a `Host` header, in lower case and without its port; `undefined` where it is none. */
export function hostName(header: string): string | undefined {
  return HOST.exec(header.toLowerCase())?.[1]
}

/** Whether a host name means this computer everywhere. */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAMES.has(name)
}

/** Whether an address or host name belongs to this computer only. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopbackName(inUrl(address)) || /^127(\.\d{1,3}){3}$/.test(address)
}

/** Whether an address to listen on means all addresses of this computer. */
export function isEveryAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === ''
}

/** Whether an origin is a page of this computer. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/@?#]+)$/.exec(origin)?.[1]
  const name = host === undefined ? undefined : hostName(host)
  return name !== undefined && isLoopbackName(name)
}

/** An address as it stands in URLs: `[::1]`. */
export function inUrl(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(plain) === 6 ? `[${plain}]` : plain
}
