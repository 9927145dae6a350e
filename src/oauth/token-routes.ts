import type { ServerResponse } from 'node:http'
import { parseJson } from '../core/quietly.ts'
import { sendJson } from '../http/refusal.ts'
import { defineRoute, type Exchange, type Route } from '../http/routes.ts'
import { register } from './clients.ts'
import { type Connection, LIFETIME, redeem, refresh, revoke } from './connection.ts'
import type { GrantedTokens } from './connections.ts'
import { PATHS, parseParameters, readText, type SignIn } from './sign-in.ts'

type Form = ReadonlyMap<string, string>

export function tokenRoutes(signIn: SignIn): readonly Route[] {
  return [
    posting(PATHS.register, (exchange) => registering(signIn, exchange)),
    posting(PATHS.token, (exchange) => withForm(exchange, (form) => exchangeForPair(signIn, form))),
    posting(PATHS.revoke, (exchange) => withForm(exchange, (form) => revokeToken(signIn, form))),
  ]
}

function posting(path: string, answer: (exchange: Exchange<undefined>) => Promise<void>): Route {
  return defineRoute<undefined>({ path, methods: { POST: answer }, admit: () => ({ sender: undefined }), answersPreflight: true })
}

interface TokenResponse {
  readonly status: number
  readonly body: object
}

/** Returns a response in the error format of RFC 6749. */
function errorResponse(error: string, description: string): TokenResponse {
  return { status: 400, body: { error, error_description: description } }
}

async function withForm(exchange: Exchange<undefined>, answer: (form: Form) => TokenResponse): Promise<void> {
  const text = await readText(exchange, 'application/x-www-form-urlencoded')
  const form = text === undefined ? undefined : parseParameters(text)
  send(
    exchange.response,
    form === undefined ? errorResponse('invalid_request', 'The body must be a form without repeated parameters.') : answer(form),
  )
}

async function registering({ signer, listed, now }: SignIn, exchange: Exchange<undefined>): Promise<void> {
  const { response } = exchange
  const registration = register(parseJson((await readText(exchange, 'application/json')) ?? ''), signer, listed)
  if ('error' in registration) return send(response, errorResponse(registration.error, registration.description))
  const { id, name, addresses } = registration.client
  send(response, {
    status: 201,
    body: {
      client_id: id,
      client_id_issued_at: Math.floor(now() / 1000),
      client_name: name,
      redirect_uris: addresses,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  })
}

function exchangeForPair({ address, connections, signer, now }: SignIn, form: Form): TokenResponse {
  const client = form.get('client_id')
  if (client === undefined) return errorResponse('invalid_request', 'client_id is missing.')
  if ((form.get('resource') ?? address.resource) !== address.resource)
    return errorResponse('invalid_target', `This server only issues tokens for ${address.resource}.`)
  const making = { now: now(), signer }
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const [code, verifier] = [form.get('code'), form.get('code_verifier')]
      if (code === undefined || verifier === undefined)
        return errorResponse('invalid_request', 'code or code_verifier is missing.')
      const proof = { verifier, client, address: form.get('redirect_uri') }
      return answerWith(connections.withCode(code, (connection) => redeem(connection, proof, making)))
    }
    case 'refresh_token': {
      const token = form.get('refresh_token')
      if (token === undefined) return errorResponse('invalid_request', 'refresh_token is missing.')
      return answerWith(connections.withRefresh(token, (connection) => refresh(connection, { token, client }, making)))
    }
    default:
      return errorResponse('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  }
}

function answerWith(granted: GrantedTokens | undefined): TokenResponse {
  if (granted === undefined)
    return errorResponse('invalid_grant', 'The code or refresh token is unknown, expired, used, or belongs to another program.')
  const { pair, scopes } = granted
  return {
    status: 200,
    body: {
      access_token: pair.access,
      token_type: 'Bearer',
      expires_in: LIFETIME.access / 1000,
      refresh_token: pair.refresh,
      scope: scopes.join(' '),
    },
  }
}

/** Revokes a token. Unknown tokens get the same response, as RFC 7009 requires. */
function revokeToken({ connections }: SignIn, form: Form): TokenResponse {
  const [token, client] = [form.get('token'), form.get('client_id')]
  if (token === undefined || client === undefined) return errorResponse('invalid_request', 'token or client_id is missing.')
  const step = (connection: Connection) => ({
    after: connection.client.id === client ? revoke(connection, token) : connection,
  })
  connections.withRefresh(token, step)
  connections.withAccess(token, step)
  return { status: 200, body: {} }
}

function send(response: ServerResponse, { status, body }: TokenResponse): void {
  response.setHeader('Pragma', 'no-cache')
  sendJson(response, status, JSON.stringify(body))
}
