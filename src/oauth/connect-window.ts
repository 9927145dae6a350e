import { randomBytes } from 'node:crypto'
import * as z from 'zod/v4'
import { isSameSecret, SCOPES, type Scope } from '../http/tokens.ts'
import { digestText } from './secrets.ts'
import { changeJson, readJson } from './state-files.ts'

/** A permission that `roux connect` gives for one sign-in within ten minutes. */
export interface ConnectWindow {
  readonly id: string
  readonly scopes: readonly Scope[]
  readonly vaults: '*' | readonly string[]
  readonly until: number
}

/** The scopes a connection may have. `ai` is not among them, because a model that asks another one would spend its owner's budget. */
export const CONNECTION_SCOPES = ['read', 'write', 'attach'] as const satisfies readonly Scope[]

const LIFE_MS = 10 * 60_000
const TRIES = 10
/** Letters and digits that nobody mistakes for each other. Eight of them are 40 bits. */
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

/** Opens the window, in place of an earlier one. Returns the code that its owner types on the page. */
export function openWindow(path: string, allowed: Pick<ConnectWindow, 'scopes' | 'vaults'>, now = Date.now()): string {
  const code = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const window = {
    id: randomBytes(9).toString('base64url'),
    digest: digestText(code),
    ...allowed,
    until: now + LIFE_MS,
    tries: TRIES,
  }
  changeJson(path, () => window)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** Returns the open window, if there is one. */
export function readWindow(path: string, now: number): ConnectWindow | undefined {
  const window = parse(readJson(path), now)
  return window && { id: window.id, scopes: window.scopes, vaults: window.vaults, until: window.until }
}

/** The window was closed by the right code, the code was wrong, or the window was no longer open. */
export type Tried = { readonly kind: 'right' } | { readonly kind: 'wrong'; readonly left: number } | { readonly kind: 'closed' }

/** Tries a code. The right one closes the window, and so does the last wrong one. */
export function tryCode(path: string, { id, code }: { readonly id: string; readonly code: string }, now: number): Tried {
  const typed = normalize(code)
  let tried: Tried = { kind: 'closed' }
  changeJson(path, (before) => {
    const window = parse(before, now)
    if (window === undefined || window.id !== id) return before
    if (isSameSecret(digestText(typed), window.digest)) {
      tried = { kind: 'right' }
      return undefined
    }
    // A slip of the finger that cannot be a code guesses nothing.
    const isGuess = typed.length === LENGTH
    const left = isGuess ? window.tries - 1 : window.tries
    tried = { kind: 'wrong', left }
    if (!isGuess) return before
    return left > 0 ? { ...window, tries: left } : undefined
  })
  return tried
}

function parse(stored: unknown, now: number): z.output<typeof STORED> | undefined {
  const window = STORED.safeParse(stored)
  return window.success && window.data.until > now ? window.data : undefined
}

/** Removes what people add to a code, and reads letters that look like digits as digits. */
function normalize(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
}
