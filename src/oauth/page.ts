import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

const STYLE = `:root{color-scheme:light dark;--ink:#1c1b1a;--dim:#65615c;--paper:#f6f4f1;--card:#fff;--line:#d9d4cc;--mark:#7a4a12;--fault:#a3221a}
@media(prefers-color-scheme:dark){:root{--ink:#eeebe6;--dim:#aaa49b;--paper:#191817;--card:#242220;--line:#45413c;--mark:#e2b06d;--fault:#ff8f85}}
*{box-sizing:border-box}
body{margin:0;padding:max(1rem,env(safe-area-inset-top)) 1rem 2rem;background:var(--paper);color:var(--ink);font:17px/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:0 auto;padding:1.25rem;background:var(--card);border:1px solid var(--line);border-radius:16px;overflow-wrap:anywhere}
h1{margin:0;font-size:1.35rem;line-height:1.3}
p{margin:.25rem 0}
.source,small,#advice{color:var(--dim);font-size:.88rem}
.doubt{color:var(--mark);font-weight:600}
.label,legend{display:block;padding:0 0 .2rem;color:var(--dim);font-size:.88rem}
.label{margin:1.1rem 0 0}
.target{margin:0;font-size:1.5rem;line-height:1.25}
fieldset{margin:1.1rem 0 0;padding:0;border:0;min-width:0}
.box{display:flex;gap:.75rem;align-items:flex-start;padding:.6rem 0;border-top:1px solid var(--line)}
.box input{flex:none;width:1.35rem;height:1.35rem;margin:.1rem 0 0;accent-color:var(--mark)}
small{display:block}
.code{width:100%;padding:.7rem;background:var(--paper);color:inherit;border:1px solid var(--line);border-radius:10px;font:600 1.4rem/1.2 ui-monospace,monospace;letter-spacing:.12em;text-align:center;text-transform:uppercase}
.buttons{display:flex;gap:.75rem;margin-top:1rem}
button,a{flex:1;padding:.8rem;background:none;color:inherit;border:1px solid var(--line);border-radius:10px;font:inherit;font-weight:600;text-align:center;text-decoration:none}
.allow{background:var(--mark);border-color:var(--mark);color:var(--card)}
.fault{margin:1rem 0 0;padding:.6rem .8rem;border-left:4px solid var(--fault);color:var(--fault)}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}`

/** Omits `form-action`, because Chrome and Safari also apply it to the address that a form is redirected to. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Sends a page that has no scripts and that no other page can frame. `body` is HTML. */
export function sendPage(response: ServerResponse, status: number, title: string, body: string): void {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${html(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>
`
  secure(response)
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

/**
 * Adds security headers. Omits `Cross-Origin-Opener-Policy`, because it would cut web clients off from the sign-in window that they
 * opened.
 */
export function secure(response: ServerResponse): void {
  response
    .setHeader('Content-Security-Policy', POLICY)
    .setHeader('X-Frame-Options', 'DENY')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('Cross-Origin-Resource-Policy', 'same-origin')
}

export function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
