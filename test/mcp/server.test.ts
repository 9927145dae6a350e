import { afterEach, describe, expect, test, vi } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { withinTime } from '../../src/mcp/calls/progress.ts'
import { instructionsFor } from '../../src/mcp/server.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { ICON } from '../../src/mcp/validating-server.ts'
import { eventually } from '../support/eventually.ts'
import { fakeCore, fakeStore, withSnapshot } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../support/sdk-clients.ts'
import { callRequest, type StdioPair, stdioPair, type Wire } from '../support/stdio-client.ts'

const store = fakeStore(GARDEN)
const core = fakeCore(store)
let pair: StdioPair
const open = (over: () => Promise<GraphCore> = async () => core, options: Parameters<typeof stdioPair>[1] = {}) => {
  pair = stdioPair(over, options)
  return pair
}
afterEach(() => pair?.stdin.end())

describe.each(SDK_CLIENTS)('%s', (_, make) => {
  const connect = async () => {
    const client: Wire = make()
    await client.connect(clientTransport(open()))
    return client
  }

  test('lists the tools', async () => {
    const client = await connect()
    expect(client.getInstructions()).toBe(instructionsFor({ tools: TOOLS, offered: TOOLS }, []))
    expect(client.getServerVersion()).toMatchObject({ name: 'roux', version: '1.2.3' })
    const { tools } = await client.listTools()
    expect(tools).toEqual(TOOLS.map((tool) => tool.definition()))
    await client.close()
  })

  test('calls a tool', async () => {
    const client = await connect()
    const result = await client.callTool({ name: 'get_node', arguments: { id: 'soil/worms' } })
    expect(result.structuredContent.node).toEqual(JSON.parse(result.content[0].text))
    expect(result.structuredContent.node.title).toBe('Worms')
    const hubs = await client.callTool({ name: 'get_hubs', arguments: {} })
    expect(hubs.structuredContent.results).toEqual(JSON.parse(hubs.content[0].text))
    const path = await client.callTool({ name: 'find_path', arguments: { source: 'home', target: 'beds/tomato' } })
    expect(path.structuredContent).toEqual(JSON.parse(path.content[0].text))
    await client.close()
  })

  test('returns argument errors as results, unknown tools as errors', async () => {
    const client = await connect()
    const result = await client.callTool({ name: 'get_node', arguments: {} })
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'INVALID_PARAMS' } } })
    await expect(client.callTool({ name: 'get_nodes', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      data: { nearest: expect.arrayContaining(['get_node']) },
    })
    await client.close()
  })
})

describe('initialize', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on %s', async (version) => {
    const { initialize } = open()
    const icons = version === '2025-11-25' ? { icons: [ICON] } : {}
    expect((await initialize(version)).result).toEqual({
      protocolVersion: version,
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      serverInfo: { name: 'roux', title: 'Roux', version: '1.2.3', ...icons },
      instructions: instructionsFor({ tools: TOOLS, offered: TOOLS }, []),
    })
  })

  test('and lists are answered before any vault opens; then it is opened', async () => {
    const events: string[] = []
    const { send, next, stdout } = open(
      async () => {
        events.push('core')
        return core
      },
      { onInitialized: () => events.push('welcomed') },
    )
    stdout.on('data', () => events.push('answer'))
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      send({ jsonrpc: '2.0', id: method, method })
      expect(await next()).toMatchObject({ id: method, result: {} })
    }
    expect(events.splice(0)).toEqual(['answer', 'answer', 'answer', 'answer'])
    send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    })
    await eventually(() => expect(events).toEqual(['answer', 'welcomed', 'core']))
  })

  test('without required parameters is a client error', async () => {
    const { send, next } = open()
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    const { error } = await next()
    expect(error.code).toBe(-32602)
    expect(error.message).toMatch(/^Invalid params for initialize: params\.protocolVersion: /)
  })
})

describe('requests that violate the protocol', () => {
  test.each([
    ['an unknown method', { method: 'nope' }, -32601],
    ['a method that is not served', { method: 'tasks/list' }, -32601],
    ['a call without a name', { method: 'tools/call', params: { arguments: {} } }, -32602],
    ['a call with a list of arguments', { method: 'tools/call', params: { name: 'get_hubs', arguments: [] } }, -32602],
    ['a cursor that is none of ours', { method: 'tools/list', params: { cursor: 'x' } }, -32602],
    ['a cursor that is a number', { method: 'tools/list', params: { cursor: 5 } }, -32602],
    ['an unknown tool', { method: 'tools/call', params: { name: '__proto__' } }, -32602],
  ])('%s', async (_, request, code) => {
    const { send, next, initialize } = open()
    await initialize()
    send({ jsonrpc: '2.0', id: 1, ...request })
    expect(await next()).toMatchObject({ id: 1, error: { code } })
  })
})

test('a disabled tool is not listed, and calling it names the setting', async () => {
  const { send, next, initialize } = open(undefined, {
    switchedOffBy: ({ name }) => ({ get_hubs: 'tools.get_hubs', search: 'embedder.kind' })[name],
  })
  await initialize()
  send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const listed = (await next()).result.tools.map(({ name }: Wire) => name)
  expect(listed).not.toContain('get_hubs')
  expect(listed).not.toContain('search')
  expect(listed).toContain('find_nodes')
  send(callRequest(2, 'get_hubs'))
  const { result } = await next()
  expect(result.isError).toBe(true)
  expect(result.structuredContent.error).toEqual({
    code: 'TOOL_DISABLED',
    message: 'The tool get_hubs is switched off.',
    hint: 'Turn it on with the setting tools.get_hubs.',
  })
  send(callRequest(3, 'search', { query: 'x' }))
  expect((await next()).result.structuredContent.error).toMatchObject({
    code: 'TOOL_DISABLED',
    hint: 'Turn it on with the setting embedder.kind.',
  })
})

test('a cancelled call stops and gets no answer', async () => {
  let signal: AbortSignal | undefined
  const ready = (_: number, given?: AbortSignal) => {
    signal = given
    return new Promise<boolean>(() => {})
  }
  const { send, next, initialize, logged } = open(async () => ({ ...core, indexing: { ...core.indexing, ready } }))
  await initialize()
  send(callRequest(1, 'get_hubs'))
  await eventually(() => expect(signal).toBeDefined())
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'bored' } })
  send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  expect(await next()).toMatchObject({ id: 2 })
  expect(signal?.aborted).toBe(true)
  expect(logged).toEqual([])
})

test('the next call retries a vault that could not be opened', async () => {
  let tries = 0
  const { send, next, initialize, logged } = open(async () => {
    tries += 1
    if (tries < 3) throw new Error('no disk')
    return core
  })
  await initialize()
  await eventually(() => expect(logged.join('')).toContain('no disk'))
  send(callRequest(1, 'list_tags'))
  const told = /^Internal error, reference \w+\.$/
  expect(await next()).toMatchObject({
    method: 'notifications/message',
    params: { level: 'error', logger: 'roux', data: expect.stringMatching(told) },
  })
  expect(await next()).toMatchObject({ result: { isError: true } })
  send(callRequest(2, 'list_tags'))
  expect((await next()).result.structuredContent.results).toHaveLength(4)
  expect(tries).toBe(3)
})

test('calls run concurrently', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const hubs: typeof store.snapshot.hubs = async (...args) => {
    await gate
    return await store.snapshot.hubs(...args)
  }
  const { send, next, initialize } = open(async () => fakeCore(withSnapshot(store, { hubs })))
  await initialize()
  send(callRequest(1, 'get_hubs'))
  send(callRequest(2, 'list_tags'))
  expect(await next()).toMatchObject({ id: 2 })
  release()
  expect(await next()).toMatchObject({ id: 1 })
})

test('on shutdown, running calls are answered first', async () => {
  const { send, rest, initialize, server } = open()
  await initialize()
  send(callRequest(1, 'list_tags'))
  await new Promise((resolve) => setImmediate(resolve))
  server.stop()
  expect((await rest()).map(({ id }) => id)).toEqual([1])
})

test('a call with one abort listener per vault triggers no warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  await withinTime({ hint: '' }, async (signal) => {
    for (let vault = 0; vault < 30; vault++) signal.addEventListener('abort', () => {})
  })
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})
