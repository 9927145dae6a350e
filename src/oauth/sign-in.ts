import type { PublicAddress } from '../http/public-address.ts'
import type { Scope } from '../http/tokens.ts'
import type { ClientDocuments } from './client-documents.ts'
import type { Connections } from './connections.ts'
import type { Signer } from './secrets.ts'

/** Shared by the routes of sign-in. */
export interface SignIn {
  readonly address: PublicAddress
  /** Hosts that `http.clients` lists. */
  readonly listed: readonly string[]
  readonly signer: Signer
  readonly connections: Connections
  readonly documents: ClientDocuments
  /** The file of the window that `roux connect` opens. */
  readonly window: string
  /** Returns the scopes that the settings allow at present. */
  allowedScopes(): readonly Scope[]
  /** The vaults that this server serves. */
  vaults(): readonly string[]
  /** Checks whether a name already means a token. */
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
