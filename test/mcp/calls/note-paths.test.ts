import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { callTool } from '../../../src/mcp/calls/call-tool.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { KnownBag, searchCore } from '../../app/search-core.ts'
import type { Wire } from '../../support/stdio-client.ts'

const FILES = {
  'Obsidian Sync/Version History.md':
    '---\ntags: [Sync]\nid: plain.md\n---\nOld versions. See [[plain]] and [[Gone]]. The Plans differ.\n',
  'Obsidian Sync/Plans.md': '# Plans\n\nHow long versions are kept: [[Version History]].\n',
  'plain.md': 'Versions of [[Plans]] and [[Version History]].\n',
  'Board.canvas': '{"nodes":[{"id":"x","type":"file","file":"plain.md"}]}',
}

const CALLS: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
  ['search', { query: 'versions', relevance: 'loose' }],
  ['find_nodes', { query: 'versions' }],
  ['similar_nodes', { id: 'plans', relevance: 'loose' }],
  ['search_by_tags', { tags: ['sync'] }],
  ['get_node', { id: 'plans' }],
  ['get_node', { id: 'plans', depth: 1 }],
  ['get_neighbors', { id: 'version history', evidence: true }],
  ['find_path', { source: 'plans', target: 'plain' }],
  ['get_hubs', {}],
  ['list_nodes', { kinds: ['note', 'canvas'] }],
  ['get_tree', {}],
  ['get_problems', {}],
  ['gaps', {}],
  ['map', {}],
  ['compare', { a: 'plans', b: 'version history' }],
  ['impact', { id: 'version history' }],
  ['suggest_links', {}],
  ['context_pack', { query: 'versions' }],
  ['resolve_nodes', { names: ['Plans', 'version histroy'] }],
]

async function answers(name?: string): Promise<readonly (readonly [call: string, value: Wire])[]> {
  const core = await searchCore(FILES, { embedder: new KnownBag(), ...(name === undefined ? {} : { name }) })
  const vaults = vaultsOnDemand(name === undefined ? [] : [name], async () => core)
  const all = await Promise.all(
    CALLS.map(async ([tool, args]) => {
      const found = TOOLS.find((one) => one.name === tool)
      if (found === undefined) throw new Error(`there is no ${tool}`)
      const result: Wire = await callTool(found, args, { vaults, log: (line) => expect(line).toBe('') })
      expect(result.isError, tool).toBeUndefined()
      return [tool, JSON.parse(result.content[0].text)] as const
    }),
  )
  await core.close()
  return all
}

/** Every object in a value, except links, property values and arguments of calls. */
function objectsIn(value: Wire): readonly Wire[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).filter(([key]) => !['links', 'properties', 'arguments'].includes(key))
  return [value, ...inside.flatMap(([, member]) => objectsIn(member))]
}

test.each([undefined, 'work'])('every answer has the paths of the notes it shows, in vault %s', async (name) => {
  const paths = new Map(Object.keys(FILES).map((path) => [`${name === undefined ? '' : `${name}:`}${path.toLowerCase()}`, path]))
  const pathOf = (id: string) => (paths.get(id) === 'plain.md' ? undefined : paths.get(id))
  for (const [tool, value] of await answers(name)) {
    const shown = objectsIn(value)
    const notes = shown.filter(({ id, match }) => paths.has(id ?? match))
    for (const { id, match, path } of notes) expect(path, `${tool} ${id ?? match}`).toBe(pathOf(id ?? match))
    const isShown = notes.length > 0 || shown.some(({ paths: list, from_path }) => list !== undefined || from_path !== undefined)
    expect(isShown || ['gaps', 'suggest_links'].includes(tool), tool).toBe(true)
  }
})

test('ids without titles are spelled as on disk', async () => {
  const core = await searchCore({
    'Obsidian Sync/Version History.md': '# Old versions\n',
    'Obsidian Sync/Plans.md': '[[Version History#Old version]]',
    'Other/Plans.md': '',
    'Home.md': '[[Plans]]',
  })
  const tool = TOOLS.find(({ name }) => name === 'get_problems')
  if (tool === undefined) throw new Error('there is no get_problems')
  const result: Wire = await callTool(tool, {}, { vaults: vaultsOnDemand([], async () => core), log: () => {} })
  const { problems } = JSON.parse(result.content[0].text)
  expect(problems.flatMap(({ candidates }: { candidates?: unknown }) => (candidates === undefined ? [] : [candidates]))).toEqual([
    ['Other/Plans.md', 'Obsidian Sync/Plans.md'],
    ['Obsidian Sync/Version History.md#Old versions'],
  ])
  await core.close()
})

test('a path of ids comes with the paths of its files, and arguments of other calls stay unchanged', async () => {
  const byTool = new Map(await answers())
  expect(byTool.get('find_path')).toMatchObject({
    path: ['obsidian sync/plans.md', 'plain.md'],
    paths: ['Obsidian Sync/Plans.md', 'plain.md'],
  })
  for (const { arguments: args } of objectsIn(byTool.get('suggest_links'))) expect(args?.path).toBeUndefined()
  const [plain] = byTool.get('find_nodes').filter(({ id }: Wire) => id === 'plain.md')
  expect(plain.links).toContainEqual({ id: 'obsidian sync/plans.md', title: 'Plans' })
})
