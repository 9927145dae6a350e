import { afterEach, describe, expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { searchCore } from '../../app/search-core.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../../support/sdk-clients.ts'
import { type StdioPair, stdioPair, type Wire } from '../../support/stdio-client.ts'

const PAGE = '<!doctype html><title>map</title>'
const UI = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const NOTES = { 'home.md': '[[worms]] [[compost]]', 'worms.md': '[[compost]]', 'compost.md': '', 'alone.md': '' }
const core = fakeCore(fakeStore(GARDEN))
const mapPage = async () => PAGE
let pair: StdioPair
afterEach(() => pair?.stdin.end())

/** A client with these capabilities that sends one request at a time. */
async function connected(capabilities: object, options: Parameters<typeof stdioPair>[1] = { mapPage }) {
  pair = stdioPair(async () => core, options)
  const { send, next } = pair
  const clientInfo = { name: 'host', version: '1' }
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } })
  await next()
  let id = 0
  return async (method: string, params: object = {}): Promise<Wire> => {
    id += 1
    send({ jsonrpc: '2.0', id, method, params })
    return await next()
  }
}

describe.each(SDK_CLIENTS)('%s', (_, make) => {
  const connect = async (capabilities: object) => {
    pair = stdioPair(async () => core, { mapPage })
    const client: Wire = make()
    client.registerCapabilities(capabilities)
    await client.connect(clientTransport(pair))
    return client
  }

  test('a client that shows apps learns which answers have a view, and what the view may call', async () => {
    const client = await connect({ extensions: UI })
    const { tools } = await client.listTools()
    const pictured = tools.filter((tool: Wire) => tool._meta?.ui.resourceUri === 'ui://roux/map')
    expect(pictured.map(({ name }: Wire) => name)).toEqual(['get_neighbors', 'find_path', 'get_hubs', 'map'])
    expect(tools.find(({ name }: Wire) => name === 'map_picture')._meta).toEqual({ ui: { visibility: ['app'] } })
    expect(JSON.stringify(tools)).not.toContain('ui/resourceUri')
    const { resources } = await client.listResources()
    expect(resources.at(-1)).toMatchObject({ uri: 'ui://roux/map', mimeType: 'text/html;profile=mcp-app' })
    const { contents } = await client.readResource({ uri: 'ui://roux/map' })
    expect(contents).toEqual([
      { uri: 'ui://roux/map', mimeType: 'text/html;profile=mcp-app', text: PAGE, _meta: { ui: { prefersBorder: true } } },
    ])
    await client.close()
  })

  test('a client without apps sees nothing of them', async () => {
    const client = await connect({})
    expect((await client.listTools()).tools).toEqual(TOOLS.map((tool) => tool.definition()))
    expect(JSON.stringify(await client.listResources())).not.toContain('ui://')
    await expect(client.callTool({ name: 'map_picture', arguments: {} })).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })
})

test.each([
  ['no capabilities', {}],
  ['the extension without types', { extensions: { 'io.modelcontextprotocol/ui': {} } }],
  ['another type of page', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } }],
  ['types that are no list', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: 'text/html;profile=mcp-app' } } }],
])('a client that declares %s sees nothing of apps', async (_, capabilities) => {
  const ask = await connected(capabilities)
  expect((await ask('tools/list')).result.tools).toEqual(TOOLS.map((tool) => tool.definition()))
})

test('if all tools with a view are disabled, there is no app', async () => {
  const off = new Set(['get_hubs', 'find_path', 'get_neighbors', 'map'])
  const switchedOffBy = ({ name }: { readonly name: string }) => (off.has(name) ? `tools.${name}` : undefined)
  const ask = await connected({ extensions: UI }, { mapPage, switchedOffBy })
  expect(JSON.stringify((await ask('tools/list')).result)).not.toContain('map_picture')
  expect((await ask('resources/read', { uri: 'ui://roux/map' })).error).toMatchObject({ code: -32002 })
})

test('a server without the page offers no app', async () => {
  const ask = await connected({ extensions: UI }, {})
  expect(JSON.stringify((await ask('tools/list')).result)).not.toContain('_meta')
})

test('the page gets the layout once, with the requested notes', async () => {
  const [garden, work] = await Promise.all([
    searchCore(NOTES, { name: 'garden' }),
    searchCore({ 'plan.md': '' }, { name: 'work' }),
  ])
  const vaults = vaultsOnDemand(['garden', 'work'], async (name) => (name === 'work' ? work : garden))
  const ask = await connected({ extensions: UI }, { mapPage, vaults })
  const { result } = await ask('tools/call', { name: 'map_picture', arguments: { notes: ['garden:worms.md', 'work:plan.md'] } })
  expect(result.content).toEqual([])
  const { structuredContent: picture } = result
  expect(picture.ids.toSorted()).toEqual(['garden:alone.md', 'garden:compost.md', 'garden:home.md', 'garden:worms.md'])
  expect(picture).toMatchObject({ count: 4, named: [picture.ids.indexOf('garden:worms.md'), -1] })
  const other = await ask('tools/call', { name: 'map_picture', arguments: { id: 'work:plan.md' } })
  expect(other.result.structuredContent.ids).toEqual(['work:plan.md'])
  const wrong = await ask('tools/call', { name: 'map_picture', arguments: { notes: 'home' } })
  expect(wrong.result).toMatchObject({ isError: true, content: [{ type: 'text' }] })
})
