import type { IncomingMessage } from 'node:http'
import { hostName } from '../http/host-and-origin.ts'
import { refusal } from '../http/refusal.ts'
import type { Admission } from '../http/routes.ts'
import { bearerOf } from '../http/token-gate.ts'
import type { WebSession, WebSessions } from './sessions.ts'

// In this file, `proxies` are the host names of reverse proxies in the setting `http.hosts`.

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
