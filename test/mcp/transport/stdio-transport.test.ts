import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeCore, fakeStore, withSnapshot } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { callRequest, initializeRequest, type StdioPair, stdioPair, type Wire } from '../../support/stdio-client.ts'

const store = fakeStore(GARDEN)
const core = fakeCore(store)
let pair: StdioPair
const open = (over: GraphCore = core) => {
  pair = stdioPair(async () => over)
  return pair
}
afterEach(() => {
  vi.useRealTimers()
  pair.stdin.end()
})

/** A core whose calls hang until `release`. */
function slowCore() {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let begun = 0
  const hubs: typeof store.snapshot.hubs = async (...args) => {
    begun += 1
    await gate
    return await store.snapshot.hubs(...args)
  }
  return { core: fakeCore(withSnapshot(store, { hubs })), release, begun: () => begun }
}

describe('invalid messages', () => {
  test.each([
    ['not JSON', '{"jsonrpc": "2.0", id: 1}', { code: -32700 }],
    ['half a message', '{"jsonrpc":"2.0","id":1,"meth', { code: -32700 }],
    ['a number', '5', { code: -32600 }],
    ['null', 'null', { code: -32600 }],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', { code: -32600, id: 7 }],
    ['no version', '{"id":"seven","method":"ping"}', { code: -32600, id: 'seven' }],
    ['no method', '{"jsonrpc":"2.0","id":7}', { code: -32600, id: 7 }],
    ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":1}', { code: -32600, id: 7 }],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', { code: -32600 }],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', { code: -32600 }],
    ['params that are text', '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', { code: -32600, id: 7 }],
    ['params that are a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', { code: -32602, id: 7 }],
    ['unreadable _meta', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":5}}', { code: -32600, id: 7 }],
    ['a batch, before a version is agreed on', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', { code: -32600 }],
  ])('%s is answered, and the server continues', async (_, line, { code, ...id }: { code: number; id?: unknown }) => {
    const { send, next } = open()
    send(line)
    expect(await next()).toEqual({ jsonrpc: '2.0', ...id, error: { code, message: expect.any(String) } })
    send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
  })

  test('ignores members that JSON-RPC does not define', async () => {
    const { send, next } = open()
    send({ jsonrpc: '2.0', id: 1, method: 'ping', extra: true })
    expect(await next()).toMatchObject({ id: 1, result: {} })
  })
})

describe('lines', () => {
  test('may arrive in any pieces, with CRLF and blank lines', async () => {
    const { stdin, next } = open()
    const bytes = Buffer.from(
      '\ufeff\n\r\n  \n{"jsonrpc":"2.0","id":"ä👍","method":"ping"}\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
    )
    for (const byte of bytes) stdin.write(Buffer.from([byte]))
    expect(await next()).toMatchObject({ id: 'ä👍', result: {} })
    expect(await next()).toMatchObject({ id: 2 })
  })

  test('with invalid UTF-8 are read as far as possible', async () => {
    const { stdin, next } = open()
    stdin.write(Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":"a'), 0xff, ...Buffer.from('","method":"ping"}\n')]))
    expect(await next()).toMatchObject({ id: 'a\ufffd', result: {} })
  })

  test.each([
    ['id first', '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":"', '"}}', { id: 5 }],
    ['id last', '{"method":"tools/call","params":{"id":1,"x":"', '"},"jsonrpc":"2.0","id":"q"}', { id: 'q' }],
    ['id nowhere', '{"x":{"id":3,"y":"', '"}}', {}],
  ])('of 50 MB are discarded with an error (%s), and the server continues', async (_, head, tail, id) => {
    const { stdin, next } = open()
    const before = process.memoryUsage().arrayBuffers
    const mega = Buffer.alloc(1024 * 1024, 'x')
    stdin.write(head)
    for (let count = 0; count < 50; count += 1) {
      if (!stdin.write(mega)) await new Promise((resolve) => stdin.once('drain', resolve))
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 * 1024)
    stdin.write(`${tail}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`)
    expect(await next()).toEqual({ jsonrpc: '2.0', ...id, error: { code: -32600, message: expect.stringContaining('10 MB') } })
    expect(await next()).toMatchObject({ id: 2, result: {} })
  })

  test('of just under 10 MB are read', async () => {
    const { send, next } = open()
    const empty = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: '' } })
    send(empty.replace('""', `"${'x'.repeat(10 * 1024 * 1024 - empty.length)}"`))
    expect(await next()).toMatchObject({ id: 1, result: {} })
  })
})

test('any input in any pieces gets at most one answer per line, and the server continues', async () => {
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.jsonValue({ maxDepth: 1 }),
      method: fc.constantFrom('ping', 'nope', 5),
      params: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    message.map((value) => JSON.stringify(value)),
    fc.uint8Array(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), async (lines, size) => {
      const { stdin, rest, send } = open()
      const bytes = Buffer.concat(lines.map((one) => Buffer.concat([Buffer.from(one as string), Buffer.from('\n')])))
      for (let start = 0; start < bytes.length; start += size) stdin.write(bytes.subarray(start, start + size))
      send({ jsonrpc: '2.0', id: 'last', method: 'ping' })
      stdin.end()
      const answers = await rest()
      expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 'last', result: {} })
      expect(answers.length).toBeLessThanOrEqual(bytes.toString().split('\n').length)
    }),
    { numRuns: 60 },
  )
})

describe('batches', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    5,
    callRequest(2, 'nodes_exist', { ids: ['home'] }),
    { jsonrpc: '2.0', id: 3, method: 'nope' },
  ]

  test.each(['2024-11-05', '2025-03-26'])('get one answer in %s', async (version) => {
    const { send, next, initialize } = open()
    await initialize(version)
    send(batch)
    const answers = await next()
    expect(answers.map((answer: Wire) => answer.id ?? answer.error.code).sort()).toEqual([-32600, 1, 2, 3])
    expect(answers.find(({ id }: Wire) => id === 2).result.structuredContent).toEqual({ results: { 'home.md': true } })
    expect(answers.find(({ id }: Wire) => id === 3).error.code).toBe(-32601)
  })

  test.each(['2025-06-18', '2025-11-25', '1999-01-01'])('are refused in %s', async (version) => {
    const { send, next, initialize } = open()
    await initialize(version)
    send(batch)
    expect(await next()).toMatchObject({ error: { code: -32600 } })
    send({ jsonrpc: '2.0', id: 9, method: 'ping' })
    expect(await next()).toMatchObject({ id: 9, result: {} })
  })

  test('may follow initialize immediately', async () => {
    const { stdin, next } = open()
    stdin.write(`${JSON.stringify(initializeRequest('2025-03-26'))}\n${JSON.stringify(batch)}\n`)
    expect(await next()).toMatchObject({ id: 'init' })
    expect(await next()).toHaveLength(4)
  })

  test('of notifications get no answer, empty ones one error, garbage one error each', async () => {
    const { send, next, initialize } = open()
    await initialize('2025-03-26')
    send([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    send([])
    expect(await next()).toMatchObject({ error: { code: -32600 } })
    send([1, 2])
    expect(await next()).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }])
  })

  test.each([
    ['more than 100 messages', Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })), 'more than 100'],
    ['two requests of one id', [7, 7].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })), 'the same id'],
    ['initialize', [initializeRequest('2025-03-26'), { jsonrpc: '2.0', id: 1, method: 'ping' }], 'must come alone'],
    ['nothing but initialize', [initializeRequest('2025-03-26')], 'must come alone'],
  ])('with %s are refused entirely', async (_, messages, reason) => {
    const { send, next, initialize } = open()
    await initialize('2025-03-26')
    send(messages)
    expect(await next()).toMatchObject({ error: { code: -32600, message: expect.stringContaining(reason) } })
    send({ jsonrpc: '2.0', id: 'after', method: 'ping' })
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 'after', result: {} })
  })

  test('cannot contain initialize', async () => {
    const { send, next } = open()
    send([initializeRequest('2025-03-26')])
    expect(await next()).toMatchObject({ error: { code: -32600, message: expect.stringContaining('must come alone') } })
  })

  test('omit cancelled requests from their answer', async () => {
    const slow = slowCore()
    const { send, next, initialize } = open(slow.core)
    await initialize('2025-03-26')
    send([callRequest(1, 'get_hubs'), { jsonrpc: '2.0', id: 2, method: 'ping' }])
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await next()).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }])
  })
})

test('a request with an id in use is refused, and both batches that contain it end', async () => {
  const slow = slowCore()
  const { send, next, initialize } = open(slow.core)
  await initialize('2025-03-26')
  send([callRequest(1, 'get_hubs'), { jsonrpc: '2.0', id: 2, method: 'ping' }])
  await eventually(() => expect(slow.begun()).toBe(1))
  send([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  expect(await next()).toMatchObject({
    id: 1,
    error: { code: -32600, message: expect.stringContaining('this id is still running') },
  })
  slow.release()
  const answers = await next()
  expect(answers.map(({ id }: Wire) => id)).toEqual([2, 1])
  expect(answers[1].result.structuredContent.results).toBeDefined()
})

test.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])("%s nested 100,000 deep are refused with their request's id, and the server continues", async (_, head, tail) => {
  const { send, next } = open()
  const value = `${head.repeat(100_000)}1${tail.repeat(100_000)}`
  send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_hubs","arguments":{"limit":${value}}}}`)
  expect(await next()).toMatchObject({ id: 1, error: { code: -32600, message: expect.stringContaining('64 levels') } })
  send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  expect(await next()).toMatchObject({ id: 2, result: {} })
})

describe('end of input', () => {
  test('ends the server after running calls are answered, even a last line without a line break', async () => {
    const { stdin, rest } = open()
    stdin.end(`${JSON.stringify(initializeRequest('2025-11-25'))}\n${JSON.stringify(callRequest(1, 'list_tags'))}`)
    expect((await rest()).map(({ id }) => id)).toEqual(['init', 1])
  })

  test.each(['exit', 'notifications/exit'])('also ends it with %s, and later input is ignored', async (method) => {
    const slow = slowCore()
    const { send, rest, initialize } = open(slow.core)
    await initialize()
    send(callRequest(1, 'get_hubs'))
    send({ jsonrpc: '2.0', method })
    send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await eventually(() => expect(slow.begun()).toBe(1))
    slow.release()
    expect((await rest()).map(({ id }) => id)).toEqual([1])
  })

  test('waits less than five seconds', async () => {
    const slow = slowCore()
    const { send, stdin, server, initialize } = open(slow.core)
    await initialize()
    send(callRequest(1, 'get_hubs'))
    await eventually(() => expect(slow.begun()).toBe(1))
    vi.useFakeTimers()
    let finished = false
    void server.finished.then(() => {
      finished = true
    })
    stdin.end()
    await vi.advanceTimersByTimeAsync(3_400)
    expect(finished).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    vi.useRealTimers()
    await server.finished
  })

  test('does not wait for cancelled calls', async () => {
    const slow = slowCore()
    const { send, stdin, rest, initialize } = open(slow.core)
    await initialize()
    send(callRequest(1, 'get_hubs'))
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    stdin.end()
    expect(await rest()).toEqual([])
  })

  test('logs nothing when the client has stopped reading', async () => {
    const { server, stdout, send, initialize, logged } = open()
    await initialize()
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    send(callRequest(1, 'list_tags'))
    await server.finished
    expect(logged).toEqual([])
  })

  test('ends the server at once if nothing was sent', async () => {
    const { stdin, rest } = open()
    stdin.end()
    expect(await rest()).toEqual([])
  })
})

test('answers are sent whole and in order, and input pauses while the client does not read', async () => {
  const { send, stdin, stdout, initialize } = open()
  await initialize()
  stdout.removeAllListeners('data')
  stdout.pause()
  for (let id = 0; id < 40; id += 1) send(callRequest(id, 'get_node', { id: 'beds/long.md' }))
  await eventually(() => expect(stdin.isPaused()).toBe(true))
  const seen: unknown[] = []
  let text = ''
  stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  stdout.resume()
  await eventually(() => {
    seen.splice(
      0,
      seen.length,
      ...text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).id),
    )
    expect(seen).toHaveLength(40)
  })
  expect(stdin.isPaused()).toBe(false)
  expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, id) => id))
})
