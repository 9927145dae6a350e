import { isLoopbackName } from '../http/host-and-origin.ts'

/** The entry of `http.clients` for programs on the computer of the browser. */
const LOOPBACK = 'loopback'

/** An address to which a browser may be sent after signing in. */
export interface ReturnAddress {
  readonly text: string
  readonly host: string
  readonly isLoopback: boolean
}

const LONGEST = 1_000

/** Characters that two programs may read in two ways, such as `@`, `\\`, `#` and spaces. */
const AMBIGUOUS = /[^\w!$%&'()*+,\-./:;=?~[\]]/

/**
 * Reads an address that has exactly one reading: https without a port or a user, or http to this computer. Returns `undefined` for
 * all others.
 */
export function readReturnAddress(text: string): ReturnAddress | undefined {
  if (text.length > LONGEST || AMBIGUOUS.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Spellings that a parser has to correct are refused: capitals in the host, numbers for IPv4, dots in the path, a default port.
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

/** Checks whether an address is one of a client's own. On loopback the port may differ, because programs listen on any free one. */
export function isOwn(address: ReturnAddress, own: readonly string[]): boolean {
  return own.some((text) => text === address.text || (address.isLoopback && withoutPort(text) === withoutPort(address.text)))
}

function withoutPort(text: string): string {
  const { protocol, hostname, pathname, search } = new URL(text)
  return JSON.stringify([protocol, hostname, pathname, search])
}
