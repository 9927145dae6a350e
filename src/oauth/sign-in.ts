import type { IncomingMessage } from 'node:http'
import type { PublicAddress } from '../http/host-and-origin.ts'
import { readBytes } from '../http/read-body.ts'
import type { Exchange } from '../http/routes.ts'
import type { Scope } from '../http/tokens.ts'
import type { ClientDocuments } from './client-documents.ts'
import type { Connections } from './connections.ts'
import type { Signer } from './state-files.ts'

export interface SignIn {
  readonly address: PublicAddress
  readonly listed: readonly string[]
  readonly signer: Signer
  readonly connections: Connections
  readonly documents: ClientDocuments
  readonly window: string
  /** Returns the scopes that the settings currently allow. */
  allowedScopes(): readonly Scope[]
  vaults(): readonly string[]
  isToken(name: string): boolean
  now(): number
}

export const PATHS = {
  resource: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server',
  authorize: '/authorize',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
  open: '/open',
} as const

const BODY_BYTES = 16 * 1024

/** The parameters of a request, or `undefined` if one is repeated, because parsers disagree about its value. */
export type Parameters = ReadonlyMap<string, string> | undefined

/** @param lists names of parameters that may be repeated; their values are joined with line feeds */
export function parseParameters(text: string, lists: readonly string[] = []): Parameters {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name)
    if (before !== undefined && !lists.includes(name)) return undefined
    values.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return values
}

export function queryOf({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

/** @returns undefined if the media type differs, or the body is too large or incomplete */
export async function readText({ request, response }: Exchange<undefined>, type: string): Promise<string | undefined> {
  const [contentType = ''] = (request.headers['content-type'] ?? '').split(';')
  if (contentType.trim().toLowerCase() !== type) return undefined
  if (request.headers.expect !== undefined) response.writeContinue()
  const bytes = await readBytes(request, BODY_BYTES)
  return typeof bytes === 'string' ? undefined : bytes.toString('utf8')
}
