import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { mediaTypeOf } from '../core/media-types.ts'
import { type Answer, defineRoute, type Route } from '../http/routes.ts'
import { admitPage, admitVisit } from './sessions.ts'

/**
 * This policy limits the page to its own scripts, styles, fonts and server, in case a note's text becomes part of the page as
 * HTML.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The Trusted Types policy for starting the Markdown worker. A second policy with this name cannot be created.
  'trusted-types roux',
].join('; ')

export function assetRoutes(folder: string, proxies: readonly string[]): readonly Route[] {
  return readdirSync(folder).map((name) => {
    const isPage = name === 'index.html'
    const answer: Answer<undefined> = ({ response }) => send(response, join(folder, name))
    return defineRoute({
      path: isPage ? '/' : `/web/${name}`,
      methods: { GET: answer, HEAD: answer },
      admit: (request) => (isPage ? admitVisit : admitPage)(request, proxies),
    })
  })
}

async function send(response: ServerResponse, path: string): Promise<void> {
  const bytes = readFileSync(path)
  secure(response)
  response.writeHead(200, { 'Content-Type': await mediaTypeOf(path), 'Content-Length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

export function secure(response: ServerResponse): void {
  response
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    .setHeader('Referrer-Policy', 'no-referrer')
}
