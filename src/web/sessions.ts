import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostName } from '../http/host-and-origin.ts'
import { refusal } from '../http/refusal.ts'
import type { Admission } from '../http/routes.ts'
import { bearerOf } from '../http/token-gate.ts'
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

// Below, `proxies` are the host names of reverse proxies in the setting `http.hosts`.

const FOREIGN = refusal(403, 'Only the page of this server may send this request.', {
  hint: 'Open it with "roux open". Behind a reverse proxy, list its name in http.hosts and let it pass the Host header unchanged.',
})
const NO_SESSION = refusal(401, 'This page has no session, or its session has ended.', {
  hint: 'Run "roux open" again.',
  headers: { 'WWW-Authenticate': 'Bearer realm="roux-web"' },
})

/**
 * Accepts requests made by the page itself. Other pages cannot forge the headers in which the browser reports the origin of a request.
 * Other local programs can, but they have no session.
 */
export function admitPage({ headers }: IncomingMessage, proxies: readonly string[]): Admission<undefined> {
  const { 'sec-fetch-site': site = 'none' } = headers
  const isOwn = (site === 'none' || site === 'same-origin') && isOwnOrigin(headers, proxies)
  return isOwn ? { sender: undefined } : { refusal: FOREIGN }
}

/**
 * Also accepts navigation from anywhere, because `roux open` starts the browser with a file. The page shows nothing without a session,
 * and its policy forbids framing.
 */
export function admitVisit(request: IncomingMessage, proxies: readonly string[]): Admission<undefined> {
  const { headers } = request
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return isVisit && headers.origin === undefined ? { sender: undefined } : admitPage(request, proxies)
}

export function admitSession(request: IncomingMessage, proxies: readonly string[], sessions: WebSessions): Admission<WebSession> {
  const page = admitPage(request, proxies)
  if ('refusal' in page) return page
  const sender = sessions.find(bearerOf(request.headers.authorization) ?? '')
  return sender === undefined ? { refusal: NO_SESSION } : { sender }
}

/** Another port of the same host is another origin. Only a listed proxy can serve the page over TLS. */
function isOwnOrigin({ origin, host = '' }: IncomingMessage['headers'], proxies: readonly string[]): boolean {
  const isProxied = proxies.some((proxy) => proxy.toLowerCase() === hostName(host))
  const own = [`http://${host}`, ...(isProxied ? [`https://${host}`] : [])]
  return origin === undefined || own.some((one) => one.toLowerCase() === origin.toLowerCase())
}
