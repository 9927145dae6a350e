import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from './http-support.ts'
import { changedLimits, openWorld, type Server, type World } from './support.ts'

/**
 * A server must end within five seconds. Here, what takes at least as long never ends, so a server that waited for it would not end
 * either, however slow the machine is.
 */
const ENDLESS = '(ms) => (ms >= 5_000 ? 2 ** 31 - 1 : ms)'

/** Settings with which a semantic query waits for an answer that never comes. */
async function neverAnswers(): Promise<readonly string[]> {
  const model = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => {
    model.closeAllConnections()
    model.close()
  })
  await new Promise((resolve) => model.once('listening', resolve))
  const { port } = model.address() as AddressInfo
  return ['--set', 'embedder.kind=openai', '--set', 'embedder.model=x', '--set', `embedder.base_url=http://127.0.0.1:${port}/v1`]
}

const HANGS = { name: 'resolve_nodes', arguments: { names: ['x'], strategy: 'semantic' } }

async function serving(world: World): Promise<Server> {
  const server = world.serve([world.vault, ...(await neverAnswers())], { env: changedLimits(world, ENDLESS) })
  await server.initialize()
  return server
}

describe('a hanging call does not delay shutdown beyond the limit', () => {
  test.each<[string, (server: Server) => void]>([
    ['the end of input', (server) => server.child.stdin.end()],
    ['SIGTERM', (server) => server.child.kill('SIGTERM')],
  ])('over stdio, at %s', async (_, how) => {
    const server = await serving(openWorld({ fixture: 'demo' }))
    server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: HANGS })
    await server.request('ping')
    how(server)
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test.each(['a session', 'none'] as const)('over HTTP, in %s', async (session) => {
    const world = openWorld({ fixture: 'demo' })
    const http = await serveHttp(world, await neverAnswers(), { env: changedLimits(world, ENDLESS) })
    const opened = await http.post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    const headers = session === 'none' ? {} : { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
    const answer = http.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: HANGS }, headers)
    await http.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, headers)
    http.server.child.kill('SIGTERM')
    expect(await http.server.ended).toMatchObject({ code: 0 })
    expect((await answer).status).toBe(session === 'none' ? 503 : 404)
  })
})

test('reading a vault does not delay shutdown beyond the limit', async () => {
  const world = openWorld()
  for (let at = 0; at < 3_000; at += 1)
    world.write(`${at % 50}/note ${at}.md`, `# ${at}\n\n[[note ${at + 1}]] ${'word '.repeat(200)}\n`)
  const server = world.serve(undefined, { env: changedLimits(world, ENDLESS) })
  await server.initialize()
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tags', arguments: {} } })
  await server.request('ping')
  server.child.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, signal: null })
})

test('a client that reads nothing does not delay shutdown beyond the limit', async () => {
  const server = await serving(openWorld({ fixture: 'demo' }))
  server.child.stdout.pause()
  for (let id = 0; id < 500; id += 1) server.send({ jsonrpc: '2.0', id, method: 'tools/list' })
  // The test waits for the process, not for its output, which nobody reads.
  const exited = new Promise<number | null>((resolve) => server.child.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, 500))
  server.child.kill('SIGTERM')
  expect(await exited).toBe(0)
  server.child.stdout.resume()
})
