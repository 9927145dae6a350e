import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { removeConnection } from '../../src/oauth/connections.ts'
import { signInFiles } from '../../src/oauth/state-files.ts'
import { LONG } from '../support/long.ts'
import { type Answer, CALLBACK, filledIn, ORIGIN, PublicServer, parametersOf, RESOURCE } from './support.ts'

const CLOSED =
  'No sign-in is expected right now. Run &#34;roux connect&#34; on the computer with the notes, then reload this page.'

/** Checks that the answer is a notice, which is a page that does not redirect the browser. */
function expectNotice({ status, headers, text }: Answer, expected: number, message: string): void {
  expect([status, headers.location, text.includes(message) ? message : text]).toEqual([expected, undefined, message])
}

describe('open redirects', () => {
  test.each([
    ['with a user', 'https://claude.ai@evil.example/callback'],
    ['with a user and a password', 'https://claude.ai:443@evil.example/callback'],
    ['to a listed host with a user', 'https://me@claude.ai/api/mcp/auth_callback'],
    ['to a host that begins like a listed one', 'https://claude.ai.evil.example/api/mcp/auth_callback'],
    ['to a host that begins like this computer', 'http://localhost.evil.example/callback'],
    ['to a host that ends like a listed one', 'https://evilclaude.ai/api/mcp/auth_callback'],
    ['with %2f in the host', 'https://claude.ai%2f.evil.example/callback'],
    ['with a backslash', 'https://evil.example\\@claude.ai/callback'],
    ['with a fragment', `${CALLBACK}#x`],
    ['with another path', 'https://claude.ai/other'],
    ['with %2f in the path', 'https://claude.ai/api%2fmcp/auth_callback'],
    ['with dots in the path', 'https://claude.ai/api/mcp/../mcp/auth_callback'],
    ['with a query', `${CALLBACK}?next=https://evil.example`],
    ['with a port', 'https://claude.ai:8443/api/mcp/auth_callback'],
    ['without TLS', 'http://claude.ai/api/mcp/auth_callback'],
    ['with capitals in the host', 'https://CLAUDE.ai/api/mcp/auth_callback'],
    ['with a script', 'javascript:alert(1)'],
    ['with data', 'data:text/html,<script>alert(1)</script>'],
    ['with a scheme of its own', 'evil://claude.ai/callback'],
    ['without a scheme', '//evil.example/callback'],
    ['with a line feed', 'https://claude.ai/api/mcp/auth_callback\n'],
    ['with a number for this computer', 'http://2130706433/callback'],
    ['to a host that is not listed', 'https://evil.example/callback'],
    ['nowhere', ''],
  ])('an address %s receives nothing, not even an error', async (_, address) => {
    const server = await PublicServer.start()
    server.connect()
    for (const changes of [{}, { response_type: 'token' }, { code_challenge: undefined }]) {
      const { page } = await server.begin({ redirect_uri: address, ...changes })
      expect([page.status, page.headers.location]).toEqual([400, undefined])
      expect(page.text).toMatch(/is not listed in http\.clients\.|does not belong to this program\./)
    }
    const { status, json } = await server.register([address])
    // A single address must be refused, unless it is just another address of a listed host.
    if (status === 201) expect(json.redirect_uris.every((one: string) => new URL(one).origin === 'https://claude.ai')).toBe(true)
    else expect(json.error).toBe('invalid_redirect_uri')
  })

  test('the page shows the reason', async () => {
    const server = await PublicServer.start()
    server.connect()
    const other = await server.begin({ redirect_uri: 'https://evil.example/x' })
    expectNotice(other.page, 400, 'evil.example is not listed in http.clients.')
    const wrong = await server.begin({ redirect_uri: 'https://claude.ai/other' })
    expectNotice(wrong.page, 400, 'The return address does not belong to this program.')
  })

  test('localhost and 127.0.0.1 are different hosts, but the port does not matter', async () => {
    const server = await PublicServer.start()
    server.connect()
    const { json } = await server.register(['http://localhost:1234/callback'])
    const at = async (address: string) => (await server.begin({ client_id: json.client_id, redirect_uri: address })).page.status
    expect(await at('http://localhost:4321/callback')).toBe(200)
    expect(await at('http://localhost/callback')).toBe(200)
    expect(await at('http://127.0.0.1:1234/callback')).toBe(400)
    expect(await at('http://[::1]:1234/callback')).toBe(400)
    expect(await at('https://localhost:1234/callback')).toBe(400)
    expect(await at('http://localhost:1234/other')).toBe(400)
  })

  test('addresses that are not listed are left out of a registration', async () => {
    const server = await PublicServer.start()
    const given = [
      'cursor://anysphere.cursor-mcp/oauth',
      'https://www.cursor.com/agents/callback',
      'http://localhost:8787/callback',
    ]
    const { status, json } = await server.register([...given, 'https://evil.example/x'], 'Cursor')
    expect([status, json.redirect_uris]).toEqual([201, given.slice(1)])
    const { json: refused } = await server.register(['https://evil.example/x'])
    expect(refused).toEqual({ error: 'invalid_redirect_uri', error_description: 'evil.example is not listed in http.clients.' })
  })

  test("without loopback in the setting, programs on the browser's computer are refused", async () => {
    const server = await PublicServer.start({ clients: ['claude.ai'] })
    expect((await server.register(['http://localhost:1/callback'])).status).toBe(400)
    expect((await server.register(['https://chatgpt.com/callback'])).status).toBe(400)
    expect((await server.register()).status).toBe(201)
  })
})

describe('impersonation', () => {
  test('a program that calls itself Claude is shown as self-reported, with the address it returns to', async () => {
    const server = await PublicServer.start()
    server.connect()
    const { json } = await server.register(['http://127.0.0.1:9/callback'], 'Claude')
    const { page } = await server.begin({ client_id: json.client_id, redirect_uri: 'http://127.0.0.1:9/callback' })
    expect(page.text).toContain('self-reported')
    expect(page.text).toContain('<strong>a program on the computer that runs this browser</strong>')
    expect(page.text).not.toContain('known by')
    const { json: web } = await server.register(['https://vscode.dev/redirect'], 'Claude')
    const other = await server.begin({ client_id: web.client_id, redirect_uri: 'https://vscode.dev/redirect' })
    expect(other.page.text).toContain('<strong>vscode.dev</strong>')
  })

  test('only a document at a listed host identifies a program', async () => {
    const id = 'https://claude.ai/oauth/client'
    const documents = { [id]: { client_id: id, client_name: 'Claude', redirect_uris: [CALLBACK, 'https://evil.example/x'] } }
    const server = await PublicServer.start({ documents })
    server.connect()
    const { page } = await server.begin({ client_id: id })
    expect(page.text).toMatch(/known by <b>claude\.ai<\/b>[\s\S]*<strong>claude\.ai<\/strong>/)
    expectNotice((await server.begin({ client_id: id, redirect_uri: 'https://evil.example/x' })).page, 400, 'is not listed')
    expectNotice((await server.begin({ client_id: 'https://evil.example/client' })).page, 400, 'evil.example is not listed')
    expectNotice((await server.begin({ client_id: 'http://claude.ai/oauth/client' })).page, 400, 'is not valid')
    expectNotice((await server.begin({ client_id: 'https://claude.ai/' })).page, 400, 'is not valid')
    expectNotice(
      (await server.begin({ client_id: 'https://claude.ai/oauth/other' })).page,
      502,
      'The client&#39;s description at claude.ai could not be fetched: the server answered 404.',
    )
  })

  test('a document that describes another program, or none, is refused', async () => {
    const other = 'https://claude.ai/oauth/other'
    const documents = {
      [other]: { client_id: 'https://claude.ai/oauth/client', redirect_uris: [CALLBACK] },
      'https://claude.ai/none': { hello: 1 },
    }
    const server = await PublicServer.start({ documents })
    server.connect()
    expectNotice((await server.begin({ client_id: other })).page, 502, 'it describes a different program')
    expectNotice((await server.begin({ client_id: 'https://claude.ai/none' })).page, 502, 'it does not describe a program')
  })

  test('names are shown as text, in one direction, without invisible characters', async () => {
    const server = await PublicServer.start()
    server.connect()
    const name = '<img src=x onerror=alert(1)>"\u202Eedualc\u202C\u200B\u0000 & \u2066x'
    const { json } = await server.register([CALLBACK], name)
    const { page } = await server.begin({ client_id: json.client_id })
    expect(page.text).toContain('<bdi>&#60;img src=x onerror=alert(1)&#62;&#34; edualc &#38; x</bdi>')
    expect(page.text).not.toMatch(/<img|[\u202A-\u202E\u2066-\u2069\u200B\0]/)
    const long = await server.register([CALLBACK], 'x'.repeat(5_000))
    expect(long.json.client_name).toHaveLength(60)
    expect((await server.register([CALLBACK], '\u202E')).json.client_name).toBe('A program without a name')
  })

  test.each([
    ['letters without a shape', '\u3164\u115F\uFFA0\u2800'],
    ['marks that only change other characters', '\u034F\uFE0F\u{E0101}'],
  ])('a name of %s is rejected', async (_, name) => {
    const server = await PublicServer.start()
    expect((await server.register([CALLBACK], name)).json.client_name).toBe('A program without a name')
  })

  test('a name cannot stack marks over the surrounding lines', async () => {
    const server = await PublicServer.start()
    const { json } = await server.register([CALLBACK], `Cla\u0488\u0489ude${'\u0333'.repeat(40)}`)
    expect(json.client_name).toBe('Cla\u0488\u0489ude')
  })

  test('an id that this server did not sign, or that was changed, is rejected', async () => {
    const server = await PublicServer.start()
    server.connect()
    const { json } = await server.register()
    const [body = '', signature = ''] = json.client_id.split('.')
    const forged = Buffer.from(JSON.stringify({ name: 'x', addresses: ['https://claude.ai/evil'] })).toString('base64url')
    for (const id of [`${forged}.${signature}`, body, `${body}.`, `${json.client_id}.x`, 'x', '', `${body}.${'A'.repeat(43)}`]) {
      const { page } = await server.begin({ client_id: id })
      expectNotice(page, 400, 'This program is not registered here.')
    }
  })
})

describe('cross-site requests and frames', () => {
  test('the page cannot be framed, run a script or leak its address', async () => {
    const server = await PublicServer.start()
    server.connect()
    const { page } = await server.begin()
    const closed = await (await PublicServer.start()).ask('/authorize')
    for (const { headers } of [page, closed]) {
      const policy = String(headers['content-security-policy'])
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; frame-ancestors 'none'$/)
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
    expect(page.text).not.toMatch(/<script|javascript:|style=| on[a-z]+=/)
  })

  test.each([
    ['of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['of another site that hides its origin', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['of a frame without an origin', { Origin: 'null' }],
    ['of another name of the domain', { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-site' }],
    ['of a page on this computer', { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'cross-site' }],
    ['of a link', { 'Sec-Fetch-Site': 'none' }],
  ])('a form %s is refused, even with the right code', async (_, headers) => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    const refused = await server.submit(page, code, {}, headers)
    expect([refused.status, refused.headers.location]).toEqual([403, undefined])
    expect((await server.submit(page, code)).status).toBe(303)
  })

  test('a form from a browser that sends its origin is accepted', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    expect((await server.submit(page, code, {}, { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303)
  })

  test('a page can be used once, even if another window is opened later', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    expect((await server.submit(page, code)).status).toBe(303)
    expectNotice(await server.submit(page, code), 403, CLOSED)
    expectNotice(await server.submit(page, server.connect()), 403, CLOSED)
  })

  test('the first of two tabs connects, and the second does not', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const [first, second] = [await server.begin(), await server.begin()]
    expect((await server.submit(second.page, code)).status).toBe(303)
    expectNotice(await server.submit(first.page, code), 403, CLOSED)
  })

  test('the form cannot request more than the page offered', async () => {
    const server = await PublicServer.start({ vaults: ['notes', 'diary'] })
    const code = server.connect(['read'], ['notes'])
    const begun = await server.begin({ scope: 'read write attach ai' })
    expect(filledIn(begun.page)).toMatchObject({ scope: ['read'], vault: ['notes'] })
    expect(begun.page.text).not.toContain('diary')
    const scope = ['read', 'write', 'attach', 'ai']
    const returned = await server.submit(begun.page, code, { scope, vault: ['notes', 'diary', '*'] })
    const { json } = await server.redeem(begun, parametersOf(returned).code ?? '')
    expect(json.scope).toBe('read')
    const [file = ''] = readdirSync(join(server.state, 'connections'))
    const kept = JSON.parse(readFileSync(join(server.state, 'connections', file), 'utf8'))
    expect(kept).toMatchObject({ scopes: ['read'], vaults: ['notes'] })
    expect(statSync(join(server.state, 'connections', file)).mode & 0o777).toBe(0o600)
  })

  test('a form without permissions or vaults, or with a changed request, grants nothing and costs no attempt', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    expect((await server.submit(page, code, { scope: [] })).text).toContain('Select at least one permission.')
    expect((await server.submit(page, code, { vault: 'other' })).text).toContain('Select at least one vault.')
    const [request = ''] = filledIn(page).request ?? []
    expectNotice(await server.submit(page, code, { request: `${request}x` }), 400, 'This page is no longer valid.')
    expectNotice(await server.submit(page, code, { request: (await server.register()).json.client_id }), 400, 'no longer valid')
    expect((await server.submit(page, 'AAAA-AAAA')).text).toContain('That code is wrong. 9 tries left.')
    expect((await server.submit(page, code)).status).toBe(303)
  })
})

describe('names of the server', () => {
  test('sign-in exists only under the public name, whatever a proxy says', async () => {
    const server = await PublicServer.start()
    server.connect()
    const paths = ['/authorize', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']
    for (const path of paths) {
      expect((await server.ask(path, { headers: { Host: 'evil.example' } })).status).toBe(404)
      expect((await server.ask(path, { headers: { Host: '127.0.0.1' } })).status).toBe(404)
      const forged = { Host: '127.0.0.1', 'X-Forwarded-Host': 'notes.example', Forwarded: 'host=notes.example;proto=https' }
      expect((await server.ask(path, { headers: forged })).status).toBe(404)
    }
    for (const path of ['/token', '/register', '/revoke'])
      expect((await server.ask(path, { headers: { Host: 'localhost' }, form: { a: 'b' } })).status).toBe(404)
    const inside = await server.ask('/mcp', { headers: { Host: '127.0.0.1' }, body: '{}' })
    expect(inside.headers['www-authenticate']).toBe('Bearer realm="roux"')
  })

  test('what the server says about itself never depends on a header', async () => {
    const server = await PublicServer.start()
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http', Forwarded: 'host=evil.example' }
    const asked = await Promise.all(
      ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/mcp'].map((path) =>
        server.ask(path, { headers: { ...forged, Host: 'NOTES.example:443' } }),
      ),
    )
    for (const { text, headers } of asked) expect(text + JSON.stringify(headers)).not.toContain('evil')
    expect(asked[1]?.json.issuer).toBe(ORIGIN)
  })

  test('health returns only ok under the public name, even with a token', async () => {
    const server = await PublicServer.start()
    const { access } = await server.signIn()
    for (const token of [access, server.http.token]) {
      const { status, text } = await server.ask('/health', { headers: { Authorization: `Bearer ${token}` } })
      expect([status, text]).toEqual([200, '{"status":"ok"}'])
    }
    expect((await server.ask('/')).status).toBe(404)
    expect((await server.ask('/web/session', { body: '{}' })).status).toBe(404)
  })
})

describe('intercepted and replayed', () => {
  test.each([
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: undefined }],
    ['no method', { code_challenge_method: undefined }],
    ['a short challenge', { code_challenge: 'short' }],
    ['another response type', { response_type: 'token' }],
    ['another resource', { resource: 'https://evil.example/mcp' }],
    ['no scope that is known', { scope: 'admin' }],
  ])('with %s, the program receives an error with the issuer and its state', async (_, changes) => {
    const server = await PublicServer.start()
    server.connect()
    const { page } = await server.begin(changes)
    expect(page.status).toBe(303)
    expect(String(page.headers.location).startsWith(`${CALLBACK}?`)).toBe(true)
    expect(parametersOf(page)).toMatchObject({ error: expect.any(String), iss: ORIGIN, state: 'the state' })
  })

  test('a refusal is sent to the program with the issuer, and keeps the window open', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    const refused = await server.submit(page, '', { decision: 'refuse' })
    expect(parametersOf(refused)).toEqual({ error: 'access_denied', iss: ORIGIN, state: 'the state' })
    expect((await server.submit(page, code)).status).toBe(303)
  })

  test('a repeated parameter is refused', async () => {
    const server = await PublicServer.start()
    server.connect()
    const { query } = await server.begin()
    expectNotice(
      await server.ask(`/authorize?${query}&redirect_uri=https://evil.example`),
      400,
      'The program sent a parameter twice.',
    )
    const twice = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'grant_type=a&grant_type=b' }
    expect((await server.ask('/token', twice)).json.error).toBe('invalid_request')
  })

  const withCode = async (changes: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
    const server = await PublicServer.start()
    const code = server.connect()
    const begun = await server.begin()
    const { code: given = '' } = parametersOf(await server.submit(begun.page, code))
    const { status, json } = await server.redeem(begun, given, changes)
    // Afterwards, the code is invalid for everyone.
    expect((await server.redeem(begun, given)).json.error).toBe(json.error === 'invalid_target' ? undefined : 'invalid_grant')
    return [status, json.error]
  }

  test('a wrong verifier, another program and another address cannot redeem a code', async () => {
    const other = (await (await PublicServer.start()).register()).json.client_id
    expect(await withCode({ code_verifier: 'x'.repeat(43) })).toEqual([400, 'invalid_grant'])
    expect(await withCode({ code_verifier: '' })).toEqual([400, 'invalid_grant'])
    expect(await withCode({ client_id: other })).toEqual([400, 'invalid_grant'])
    expect(await withCode({ redirect_uri: 'https://claude.ai/other' })).toEqual([400, 'invalid_grant'])
    expect(await withCode({ resource: 'https://evil.example/mcp' })).toEqual([400, 'invalid_target'])
  })

  test('someone who only knows the address of the page cannot use its challenge as the verifier', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const begun = await server.begin()
    const code_verifier = new URLSearchParams(begun.query).get('code_challenge') ?? ''
    const { code: given = '' } = parametersOf(await server.submit(begun.page, code))
    expect((await server.redeem(begun, given, { code_verifier })).json.error).toBe('invalid_grant')
  })

  test('a code that is used twice ends the connection', async () => {
    const server = await PublicServer.start()
    const signed = await server.signIn()
    expect(await server.ping(signed.access)).toBe(200)
    expect((await server.redeem(signed, signed.code)).json.error).toBe('invalid_grant')
    expect(await server.ping(signed.access)).toBe(401)
    expect((await server.refresh(signed, signed.refresh)).json.error).toBe('invalid_grant')
  })

  test('another program cannot use a refresh token', async () => {
    const server = await PublicServer.start()
    const signed = await server.signIn()
    const { json } = await server.register([CALLBACK], 'Other')
    expect((await server.refresh({ client: json.client_id }, signed.refresh)).json.error).toBe('invalid_grant')
    expect((await server.refresh(signed, signed.refresh)).status).toBe(200)
  })
})

describe('guessing and flooding', () => {
  test('ten wrong codes close the window, even across a restart', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    for (let left = 9; left > 0; left--) {
      if (left === 5) await server.restart()
      const wrong = await server.submit(page, 'AAAA-AAAA')
      expect([wrong.status, /(\d+) (?:try|tries) left/.exec(wrong.text)?.[1]]).toEqual([403, String(left)])
    }
    expectNotice(await server.submit(page, 'AAAAAAAA'), 403, '0 tries left')
    expectNotice(await server.submit(page, code), 403, CLOSED)
    expectNotice((await server.begin()).page, 403, CLOSED)
  })

  test('text that cannot be a code costs no attempt, and writes nothing', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    const file = join(server.state, 'connect.json')
    const before = statSync(file).ino
    for (const typed of ['', 'AAAA', 'A'.repeat(9_000)])
      expect((await server.submit(page, typed)).text).toContain('That code is wrong. 10 tries left.')
    expect(statSync(file).ino).toBe(before)
    expect((await server.submit(page, code)).status).toBe(303)
  })

  test('a code is accepted with spaces, hyphens and letters that look like digits', async () => {
    const server = await PublicServer.start()
    const code = server.connect()
    const { page } = await server.begin()
    expect(
      (await server.submit(page, ` ${code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replace('-', ' ')} `)).status,
    ).toBe(303)
  })

  test('without a window nothing is fetched, and no response reveals whether a program is known', async () => {
    let fetched = 0
    const server = await PublicServer.start({
      readDocument: async () => {
        fetched++
        return '{}'
      },
    })
    for (const client_id of ['https://claude.ai/client', 'x', undefined])
      expectNotice((await server.begin({ client_id })).page, 403, CLOSED)
    expect(fetched).toBe(0)
  })

  test('thousands of requests leave nothing behind, in memory or on disk', async () => {
    const server = await PublicServer.start({
      readDocument: async ({ href }) => JSON.stringify({ client_id: href, client_name: 'x', redirect_uris: [CALLBACK] }),
    })
    server.connect()
    const { query } = await server.begin()
    /** Each round registers 25 programs, and opens the page for 24 that are registered and one that publishes a description. */
    const flood = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++)
        await Promise.all(
          Array.from({ length: 25 }, (_, at) => {
            const text = `${round}-${at}-${'x'.repeat(1_000)}`
            const other = at < 24 ? undefined : `client_id=${encodeURIComponent(`https://claude.ai/${round}`)}`
            const asked = query.replace('the+state', text).replace(/client_id=[^&]*/, (own) => other ?? own)
            return [server.ask(`/authorize?${asked}`), server.register([CALLBACK], text)]
          }).flat(),
        )
    }
    // The server keeps at most 32 copies of descriptions.
    for (let at = 0; at < 33; at++) await server.begin({ client_id: `https://claude.ai/first-${at}` })
    await flood(2)
    const [files, before] = [stored(server.state), queryObjects(Object, { format: 'count' })]
    expect(files).toContain('clients.json')
    await flood(LONG ? 100 : 6)
    expect(stored(server.state)).toEqual(files)
    expect(JSON.parse(readFileSync(signInFiles(server.state).documents, 'utf8'))).toHaveLength(32)
    expect(queryObjects(Object, { format: 'count' }) - before).toBeLessThan(1_000)
  }, 600_000)

  test('bodies that are too large, or of another type, are refused', async () => {
    const server = await PublicServer.start()
    const { client, refresh } = await server.signIn()
    const large = 'x'.repeat(100_000)
    expect((await server.refresh({ client }, refresh, { large })).json.error).toBe('invalid_request')
    expect((await server.register([CALLBACK], large)).json.error).toBe('invalid_client_metadata')
    const json = JSON.stringify({ grant_type: 'refresh_token', client_id: client, refresh_token: refresh })
    const typed = { body: json, headers: { 'Content-Type': 'application/json' } }
    expect((await server.ask('/token', typed)).json.error).toBe('invalid_request')
    expect((await server.register(Array.from({ length: 11 }, () => CALLBACK))).json.error).toBe('invalid_client_metadata')
    expect((await server.ask('/token')).status).toBe(405)
  })
})

test('no secret appears in a log, an error, a header or a file', async () => {
  const server = await PublicServer.start()
  const code = server.connect()
  const begun = await server.begin()
  const seen: Answer[] = [begun.page, await server.submit(begun.page, 'AAAA-AAAA')]
  const returned = await server.submit(begun.page, code)
  const authorization = parametersOf(returned).code ?? ''
  const { json: first } = await server.redeem(begun, authorization)
  const { json: second } = await server.refresh(begun, first.refresh_token)
  const secrets = [code, code.replace('-', ''), authorization, begun.verifier]
  for (const { access_token, refresh_token } of [first, second]) secrets.push(access_token, refresh_token)
  seen.push(await server.redeem(begun, 'wrong'), await server.refresh(begun, 'wrong'), await server.ask('/mcp', { body: '{}' }))
  seen.push(await server.ask('/mcp', { body: '{}', headers: { Authorization: `Bearer ${first.access_token}x` } }))
  const files = readdirSync(server.state, { recursive: true, encoding: 'utf8' })
    .map((name) => join(server.state, name))
    .filter((path) => statSync(path).isFile())
  expect(files.length).toBeGreaterThan(1)
  const texts = [...files.map((path) => readFileSync(path, 'utf8')), ...server.http.logged]
  texts.push(...seen.map(({ text, headers }) => text + JSON.stringify(headers)))
  for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([])
  expect(returned.headers['referrer-policy']).toBe('no-referrer')
  for (const path of files) expect(statSync(path).mode & 0o077).toBe(0)
})

describe('tokens for other servers', () => {
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

  test('a foreign JWT, a token in the query and a changed token are refused', async () => {
    const server = await PublicServer.start()
    const { access, refresh, code } = await server.signIn()
    const jwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"aud":"${RESOURCE}"}`).toString('base64url')}.`
    for (const token of [jwt, `${jwt}${'x'.repeat(300)}`, `${access}x`, access.slice(0, -1), refresh, code])
      expect(await server.ping(token)).toBe(401)
    const json = { 'Content-Type': 'application/json' }
    const inQuery = await server.ask(`/mcp?access_token=${access}`, { body: initialize, headers: json })
    expect([inQuery.status, inQuery.headers['www-authenticate']]).toEqual([401, expect.stringContaining('resource_metadata=')])
    expect(await server.ping(access)).toBe(200)
  })

  test('a token of a connection works only at the public address', async () => {
    const server = await PublicServer.start()
    const { access } = await server.signIn()
    const headers = { Host: '127.0.0.1', Authorization: `Bearer ${access}`, 'Content-Type': 'application/json' }
    expect((await server.ask('/mcp', { body: initialize, headers })).status).toBe(401)
  })

  test('a session belongs to the connection that opened it', async () => {
    const server = await PublicServer.start()
    const [one, other] = [await server.signIn(), await server.signIn()]
    const send = (token: string, body: object, session?: string) =>
      server.ask('/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
        },
      })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const begun = await send(one.access, { method: 'initialize', params })
    const session = String(begun.headers['mcp-session-id'])
    expect((await send(one.access, { method: 'ping' }, session)).status).toBe(200)
    for (const token of [other.access, server.http.token])
      expect((await send(token, { method: 'ping' }, session)).status).toBe(404)
    const { json } = await server.refresh(one, one.refresh)
    expect((await send(json.access_token, { method: 'ping' }, session)).status).toBe(200)
    removeConnection(join(server.state, 'connections'), 'claude')
    expect((await send(json.access_token, { method: 'ping' }, session)).status).toBe(401)
    expect((await send(other.access, { method: 'ping' }, session)).status).toBe(404)
  })

  test('a token for another server of the same user is refused here', async () => {
    const first = await PublicServer.start()
    const { access } = await first.signIn()
    const second = await PublicServer.start({ stateFolder: first.state, port: 0 })
    const headers = { Host: '127.0.0.1', Authorization: `Bearer ${access}`, 'Content-Type': 'application/json' }
    expect((await second.ask('/mcp', { body: initialize, headers })).status).toBe(401)
    expect(await first.ping(access)).toBe(200)
  })
})

function stored(state: string): readonly string[] {
  return readdirSync(state, { recursive: true, encoding: 'utf8' }).sort()
}
