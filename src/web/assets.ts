import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { defineRoute, type Route } from '../http/routes.ts'
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
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The policy for starting the Markdown worker. A second policy with that name cannot be created.
  'trusted-types roux',
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** The routes of the page's own files, which are read from `folder`, the build output, on the first request. */
export function assetRoutes(folder: string, gate: PageGate): readonly Route[] {
  return readdirSync(folder)
    .filter((name) => typeOf(name) !== undefined)
    .map((name) => {
      const answer = ({ response }: { readonly response: ServerResponse }): void => send(response, join(folder, name))
      return defineRoute({
        path: name === 'index.html' ? '/' : `/web/${name}`,
        methods: { GET: answer, HEAD: answer },
        admit: (request) => (name === 'index.html' ? gate.visit(request) : gate.page(request)),
      })
    })
}

function send(response: ServerResponse, path: string): void {
  const bytes = readFileSync(path)
  secure(response)
  response.writeHead(200, { 'Content-Type': typeOf(path) ?? '', 'Content-Length': bytes.length })
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

function typeOf(name: string): string | undefined {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)]
}
