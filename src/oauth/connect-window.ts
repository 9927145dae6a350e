import { randomBytes } from 'node:crypto'
import * as z from 'zod/v4'
import { isSameSecret, SCOPES, type Scope } from '../http/tokens.ts'
import { changeJson, digestText, readJson } from './state-files.ts'

/** Permission for one sign-in within ten minutes, granted by `roux connect`. */
export interface ConnectWindow {
  readonly id: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
  readonly until: number
}

/**
 * The scopes that a connection may have. `ai` is excluded, because a model that calls another model would spend the owner's budget.
 */
export const CONNECTION_SCOPES = ['read', 'write', 'attach'] as const satisfies readonly Scope[]

const LIFETIME_MS = 10 * 60_000
const TRIES = 10
/** Letters and digits that are not easily confused. Eight of them have 40 bits of entropy. */
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

/** Opens the window, replacing any earlier one. Returns the code that its owner must type on the page. */
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

/** A right code closes the window. `left` is the number of tries that remain after a wrong one. */
export type CodeResult =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly left: number }
  | { readonly kind: 'closed' }

/** Tries a code. The window is closed by the right code, and also by the last wrong code that is allowed. */
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
    // Input of the wrong length is a typing error rather than a guess, so it does not use up a try.
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

/** Removes spaces and hyphens from a typed code, and replaces letters that look like digits. */
function normalize(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
}
