import { randomBytes } from 'node:crypto'
import * as z from 'zod/v4'
import { isSameSecret, SCOPES, type Scope } from '../http/tokens.ts'
import { changeJson, digestText, readJson } from './state-files.ts'

/** The permission from `roux connect`, which allows one sign-in within ten minutes. */
export interface ConnectWindow {
  readonly id: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
  readonly until: number
}

/**
 * The scopes that a connection can have. `ai` is not among them, because a model that calls another model would spend the owner's
 * budget.
 */
export const CONNECTION_SCOPES = ['read', 'write', 'attach'] as const satisfies readonly Scope[]

const LIFETIME_MS = 10 * 60_000
const TRIES = 10
/** The alphabet of Crockford's Base32, without letters that look alike. Eight characters have 40 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 8

const STORED = z.object({
  id: z.string(),
  digest: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  vaults: z.union([z.literal('*'), z.array(z.string())]),
  until: z.number(),
  tries: z.number(),
})

/** Opens a window, which replaces any earlier one. @returns the code that the owner types on the consent page */
export function openWindow(path: string, permissions: Pick<ConnectWindow, 'scopes' | 'vaults'>, now = Date.now()): string {
  const code = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const window = {
    id: randomBytes(9).toString('base64url'),
    digest: digestText(code),
    ...permissions,
    until: now + LIFETIME_MS,
    tries: TRIES,
  }
  changeJson(path, () => window)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

export function readWindow(path: string, now: number): ConnectWindow | undefined {
  const window = parse(readJson(path), now)
  return window && { id: window.id, scopes: window.scopes, vaults: window.vaults, until: window.until }
}

/** The result of trying a code. `left` is the number of remaining attempts. */
export type CodeResult =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly left: number }
  | { readonly kind: 'closed' }

/** A correct code closes the window, and so does the last allowed wrong one. */
export function tryCode(path: string, { id, code }: { readonly id: string; readonly code: string }, now: number): CodeResult {
  const normalized = normalize(code)
  let result: CodeResult = { kind: 'closed' }
  changeJson(path, (before) => {
    const window = parse(before, now)
    if (window === undefined || window.id !== id) return before
    if (isSameSecret(digestText(normalized), window.digest)) {
      result = { kind: 'right' }
      return undefined
    }
    // A code of the wrong length counts as a typo, not as an attempt.
    const isGuess = normalized.length === LENGTH
    const triesLeft = isGuess ? window.tries - 1 : window.tries
    result = { kind: 'wrong', left: triesLeft }
    if (!isGuess) return before
    return triesLeft > 0 ? { ...window, tries: triesLeft } : undefined
  })
  return result
}

function parse(stored: unknown, now: number): z.output<typeof STORED> | undefined {
  const window = STORED.safeParse(stored)
  return window.success && window.data.until > now ? window.data : undefined
}

/** Removes spaces and hyphens, and replaces letters that look like digits. */
function normalize(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
}
