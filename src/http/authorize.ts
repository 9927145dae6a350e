import type { IncomingMessage } from 'node:http'
import { type Refusal, refusal } from './refusal.ts'
import type { Holder, TokenGate } from './token-gate.ts'

export type Admission = { readonly holder: Holder } | { readonly refusal: Refusal }

/** Longer ones are nobody's, and need no digest to know. */
const LONGEST_HEADER = 200

/** Who sends a request, by the token in its header `Authorization`; nowhere else is one looked for. */
export function authorize({ headers }: IncomingMessage, gate: TokenGate): Admission {
  const { fault } = gate
  if (fault !== undefined)
    return { refusal: refusal(503, 'The tokens of this server cannot be read.', { hint: 'Its owner runs "roux doctor".' }) }
  const { authorization } = headers
  if (authorization === undefined) return challenge('This server wants a token.', 'Bearer realm="roux"')
  const secret = authorization.length > LONGEST_HEADER ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
  const holder = secret === undefined ? undefined : gate.find(secret)
  if (holder !== undefined) return { holder }
  return challenge('The token is not known to this server.', 'Bearer realm="roux", error="invalid_token"')
}

function challenge(message: string, scheme: string): Admission {
  return {
    refusal: refusal(401, message, {
      hint: '"roux token show" prints it where the server runs; send it as "Authorization: Bearer <token>".',
      headers: { 'WWW-Authenticate': scheme },
    }),
  }
}
