import { isLoopbackName } from '../http/host-and-origin.ts'

/** The entry in `http.clients` for programs on the browser's computer. */
const LOOPBACK = 'loopback'

/** An address to which a browser may be sent after signing in. */
export interface ReturnAddress {
  readonly text: string
  readonly host: string
  readonly isLoopback: boolean
}

const MAX_LENGTH = 1_000

/** Characters that programs may interpret differently, such as `@`, `\\`, `#` and spaces. */
const AMBIGUOUS = /[^\w!$%&'()*+,\-./:;=?~[\]]/

/**
 * Parses an address that can be interpreted in only one way: https without port and user, or http to this computer. Returns
 * `undefined` for all other addresses.
 */
export function readReturnAddress(text: string): ReturnAddress | undefined {
  if (text.length > MAX_LENGTH || AMBIGUOUS.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Reject spellings that a parser would correct: capitals in the host, numbers for IPv4, dots in the path, a default port.
  if (url.href !== text && url.href !== `${text}/`) return undefined
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined
  const isLoopback = url.protocol === 'http:' && isLoopbackName(url.hostname)
  const isWeb = url.protocol === 'https:' && url.port === '' && !isLoopbackName(url.hostname)
  return isLoopback || isWeb ? { text, host: url.hostname, isLoopback } : undefined
}

/** Checks whether `http.clients` lists the host of an address. */
export function isListed({ host, isLoopback }: ReturnAddress, clients: readonly string[]): boolean {
  return isLoopback ? clients.includes(LOOPBACK) : host !== LOOPBACK && clients.includes(host)
}

/** Checks whether an address belongs to a client. On loopback, the port may differ, because programs listen on any free port. */
export function isOwn(address: ReturnAddress, own: readonly string[]): boolean {
  return own.some((text) => text === address.text || (address.isLoopback && withoutPort(text) === withoutPort(address.text)))
}

function withoutPort(text: string): string {
  const { protocol, hostname, pathname, search } = new URL(text)
  return JSON.stringify([protocol, hostname, pathname, search])
}
