import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { RouxError } from '../core/errors.ts'
import { refusal } from './refusal.ts'
import type { Admission, PublicSide } from './routes.ts'
import { accessOf, closeToOthers, digestOf, isSameSecret, type Principal, readTokens, type Token, versionOf } from './tokens.ts'

/** A longer header cannot contain a valid token, so it is not hashed. */
const MAX_HEADER_LENGTH = 200

interface KnownToken extends Principal {
  readonly digest: Buffer
}

/** Checks tokens. Changes to the token file take effect on the next lookup. */
export class TokenGate {
  readonly #path: string
  readonly #warn: (message: string) => void
  #version: string | undefined
  #tokens: readonly KnownToken[] = []
  #problem: RouxError | undefined

  constructor(path: string, warn: (message: string) => void) {
    this.#path = path
    this.#warn = warn
  }

  /** The error while the file cannot be read. During this time, no token is accepted. */
  get fault(): RouxError | undefined {
    this.#refresh()
    return this.#problem
  }

  find(secret: string): Principal | undefined {
    this.#refresh()
    const digest = digestOf(secret)
    let match: KnownToken | undefined
    // Compare all tokens, so timing does not reveal which one matched.
    for (const token of this.#tokens) if (timingSafeEqual(token.digest, digest)) match = token
    return match
  }

  isCurrent(key: string): boolean {
    this.#refresh()
    return this.#tokens.some((token) => token.key === key)
  }

  #refresh(): void {
    const version = versionOf(this.#path)
    if (version === this.#version) return
    // The version is set first, so each change to the file reports its error only once.
    this.#version = version
    try {
      const warning = closeToOthers(this.#path)
      if (warning !== undefined) this.#warn(warning)
      // `closeToOthers` may have changed the version. The new one is determined before reading the file, so later writes are
      // noticed.
      this.#version = versionOf(this.#path)
      this.#tokens = (readTokens(this.#path) ?? []).map(toKnown)
      this.#problem = undefined
    } catch (error) {
      if (!(error instanceof RouxError)) throw error
      this.#tokens = []
      this.#problem = error
      this.#warn(`${error.message} No token is accepted.`)
    }
  }
}

function toKnown(token: Token): KnownToken {
  const digest = digestOf(token.secret)
  const { name, scopes, vaults } = token
  return { access: accessOf(token), digest, key: JSON.stringify([name, digest.toString('base64'), scopes, vaults]) }
}

export function authorize({ headers }: IncomingMessage, gate: TokenGate, side?: PublicSide): Admission<Principal> {
  const { fault } = gate
  if (fault !== undefined)
    return { refusal: refusal(503, 'The tokens of this server cannot be read.', { hint: 'Ask its owner to run "roux doctor".' }) }
  const { authorization } = headers
  if (authorization === undefined) return challenge('This server needs a token.', 'Bearer realm="roux"', side)
  const secret = bearerOf(authorization)
  const principal = secret === undefined ? undefined : (gate.find(secret) ?? side?.find(secret))
  if (principal !== undefined) return { sender: principal }
  return challenge('This server does not know the token.', 'Bearer realm="roux", error="invalid_token"', side)
}

export function bearerOf(authorization = ''): string | undefined {
  return authorization.length > MAX_HEADER_LENGTH ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
}

export function isBearerOf({ headers }: IncomingMessage, secret: string): boolean {
  const bearer = bearerOf(headers.authorization)
  return bearer !== undefined && isSameSecret(bearer, secret)
}

function challenge(message: string, scheme: string, side: PublicSide | undefined): Admission<never> {
  const hint = 'Run "roux token show" where the server runs and send "Authorization: Bearer <token>".'
  return {
    refusal: refusal(401, message, {
      hint: side === undefined ? hint : 'Sign in as the header WWW-Authenticate describes.',
      headers: { 'WWW-Authenticate': side === undefined ? scheme : `${scheme}, ${side.challenge()}` },
    }),
  }
}
