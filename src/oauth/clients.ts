import * as z from 'zod/v4'
import { isLoopbackName } from '../http/host-and-origin.ts'
import type { Signer } from './state-files.ts'

export interface Client {
  readonly id: string
  /** The name that the program gives itself. */
  readonly name: string
  /** The host that publishes the program's description; `undefined` if the program registered itself. */
  readonly knownBy?: string | undefined
  /** The program's return addresses that `http.clients` allows. */
  readonly addresses: readonly string[]
}

const MAX_NAME_LENGTH = 60
const MAX_ADDRESSES = 10

const SIGNED = z.object({ name: z.string(), addresses: z.array(z.string()) })

const REGISTRATION = z.object({
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1).max(MAX_ADDRESSES),
})

export type RegistrationResult =
  | { readonly client: Client }
  | { readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'; readonly description: string }

/** Registers a program. Stores nothing, because the id is its own signed description. Omits addresses that are not listed. */
export function register(body: unknown, signer: Signer, listedHosts: readonly string[]): RegistrationResult {
  const parsed = REGISTRATION.safeParse(body)
  if (!parsed.success)
    return { error: 'invalid_client_metadata', description: `redirect_uris must be a list of 1 to ${MAX_ADDRESSES} addresses.` }
  const { client_name: name, redirect_uris: givenAddresses } = parsed.data
  const addresses = listedAmong(givenAddresses, listedHosts)
  if (addresses.length === 0) return { error: 'invalid_redirect_uri', description: notListed(givenAddresses[0] ?? '') }
  const client = { name: shownName(name), addresses }
  return { client: { ...client, id: signer.sign('client', client) } }
}

/** Returns the program that `register` gave this id, or `undefined` if this server did not issue the id. */
export function readRegistered(id: string, signer: Signer, listedHosts: readonly string[]): Client | undefined {
  const parsed = SIGNED.safeParse(signer.read('client', id))
  return parsed.success ? { id, name: parsed.data.name, addresses: listedAmong(parsed.data.addresses, listedHosts) } : undefined
}

/** Returns the program's addresses that a sign-in may return to. */
export function listedAmong(addresses: readonly string[], listedHosts: readonly string[]): readonly string[] {
  return addresses.filter((text) => {
    const address = readReturnAddress(text)
    return address !== undefined && isListed(address, listedHosts)
  })
}

/** Returns the error message for a return address that `http.clients` does not allow. Names the host if there is one. */
export function notListed(text: string): string {
  const host = URL.canParse(text) ? new URL(text).hostname : ''
  return host === '' ? 'The return address is not one that http.clients allows.' : `${host} is not listed in http.clients.`
}

/** Invisible characters, characters that change the direction of the surrounding text, and stacks of marks that cover other lines. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{4,}/gu

/** Returns a program's name in the form shown to people. */
export function shownName(name = ''): string {
  const visible = [...name.normalize('NFC').replace(HIDDEN, ' ').replace(/\s+/g, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('')
  return visible === '' ? 'A program without a name' : visible
}

/** Returns a name for a program's connection that contains only characters accepted by commands. */
export function connectionName(name: string): string {
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  return (
    words
      .filter((word) => word !== '')
      .join('-')
      .slice(0, 40) || 'assistant'
  )
}

/** The entry in `http.clients` for programs on the browser's computer. */
const LOOPBACK = 'loopback'

/** The redirect URI of a client. */
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
