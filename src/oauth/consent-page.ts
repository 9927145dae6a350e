import type { ServerResponse } from 'node:http'
import type { Scope } from '../http/tokens.ts'
import { html, secure, sendPage } from './page.ts'

export interface Consent {
  readonly program: string
  readonly knownBy: string | undefined
  /** Host that receives the sign-in; `undefined` for a program on the browser's computer. */
  readonly returnsTo: string | undefined
  /** The choices to offer. */
  readonly scopes: readonly Scope[]
  readonly vaults: readonly string[]
  /** The choices that are preselected. */
  readonly chosen: { readonly scopes: readonly string[]; readonly vaults: readonly string[] }
  /** The signed request that the form submits again. */
  readonly request: string
  /** Error from the last attempt. */
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

/** Redirects a browser to an address that has been checked. */
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
