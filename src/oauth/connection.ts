import { randomBytes } from 'node:crypto'
import * as z from 'zod/v4'
import { isSameSecret, SCOPES, type Scope } from '../http/tokens.ts'
import { digestText, newSecret, type Signer } from './secrets.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** How long things last, in milliseconds, and how often. */
export const LIFE = {
  code: MINUTE,
  access: 60 * MINUTE,
  refreshUnused: 90 * DAY,
  connection: 365 * DAY,
  /** For requests that were sent at the same time, or whose answer was lost. */
  rotated: 120_000,
  morePairs: 10,
} as const

/** Of each kind. Older tokens than these have expired, unless a client refreshes without need. */
const MOST_TOKENS = 100

const DATED = z.object({ digest: z.string(), until: z.number() })

/** Contents of a connection's file. It holds digests of secrets only. */
export const CONNECTION = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  id: z.string(),
  client: z.object({ id: z.string(), name: z.string(), knownBy: z.string().optional(), returnsTo: z.string() }),
  resource: z.string(),
  scopes: z.array(z.enum(SCOPES)).min(1),
  vaults: z.union([z.literal('*'), z.array(z.string())]),
  created: z.number(),
  used: z.number(),
  code: DATED.extend({ challenge: z.string(), address: z.string(), isUsed: z.boolean() }),
  access: z.array(DATED),
  /** Refresh tokens that a client may use next. There are several after refreshing in parallel. */
  refresh: z.array(DATED),
  /** Refresh tokens that were used, or made in parallel to one that was used. */
  rotated: z.array(DATED.extend({ left: z.number() })),
})

/** The right of one program to use the vaults, given on the consent page. */
export type Connection = Readonly<z.output<typeof CONNECTION>>

/** A person's consent. */
export interface Grant {
  readonly name: string
  readonly client: Connection['client']
  readonly resource: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
  readonly challenge: string
  /** The address that receives the code. */
  readonly address: string
}

/** Creates a connection that waits for its code. */
export function newConnection(grant: Grant, now: number): { readonly connection: Connection; readonly code: string } {
  const { name, client, resource, scopes, vaults, challenge, address } = grant
  const code = newSecret('rouxc_')
  return {
    code,
    connection: {
      name,
      id: randomBytes(12).toString('base64url'),
      client,
      resource,
      scopes: [...scopes],
      vaults: vaults === '*' ? '*' : [...vaults],
      created: now,
      used: now,
      code: { digest: digestText(code), until: now + LIFE.code, challenge, address, isUsed: false },
      access: [],
      refresh: [],
      rotated: [],
    },
  }
}

/** A new pair of tokens, the connection that has them, and no connection if it has ended. */
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

/** Exchanges the code for the first pair. A code that is used twice, or by someone who cannot prove to have asked for it, ends all. */
export function redeem(connection: Connection, { client, address, verifier }: Redemption, { now, signer }: Making): Step {
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
 * Exchanges a refresh token for a new pair. All others go on for two minutes, because clients refresh in parallel; after that, an old
 * token may be a stolen one and ends the connection.
 */
export function refresh(connection: Connection, { token, client }: { token: string; client: string }, making: Making): Step {
  const { now } = making
  if (client !== connection.client.id) return { after: connection }
  const digest = digestText(token)
  if (!hasTime(connection, now)) return { after: undefined }
  const live = connection.refresh.find((one) => one.digest === digest)
  const old = connection.rotated.find((one) => one.digest === digest && one.until > now)
  if (live !== undefined && live.until <= now) return { after: undefined }
  if (live !== undefined) {
    const rotated = connection.refresh.map((one) => ({ digest: one.digest, until: now + LIFE.rotated, left: LIFE.morePairs }))
    const kept = connection.rotated.filter(({ until }) => until > now)
    return withPair({ ...connection, refresh: [], rotated: [...kept, ...rotated].slice(-MOST_TOKENS) }, making)
  }
  if (old === undefined) return { after: undefined }
  if (old.left === 0) return { after: connection }
  const rotated = connection.rotated.map((one) => (one === old ? { ...one, left: one.left - 1 } : one))
  return withPair({ ...connection, rotated }, making)
}

/** Ends an access token, or the connection with a refresh token of its own. */
export function revoke(connection: Connection, token: string): Connection | undefined {
  const digest = digestText(token)
  const access = connection.access.filter((one) => one.digest !== digest)
  return access.length < connection.access.length ? { ...connection, access } : undefined
}

/** Checks whether a connection can still be used, or still be redeemed. */
export function hasTime({ created, code, refresh: live }: Connection, now: number): boolean {
  if (created + LIFE.connection <= now) return false
  return code.isUsed ? live.some(({ until }) => until > now) : code.until > now
}

/** Returns the id of the connection that a refresh token was made for, even if it was rotated long ago. */
export function connectionOf(token: string, signer: Signer): string | undefined {
  const value = signer.read('refresh', token)
  return Array.isArray(value) ? String(value[0]) : undefined
}

export interface Making {
  readonly now: number
  readonly signer: Signer
}

function withPair(connection: Connection, { now, signer }: Making): { readonly after: Connection; readonly pair: Pair } {
  const access = newSecret('rouxa_')
  const refreshed = signer.sign('refresh', [connection.id, randomBytes(24).toString('base64url')])
  const end = connection.created + LIFE.connection
  const until = (life: number): number => Math.min(now + life, end)
  const alive = connection.access.filter((one) => one.until > now).slice(1 - MOST_TOKENS)
  return {
    pair: { access, refresh: refreshed },
    after: {
      ...connection,
      used: now,
      access: [...alive, { digest: digestText(access), until: until(LIFE.access) }],
      refresh: [...connection.refresh, { digest: digestText(refreshed), until: until(LIFE.refreshUnused) }],
    },
  }
}
