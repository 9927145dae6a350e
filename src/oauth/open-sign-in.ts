import type { IncomingMessage } from 'node:http'
import { RouxError } from '../core/errors.ts'
import { hostName, MCP_PATH, type PublicAddress } from '../http/host-and-origin.ts'
import { sendJson } from '../http/refusal.ts'
import { defineRoute, type PublicSide, type Route } from '../http/routes.ts'
import type { Scope } from '../http/tokens.ts'
import { authorizeRoute } from './authorize.ts'
import { ClientDocuments, type ReadDocument } from './client-documents.ts'
import { CONNECTION_SCOPES } from './connect-window.ts'
import { Connections } from './connections.ts'
import { fetchDocument } from './fetch-document.ts'
import { addressOf, openRoute } from './pages.ts'
import { PATHS, type SignIn } from './sign-in.ts'
import { openSigner, signInFiles } from './state-files.ts'
import { tokenRoutes } from './token-routes.ts'

export interface SignInOptions extends Pick<SignIn, 'vaults' | 'isToken'> {
  readonly address: PublicAddress
  readonly clients: readonly string[]
  readonly stateFolder: string
  /** Returns the scopes that the settings currently allow. */
  allowedScopes(): readonly Scope[]
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number
  readonly readDocument?: ReadDocument
}

/** @throws RouxError `INVALID_SETTINGS` if `http.clients` contains anything other than host names */
export function openSignIn(options: SignInOptions): PublicSide {
  const { address, clients, stateFolder, now = Date.now, readDocument = (url) => fetchDocument(url) } = options
  const files = signInFiles(stateFolder)
  const signer = openSigner(files.key, address.resource)
  const listedHosts = clients.map(requireHost)
  const signIn: SignIn = {
    ...options,
    listed: listedHosts,
    signer,
    window: files.window,
    connections: new Connections({ folder: files.connections, signer, now }),
    documents: new ClientDocuments({ file: files.documents, read: readDocument, listed: listedHosts, now }),
    // The list is filtered, because the settings may allow scopes that a connection cannot have.
    allowedScopes: () => CONNECTION_SCOPES.filter((scope) => options.allowedScopes().includes(scope)),
    now,
  }
  return {
    routes: [...metadataRoutes(signIn), authorizeRoute(signIn), ...tokenRoutes(signIn), openRoute(signIn)],
    isPublic: ({ headers }: IncomingMessage) => hostName(headers.host ?? '') === address.host,
    find: (secret) => signIn.connections.find(secret, address.resource),
    isCurrent: (key) => signIn.connections.isCurrent(key),
    addressOf: (note) => addressOf(note, signIn),
    challenge: () =>
      `resource_metadata="${address.origin}${PATHS.resource}${MCP_PATH}", scope="${signIn.allowedScopes().join(' ')}"`,
  }
}

/** Returns the routes for metadata, as defined by RFC 9728 and RFC 8414. */
function metadataRoutes({ address, allowedScopes }: SignIn): readonly Route[] {
  const { origin, resource } = address
  const describing = (path: string, describe: () => object): Route =>
    defineRoute<undefined>({
      path,
      methods: { GET: ({ response }) => sendJson(response, 200, JSON.stringify(describe())) },
      admit: () => ({ sender: undefined }),
      answersPreflight: true,
    })
  const ofResource = (): object => ({
    resource,
    resource_name: 'Roux',
    authorization_servers: [origin],
    scopes_supported: allowedScopes(),
    bearer_methods_supported: ['header'],
  })
  const ofServer = (): object => ({
    issuer: origin,
    authorization_endpoint: `${origin}${PATHS.authorize}`,
    token_endpoint: `${origin}${PATHS.token}`,
    registration_endpoint: `${origin}${PATHS.register}`,
    revocation_endpoint: `${origin}${PATHS.revoke}`,
    scopes_supported: allowedScopes(),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  return [
    describing(`${PATHS.resource}${MCP_PATH}`, ofResource),
    describing(PATHS.resource, ofResource),
    describing(PATHS.server, ofServer),
  ]
}

function requireHost(text: string): string {
  const name = text.toLowerCase()
  if (hostName(name) === name) return name
  throw new RouxError('INVALID_SETTINGS', `http.clients: "${text}" is not a host name.`, {
    hint: "Use only the name, without https:// or a port, e.g. claude.ai, or loopback for programs on the browser's computer.",
  })
}
