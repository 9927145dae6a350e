import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { callTool, onlyOffered } from '../../../src/mcp/calls/call-tool.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { searchCore } from '../../app/search-core.ts'

const FULL = TOOLS.filter(({ profile }) => profile === 'full').map(({ name }) => name)

test.each([
  ['There is no path. suggest_links shows some. search finds more.', 'There is no path. search finds more.'],
  ['Write #a=b; list_tags lists more.', 'Write #a=b.'],
  ['list_tags lists the tags.', 'list_tags lists the tags.'],
  ['The notes suggest_linksx and compare stay.', 'The notes suggest_linksx and compare stay.'],
])('sentences about disabled tools are left out: %s', (message, shown) => {
  const { warnings } = onlyOffered({ value: null, warnings: [{ code: 'NOTICE', message }] }, FULL)
  expect(warnings).toEqual([{ code: 'NOTICE', message: shown }])
})

test('with the core profile, no message mentions a disabled tool', async () => {
  const core = await searchCore({ 'Recipes/Rye.md': '---\nstatus: done\n---\nBread.', 'Alone.md': '#tag' })
  const vaults = vaultsOnDemand([], async () => core)
  const calls: readonly (readonly [tool: string, args: object])[] = [
    ['get_node', { id: 'recipes' }],
    ['get_node', { id: 'zzzzqq' }],
    ['get_neighbors', { id: 'recipes' }],
    ['get_neighbors', { id: 'zzzzqq' }],
    ['find_path', { source: 'rye', target: 'alone' }],
    ['find_nodes', { query: '#status=zzzzqq' }],
    ['find_nodes', { query: '#status>4' }],
    ['find_nodes', { query: '#zzzzqq=4' }],
    ['find_nodes', { query: '', group_by: 'zzzzqq' }],
    ['map', { community: 'c1' }],
    ['search', { query: 'bread', folder: 'zzzzqq' }],
    ['verify_quote', { id: 'zzzzqq', quote: 'bread' }],
    ['get_problems', { target: 'zzzzqq' }],
  ]
  for (const [name, args] of calls) {
    const tool = TOOLS.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`there is no ${name}`)
    const { content } = await callTool(tool, args, { vaults, log: () => {}, missing: FULL })
    for (const off of FULL.filter((one) => one.includes('_')))
      expect(JSON.stringify(content), `${name} ${JSON.stringify(args)}`).not.toContain(off)
  }
  await core.close()
})
