import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { invalid, RouxError } from '../core/errors.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'

/** The permissions that a token can have. Each tool requires one of them. */
export const SCOPES = ['read', 'write', 'attach', 'ai'] as const

export interface Token {
  readonly name: string
  /** `roux_` followed by 43 base64url characters that encode 32 random bytes. */
  readonly secret: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
}

/** The token created on first use. */
export const DEFAULT_NAME = 'default'

/** Creates the first token, which has every permission that the settings allow. */
export function firstToken(): Token {
  return { name: DEFAULT_NAME, secret: newSecret(), scopes: SCOPES, vaults: '*' }
}

/**
 * Adds a token.
 * @throws RouxError `INVALID_PARAMS` if the name is taken or invalid, or there are no permissions
 */
export function addToken(tokens: readonly Token[], token: Omit<Token, 'secret'>): readonly Token[] {
  const { name, scopes, vaults } = token
  if (!NAME.test(name)) throw invalid(`"${name}" is not a valid token name.`, 'Use at most 64 letters, digits, "-" and "_".')
  if (tokens.some((other) => other.name === name))
    throw new RouxError('INVALID_PARAMS', `The token "${name}" already exists.`, {
      hint: `"roux token rotate ${name}" gives it a new secret; "roux token remove ${name}" removes it.`,
    })
  if (scopes.length === 0) throw invalid('The token has no scope.', `Scopes: ${SCOPES.join(', ')}.`)
  if (vaults !== '*' && vaults.length === 0)
    throw invalid('The token does not give access to any vault.', 'List vaults, or use * for all of them.')
  return [...tokens, { ...token, secret: newSecret() }]
}

/** Replaces a token's secret. @throws RouxError `INVALID_PARAMS` if there is no such token */
export function rotateToken(tokens: readonly Token[], name: string): readonly Token[] {
  const rotated = requireToken(tokens, name)
  return tokens.map((token) => (token === rotated ? { ...token, secret: newSecret() } : token))
}

/** Removes a token. @throws RouxError `INVALID_PARAMS` if there is no such token */
export function removeToken(tokens: readonly Token[], name: string): readonly Token[] {
  const removed = requireToken(tokens, name)
  return tokens.filter((token) => token !== removed)
}

/** Returns the token with the given name. @throws RouxError `INVALID_PARAMS` if there is none */
export function requireToken(tokens: readonly Token[], name: string): Token {
  const token = tokens.find((other) => other.name === name)
  if (token !== undefined) return token
  const names = tokens.map((other) => other.name)
  const near = didYouMean(nearest(name, names))
  const allowedScopes =
    names.length === 0 ? `There are no tokens. "roux token add ${DEFAULT_NAME}" creates one.` : `Tokens: ${names.join(', ')}.`
  throw invalid(`There is no token "${name}".`, near ?? allowedScopes)
}

export function accessOf({ name, scopes, vaults }: Token): Access {
  return { name, scopes: new Set(scopes), vaults }
}

/** Returns the digest of a secret. Secrets are compared by their digests, which have equal length. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Compares two secrets in a time that reveals nothing about them. */
export function isSameSecret(secret: string, other: string): boolean {
  return timingSafeEqual(digestOf(secret), digestOf(other))
}

/** Checks whether text looks like a secret. */
export function isSecret(text: string): boolean {
  return SECRET.test(text)
}

/** Checks whether text is a valid token name. */
export function isTokenName(text: string): boolean {
  return NAME.test(text)
}

const SECRET = /^roux_[A-Za-z0-9_-]{43}$/

const NAME = /^[A-Za-z0-9_-]{1,64}$/

function newSecret(): string {
  return `roux_${randomBytes(32).toString('base64url')}`
}

export type Scope = (typeof SCOPES)[number]

/** The permissions of a token's owner, which never exceed what the settings allow. */
export interface Access {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** The names of the vaults, or `*` for all of them. */
  readonly vaults: '*' | readonly string[]
  /** True for a program that signed in at the public address. */
  readonly isConnection?: boolean
}

export interface Principal {
  readonly access: Access
  /** Changes whenever the token's secret or permissions change. */
  readonly key: string
}
