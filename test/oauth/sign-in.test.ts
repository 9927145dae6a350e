import { expect, test } from 'vitest'
import { CALLBACK, ORIGIN, PublicServer, parametersOf, RESOURCE } from './support.ts'

test('a program gets from the first refusal to a token, which opens the vault', async () => {
  const server = await PublicServer.start()
  const refused = await server.ask('/mcp', { method: 'POST', body: '{}' })
  expect(refused.status).toBe(401)
  expect(refused.headers['www-authenticate']).toBe(
    `Bearer realm="roux", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="read write attach"`,
  )
  const resource = await server.ask('/.well-known/oauth-protected-resource/mcp')
  expect(resource.json).toMatchObject({
    resource: RESOURCE,
    authorization_servers: [ORIGIN],
    scopes_supported: ['read', 'write', 'attach'],
  })
  expect((await server.ask('/.well-known/oauth-protected-resource')).json).toEqual(resource.json)
  const metadata = await server.ask('/.well-known/oauth-authorization-server')
  expect(metadata.json).toMatchObject({
    issuer: ORIGIN,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  const code = server.connect(['read', 'write'])
  const begun = await server.begin({ scope: 'read write attach' })
  expect(begun.page.status).toBe(200)
  const returned = await server.submit(begun.page, code, { scope: 'read' })
  expect([returned.status, String(returned.headers.location).split('?')[0]]).toEqual([303, CALLBACK])
  expect(parametersOf(returned)).toEqual({ code: expect.stringMatching(/^rouxc_/), state: 'the state', iss: ORIGIN })
  const tokens = await server.redeem(begun, parametersOf(returned).code ?? '', { resource: RESOURCE })
  expect([tokens.status, tokens.headers['cache-control']]).toEqual([200, 'no-store'])
  expect(tokens.json).toEqual({
    access_token: expect.stringMatching(/^rouxa_/),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: expect.any(String),
    scope: 'read',
  })
  expect(await server.ping(tokens.json.access_token)).toBe(200)
})
