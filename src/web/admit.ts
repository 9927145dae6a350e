import type { IncomingMessage } from 'node:http'
import { refusal } from '../http/refusal.ts'
import type { Admission } from '../http/routes.ts'
import type { WebSession, WebSessions } from './sessions.ts'

/** What is longer holds no secret of ours. */
const LONGEST_HEADER = 200

/**
 * Lets in what the page itself sends, from any program. Browsers say where a request comes from, and pages cannot say otherwise; another program on this
 * computer may say nothing, and has no session then.
 */
export function admitPage({ headers }: IncomingMessage): Admission<undefined> {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return { refusal: foreign() }
  // A page at another port of this computer is another page.
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host ?? ''}`.toLowerCase())
    return { refusal: foreign() }
  return { sender: undefined }
}

/** Lets in what the page sends within a session. */
export function admitSession(request: IncomingMessage, sessions: WebSessions): Admission<WebSession> {
  const page = admitPage(request)
  if ('refusal' in page) return page
  const secret = secretOf(request)
  const session = secret === undefined ? undefined : sessions.find(secret)
  if (session !== undefined) return { sender: session }
  return {
    refusal: refusal(401, 'This page has no session (any more).', {
      hint: 'Run "roux open" again.',
      headers: { 'WWW-Authenticate': 'Bearer realm="roux-web"' },
    }),
  }
}

function secretOf({ headers }: IncomingMessage): string | undefined {
  const { authorization = '' } = headers
  return authorization.length > LONGEST_HEADER ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
}

function foreign() {
  return refusal(403, 'Only the page of this server itself may ask this.', { hint: 'Open it with "roux open".' })
}
