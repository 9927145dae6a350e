import { randomBytes } from 'node:crypto'
import * as z from 'zod/v4'
import { isSameSecret, SCOPES } from '../http/tokens.ts'
import { digestText, newSecret, type Signer } from './state-files.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Times in milliseconds. `morePairs` is the number of exchanges of a used refresh token. */
export const LIFETIME = {
  code: MINUTE,
  access: 60 * MINUTE,
  refreshUnused: 90 * DAY,
  connection: 365 * DAY,
  /** Clients refresh in parallel and may lose a response, so a used token stays valid for a while. */
  rotated: 120_000,
  morePairs: 10,
} as const

/** Maximum number of access tokens, and of refresh tokens. Older ones have usually expired. */
const MAX_TOKENS = 100

const DATED = z.object({ digest: z.string(), until: z.number() })

/** Stores secrets only as digests. */
export const CONNECTION = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  id: z.string(),
  client: z.object({ id: z.string(), name: z.string(), knownBy: z.string().optional(), returnsTo: z.string() }),
  resource: z.string(),
  scopes: z.array(z.enum(SCOPES)).min(1).readonly(),
  vaults: z.union([z.literal('*'), z.array(z.string()).readonly()]),
  created: z.number(),
  used: z.number(),
  code: DATED.extend({ challenge: z.string(), address: z.string(), isUsed: z.boolean() }),
  access: z.array(DATED),
  /** The refresh tokens. There are several if the client has refreshed in parallel. */
  refresh: z.array(DATED),
  /** The refresh tokens that were used, or issued in parallel with a used one. */
  rotated: z.array(DATED.extend({ left: z.number() })),
})

/** A program's permission to use the vaults, granted on the consent page. */
export type Connection = Readonly<z.output<typeof CONNECTION>>

export interface Grant extends Pick<Connection, 'name' | 'client' | 'resource' | 'scopes' | 'vaults'> {
  readonly challenge: string
  readonly address: string
}

export function newConnection(grant: Grant, now: number): { readonly connection: Connection; readonly code: string } {
  const { challenge, address, ...granted } = grant
  const code = newSecret('rouxc_')
  return {
    code,
    connection: {
      ...granted,
      id: randomBytes(12).toString('base64url'),
      created: now,
      used: now,
      code: { digest: digestText(code), until: now + LIFETIME.code, challenge, address, isUsed: false },
      access: [],
      refresh: [],
      rotated: [],
    },
  }
}

/** The new state of a connection (`undefined` if it has ended), and new tokens, if any. */
export interface Step {
  readonly after: Connection | undefined
  readonly pair?: Pair
}

export interface Pair {
  readonly access: string
  readonly refresh: string
}

export interface Redemption {
  readonly client: string
  readonly address: string | undefined
  readonly verifier: string
}

/** Redeems a code. The connection ends if the code is used twice or by another program. */
export function redeem(connection: Connection, { client, address, verifier }: Redemption, { now, signer }: TokenOptions): Step {
  const { code } = connection
  const isRight =
    !code.isUsed &&
    code.until > now &&
    client === connection.client.id &&
    address === code.address &&
    isSameSecret(digestText(verifier), code.challenge)
  if (!isRight) return { after: undefined }
  const { after, pair } = withPair(connection, { now, signer })
  return { after: { ...after, code: { ...code, isUsed: true } }, pair }
}

/**
 * Exchanges a refresh token. Older tokens stay valid for two minutes, because clients refresh in parallel. After that, an old
 * token may be stolen and ends the connection.
 */
export function refresh(
  connection: Connection,
  { token, client }: { token: string; client: string },
  making: TokenOptions,
): Step {
  const { now } = making
  if (client !== connection.client.id) return { after: connection }
  const digest = digestText(token)
  if (!isUsable(connection, now)) return { after: undefined }
  const live = connection.refresh.find((token) => token.digest === digest)
  const old = connection.rotated.find((token) => token.digest === digest && token.until > now)
  if (live !== undefined && live.until <= now) return { after: undefined }
  if (live !== undefined) {
    const rotated = connection.refresh.map((token) => ({
      digest: token.digest,
      until: now + LIFETIME.rotated,
      left: LIFETIME.morePairs,
    }))
    const validRotated = connection.rotated.filter(({ until }) => until > now)
    return withPair({ ...connection, refresh: [], rotated: [...validRotated, ...rotated].slice(-MAX_TOKENS) }, making)
  }
  if (old === undefined) return { after: undefined }
  if (old.left === 0) return { after: connection }
  const rotated = connection.rotated.map((token) => (token === old ? { ...token, left: token.left - 1 } : token))
  return withPair({ ...connection, rotated }, making)
}

/** Revokes a token, which must belong to the connection. Revoking a refresh token ends the connection. */
export function revoke(connection: Connection, token: string): Connection | undefined {
  const digest = digestText(token)
  const access = connection.access.filter((token) => token.digest !== digest)
  return access.length < connection.access.length ? { ...connection, access } : undefined
}

/** Returns true if the connection has a valid token or its code can still be redeemed. */
export function isUsable({ created, code, refresh: live }: Connection, now: number): boolean {
  if (created + LIFETIME.connection <= now) return false
  return code.isUsed ? live.some(({ until }) => until > now) : code.until > now
}

/** Returns the id of a token's connection, even if the token was rotated long ago. */
export function connectionOf(token: string, signer: Signer): string | undefined {
  const value = signer.read('refresh', token)
  return Array.isArray(value) ? String(value[0]) : undefined
}

export interface TokenOptions {
  readonly now: number
  readonly signer: Signer
}

function withPair(connection: Connection, { now, signer }: TokenOptions): { readonly after: Connection; readonly pair: Pair } {
  const access = newSecret('rouxa_')
  const refreshed = signer.sign('refresh', [connection.id, randomBytes(24).toString('base64url')])
  const end = connection.created + LIFETIME.connection
  const until = (life: number): number => Math.min(now + life, end)
  const alive = connection.access.filter((token) => token.until > now).slice(1 - MAX_TOKENS)
  return {
    pair: { access, refresh: refreshed },
    after: {
      ...connection,
      used: now,
      access: [...alive, { digest: digestText(access), until: until(LIFETIME.access) }],
      refresh: [...connection.refresh, { digest: digestText(refreshed), until: until(LIFETIME.refreshUnused) }],
    },
  }
}
