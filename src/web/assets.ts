import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { mediaTypeOf } from '../core/media-types.ts'
import { type Answer, defineRoute, type Route } from '../http/routes.ts'
import type { PageGate } from './admit.ts'

/**
 * The page may only run its own script and style and connect to its own server. Even if a note's text escaped all other protection,
 * it could not run or send anything.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  // This also applies to workers.
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The policy for starting the Markdown worker. A second policy with that name cannot be created.
  'trusted-types roux',
].join('; ')

/** The routes of the page's own files, which are read from `folder`, the build output, on the first request. */
export function assetRoutes(folder: string, gate: PageGate): readonly Route[] {
  return readdirSync(folder).map((name) => {
    const isPage = name === 'index.html'
    const answer: Answer<undefined> = ({ response }) => send(response, join(folder, name))
    return defineRoute({
      path: isPage ? '/' : `/web/${name}`,
      methods: { GET: answer, HEAD: answer },
      admit: (request) => (isPage ? gate.visit(request) : gate.page(request)),
    })
  })
}

async function send(response: ServerResponse, path: string): Promise<void> {
  const bytes = readFileSync(path)
  secure(response)
  response.writeHead(200, { 'Content-Type': await mediaTypeOf(path), 'Content-Length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

/** Sets headers that restrict what browsers may do with responses of the page's routes. */
export function secure(response: ServerResponse): void {
  response
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
    .setHeader('Referrer-Policy', 'no-referrer')
}
