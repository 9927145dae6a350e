import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod/v4'
import { messageOf } from '../core/errors.ts'
import { refusal } from '../http/refusal.ts'
import { type Admission, defineRoute, type Exchange, type Route } from '../http/routes.ts'
import { documentFault } from './client-documents.ts'
import { type Client, connectionName, isListed, isOwn, notListed, readRegistered, readReturnAddress } from './clients.ts'
import { CONNECTION_SCOPES, type ConnectWindow, readWindow, tryCode } from './connect-window.ts'
import { type Consent, sendConsent, sendNotice, sendOn } from './pages.ts'
import { PATHS, parseParameters, queryOf, readText, type SignIn } from './sign-in.ts'

const CLOSED = 'No sign-in is expected right now. Run "roux connect" on the computer with the notes, then reload this page.'
const FOREIGN_ADDRESS = 'The return address does not belong to this program.'
const START_AGAIN = 'This page is no longer valid. Go back to the program and connect again.'

const REQUEST_MS = 10 * 60_000

const MAX_STATE_LENGTH = 2_000

const REQUEST = z.object({
  client: z.string(),
  program: z.string(),
  knownBy: z.string().optional(),
  address: z.string(),
  challenge: z.string(),
  state: z.string().optional(),
  scopes: z.array(z.enum(CONNECTION_SCOPES)),
  window: z.string(),
  time: z.number(),
})

type Request = z.output<typeof REQUEST>

export function authorizeRoute(signIn: SignIn): Route {
  return defineRoute<undefined>({
    path: PATHS.authorize,
    methods: {
      GET: ({ request, response }) => showConsent(signIn, queryOf(request), response),
      POST: (exchange) => decide(signIn, exchange),
    },
    admit: (request) => admit(request, signIn),
  })
}

/** Checks that a form was sent by the consent page. Other pages cannot forge these headers. */
function admit({ method, headers }: IncomingMessage, { address }: SignIn): Admission<undefined> {
  if (method === 'GET') return { sender: undefined }
  const { origin, 'sec-fetch-site': site } = headers
  const isOwnSite = site === undefined || site === 'same-origin'
  const isOwnOrigin = origin === undefined || origin === address.origin || (origin === 'null' && site === 'same-origin')
  if (isOwnSite && isOwnOrigin) return { sender: undefined }
  return {
    refusal: refusal(403, "Only this server's own page may submit this form.", { hint: 'Start again from the assistant.' }),
  }
}

/** Shows the consent page. Errors are reported to the program only after its return address has been checked. */
async function showConsent(signIn: SignIn, query: string, response: ServerResponse): Promise<void> {
  const parameters = parseParameters(query)
  if (parameters === undefined) return sendNotice(response, 400, 'The program sent a parameter twice.')
  // Nothing is fetched or shown unless `roux connect` has allowed a sign-in.
  const window = readWindow(signIn.window, signIn.now())
  if (window === undefined) return sendNotice(response, 403, CLOSED)
  const lookup = await findClient(signIn, parameters.get('client_id') ?? '')
  if ('fault' in lookup) return sendNotice(response, lookup.status, lookup.fault)
  const { client } = lookup
  const text = parameters.get('redirect_uri') ?? ''
  const address = readReturnAddress(text)
  if (address === undefined) return sendNotice(response, 400, FOREIGN_ADDRESS)
  if (!isListed(address, signIn.listed)) return sendNotice(response, 400, notListed(text))
  if (!isOwn(address, client.addresses)) return sendNotice(response, 400, FOREIGN_ADDRESS)
  const state = parameters.get('state')
  const scopes = scopesOf(parameters.get('scope'), signIn)
  const error = faultIn(parameters, signIn) ?? (scopes.length === 0 ? 'invalid_scope' : undefined)
  if (error !== undefined) return sendBack(response, { address: text, state }, { error, iss: signIn.address.origin })
  const request: Request = {
    client: client.id,
    program: client.name,
    ...(client.knownBy === undefined ? {} : { knownBy: client.knownBy }),
    address: text,
    challenge: parameters.get('code_challenge') ?? '',
    ...(state === undefined ? {} : { state }),
    scopes,
    window: window.id,
    time: signIn.now(),
  }
  const offer = offeredIn(window, request, signIn)
  if (offer.scopes.length === 0)
    return sendBack(response, request, {
      error: 'invalid_scope',
      error_description: `"roux connect" allows only: ${window.scopes.join(' ')}`,
      iss: signIn.address.origin,
    })
  sendConsent(response, consentFor(request, { ...offer, chosen: offer, request: signIn.signer.sign('request', request) }))
}

type ClientOrProblem = { readonly client: Client } | { readonly status: number; readonly fault: string }

async function findClient({ listed, signer, documents }: SignIn, id: string): Promise<ClientOrProblem> {
  if (!id.includes('://')) {
    const client = readRegistered(id, signer, listed)
    return client === undefined ? { status: 400, fault: 'This program is not registered here. Connect again.' } : { client }
  }
  const problem = documentFault(id, listed)
  if (problem !== undefined) return { status: 400, fault: problem }
  try {
    return { client: await documents.find(id) }
  } catch (error) {
    const reason = messageOf(error)
    return { status: 502, fault: `The client's description at ${new URL(id).hostname} could not be fetched: ${reason}.` }
  }
}

/** @returns the OAuth error code, or `undefined` if the request is valid */
function faultIn(params: ReadonlyMap<string, string>, { address }: SignIn): string | undefined {
  if (params.get('response_type') !== 'code') return 'unsupported_response_type'
  const isProven = params.get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(params.get('code_challenge') ?? '')
  if (!isProven || (params.get('state')?.length ?? 0) > MAX_STATE_LENGTH) return 'invalid_request'
  return (params.get('resource') ?? address.resource) === address.resource ? undefined : 'invalid_target'
}

/** Parses scopes. A program that requests none gets all allowed ones. */
function scopesOf(text: string | undefined, { allowedScopes }: SignIn): Request['scopes'] {
  const requested = text?.split(' ').filter((scope) => scope !== '') ?? []
  const wantedScopes: readonly string[] = requested.length === 0 ? allowedScopes() : requested
  return CONNECTION_SCOPES.filter((scope) => wantedScopes.includes(scope))
}

type ConsentOffer = Pick<Consent, 'scopes' | 'vaults'>

/** Returns an offer with the scopes that the program requests and both the settings and `roux connect` allow. */
function offeredIn(window: ConnectWindow, { scopes }: Request, signIn: SignIn): ConsentOffer {
  const permitted = signIn.allowedScopes()
  const { vaults } = window
  return {
    scopes: scopes.filter((scope) => permitted.includes(scope) && window.scopes.includes(scope)),
    vaults: signIn.vaults().filter((vault) => vaults === '*' || vaults.includes(vault)),
  }
}

function consentFor(
  { program, knownBy, address }: Request,
  content: Pick<Consent, 'scopes' | 'vaults' | 'chosen' | 'request' | 'fault'>,
): Consent {
  const target = readReturnAddress(address)
  return { ...content, program, knownBy, returnsTo: target?.isLoopback === false ? target.host : undefined }
}

/** Checks the request again, because the settings may have changed. */
async function decide(signIn: SignIn, exchange: Exchange<undefined>): Promise<void> {
  const { response } = exchange
  const form = parseParameters((await readText(exchange, 'application/x-www-form-urlencoded')) ?? '', ['scope', 'vault'])
  const signedRequest = form?.get('request') ?? ''
  const read = REQUEST.safeParse(signIn.signer.read('request', signedRequest))
  const now = signIn.now()
  if (form === undefined || !read.success || read.data.time + REQUEST_MS <= now) return sendNotice(response, 400, START_AGAIN)
  const request = read.data
  const iss = signIn.address.origin
  if (form.get('decision') === 'refuse') return sendBack(response, request, { error: 'access_denied', iss })
  const window = readWindow(signIn.window, now)
  // Each run of `roux connect` allows one sign-in, even if several pages are open.
  if (window === undefined || window.id !== request.window) return sendNotice(response, 403, CLOSED)
  const offer = offeredIn(window, request, signIn)
  const selected = <T extends string>(all: readonly T[], name: string): readonly T[] => {
    const values = (form.get(name) ?? '').split('\n')
    return all.filter((item) => values.includes(item))
  }
  const selection = { scopes: selected(offer.scopes, 'scope'), vaults: selected(offer.vaults, 'vault') }
  const showAgain = (problem: string): void =>
    sendConsent(response, consentFor(request, { ...offer, chosen: selection, request: signedRequest, fault: problem }), 403)
  if (selection.scopes.length === 0) return showAgain('Select at least one permission.')
  if (selection.vaults.length === 0) return showAgain('Select at least one vault.')
  const attempt = tryCode(signIn.window, { id: window.id, code: form.get('code') ?? '' }, now)
  if (attempt.kind === 'closed') return sendNotice(response, 403, CLOSED)
  if (attempt.kind === 'wrong' && attempt.left > 0)
    return showAgain(`That code is wrong. ${attempt.left} ${attempt.left === 1 ? 'try' : 'tries'} left.`)
  if (attempt.kind === 'wrong')
    return sendNotice(response, 403, 'That code is wrong. 0 tries left. Run "roux connect" again for a new code.')
  const code = connect(signIn, request, selection)
  if (code === undefined)
    return sendNotice(
      response,
      403,
      'There are too many connections. Remove one with "roux token remove <name>", then connect again.',
    )
  sendBack(response, request, { code, iss })
}

function connect(signIn: SignIn, request: Request, { scopes, vaults }: ConsentOffer): string | undefined {
  const { client: id, program: name, knownBy, address, challenge } = request
  const returnsTo = new URL(address).hostname
  return signIn.connections.add(
    {
      name: connectionName(name),
      client: { id, name, returnsTo, ...(knownBy === undefined ? {} : { knownBy }) },
      resource: signIn.address.resource,
      scopes,
      vaults,
      challenge,
      address,
    },
    signIn.isToken,
  )
}

/**
 * Redirects to the program. The parameters include the issuer, so the program cannot be confused by another server (RFC 9207).
 */
function sendBack(
  response: ServerResponse,
  { address, state }: { readonly address: string; readonly state?: string | undefined },
  parameters: Readonly<Record<string, string>>,
): void {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  if (state !== undefined) url.searchParams.set('state', state)
  sendOn(response, url.href)
}
