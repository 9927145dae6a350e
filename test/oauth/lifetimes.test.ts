import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newConnection, redeem, refresh } from '../../src/oauth/connection.ts'
import { openSigner } from '../../src/oauth/state-files.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { CALLBACK, PublicServer, parametersOf, proof, RESOURCE, type SignedIn } from './support.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const ID = 'https://claude.ai/oauth/client'

const isConnected = (server: PublicServer): boolean =>
  readdirSync(join(server.state, 'connections')).some((name) => name.endsWith('.json'))

/** Refreshes a token and returns the new one, or `undefined` if the server refused. */
async function next(server: PublicServer, signed: SignedIn, token: string): Promise<string | undefined> {
  const { status, json } = await server.refresh(signed, token)
  expect(status === 200 || json.error === 'invalid_grant').toBe(true)
  return json.refresh_token
}

test('a window and its page last ten minutes', async () => {
  const server = await PublicServer.start()
  const code = server.connect()
  const { page } = await server.begin()
  server.ahead += 10 * MINUTE + SECOND
  expect((await server.submit(page, code)).status).toBe(400)
  expect((await server.begin()).page.status).toBe(403)
  const again = server.connect()
  const { page: fresh } = await server.begin()
  server.ahead += 9 * MINUTE
  expect((await server.submit(fresh, again)).status).toBe(303)
})

test('a code lasts a minute', async () => {
  const server = await PublicServer.start()
  const code = server.connect()
  const begun = await server.begin()
  const { code: given = '' } = parametersOf(await server.submit(begun.page, code))
  server.ahead += 61 * SECOND
  expect((await server.redeem(begun, given)).json.error).toBe('invalid_grant')
})

test('an access token lasts an hour, unless it is revoked', async () => {
  const server = await PublicServer.start()
  const signed = await server.signIn()
  server.ahead += 59 * MINUTE
  expect(await server.ping(signed.access)).toBe(200)
  server.ahead += 2 * MINUTE
  expect(await server.ping(signed.access)).toBe(401)
  const { json } = await server.refresh(signed, signed.refresh)
  expect(await server.ping(json.access_token)).toBe(200)
  const giveBack = (token: string, client_id = signed.client) => server.ask('/revoke', { form: { token, client_id } })
  expect((await giveBack(json.access_token, 'someone else')).status).toBe(200)
  expect(await server.ping(json.access_token)).toBe(200)
  expect((await giveBack(json.access_token)).status).toBe(200)
  expect(await server.ping(json.access_token)).toBe(401)
  const { json: last } = await server.refresh(signed, json.refresh_token)
  expect(await server.ping(last.access_token)).toBe(200)
  expect((await giveBack('unknown')).status).toBe(200)
  expect((await giveBack(last.refresh_token)).status).toBe(200)
  expect([await server.ping(last.access_token), isConnected(server)]).toEqual([401, false])
})

test('a refresh token lasts ninety days without use, and a connection a year', async () => {
  const server = await PublicServer.start()
  const signed = await server.signIn()
  server.ahead += 89 * DAY
  let token = (await next(server, signed, signed.refresh)) ?? ''
  server.ahead += 91 * DAY
  expect(await next(server, signed, token)).toBeUndefined()
  expect(isConnected(server)).toBe(false)
  const other = await server.signIn()
  token = other.refresh
  for (let month = 1; month <= 12; month++) {
    server.ahead += 30 * DAY
    token = (await next(server, other, token)) ?? ''
    expect(token).not.toBe('')
  }
  server.ahead += 6 * DAY
  expect(await next(server, other, token)).toBeUndefined()
})

test('no token outlives its connection', async () => {
  const server = await PublicServer.start()
  const signed = await server.signIn()
  let token = signed.refresh
  for (let month = 1; month <= 12; month++) {
    server.ahead += 30 * DAY
    token = (await next(server, signed, token)) ?? ''
  }
  server.ahead += 5 * DAY - MINUTE
  const { json } = await server.refresh(signed, token)
  expect(await server.ping(json.access_token)).toBe(200)
  server.ahead += 2 * MINUTE
  expect(await server.ping(json.access_token)).toBe(401)
})

test('a used refresh token yields ten more pairs within two minutes, and all of them work', async () => {
  const server = await PublicServer.start()
  const signed = await server.signIn()
  const first = (await next(server, signed, signed.refresh)) ?? ''
  server.ahead += 110 * SECOND
  const burst = await Promise.all(Array.from({ length: 12 }, () => next(server, signed, signed.refresh)))
  const given = burst.filter((token) => token !== undefined)
  expect(given).toHaveLength(10)
  expect(new Set([first, ...given])).toHaveProperty('size', 11)
  // The program may have kept any of these tokens.
  const kept = (await next(server, signed, given[4] ?? '')) ?? ''
  expect(await next(server, signed, first)).toBeDefined()
  expect(await next(server, signed, kept)).toBeDefined()
})

test('a program that refreshes endlessly fills its file with at most a few hundred tokens', () => {
  const making = { now: 0, signer: openSigner(join(temporaryFolder(), 'key.json'), RESOURCE) }
  const { verifier, challenge } = proof()
  const client = { id: 'x', name: 'x', returnsTo: 'claude.ai' }
  const grant = { name: 'x', client, resource: RESOURCE, scopes: ['read'], vaults: '*', challenge, address: CALLBACK } as const
  let { after, pair } = redeem(newConnection(grant, 0).connection, { client: 'x', address: CALLBACK, verifier }, making)
  const tokens: string[] = []
  for (let round = 0; round < 300; round++) {
    if (after === undefined || pair === undefined) throw new Error('The connection has ended.')
    tokens.push(pair.refresh)
    // In every other round, the program uses a token that it has already used.
    const token = (round % 2 === 0 ? pair.refresh : tokens.at(-2)) ?? ''
    ;({ after, pair } = refresh(after, { token, client: 'x' }, making))
  }
  for (const kept of [after?.access, after?.refresh, after?.rotated]) expect(kept?.length).toBeLessThanOrEqual(100)
})

test('a refresh token that is used late ends the connection, even after a restart', async () => {
  const server = await PublicServer.start()
  const signed = await server.signIn()
  const { json } = await server.refresh(signed, signed.refresh)
  server.ahead += 121 * SECOND
  await server.restart()
  expect(await server.ping(json.access_token)).toBe(200)
  expect(await next(server, signed, signed.refresh)).toBeUndefined()
  expect([await server.ping(json.access_token), isConnected(server)]).toEqual([401, false])
  expect(await next(server, signed, json.refresh_token)).toBeUndefined()
})

test('several connections of one program get different names', async () => {
  const server = await PublicServer.start()
  const [first, second] = [await server.signIn(), await server.signIn()]
  expect(readdirSync(join(server.state, 'connections')).sort()).toEqual(['claude-2.json', 'claude.json'])
  expect([await server.ping(first.access), await server.ping(second.access)]).toEqual([200, 200])
})

test('the last valid copy of a description is used for a week, even after a restart', async () => {
  let isUp = true
  let fetched = 0
  const server = await PublicServer.start({
    readDocument: async () => {
      fetched++
      if (!isUp) throw new Error('no one answers')
      return JSON.stringify({ client_id: ID, client_name: 'Claude', redirect_uris: [CALLBACK] })
    },
  })
  const status = async (): Promise<number> => {
    server.connect()
    return (await server.begin({ client_id: ID })).page.status
  }
  expect([await status(), await status(), fetched]).toEqual([200, 200, 1])
  isUp = false
  server.ahead += 6 * DAY
  await server.restart()
  expect([await status(), fetched]).toEqual([200, 2])
  server.ahead += 2 * DAY
  expect(await status()).toBe(502)
  isUp = true
  expect(await status()).toBe(200)
})
