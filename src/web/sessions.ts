import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostName } from '../http/host-and-origin.ts'
import { refusal } from '../http/refusal.ts'
import type { Admission } from '../http/routes.ts'
import { bearerOf } from '../http/token-gate.ts'
import { type Access, digestOf, type Principal } from '../http/tokens.ts'

export interface WebSession {
  /** The session's permissions, which never exceed those of the token. */
  readonly access: Access
  readonly key: string
}

/** The lifetime of a code in milliseconds. It is long, because starting a browser takes seconds. */
const CODE_LIFE_MS = 60_000
/** The maximum per token, for sessions and for unused codes. The oldest one ends first. */
const MAX_PER_TOKEN = 32

export type WebSessions = ReturnType<typeof webSessions>

/**
 * Manages sessions, which are kept in memory, and end with the process or their token.
 * @param isCurrent checks whether a token still has its permissions
 * @param now monotonic milliseconds
 */
export function webSessions(isCurrent: (key: string) => boolean, now: () => number = () => performance.now()) {
  const codes = new Map<string, WebSession & { readonly until: number }>()
  const sessions = new Map<string, WebSession>()
  return {
    /** Makes a code, which opens one read-only session within a minute. */
    makeCode({ access, key }: Principal): string {
      for (const [digest, { until }] of codes) if (until < now()) codes.delete(digest)
      const scopes = new Set([...access.scopes].filter((scope) => scope === 'read'))
      return addTo(codes, { access: { ...access, scopes }, key, until: now() + CODE_LIFE_MS })
    },
    isWaiting: (code: string): boolean => (codes.get(keyOf(code))?.until ?? -Infinity) >= now(),
    /** @returns the secret of a new session, or `undefined` if the code is invalid */
    redeem(code: string): string | undefined {
      const digest = keyOf(code)
      const found = codes.get(digest)
      codes.delete(digest)
      if (found === undefined || found.until < now() || !isCurrent(found.key)) return undefined
      return addTo(sessions, { access: found.access, key: found.key })
    },
    /** @returns undefined if there is no session, or its token has lost its permissions */
    find(secret: string): WebSession | undefined {
      const digest = keyOf(secret)
      const session = sessions.get(digest)
      if (session === undefined || isCurrent(session.key)) return session
      sessions.delete(digest)
      return undefined
    },
  }
}

/** @returns a secret of 32 random bytes in base64url */
function addTo<Some extends WebSession>(map: Map<string, Some>, added: Some): string {
  const secret = randomBytes(32).toString('base64url')
  map.set(keyOf(secret), added)
  const own = [...map].filter(([, { key }]) => key === added.key)
  for (const [digest] of own.slice(0, -MAX_PER_TOKEN)) map.delete(digest)
  return secret
}

/** Compare digests, so the timing reveals nothing about a secret. */
function keyOf(secret: string): string {
  return digestOf(secret).toString('base64')
}

// In the functions below, `proxies` are the host names in the setting `http.hosts`.

const FOREIGN = refusal(403, 'Only the page of this server may send this request.', {
  hint: 'Open it with "roux open". Behind a reverse proxy, list its name in http.hosts and let it pass the Host header unchanged.',
})
const NO_SESSION = refusal(401, 'This page has no session, or its session has ended.', {
  hint: 'Run "roux open" again.',
  headers: { 'WWW-Authenticate': 'Bearer realm="roux-web"' },
})

/** Admits requests of the page itself. Other pages cannot forge `Sec-Fetch-Site` or `Origin`. */
export function admitPage({ headers }: IncomingMessage, proxies: readonly string[]): Admission<undefined> {
  const { 'sec-fetch-site': site = 'none' } = headers
  const isOwn = (site === 'none' || site === 'same-origin') && isOwnOrigin(headers, proxies)
  return isOwn ? { sender: undefined } : { refusal: FOREIGN }
}

/** Admits visits, even from other origins, because `roux open` opens a local file. The page shows nothing without a session. */
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

/** Returns true for the page's own origin. Another port is another origin. Only a listed proxy can use TLS. */
function isOwnOrigin({ origin, host = '' }: IncomingMessage['headers'], proxies: readonly string[]): boolean {
  const isProxied = proxies.some((proxy) => proxy.toLowerCase() === hostName(host))
  const own = [`http://${host}`, ...(isProxied ? [`https://${host}`] : [])]
  return origin === undefined || own.some((one) => one.toLowerCase() === origin.toLowerCase())
}
