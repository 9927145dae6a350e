import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/v4'
import { changeJson } from './state-files.ts'

/** The use of a signed value. A value signed for one purpose is not accepted for another. */
type Purpose = 'client' | 'request' | 'refresh' | 'note'

/** Signs values that clients keep, so this server need not. */
export interface Signer {
  /** Returns the value in text that may be part of an address. */
  sign(purpose: Purpose, value: unknown): string
  /** Returns the value, or `undefined` if this server did not sign it for this purpose. */
  read(purpose: Purpose, text: string): unknown
}

/** Opens the signer whose key is in a file, which is created on first use. The file also says what was served last, for `roux connect`. */
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
      const given = Buffer.from(signature, 'base64url')
      const expected = signatureOf(purpose, body)
      // The second spelling of the same bytes would be a second name for one client.
      const isSpelled = rest.length === 0 && given.toString('base64url') === signature
      if (!isSpelled || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown
    },
  }
}

/** Returns 32 random bytes as base64url, after a prefix that names their use. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`
}

/** SHA-256 as base64url. Files hold this of each secret, and it is the transformation that PKCE calls S256. */
export function digestText(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

const KEY = z.object({ key: z.string().regex(/^[\w-]{43}$/), resource: z.string().optional() })

function readKey(path: string, resource: string): Buffer {
  let key = ''
  changeJson(path, (before) => {
    const known = KEY.safeParse(before)
    key = known.success ? known.data.key : newSecret('')
    return known.data?.resource === resource ? before : { key, resource }
  })
  return Buffer.from(key, 'base64url')
}
