import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/v4'
import { changeStateFile } from '../config/state-file.ts'
import { errorCode, invalid, RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { didYouMean, nearest } from '../core/text/nearest.ts'

/** The permissions of tokens. Each tool requires one of them. */
export const SCOPES = ['read', 'write', 'attach', 'ai'] as const

export interface Token {
  readonly name: string
  /** The secret: `roux_` and 32 random bytes in base64url. */
  readonly secret: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
}

export const DEFAULT_NAME = 'default'

export function firstToken(): Token {
  return { name: DEFAULT_NAME, secret: newSecret(), scopes: SCOPES, vaults: '*' }
}

/** Adds a token. @throws RouxError `INVALID_PARAMS` if the name is taken or invalid, or there are no permissions */
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

/** Gives a token a new secret. @throws RouxError `INVALID_PARAMS` if there is no such token */
export function rotateToken(tokens: readonly Token[], name: string): readonly Token[] {
  const rotated = requireToken(tokens, name)
  return tokens.map((token) => (token === rotated ? { ...token, secret: newSecret() } : token))
}

/** Removes a token. @throws RouxError `INVALID_PARAMS` if there is no such token */
export function removeToken(tokens: readonly Token[], name: string): readonly Token[] {
  const removed = requireToken(tokens, name)
  return tokens.filter((token) => token !== removed)
}

/** Finds a token by name. @throws RouxError `INVALID_PARAMS` if there is no such token */
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

/** Returns a digest. All digests have the same length, as `timingSafeEqual` requires. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Compares secrets in constant time. */
export function isSameSecret(secret: string, other: string): boolean {
  return timingSafeEqual(digestOf(secret), digestOf(other))
}

function isSecret(text: string): boolean {
  return SECRET.test(text)
}

function isTokenName(text: string): boolean {
  return NAME.test(text)
}

const SECRET = /^roux_[A-Za-z0-9_-]{43}$/

const NAME = /^[A-Za-z0-9_-]{1,64}$/

function newSecret(): string {
  return `roux_${randomBytes(32).toString('base64url')}`
}

export type Scope = (typeof SCOPES)[number]

/** The permissions of a token, which never exceed what the settings allow. */
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
  /** The key changes whenever the token's secret or permissions change. */
  readonly key: string
}

export function tokenFileIn(stateFolder: string): string {
  return join(stateFolder, 'tokens.json')
}

/**
 * @returns undefined if the file does not exist
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be read, `INVALID_SETTINGS` if it is damaged. A damaged file is never
 * replaced, because its secrets may still be in use.
 */
export function readTokens(path: string): readonly Token[] | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  try {
    return FILE.parse(JSON.parse(text)).tokens
  } catch (cause) {
    throw new RouxError('INVALID_SETTINGS', `${path} is damaged: it is not a list of tokens.`, {
      hint: 'Repair or move it. If it is missing, "roux token show" creates a new file, and every client needs the new token.',
      cause,
    })
  }
}

/** Creates the file with a first token if necessary. @throws the errors of `readTokens` and `changeTokens` */
export function openTokens(path: string): readonly Token[] {
  return readTokens(path) ?? changeTokens(path, (tokens) => tokens ?? [firstToken()])
}

/**
 * Changes the file while it is locked. `change` receives `undefined` if there is no file.
 * @returns the new tokens
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be written, and errors from `readTokens` and `change`
 */
export function changeTokens(path: string, change: (tokens: readonly Token[] | undefined) => readonly Token[]): readonly Token[] {
  let tokens: readonly Token[] = []
  try {
    changeStateFile(path, () => {
      const before = readTokens(path)
      tokens = change(before)
      return tokens === before ? undefined : `${JSON.stringify({ tokens }, undefined, 2)}\n`
    })
  } catch (cause) {
    if (cause instanceof RouxError) throw cause
    throw new RouxError('PERMISSION_DENIED', `The tokens cannot be written to ${path}: ${(cause as Error).message}.`, {
      hint: 'Make its folder writable, or set XDG_STATE_HOME to a writable folder.',
      cause,
    })
  }
  return tokens
}

/**
 * @returns a warning if other users could read the file, or still can
 * @throws RouxError `PERMISSION_DENIED` if the permissions cannot be changed
 */
export function closeToOthers(path: string): string | undefined {
  const mode = modeOf(path)
  if (mode === undefined || !isOpenToOthers(mode)) return undefined
  try {
    chmodSync(path, 0o600)
  } catch (cause) {
    throw new RouxError('PERMISSION_DENIED', `Other users of this computer can read ${path}, and its mode cannot be changed.`, {
      hint: `Run "chmod 600" on it as its owner, then "roux token rotate".`,
      cause,
    })
  }
  if (isOpenToOthers(modeOf(path) ?? 0))
    return `Other users of this computer can read ${path}: its file system does not support permissions. Set XDG_STATE_HOME to a folder on another file system, then run "roux token rotate".`
  return `Other users of this computer could read ${path} (mode ${mode.toString(8)}); now they cannot. "roux token rotate" gives new secrets.`
}

/** @returns undefined if the file or the platform has no permission bits */
export function modeOf(path: string): number | undefined {
  if (process.platform === 'win32') return undefined
  const stats = statOf(path)
  return stats === undefined ? undefined : stats.mode & 0o777
}

export function isOpenToOthers(mode: number): boolean {
  return (mode & 0o077) !== 0
}

/** Returns a string that changes when the file is replaced or modified. */
export function versionOf(path: string): string {
  const stats = statOf(path)
  return stats === undefined ? '' : `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}:${stats.mode}`
}

const FILE = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: z.string().refine(isTokenName),
        secret: z.string().refine(isSecret),
        scopes: z.array(z.enum(SCOPES)).min(1),
        vaults: z.union([z.literal('*'), z.array(z.string().min(1)).min(1)]),
      }),
    )
    .refine((tokens) => new Set(tokens.map(({ name }) => name)).size === tokens.length),
})

function statOf(path: string): Stats | undefined {
  // An error is ignored here, because `readTokens` reports it.
  return quietly(() => statSync(path))
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw new RouxError('PERMISSION_DENIED', `The tokens in ${path} cannot be read: ${(cause as Error).message}.`, {
      hint: 'Make sure that you may read the file, or set XDG_STATE_HOME to another folder.',
      cause,
    })
  }
}
