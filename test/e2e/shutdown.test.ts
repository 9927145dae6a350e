import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from './http-support.ts'
import { openWorld, type Server, type World } from './support.ts'

/** Twice the documented limit from the signal to the end of the process, for busy machines, ms. The hanging calls take longer. */
const PROMISED = 10_000

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

/** Ends a server and returns how long it took, and its exit code. */
async function end(server: Server, how: () => void): Promise<readonly [took: number, code: number | null]> {
  const begun = performance.now()
  how()
  const { code } = await server.ended
  return [performance.now() - begun, code]
}

async function serving(world: World): Promise<Server> {
  const server = world.serve([world.vault, ...(await neverAnswers())])
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
    const [took, code] = await end(server, () => how(server))
    expect(code).toBe(0)
    expect(took).toBeLessThan(PROMISED)
  })

  test.each(['a session', 'none'] as const)('over HTTP, in %s', async (session) => {
    const world = openWorld({ fixture: 'demo' })
    const http = await serveHttp(world, await neverAnswers())
    const opened = await http.post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    const headers = session === 'none' ? {} : { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
    const answer = http.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: HANGS }, headers)
    await http.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, headers)
    const [took, code] = await end(http.server, () => http.server.child.kill('SIGTERM'))
    expect([code, (await answer).status]).toEqual([0, session === 'none' ? 503 : 404])
    expect(took).toBeLessThan(PROMISED)
  })
})

test('reading a vault does not delay shutdown beyond the limit', async () => {
  const world = openWorld()
  for (let at = 0; at < 3_000; at += 1)
    world.write(`${at % 50}/note ${at}.md`, `# ${at}\n\n[[note ${at + 1}]] ${'word '.repeat(200)}\n`)
  const server = world.serve()
  await server.initialize()
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tags', arguments: {} } })
  await server.request('ping')
  const [took, code] = await end(server, () => server.child.kill('SIGTERM'))
  expect(code).toBe(0)
  expect(took).toBeLessThan(PROMISED)
})

test('a client that reads nothing does not delay shutdown beyond the limit', async () => {
  const server = await serving(openWorld({ fixture: 'demo' }))
  server.child.stdout.pause()
  for (let id = 0; id < 500; id += 1) server.send({ jsonrpc: '2.0', id, method: 'tools/list' })
  // Wait for the process, not for its output, which stays unread.
  const exited = new Promise<number | null>((resolve) => server.child.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, 500))
  const begun = performance.now()
  server.child.kill('SIGTERM')
  expect(await exited).toBe(0)
  expect(performance.now() - begun).toBeLessThan(PROMISED)
  server.child.stdout.resume()
})
