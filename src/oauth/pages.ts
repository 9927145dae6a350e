import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import * as z from 'zod/v4'
import { defineRoute, type Route } from '../http/routes.ts'
import type { Scope } from '../http/tokens.ts'
import { PATHS, parseParameters, queryOf, type SignIn } from './sign-in.ts'

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

/** The policy lacks `form-action`, because Chrome and Safari also apply it to redirects of a form. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Sends a page that has no scripts, and that no other page can frame. @param body HTML */
function sendPage(response: ServerResponse, status: number, title: string, body: string): void {
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${html(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>
`
  secure(response)
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

/** Sets security headers, but not `Cross-Origin-Opener-Policy`, which would disconnect web clients from their sign-in window. */
function secure(response: ServerResponse): void {
  response
    .setHeader('Content-Security-Policy', POLICY)
    .setHeader('X-Frame-Options', 'DENY')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('Cross-Origin-Resource-Policy', 'same-origin')
}

function html(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export interface Consent {
  readonly program: string
  readonly knownBy: string | undefined
  /** The host to which the browser returns, or `undefined` for a program on the browser's computer. */
  readonly returnsTo: string | undefined
  readonly scopes: readonly Scope[]
  readonly vaults: readonly string[]
  readonly chosen: { readonly scopes: readonly string[]; readonly vaults: readonly string[] }
  /** The signed request, which the form submits again. */
  readonly request: string
  readonly fault?: string | undefined
}

const PERMISSIONS: Readonly<Record<Scope, readonly [title: string, explanation: string]>> = {
  read: ['Read', 'Search and read notes, links and tags.'],
  write: ['Change', 'Write, move and delete notes. Every change can be undone.'],
  attach: ['Attach', 'Add and replace attachments.'],
  ai: ['Ask', 'Use the chat model from your settings.'],
}

export function sendConsent(response: ServerResponse, consent: Consent, status = 200): void {
  const { program, knownBy, returnsTo, scopes, vaults, chosen, request, fault } = consent
  const source =
    knownBy === undefined
      ? '<span class="doubt">self-reported</span>: the program chose this name'
      : `known by <b>${html(knownBy)}</b>`
  const target = returnsTo === undefined ? 'a program on the computer that runs this browser' : html(returnsTo)
  const scopeBoxes = scopes.map((scope) => {
    const [title, explanation] = PERMISSIONS[scope]
    return box('scope', scope, { title, explanation, checked: chosen.scopes.includes(scope) })
  })
  const vaultBoxes = vaults.map((vault) => box('vault', vault, { title: vault, checked: chosen.vaults.includes(vault) }))
  const body = `<h1><bdi>${html(program)}</bdi> asks to use your notes</h1>
<p class="source">${source}</p>
<p class="label">Returns to</p>
<p class="target"><strong>${target}</strong></p>
${fault === undefined ? '' : `<p class="fault" role="alert">${html(fault)}</p>`}
<form method="post" action="/authorize">
<input type="hidden" name="request" value="${html(request)}">
<fieldset><legend>It may</legend>${scopeBoxes.join('')}</fieldset>
<fieldset${vaults.length < 2 ? ' hidden' : ''}><legend>Vaults</legend>${vaultBoxes.join('')}</fieldset>
<label class="label" for="code">Code that “roux connect” printed</label>
<input id="code" name="code" class="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" placeholder="XXXX-XXXX" aria-describedby="advice">
<p id="advice">Type it only if you have just started this sign-in yourself, and the name above is the one you expect.</p>
<div class="buttons"><button name="decision" value="allow" class="allow">Allow</button><button name="decision" value="refuse">Refuse</button></div>
</form>`
  sendPage(response, status, `Connect ${program}`, body)
}

export function sendNotice(response: ServerResponse, status: number, message: string): void {
  sendPage(response, status, 'Roux', `<h1>Not connected</h1><p class="fault" role="alert">${html(message)}</p>`)
}

/** Redirects to an address, which the caller must have checked. */
export function sendOn(response: ServerResponse, address: string): void {
  secure(response)
  response.writeHead(303, { Location: address, 'Content-Length': 0 }).end()
}

interface Box {
  readonly title: string
  readonly explanation?: string
  readonly checked: boolean
}

function box(name: string, value: string, { title, explanation, checked }: Box): string {
  const more = explanation === undefined ? '' : `<small>${html(explanation)}</small>`
  return `<label class="box"><input type="checkbox" name="${name}" value="${html(value)}"${checked ? ' checked' : ''}><span><bdi>${html(title)}</bdi>${more}</span></label>`
}

/** The folder name of the vault, the path in the vault, and the title. */
const NOTE = z.tuple([z.string(), z.string(), z.string()])

const MAX_TITLE_LENGTH = 200

/**
 * Returns the URL of a note, which contains the note's names and a signature. The page needs no access to the vault, and shows
 * only what this server has signed.
 */
export function addressOf(
  { folder, path, title }: { readonly folder: string; readonly path: string; readonly title: string },
  { address, signer }: Pick<SignIn, 'address' | 'signer'>,
): string {
  return `${address.origin}${PATHS.open}?note=${signer.sign('note', [folder, path, [...title].slice(0, MAX_TITLE_LENGTH).join('')])}`
}

/** Opens a source link. The route is public, because a browser that follows such a link has no token. */
export function openRoute({ signer }: Pick<SignIn, 'signer'>): Route {
  return defineRoute<undefined>({
    path: PATHS.open,
    methods: {
      GET({ request, response }) {
        const note = NOTE.safeParse(signer.read('note', parseParameters(queryOf(request))?.get('note') ?? ''))
        if (!note.success) return sendPage(response, 404, 'Roux', '<h1>This link was not made by this server</h1>')
        const [folder, path, title] = note.data
        const link = `obsidian://open?vault=${encodeURIComponent(folder.toWellFormed())}&file=${encodeURIComponent(path.toWellFormed())}`
        return sendPage(
          response,
          200,
          title,
          `<h1><bdi>${html(title)}</bdi></h1>
<p class="source"><bdi>${html(`${folder}/${path}`)}</bdi></p>
<p class="buttons"><a class="allow" href="${html(link)}">Open in Obsidian</a></p>`,
        )
      },
    },
    admit: () => ({ sender: undefined }),
  })
}
