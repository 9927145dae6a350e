import * as z from 'zod/v4'
import { isLoopbackName } from '../http/host-and-origin.ts'
import type { Signer } from './state-files.ts'

export interface Client {
  readonly id: string
  /** The name that the program has chosen. */
  readonly name: string
  /** The host that publishes the metadata document; `undefined` if the program registered itself. */
  readonly knownBy?: string | undefined
  /** The return addresses that `http.clients` allows. */
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

/** Registers a program without storing anything: the id is the signed description. Addresses that are not listed are left out. */
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

/** @returns undefined if this server did not issue the id */
export function readRegistered(id: string, signer: Signer, listedHosts: readonly string[]): Client | undefined {
  const parsed = SIGNED.safeParse(signer.read('client', id))
  return parsed.success ? { id, name: parsed.data.name, addresses: listedAmong(parsed.data.addresses, listedHosts) } : undefined
}

export function listedAmong(addresses: readonly string[], listedHosts: readonly string[]): readonly string[] {
  return addresses.filter((text) => {
    const address = readReturnAddress(text)
    return address !== undefined && isListed(address, listedHosts)
  })
}

/** Returns the error message for a return address that `http.clients` does not list. */
export function notListed(text: string): string {
  const host = URL.canParse(text) ? new URL(text).hostname : ''
  return host === '' ? 'The return address is not one that http.clients allows.' : `${host} is not listed in http.clients.`
}

/** Matches invisible characters, direction marks, and stacked accents that cover other lines. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{4,}/gu

export function shownName(name = ''): string {
  const visible = [...name.normalize('NFC').replace(HIDDEN, ' ').replace(/\s+/g, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('')
  return visible === '' ? 'A program without a name' : visible
}

/** Returns a name that contains only characters that commands accept. */
export function connectionName(name: string): string {
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  return (
    words
      .filter((word) => word !== '')
      .join('-')
      .slice(0, 40) || 'assistant'
  )
}

/** This entry in `http.clients` allows programs on the browser's computer. */
const LOOPBACK = 'loopback'

export interface ReturnAddress {
  readonly text: string
  readonly host: string
  readonly isLoopback: boolean
}

const MAX_LENGTH = 1_000

/** Matches characters that URL parsers interpret differently, such as `@`, `\\`, `#` and spaces. */
const AMBIGUOUS = /[^\w!$%&'()*+,\-./:;=?~[\]]/

/** Parses an https address without port and user, or an http address of this computer. All other addresses are ambiguous. */
export function readReturnAddress(text: string): ReturnAddress | undefined {
  if (text.length > MAX_LENGTH || AMBIGUOUS.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  // Addresses that `URL` corrects are rejected: capitals in the host, numeric IPv4, dot segments, default ports.
  if (url.href !== text && url.href !== `${text}/`) return undefined
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined
  const isLoopback = url.protocol === 'http:' && isLoopbackName(url.hostname)
  const isWeb = url.protocol === 'https:' && url.port === '' && !isLoopbackName(url.hostname)
  return isLoopback || isWeb ? { text, host: url.hostname, isLoopback } : undefined
}

export function isListed({ host, isLoopback }: ReturnAddress, clients: readonly string[]): boolean {
  return isLoopback ? clients.includes(LOOPBACK) : host !== LOOPBACK && clients.includes(host)
}

/**
 * Returns true for a return address of the program. On loopback, the port may differ, because native programs listen on any free
 * port (RFC 8252).
 */
export function isOwn(address: ReturnAddress, own: readonly string[]): boolean {
  return own.some((text) => text === address.text || (address.isLoopback && withoutPort(text) === withoutPort(address.text)))
}

function withoutPort(text: string): string {
  const { protocol, hostname, pathname, search } = new URL(text)
  return JSON.stringify([protocol, hostname, pathname, search])
}
