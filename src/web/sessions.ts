import { randomBytes } from 'node:crypto'
import { type Access, digestOf, type Principal } from '../http/tokens.ts'

export interface WebSession {
  /** Its permissions, which never exceed its token's. */
  readonly access: Access
  readonly key: string
}

/** How long a code is valid, in milliseconds. Starting a browser takes seconds. */
const CODE_LIFE_MS = 60_000
/** Maximum number of sessions, and of unused codes, per token. Beyond that, the oldest one ends. */
const MAX_PER_TOKEN = 32

interface Code extends WebSession {
  readonly until: number
}

/** Sessions of the page, stored only in memory. They end with the process or with their token. */
export class WebSessions {
  readonly #isCurrent: (key: string) => boolean
  readonly #now: () => number
  readonly #codes = new Map<string, Code>()
  readonly #sessions = new Map<string, WebSession>()

  /** `isCurrent` checks whether a token still has its permissions. `now` returns monotonic milliseconds. */
  constructor(isCurrent: (key: string) => boolean, now: () => number = () => performance.now()) {
    this.#isCurrent = isCurrent
    this.#now = now
  }

  /** Creates a code that opens one session within a minute. The session is read-only, because the page never writes. */
  makeCode({ access, key }: Principal): string {
    for (const [digest, code] of this.#codes) if (code.until < this.#now()) this.#codes.delete(digest)
    const scopes = new Set([...access.scopes].filter((scope) => scope === 'read'))
    return addTo(this.#codes, { access: { ...access, scopes }, key, until: this.#now() + CODE_LIFE_MS })
  }

  /** Checks whether a code can still open a session. */
  isWaiting(code: string): boolean {
    const found = this.#codes.get(keyOf(code))
    return found !== undefined && found.until >= this.#now()
  }

  /** Exchanges a code for the secret of a new session. Returns `undefined` if the code is invalid. */
  redeem(code: string): string | undefined {
    const digest = keyOf(code)
    const found = this.#codes.get(digest)
    this.#codes.delete(digest)
    if (found === undefined || found.until < this.#now() || !this.#isCurrent(found.key)) return undefined
    return addTo(this.#sessions, { access: found.access, key: found.key })
  }

  /** Returns the session of a secret, or `undefined` if there is none or its token has lost its permissions. */
  find(secret: string): WebSession | undefined {
    const digest = keyOf(secret)
    const session = this.#sessions.get(digest)
    if (session === undefined || this.#isCurrent(session.key)) return session
    this.#sessions.delete(digest)
    return undefined
  }
}

/** Adds a session or code under a new secret, and returns the secret: 32 random bytes as base64url. */
function addTo<Some extends WebSession>(map: Map<string, Some>, added: Some): string {
  const secret = randomBytes(32).toString('base64url')
  map.set(keyOf(secret), added)
  const own = [...map].filter(([, { key }]) => key === added.key)
  for (const [digest] of own.slice(0, -MAX_PER_TOKEN)) map.delete(digest)
  return secret
}

/** A digest is looked up instead of the secret, so timing reveals nothing. */
function keyOf(secret: string): string {
  return digestOf(secret).toString('base64')
}
