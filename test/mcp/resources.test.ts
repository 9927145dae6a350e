import { afterEach, describe, expect, test } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { readResource } from '../../src/mcp/resources/read-resource.ts'
import { addressed, readResourceUri, resourceUri } from '../../src/mcp/resources/resource-uri.ts'
import { mapResource } from '../../src/mcp/resources/resources.ts'
import { searchCore } from '../app/search-core.ts'
import { fakeFiles, PNG } from '../app/write/fake-writing.ts'
import { fakeCore, fakeStore, withSnapshot } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../support/sdk-clients.ts'
import { type StdioPair, stdioPair, type Wire } from '../support/stdio-client.ts'

const FILES = {
  ...GARDEN,
  'Notes/What is C#? 100%.md': { body: 'It has signs in its name.\n' },
  'data/list.csv': {},
}
const files = fakeFiles({ 'photo.png': PNG, 'data/list.csv': Buffer.from('a,b\n1,2\n') })
const core: GraphCore = { ...fakeCore(fakeStore(FILES)), files }
let pair: StdioPair
const open = (options: Parameters<typeof stdioPair>[1] = {}, over: GraphCore = core) => {
  pair = stdioPair(async () => over, options)
  return pair
}
afterEach(() => pair?.stdin.end())

/** An initialized client that sends one request at a time. */
async function raw(options: Parameters<typeof stdioPair>[1] = {}, over: GraphCore = core) {
  const { initialize, send, next } = open(options, over)
  await initialize()
  let id = 0
  return async (method: string, params: object = {}): Promise<Wire> => {
    id += 1
    send({ jsonrpc: '2.0', id, method, params })
    return await next()
  }
}
const read = async (uri: string) => (await (await raw())('resources/read', { uri })) as Wire

describe('addresses', () => {
  test.each([
    ['roux://node/home.md', { kind: 'node', id: 'home.md' }],
    ['ROUX://Node/Soil/Worms', { kind: 'node', id: 'Soil/Worms' }],
    ['roux://node/soil%2Fworms.md', { kind: 'node', id: 'soil/worms.md' }],
    ['roux://node/my%20note.md', { kind: 'node', id: 'my note.md' }],
    ['roux://node/100%2525.md', { kind: 'node', id: '100%25.md' }],
    ['roux://node/what is c#?.md', { kind: 'node', id: 'what is c#?.md' }],
    ['roux://attachment/photo.png', { kind: 'attachment', id: 'photo.png' }],
    ['roux://recent', { kind: 'fixed', name: 'recent', query: '' }],
    ['roux://System-Info?verbose', { kind: 'fixed', name: 'system-info', query: 'verbose' }],
  ])('%s', (uri, address) => expect(readResourceUri(uri)).toEqual(address))

  test.each([
    'roux://node/',
    'roux://node/../secret.md',
    'roux://node/a/../../secret.md',
    'roux://node/%2e%2e/secret.md',
    'roux://node/a%2f..%2fsecret.md',
    'roux://node//etc/passwd',
    'roux://node/%2Fetc/passwd',
    'roux://node/a\\b.md',
    'roux://node/a%5Cb.md',
    'roux://node/a%00.md',
    'roux://node/.git/config',
    'roux://node/a//b.md',
    'roux://node/./a.md',
    'roux://node/100%.md',
    'roux://node/%c3.md',
    'roux://folder/a',
    'roux:node/home.md',
    'file:///etc/passwd',
    'roux://',
    'roux://recent#top',
    '',
  ])('%j names nothing', (uri) => expect(readResourceUri(uri)).toBeUndefined())

  test('equivalent addresses have one spelling', () => {
    const spellings = ['roux://node/Soil/Worms.md', 'ROUX://node/soil/worms', 'roux://node/soil%2Fworms.md']
    const named = spellings.map((uri) => readResourceUri(uri) as { readonly id: string })
    expect(new Set(named.map(({ id }) => addressed(id)))).toEqual(new Set(['soil/worms']))
    expect(readResourceUri('ROUX://Recent')).toEqual({ kind: 'fixed', name: 'recent', query: '' })
  })

  test('reads what it writes', () => {
    const id = 'notes/what is c#? 100%.md'
    expect(readResourceUri(resourceUri('node', id))).toEqual({ kind: 'node', id })
  })
})

describe.each(SDK_CLIENTS)('%s', (name, make) => {
  test('lists and reads', async () => {
    const client = make()
    await client.connect(clientTransport(open()))
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }: Wire) => uri)).toEqual([
      'roux://recent',
      'roux://map',
      'roux://hubs',
      'roux://tree',
      'roux://system-info',
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }: Wire) => uriTemplate)).toEqual([
      'roux://node/{+id}',
      'roux://attachment/{+path}',
    ])
    const { contents } = await client.readResource({ uri: 'roux://node/Soil/Worms' })
    expect(contents).toEqual([
      {
        uri: 'roux://node/Soil/Worms',
        mimeType: 'text/markdown',
        text: '---\ntags: ["soil","animals"]\n---\nThey live in [[Compost]].\n',
        _meta: { 'roux/modified': expect.any(String), 'roux/hash': expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ])
    for (const { uri } of resources) {
      const [content] = (await client.readResource({ uri })).contents
      expect([content.uri, content.mimeType]).toEqual([uri, 'application/json'])
      expect(JSON.parse(content.text)).toBeTypeOf('object')
    }
    // The newer SDK returns the error codes of both eras unchanged.
    const code = name === 'the older SDK' ? -32002 : -32602
    await expect(client.readResource({ uri: 'roux://node/soil/worm' })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('Did you mean roux://node/soil/worms.md?'),
      data: { uri: 'roux://node/soil/worm' },
    })
    await client.close()
  })

  test('completes ids by prefix and by title', async () => {
    const client = make()
    await client.connect(clientTransport(open()))
    const complete = async (uri: string, argument: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: argument, value } })).completion
    expect(await complete('roux://node/{+id}', 'id', 'soil/')).toEqual({
      values: ['soil/compost.md', 'soil/worms.md'],
      total: 2,
      hasMore: false,
    })
    expect((await complete('roux://node/{+id}', 'id', 'Humos')).values[0]).toBe('soil/compost.md')
    expect((await complete('roux://node/{+id}', 'id', '')).values).toContain('home.md')
    expect(await complete('roux://attachment/{+path}', 'path', 'pho')).toMatchObject({ values: ['photo.png'], total: 1 })
    expect(await complete('roux://node/{+id}', 'path', 'soil/')).toEqual({ values: [], total: 0, hasMore: false })
    expect((await complete('other://{x}', 'x', 'a')).values).toEqual([])
    await client.close()
  })
})

describe('reading', () => {
  test('accepts names with special characters, encoded or as a template expands them', async () => {
    for (const uri of ['roux://node/notes/what is c#? 100%25.md', 'roux://node/notes/what%20is%20c%23%3F%20100%25.md']) {
      expect((await read(uri)).result.contents).toMatchObject([{ uri, text: 'It has signs in its name.\n' }])
    }
  })

  test('returns attachments as text or bytes, canvases as JSON', async () => {
    const of = async (uri: string) => (await read(uri)).result.contents[0]
    expect(await of('roux://attachment/data/list.csv')).toMatchObject({ mimeType: 'text/csv', text: 'a,b\n1,2\n' })
    const picture = await of('roux://attachment/photo.png')
    expect(picture).toMatchObject({ mimeType: 'image/png', blob: Buffer.from(PNG).toString('base64') })
    expect(await of('roux://node/board.canvas')).toMatchObject({ mimeType: 'application/json', text: '{}' })
  })

  test.each([
    'roux://node/../home.md',
    'roux://node/photo.png',
    'roux://node/nowhere',
    'roux://attachment/home.md',
    'roux://attachment/no.png',
    'roux://folders',
    'roux://recent?verbose',
    'roux://system-info?all',
    'file:///etc/passwd',
    'x',
  ])('%s is missing', async (uri) => {
    expect((await read(uri)).error).toMatchObject({ code: -32002, data: { uri } })
  })

  test('suggests the nearest address for a missing one', async () => {
    const { data } = (await read('roux://node/soil/worm')).error
    expect(data).toEqual({ uri: 'roux://node/soil/worm', nearest: ['roux://node/soil/worms.md'] })
  })

  test('hides attachments when they are disabled', async () => {
    const ask = await raw({ switchedOffBy: ({ needs }) => needs })
    const { resourceTemplates } = (await ask('resources/templates/list')).result
    expect(resourceTemplates.map(({ name }: Wire) => name)).toEqual(['node'])
    expect((await ask('resources/read', { uri: 'roux://attachment/photo.png' })).error.code).toBe(-32002)
    const ref = { type: 'ref/resource', uri: 'roux://attachment/{+path}' }
    const { completion } = (await ask('completion/complete', { ref, argument: { name: 'path', value: '' } })).result
    expect(completion.values).toEqual([])
  })

  test('shows no local path unless a setting allows it', async () => {
    const facts = () => ({ settings: { 'tools.write': true }, embedder: 'static:x' })
    const ask = await raw({ facts }, { ...core, root: '/home/ada/garden' })
    const textOf = async (uri: string) => (await ask('resources/read', { uri })).result.contents[0].text
    const info = JSON.parse(await textOf('roux://system-info'))
    expect(info).toMatchObject({
      name: 'roux',
      version: '1.2.3',
      protocol_versions: expect.arrayContaining(['2024-11-05', '2025-11-25', '2026-07-28']),
      embedder: 'static:x',
      settings: { 'tools.write': true },
      tokens: {},
      vault: { name: 'garden', counts: { notes: 8, attachments: 2 }, index: { phase: 'idle' } },
    })
    expect(JSON.stringify(info)).not.toContain('/home/ada')
    const verbose = await raw({ facts: () => ({ ...facts(), verbose: true }) }, { ...core, root: '/home/ada/garden' })
    const { result } = await verbose('resources/read', { uri: 'roux://system-info' })
    expect(JSON.parse(result.contents[0].text).vault.path).toBe('/home/ada/garden')
  })

  test('resources do not bypass a disabled tool', async () => {
    const off = new Set(['get_node', 'get_hubs', 'find_path'])
    const ask = await raw({ switchedOffBy: ({ name }) => (off.has(name) ? `tools.${name}` : undefined) })
    const uris = (await ask('resources/list')).result.resources.map(({ uri }: Wire) => uri)
    expect(uris).toEqual(['roux://recent', 'roux://map', 'roux://tree', 'roux://system-info'])
    const templates = (await ask('resources/templates/list')).result.resourceTemplates.map(({ name }: Wire) => name)
    expect(templates).toEqual(['attachment'])
    for (const uri of ['roux://hubs', 'roux://node/home']) {
      expect((await ask('resources/read', { uri })).error.message).toMatch(/^Resource not found/)
    }
    const prompts = (await ask('prompts/list')).result.prompts.map(({ name }: Wire) => name)
    expect(prompts).toEqual(['summarize_with_sources', 'find_gaps', 'weekly_review'])
    expect((await ask('prompts/get', { name: 'explore_hubs' })).error.code).toBe(-32602)
    const ref = { type: 'ref/resource', uri: 'roux://node/{+id}' }
    expect((await ask('completion/complete', { ref, argument: { name: 'id', value: '' } })).result.completion.values).toEqual([])
  })

  test('a missing vault is an error that says so, and its state can still be read', async () => {
    const missing = { ...fakeCore(fakeStore(FILES), { phase: 'missing' }) }
    const ask = await raw({}, missing)
    expect((await ask('resources/read', { uri: 'roux://hubs' })).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('missing'),
      data: { code: 'VAULT_NOT_FOUND' },
    })
    const { text } = (await ask('resources/read', { uri: 'roux://system-info' })).result.contents[0]
    expect(JSON.parse(text).vault.index.phase).toBe('missing')
  })

  test('an internal error returns a reference but no details', async () => {
    const hubs = () => Promise.reject(new Error('secret place'))
    const broken = { ...core, ...fakeCore(withSnapshot(fakeStore(FILES), { hubs })) }
    const ask = await raw({}, broken)
    const said = await ask('resources/read', { uri: 'roux://hubs' })
    expect(said).toMatchObject({ method: 'notifications/message', params: { level: 'error' } })
    const { error } = (await pair.next()) as Wire
    expect(error).toMatchObject({ code: -32603, message: said.params.data })
    expect(JSON.stringify([said, error])).not.toContain('secret')
    expect(pair.logged.join('')).toContain('secret place')
  })
})

test('answers say that the vault is still being read', async () => {
  const ask = await raw({}, { ...fakeCore(fakeStore(FILES), { phase: 'building', done: 3, total: 9 }), files })
  const hubs = (await ask('resources/read', { uri: 'roux://hubs' })).result.contents[0]
  expect(JSON.parse(hubs.text)._warnings).toMatchObject([{ code: 'INDEX_BUILDING' }])
  const note = (await ask('resources/read', { uri: 'roux://node/home' })).result.contents[0]
  expect(note._meta['roux/warnings']).toMatchObject([{ code: 'INDEX_BUILDING' }])
  const { error } = await ask('resources/read', { uri: 'roux://node/not-yet' })
  expect(error.message).toMatch(/^Resource not found: roux:\/\/node\/not-yet\..*still being read \(3 of 9 files\)/)
})

test('a note that is too large returns an error that says how to read it in parts', async () => {
  const large = fakeFiles({ 'photo.png': new Uint8Array((5 << 20) + 1) })
  const ask = await raw(
    {},
    { ...fakeCore(fakeStore({ 'big.md': { body: 'x'.repeat((5 << 20) + 1) }, 'photo.png': {} })), files: large },
  )
  for (const uri of ['roux://node/big', 'roux://attachment/photo.png']) {
    const { error } = await ask('resources/read', { uri })
    expect(error).toMatchObject({ code: -32603, data: { code: 'TOO_LARGE', hint: expect.stringContaining('in parts') } })
  }
})

test('lists every one of several vaults, and ids choose among them', async () => {
  const named = (name: string): GraphCore => {
    return { ...fakeCore(fakeStore({ [`${name}.md`]: { body: name } }, name)), name }
  }
  const options = {
    vaults: [named('work'), named('home')],
    server: { version: '1', settings: {} },
    switchedOffBy: () => undefined,
    call: {},
  }
  const parsed = async (uri: string) => JSON.parse((await readResource(uri, options)).text ?? '')
  expect((await parsed('roux://recent')).vaults.map(({ vault, notes }: Wire) => [vault, notes[0].title])).toEqual([
    ['work', 'work'],
    ['home', 'home'],
  ])
  const info = await parsed('roux://system-info')
  expect([info.version, info.vaults.length]).toEqual(['1', 2])
  expect((await readResource('roux://node/home:home.md', options)).text).toBe('home')
  await expect(readResource('roux://node/home.md', options)).rejects.toMatchObject({ data: { uri: 'roux://node/home.md' } })
})

test('a missing vault is reported in place of its content, and the others are shown', async () => {
  const named = (name: string, phase: 'idle' | 'missing'): GraphCore => ({
    ...fakeCore(fakeStore({ [`${name}.md`]: { body: name } }), { phase }),
    name,
  })
  const read = async (...vaults: readonly GraphCore[]): Promise<Wire> => {
    const options = { vaults, server: { version: '1', settings: {} }, switchedOffBy: () => undefined, call: {} }
    return JSON.parse((await readResource('roux://recent', options)).text ?? '')
  }
  const { vaults } = await read(named('work', 'missing'), named('home', 'idle'))
  expect(vaults).toMatchObject([
    { vault: 'work', _warnings: [{ code: 'NOTICE', message: expect.stringMatching(/missing or cannot be read/) }] },
    { vault: 'home', count: 1 },
  ])
  await expect(read(named('work', 'missing'), named('home', 'missing'))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
})

test('a cancelled read stops and gets no answer', async () => {
  let signal: AbortSignal | undefined
  const ready = (_: number, given?: AbortSignal) => {
    signal = given
    return new Promise<boolean>(() => {})
  }
  const ask = await raw({}, { ...core, indexing: { ...core.indexing, ready } })
  for (const [id, method, params] of [
    ['a', 'resources/read', { uri: 'roux://hubs' }],
    [
      'c',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'roux://node/{+id}' }, argument: { name: 'id', value: 'x' } },
    ],
  ] as const) {
    signal = undefined
    pair.send({ jsonrpc: '2.0', id, method, params })
    await expect.poll(() => signal).toBeDefined()
    pair.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    expect(await ask('ping')).toMatchObject({ result: {} })
    expect((signal as AbortSignal | undefined)?.aborted).toBe(true)
  }
  expect(pair.logged).toEqual([])
})

test('the map says what it omits', async () => {
  const notes = Array.from({ length: 600 }, (_, at) => {
    const next = at - (at % 6) + ((at + 1) % 6)
    return [`a folder with a long name/note ${at}.md`, `[[note ${next}]] word${at - (at % 6)} and${at} more${at}`] as const
  })
  const core = await searchCore(Object.fromEntries(notes))
  const { value } = await mapResource.read(core, {} as never)
  const { communities, omitted } = value as { readonly communities: readonly object[]; readonly omitted: Wire }
  expect(communities.length).toBeGreaterThan(0)
  expect(omitted.communities).toBeGreaterThan(0)
})
