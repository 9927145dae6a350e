import { expect, test } from 'vitest'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { vaultsOnDemand } from '../../src/app/vaults.ts'
import { switchOffForAssistants, toSettings } from '../../src/config/settings.ts'
import { MARKER } from '../../src/core/text/partial-reading.ts'
import { callTool } from '../../src/mcp/calls/call-tool.ts'
import { definitionFor } from '../../src/mcp/calls/vaults.ts'
import type { Tool } from '../../src/mcp/definition/define-tool.ts'
import { instructionsFor } from '../../src/mcp/server.ts'
import { TOOLS, toolsFor } from '../../src/mcp/tools/index.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'
import { clientTransport, SDK_CLIENTS } from '../support/sdk-clients.ts'
import { stdioPair, type Wire } from '../support/stdio-client.ts'

const ON = { connector_tools: true }
const tools = await toolsFor(ON, ({ id, path, title }) => `https://notes.example/${path ?? id}#${title}`)
const LONG = Array.from({ length: 20_000 }, (_, at) => `word${at}`).join(' ')
const NOTES = { ...GARDEN, 'Beds/Endless.md': { body: LONG }, 'Why?offset=3.md': { body: 'A name like a part.' } }
const FINDABLE = { search: { words: { done: 1, total: 1 } } }
const garden = fakeCore(fakeStore(NOTES), FINDABLE)

/** What a client gets for a call. Every result is one text, and the same as an object. */
async function call(name: string, args: object, cores: Readonly<Record<string, GraphCore>> = {}): Promise<Wire> {
  const tool = tools.find((one) => one.name === name) as Tool
  const vaults = vaultsOnDemand(Object.keys(cores), async (vault) => cores[vault ?? ''] ?? garden)
  const result: Wire = await callTool(tool, args, { vaults, log: () => {} })
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
  return result.structuredContent
}

test('search takes one parameter and gives ids, titles and addresses', async () => {
  const { results, ...rest } = await call('search', { query: 'compost' })
  expect(results[0]).toEqual({ id: 'soil/compost.md', title: 'Compost', url: 'https://notes.example/Soil/Compost.md#Compost' })
  expect(results.map((one: object) => Object.keys(one).join())).toEqual(results.map(() => 'id,title,url'))
  expect(rest).toEqual({})
  expect((await call('search', { query: 'compost', limit: 3 })).error.code).toBe('INVALID_PARAMS')
})

test('nothing found is an empty list, with the reason if notes are still being read', async () => {
  expect(await call('search', { query: 'zeppelin' })).toEqual({ results: [] })
  const { results, _warnings } = await call('search', { query: 'zeppelin' }, { building: fakeCore(fakeStore(NOTES)) })
  expect([results, _warnings[0].code]).toEqual([[], 'INDEX_BUILDING'])
})

test('fetch gives the text of a note that search found', async () => {
  const { text, metadata, ...rest } = await call('fetch', { id: 'soil/compost.md' })
  expect(rest).toEqual({ id: 'soil/compost.md', title: 'Compost', url: 'https://notes.example/Soil/Compost.md#Compost' })
  expect(text).toBe('# Compost\nTurned by [[Worms]].\n## How\nLayer by layer. ^layers\n## Why\nIt feeds [[Tomato]].\n')
  expect(metadata).toEqual({ path: 'Soil/Compost.md', tags: 'soil, work/autumn', modified: expect.any(String) })
})

test('a long note comes in parts, each of which says how to fetch the next', async () => {
  const texts: string[] = []
  for (let id: string | undefined = 'beds/endless.md'; id !== undefined; ) {
    const { text, ...note } = await call('fetch', { id })
    expect([note.id, text.length < 41_000]).toEqual(['beds/endless.md', true])
    const [part = '', next] = text.split('\n\n[The note continues. To read the rest, call fetch with the id "')
    texts.push(part)
    id = next?.slice(0, -'".]'.length)
  }
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.map((text) => text.replace(MARKER, '')).join('') === LONG).toBe(true)
})

test('a note whose name looks like a part of another one can be fetched', async () => {
  expect((await call('fetch', { id: 'why?offset=3' })).text).toBe('A name like a part.')
})

test.each(['soil/compots.md', 'nowhere.md?offset=5', 'nowhere', '', '../secret.md'])('fetching %j is an error', async (id) => {
  const { error } = await call('fetch', { id })
  expect([error.code, error.hint]).toEqual(['NODE_NOT_FOUND', 'Use an id from the search results.'])
  if (id.startsWith('soil')) expect(error.message).toContain('soil/compost.md')
})

test('fetching an attachment says that it has no text', async () => {
  const { text, url } = await call('fetch', { id: 'photo.png' })
  expect([text, url]).toEqual([
    'photo.png is an attachment, not a note. Its content cannot be fetched.',
    'https://notes.example/photo.png#photo.png',
  ])
})

test('several vaults are searched as one, and their ids lead back to them', async () => {
  const core = (name: string, body: string): GraphCore => ({
    ...fakeCore(fakeStore({ 'Rye.md': { body } }, name), FINDABLE),
    name,
  })
  const cores = { home: core('home', 'Rye of home.'), work: core('work', 'Rye of work.') }
  const { results } = await call('search', { query: 'rye' }, cores)
  expect(results.map(({ id }: Wire) => id).toSorted()).toEqual(['home:rye.md', 'work:rye.md'])
  expect((await call('fetch', { id: 'work:rye.md' }, cores)).text).toBe('Rye of work.')
  const own = tools.slice(0, 2).map((tool) => Object.keys(definitionFor(tool, Object.keys(cores)).inputSchema.properties))
  expect(own).toEqual([['query'], ['id']])
})

test('the full search has another name, and the instructions use it', () => {
  const names = tools.map(({ name }) => name)
  expect(names.slice(0, 3)).toEqual(['search', 'fetch', 'search_notes'])
  expect(new Set(names).size).toBe(TOOLS.length + 2)
  expect(instructionsFor({ tools, offered: tools }, [])).toContain(' search_notes with the question in plain words')
  expect(instructionsFor({ tools: TOOLS, offered: TOOLS }, [])).toContain(' search with the question in plain words')
})

test('the settings of search and get_node also apply to the tools that replace them', () => {
  const off = (...values: readonly (readonly [key: string, value: unknown])[]) =>
    tools.slice(0, 3).flatMap((tool) => switchOffForAssistants(tool, toSettings(new Map(values)))?.setting ?? [])
  expect(off()).toEqual([])
  expect(off(['tools.search', false])).toEqual(['tools.search', 'tools.search'])
  expect(off(['tools.get_node', false])).toEqual(['tools.get_node'])
  // The connector needs its two tools even if notes are not found by meaning.
  expect(off(['embedder.kind', 'none'])).toEqual(['embedder.kind'])
})

test('without the setting, nothing changes', async () => {
  expect(await toolsFor({ connector_tools: false })).toBe(TOOLS)
})

test.each(SDK_CLIENTS)('%s checks the results against the schemas', async (_, make) => {
  const pair = stdioPair(async () => garden, { tools: await toolsFor(ON) })
  const client: Wire = make()
  await client.connect(clientTransport(pair))
  await client.listTools()
  const { structuredContent } = await client.callTool({ name: 'search', arguments: { query: 'worms' } })
  const [{ id, url }] = structuredContent.results
  expect([id, url]).toEqual(['soil/worms.md', 'roux://node/Soil/Worms.md'])
  const note = await client.callTool({ name: 'fetch', arguments: { id } })
  expect(note.structuredContent.text).toBe('They live in [[Compost]].\n')
  const resource = await client.readResource({ uri: url })
  expect(resource.contents[0].text).toContain('They live in [[Compost]].')
  await client.close()
  pair.stdin.end()
})
