import type { IncomingMessage } from 'node:http'
import { hostName } from '../http/host-and-origin.ts'
import { refusal } from '../http/refusal.ts'
import type { Admission } from '../http/routes.ts'
import { bearerOf } from '../http/token-gate.ts'
import type { WebSession, WebSessions } from './sessions.ts'

const FOREIGN = refusal(403, 'Only the page of this server may send this request.', {
  hint: 'Open it with "roux open". Behind a reverse proxy, list its name in http.hosts and let it pass the Host header unchanged.',
})
const NO_SESSION = refusal(401, 'This page has no session, or its session has ended.', {
  hint: 'Run "roux open" again.',
  headers: { 'WWW-Authenticate': 'Bearer realm="roux-web"' },
})

/** Decides which requests the page's routes accept. `hosts` is the `http.hosts` setting: the names of reverse proxies. */
export class PageGate {
  readonly #hosts: readonly string[]

  constructor(hosts: readonly string[]) {
    this.#hosts = hosts.map((host) => host.toLowerCase())
  }

  /**
   * Accepts requests made by the page itself. A page cannot forge what its browser sends about the origin of a request. Another local
   * program can, but has no session.
   */
  page({ headers }: IncomingMessage): Admission<undefined> {
    const { 'sec-fetch-site': site = 'none' } = headers
    const isOwn = (site === 'none' || site === 'same-origin') && this.#isOwnOrigin(headers)
    return isOwn ? { sender: undefined } : { refusal: FOREIGN }
  }

  /**
   * Accepts visits, even from a link or file elsewhere, because `roux open` starts the browser with a file. The page shows
   * nothing without a session, and its policy forbids framing.
   */
  visit(request: IncomingMessage): Admission<undefined> {
    const { headers } = request
    const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
    return isVisit && headers.origin === undefined ? { sender: undefined } : this.page(request)
  }

  session(request: IncomingMessage, sessions: WebSessions): Admission<WebSession> {
    const page = this.page(request)
    if ('refusal' in page) return page
    const sender = sessions.find(bearerOf(request.headers.authorization) ?? '')
    return sender === undefined ? { refusal: NO_SESSION } : { sender }
  }

  /**
   * Checks whether the origin is this page's own. Another port of the same host is another page. Only a listed proxy can serve
   * this one over TLS.
   */
  #isOwnOrigin({ origin, host = '' }: IncomingMessage['headers']): boolean {
    if (origin === undefined) return true
    const isProxied = this.#hosts.includes(hostName(host) ?? '')
    return [`http://${host}`, ...(isProxied ? [`https://${host}`] : [])].some((own) => own.toLowerCase() === origin.toLowerCase())
  }
}
