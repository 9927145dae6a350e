import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startHttp } from './http-support.ts'
import { eventually, openWorld, SLOW } from './support.ts'

vi.setConfig({ testTimeout: SLOW })

test('a server that is not asked for the page has none', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  const { url, token } = await startHttp(world, [world.vault])
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const paths = ['/', '/web/page.js', '/web/code', '/web/session', '/web/picture']
  const answers = await Promise.all(paths.map((path) => fetch(new URL(path, url), { method: 'POST', headers, body: '{}' })))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404))
})

test('whoever has a token gets a code for a browser from a server with the page, and it opens a session that reads', async () => {
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
  expect((await post('/web/picture', {}, session)).json).toMatchObject({ ids: expect.arrayContaining(['readme.md']) })
  expect((await post('/web/call', { tool: 'no such tool' }, session)).status).toBe(422)
  expect((await post('/web/picture', {}, token)).status).toBe(401)
})

test('the page of a server that runs is opened, and a server of its own begun where there is none', async () => {
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
  expect(told).toMatch(/Ctrl\+C ends this/)
})
