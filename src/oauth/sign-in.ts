import type { PublicAddress } from '../http/public-address.ts'
import type { Scope } from '../http/tokens.ts'
import type { ClientDocuments } from './client-documents.ts'
import type { Connections } from './connections.ts'
import type { Signer } from './secrets.ts'

/** State that is shared by the sign-in routes. */
export interface SignIn {
  readonly address: PublicAddress
  /** Hosts listed in `http.clients`. */
  readonly listed: readonly string[]
  readonly signer: Signer
  readonly connections: Connections
  readonly documents: ClientDocuments
  /** File with the window that `roux connect` opens. */
  readonly window: string
  /** Returns the scopes that the settings currently allow. */
  allowedScopes(): readonly Scope[]
  /** Returns the names of the vaults that this server serves. */
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
