import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/v4'
import { changeStateFile } from '../config/state-file.ts'
import { errorCode, RouxError } from '../core/errors.ts'

/** Returns the paths of the files, which are readable only by their owner. */
export function signInFiles(stateFolder: string) {
  return {
    key: join(stateFolder, 'sign-in.json'),
    /** This file is written by `roux connect`. */
    window: join(stateFolder, 'connect.json'),
    connections: join(stateFolder, 'connections'),
    documents: join(stateFolder, 'clients.json'),
  }
}

/** @returns undefined if the file is missing or damaged */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined
    throw notSaved(path, error)
  }
}

/**
 * Changes a file while it is locked. `change` returns the new value, the given value to leave the file unchanged, or `undefined`
 * to remove the file.
 * @throws RouxError `PERMISSION_DENIED` if the file cannot be written, and errors from `change`
 */
export function changeJson(path: string, change: (before: unknown) => unknown): void {
  try {
    changeStateFile(path, () => {
      const before = readJson(path)
      const after = change(before)
      if (after === undefined) rmSync(path, { force: true })
      return after === undefined || after === before ? undefined : `${JSON.stringify(after, undefined, 2)}\n`
    })
  } catch (error) {
    if (errorCode(error) === undefined || error instanceof RouxError) throw error
    throw notSaved(path, error)
  }
}

function notSaved(path: string, cause: unknown): RouxError {
  return new RouxError('PERMISSION_DENIED', `${path} cannot be used: ${(cause as Error).message}.`, {
    hint: 'Make its folder writable for you, or set XDG_STATE_HOME to a writable folder.',
    cause,
  })
}

/** The purpose of a signature. A value signed for one purpose is invalid for any other. */
type Purpose = 'client' | 'request' | 'refresh' | 'note'

/** Signs values that clients store. */
export interface Signer {
  /** Signs a value. The result is safe to use in a URL. */
  sign(purpose: Purpose, value: unknown): string
  /** @returns undefined if the signature is invalid */
  read(purpose: Purpose, text: string): unknown
}

/** Opens the signer and creates the key file on first use. The file also stores the resource for `roux connect`. */
export function openSigner(keyFile: string, resource: string): Signer {
  const key = readKey(keyFile, resource)
  const signatureOf = (purpose: Purpose, body: string): Buffer => createHmac('sha256', key).update(`${purpose}.${body}`).digest()
  return {
    sign(purpose, value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${body}.${signatureOf(purpose, body).toString('base64url')}`
    },
    read(purpose, text) {
      const [body = '', signature = '', ...rest] = text.split('.')
      const givenSignature = Buffer.from(signature, 'base64url')
      const expected = signatureOf(purpose, body)
      // Other base64url spellings of the same bytes are rejected, because they would give a client several ids.
      const isCanonical = rest.length === 0 && givenSignature.toString('base64url') === signature
      if (!isCanonical || givenSignature.length !== expected.length || !timingSafeEqual(givenSignature, expected))
        return undefined
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown
    },
  }
}

/** Returns a secret: the prefix, followed by 32 random bytes in base64url. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`
}

/** Returns the SHA-256 in base64url, which files store instead of a secret. PKCE calls this `S256`. */
export function digestText(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

const KEY = z.object({ key: z.string().regex(/^[\w-]{43}$/), resource: z.string().optional() })

function readKey(path: string, resource: string): Buffer {
  let key = ''
  changeJson(path, (before) => {
    const stored = KEY.safeParse(before)
    key = stored.success ? stored.data.key : newSecret('')
    return stored.data?.resource === resource ? before : { key, resource }
  })
  return Buffer.from(key, 'base64url')
}
