import { RouxError } from '../core/errors.ts'
import { hostName, isLoopbackName } from './host-and-origin.ts'
import { MCP_PATH } from './mcp-route.ts'

export interface PublicAddress {
  /** Origin without a trailing slash, which is also the issuer of the authorization server. */
  readonly origin: string
  /** Host name without the port. */
  readonly host: string
  /** The protocol's endpoint, for which every access token is issued. */
  readonly resource: string
}

/**
 * Parses `http.public_url`. Returns `undefined` if it is empty.
 * @throws RouxError `INVALID_SETTINGS` if it is not an https origin. Origins without TLS are allowed only for this computer.
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
