import { randomBytes } from 'node:crypto'
import { type Access, digestOf, type Principal } from '../http/tokens.ts'

export interface WebSession {
  /** Permissions of the session, which never exceed those of its token. */
  readonly access: Access
  /** Key of the token. */
  readonly key: string
}

/** How long a code is valid, in milliseconds. Starting a browser takes seconds. */
const CODE_LIFE_MS = 60_000
/** Maximum number of sessions, and of unused codes, per token. The oldest one ends when there are more. */
const MAX_PER_TOKEN = 32

export type WebSessions = ReturnType<typeof webSessions>

/**
 * Manages the sessions of the page, which are stored only in memory. They end with the process or with their token. `isCurrent` checks
 * whether a token still has its permissions. `now` returns monotonic milliseconds.
 */
export function webSessions(isCurrent: (key: string) => boolean, now: () => number = () => performance.now()) {
  const codes = new Map<string, WebSession & { readonly until: number }>()
  const sessions = new Map<string, WebSession>()
  return {
    /** Creates a code that opens one session within a minute. The session is read-only, because the page never writes. */
    makeCode({ access, key }: Principal): string {
      for (const [digest, { until }] of codes) if (until < now()) codes.delete(digest)
      const scopes = new Set([...access.scopes].filter((scope) => scope === 'read'))
      return addTo(codes, { access: { ...access, scopes }, key, until: now() + CODE_LIFE_MS })
    },
    /** Checks whether a code can still open a session. */
    isWaiting: (code: string): boolean => (codes.get(keyOf(code))?.until ?? -Infinity) >= now(),
    /** Exchanges a code for the secret of a new session. Returns `undefined` if the code is invalid. */
    redeem(code: string): string | undefined {
      const digest = keyOf(code)
      const found = codes.get(digest)
      codes.delete(digest)
      if (found === undefined || found.until < now() || !isCurrent(found.key)) return undefined
      return addTo(sessions, { access: found.access, key: found.key })
    },
    /** Returns the session of a secret, or `undefined` if there is none or its token has lost its permissions. */
    find(secret: string): WebSession | undefined {
      const digest = keyOf(secret)
      const session = sessions.get(digest)
      if (session === undefined || isCurrent(session.key)) return session
      sessions.delete(digest)
      return undefined
    },
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

/** Digests are compared instead of secrets, so response times reveal nothing about a secret. */
function keyOf(secret: string): string {
  return digestOf(secret).toString('base64')
}
