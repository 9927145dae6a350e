import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { RouxError } from '../core/errors.ts'
import type { Limits } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i

const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After'

const METHODS = 'GET, POST, DELETE'

const HEADERS = 'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'

const PREFLIGHT_SECONDS = '600'

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/

export interface AccessPolicy {
  /** If false, the server rejects everything except `/health`. */
  readonly enabled: boolean
  readonly host: string
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

type Check = (request: IncomingMessage, policy: AccessPolicy, limits: Limits) => Refusal | undefined

/** These checks run before the token is checked. */
export const checkAddress: Check = firstOf([checkHeaderCount, checkSingleHeaders, checkHost, checkOrigin])

/** Checks the headers of an MCP request. */
export const checkForm = firstOf([checkContentType, checkEncoding, checkAccept])

function firstOf<Given extends readonly unknown[]>(
  checks: readonly ((...given: Given) => Refusal | undefined)[],
): (...given: Given) => Refusal | undefined {
  return (...args) => {
    for (const check of checks) {
      const refusal = check(...args)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }
}

function checkHeaderCount({ rawHeaders }: IncomingMessage, _: AccessPolicy, { headers }: Limits): Refusal | undefined {
  return rawHeaders.length / 2 > headers
    ? refusal(431, `The request has more than ${headers} headers.`, { hint: 'Send fewer.' })
    : undefined
}

const SINGLE = ['host', 'authorization', 'origin', 'content-type', 'content-encoding', 'mcp-session-id', 'mcp-protocol-version']

/** If a header is repeated, a proxy may have checked a different value. */
function checkSingleHeaders({ headersDistinct }: IncomingMessage): Refusal | undefined {
  const twice = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  return twice === undefined ? undefined : refusal(400, `The request repeats the header ${twice}.`, { hint: 'Send it once.' })
}

/** Checks the `Host` header, which a web page cannot forge. This prevents DNS rebinding. */
function checkHost({ headers, socket }: IncomingMessage, { host, hosts }: AccessPolicy): Refusal | undefined {
  const name = hostName(headers.host ?? '')
  if (name !== undefined && (isLoopbackName(name) || [host, socket.localAddress ?? '', ...hosts].map(inUrl).includes(name)))
    return undefined
  return refusal(403, 'The header Host names another server.', {
    hint: 'If it is a name for this server, e.g. from a reverse proxy, add it to http.hosts.',
  })
}

function checkOrigin({ headers }: IncomingMessage, { origins }: AccessPolicy): Refusal | undefined {
  const { origin } = headers
  if (origin === undefined || isLoopbackOrigin(origin.toLowerCase()) || isListed(origin, origins)) return undefined
  // A browser with `no-referrer` sends forms with `Origin: null`, even from the same origin. `Sec-Fetch-Site` still reports
  // `same-origin` for them.
  if (origin === 'null' && headers['sec-fetch-site'] === 'same-origin') return undefined
  return refusal(403, 'Requests from this origin are not allowed.', { hint: 'Add it to the setting http.origins.' })
}

function isListed(origin: string, origins: readonly string[]): boolean {
  return origins.some((allowed) => allowed.toLowerCase().replace(/\/$/, '') === origin.toLowerCase())
}

function checkContentType({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method !== 'POST' || /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? ''))
    return undefined
  return refusal(415, 'The body must be JSON in UTF-8.', { hint: 'Send the header Content-Type: application/json.' })
}

function checkEncoding({ headers }: IncomingMessage): Refusal | undefined {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return undefined
  return refusal(415, 'The body must not be compressed.', {
    hint: 'Send it without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}

function checkAccept({ method, headers }: IncomingMessage): Refusal | undefined {
  if (method === 'DELETE') return undefined
  const contentType = method === 'GET' ? 'text/event-stream' : 'application/json'
  if (accepts(headers.accept ?? '*/*', contentType)) return undefined
  return refusal(406, `The header Accept must allow ${contentType}.`, {
    hint: `Send the header Accept: ${method === 'GET' ? contentType : 'application/json, text/event-stream'}.`,
  })
}

function accepts(header: string, type: string): boolean {
  const ranges = header.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  return ranges.some((range) => range === type || range === '*/*' || range === `${type.split('/', 1)[0]}/*`)
}

/**
 * Checks the settings for access.
 * @throws RouxError `INVALID_SETTINGS` if the address would expose the server to other computers by mistake, or if an entry of a
 * list can never match
 */
export function checkAccessPolicy({ host: address, hosts, origins }: Pick<AccessPolicy, 'host' | 'hosts' | 'origins'>): void {
  if (address.trim() === '')
    throw new RouxError('INVALID_SETTINGS', 'http.host is empty, which would let every computer connect.', {
      hint: 'Set it to 127.0.0.1, or to 0.0.0.0 to listen on all addresses.',
    })
  for (const host of hosts) {
    if (hostName(host) === host.toLowerCase()) continue
    throw new RouxError('INVALID_SETTINGS', `http.hosts: "${host}" is not a host name.`, {
      hint: 'Use only the name, without https:// or a port, e.g. notes.example.com.',
    })
  }
  for (const origin of origins) {
    if (ORIGIN.test(origin)) continue
    throw new RouxError('INVALID_SETTINGS', `http.origins: "${origin}" is not an origin.`, {
      hint: 'Use scheme, name and, if needed, port, e.g. https://notes.example.com. Wildcards are not supported.',
    })
  }
}

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Sets the headers that allow an origin, which the caller must have checked. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (headers.origin === undefined || headers.origin === 'null') return
  response.setHeader('Access-Control-Allow-Origin', headers.origin)
  response.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

export function sendPreflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', METHODS)
  response.setHeader('Access-Control-Allow-Headers', HEADERS)
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  response.writeHead(204).end()
}

/** @returns the name in lower case without the port, or `undefined` if the header is invalid */
export function hostName(header: string): string | undefined {
  return HOST.exec(header.toLowerCase())?.[1]
}

export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAMES.has(name)
}

export function isLoopbackAddress(address: string): boolean {
  return isLoopbackName(inUrl(address)) || /^127(\.\d{1,3}){3}$/.test(address)
}

/** Returns true for the unspecified address, which listens on all interfaces. */
export function isEveryAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === ''
}

function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/@?#]+)$/.exec(origin)?.[1]
  const name = host === undefined ? undefined : hostName(host)
  return name !== undefined && isLoopbackName(name)
}

/** Returns the address as part of a URL, with IPv6 addresses in brackets: `[::1]`. */
export function inUrl(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(plain) === 6 ? `[${plain}]` : plain
}

export const MCP_PATH = '/mcp'

export interface PublicAddress {
  /** The address without a trailing slash, which is also the OAuth issuer. */
  readonly origin: string
  /** The host name without the port. */
  readonly host: string
  /** The URL of the MCP endpoint, which is the audience of every access token. */
  readonly resource: string
}

/**
 * @returns undefined if the setting is empty
 * @throws RouxError `INVALID_SETTINGS` if the URL is neither an https origin nor an http origin on this computer
 */
export function readPublicAddress(text: string): PublicAddress | undefined {
  if (text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && [url.origin, url.href].includes(text) && url.href === `${url.origin}/`
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))
  if (isOrigin && isSafe && hostName(url.host) !== undefined)
    return { origin: url.origin, host: url.hostname, resource: `${url.origin}${MCP_PATH}` }
  throw new RouxError('INVALID_SETTINGS', `http.public_url: "${text}" is not an https:// address.`, {
    hint: 'Use only https:// and the name, without a path, e.g. https://notes.example.com.',
  })
}
