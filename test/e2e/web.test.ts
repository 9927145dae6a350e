import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startHttp } from './http-support.ts'
import { openWorld } from './support.ts'

test('a server without the option has no page', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url, token } = await startHttp(world, [world.vault])
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const paths = ['/', '/web/page.js', '/web/code', '/web/session', '/web/picture']
  const answers = await Promise.all(paths.map((path) => fetch(new URL(path, url), { method: 'POST', headers, body: '{}' })))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404))
})

test('a token gets a browser code from a server with the page, and the code opens a read-only session', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url, token } = await startHttp(world, [world.vault, '--web'])
  const post = async (path: string, body: unknown, secret?: string) => {
    const headers = { 'Content-Type': 'application/json', ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }) }
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, json: await response.json() }
  }
  expect((await post('/web/code', {})).status).toBe(401)
  const { json } = await post('/web/code', {}, token)
  const opened = await post('/web/session', json)
  expect(opened.json).toMatchObject({ scopes: ['read'] })
  const { session } = opened.json as { readonly session: string }
  // On a busy machine, laying out the notes takes longer than the time limit for an answer.
  await eventually(async () =>
    expect((await post('/web/picture', {}, session)).json).toMatchObject({ ids: expect.arrayContaining(['readme.md']) }),
  )
  expect((await post('/web/call', { tool: 'no such tool' }, session)).status).toBe(422)
  expect((await post('/web/picture', {}, token)).status).toBe(401)
})

test("roux open uses a running server's page, or starts a server if there is none", async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url, server } = await startHttp(world, [world.vault, '--web'])
  const opened = await eventually(async () => {
    const { code, err } = await world.roux(['open', world.vault, '--print', '--note', 'Read me'])
    expect(code).toBe(0)
    return new URL(/http:\/\/\S+/.exec(err)?.[0] ?? '')
  })
  expect(opened.origin).toBe(new URL(url).origin)
  const words = new URLSearchParams(opened.hash.slice(1))
  expect(words.get('note')).toBe('readme.md')
  const exchange = await fetch(new URL('/web/session', opened), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: words.get('code') }),
  })
  expect(await exchange.json()).toMatchObject({ scopes: ['read'] })
  for (const note of ['Read me', 'readme.md', join(world.vault, 'README.md')]) {
    const { code, err } = await world.roux(['open', note, '--print'], { cwd: world.vault })
    expect([note, code]).toEqual([note, 0])
    expect(new URLSearchParams(/#\S+/.exec(err)?.[0].slice(1)).get('note')).toBe('readme.md')
  }
  server.child.kill('SIGINT')
  await server.ended
  const own = world.start(['open', world.vault, '--print'])
  const told = await new Promise<string>((resolve) => own.stderr.once('data', (part) => resolve(String(part))))
  own.kill('SIGINT')
  expect(told).toMatch(/Press Ctrl\+C to stop/)
})

test('a program on the port of a dead server gets no token', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { out: token } = await world.roux(['token', 'show'])
  const heard: string[] = []
  const other = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers))
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await eventually(async () => expect(other.listening).toBe(true))
  const page = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  const servers = join(world.root, 'cache/roux/servers')
  mkdirSync(servers, { recursive: true })
  // This is the state after a crash, when another process has got the process id of the dead server.
  writeFileSync(join(servers, `${process.pid}.json`), JSON.stringify({ vaults: [world.vault], page, key: 'x'.repeat(43) }))
  const own = world.start(['open', world.vault, '--print'])
  await new Promise((resolve) => own.stderr.once('data', resolve))
  own.kill('SIGINT')
  expect(heard).toHaveLength(1)
  expect(heard.join()).not.toContain(token.trim())
})

test('a server that ends withdraws its announcement before its port is free', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url, token, server } = await startHttp(world, [world.vault, '--web'])
  const servers = join(world.root, 'cache/roux/servers')
  await eventually(async () => expect(readdirSync(servers)).toHaveLength(1))
  const { port } = new URL(url)
  // A hanging call keeps the process alive for a while after its port closes.
  const call = connect(Number(port), '127.0.0.1', () => {
    call.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`)
    call.write('Content-Length: 100\r\n\r\n{')
  })
  call.on('error', () => {})
  await new Promise((resolve) => setTimeout(resolve, 300))
  server.child.kill('SIGTERM')
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(Number(port), '127.0.0.1', () => resolve(false)).on('error', () => resolve(true))
      onTestFinished(() => void probe.destroy())
    })
  await eventually(async () => expect(await isRefused()).toBe(true))
  expect(readdirSync(servers)).toEqual([])
  call.destroy()
  await server.ended
})

test('a used port is an error that names the option of the command', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await eventually(async () => expect(taken.listening).toBe(true))
  const port = String((taken.address() as AddressInfo).port)
  const [opened, served] = [
    await world.roux(['open', world.vault, '--print', '--port', port]),
    await world.roux(['serve', world.vault, '--http', port]),
  ]
  expect([opened.code, served.code]).toEqual([1, 1])
  expect(opened.err).toContain('choose another port with --port <port>')
  expect(served.err).toContain('choose another port with --http <port>')
})
