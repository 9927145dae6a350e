import { expect, test, vi } from 'vitest'
import { startHttp } from './http-support.ts'
import { openWorld, SLOW } from './support.ts'

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
