import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refusal } from './refusal.ts'
import type { Admission } from './routes.ts'
import type { Principal, TokenGate } from './token-gate.ts'
import { digestOf } from './tokens.ts'

/** A longer header holds no token of ours; that needs no digest to know. */
const LONGEST_HEADER = 200

/** Identifies the sender by the token in the `Authorization` header, and nowhere else. */
export function authorize({ headers }: IncomingMessage, gate: TokenGate): Admission<Principal> {
  const { fault } = gate
  if (fault !== undefined)
    return { refusal: refusal(503, 'The tokens of this server cannot be read.', { hint: 'Its owner runs "roux doctor".' }) }
  const { authorization } = headers
  if (authorization === undefined) return challenge('This server wants a token.', 'Bearer realm="roux"')
  const secret = bearerOf(authorization)
  const principal = secret === undefined ? undefined : gate.find(secret)
  if (principal !== undefined) return { sender: principal }
  return challenge('The token is not known to this server.', 'Bearer realm="roux", error="invalid_token"')
}

/** The secret in a header `Authorization`. */
export function bearerOf(authorization = ''): string | undefined {
  return authorization.length > LONGEST_HEADER ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
}

/** Whether a request carries this secret. */
export function isBearerOf({ headers }: IncomingMessage, secret: string): boolean {
  const given = bearerOf(headers.authorization)
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(secret))
}

function challenge(message: string, scheme: string): Admission<never> {
  return {
    refusal: refusal(401, message, {
      hint: '"roux token show" prints it where the server runs; send it as "Authorization: Bearer <token>".',
      headers: { 'WWW-Authenticate': scheme },
    }),
  }
}
