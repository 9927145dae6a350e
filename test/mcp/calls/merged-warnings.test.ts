import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { callTool } from '../../../src/mcp/calls/call-tool.ts'
import { mergeWarnings } from '../../../src/mcp/calls/reach.ts'
import { findNodesTool } from '../../../src/mcp/tools/find.ts'
import { searchCore } from '../../app/search-core.ts'

const unknown = (name: string, rest = '') =>
  ({ code: 'UNKNOWN_ID', message: `There is no node ${JSON.stringify(name)}.${rest}` }) as const
const of = (vault: string, ...warnings: readonly ReturnType<typeof unknown>[]) => ({ vault, answer: { value: [], warnings } })

test('a name that exists in one of several vaults is not reported as unknown', () => {
  expect(
    mergeWarnings([of('a', unknown('Ann'), unknown('Bob')), of('b', unknown('Bob', ' Nearest ids: "b:rob.md".'))], 'all'),
  ).toEqual([
    { code: 'UNKNOWN_ID', message: 'a: There is no node "Bob".' },
    { code: 'UNKNOWN_ID', message: 'b: There is no node "Bob". Nearest ids: "b:rob.md".' },
  ])
})

test('if vaults got different ids, each unknown id is reported', () => {
  expect(mergeWarnings([of('a', unknown('Ann')), of('b')], 'each')).toHaveLength(1)
})

test('groups from several vaults are paged, each group once', async () => {
  const filesOf: Readonly<Record<string, readonly string[]>> = {
    home: ['Ann', 'Ann', 'Bob', 'Eve'],
    work: ['ann', 'Bob', 'Carl'],
  }
  const vaults = vaultsOnDemand(Object.keys(filesOf), async (name = '') => {
    const files = (filesOf[name] ?? []).map((author, at) => [`n${at}.md`, `---\nauthor: ${author}\n---\n`])
    return await searchCore(Object.fromEntries(files), { name })
  })
  const page = async (offset: number, limit = 3) => {
    const args = { query: '', group_by: 'author', limit, offset }
    const { structuredContent } = await callTool(findNodesTool, args, { vaults, log: (line) => expect(line).toBe('') })
    const { groups, ...rest } = structuredContent as {
      readonly groups: readonly { readonly value: string; readonly count: number }[]
    }
    return { ...rest, groups: groups.map(({ value, count }) => `${value} ${count}`) }
  }
  const facts = { counted: 'notes, excluding archived ones, by author', notes: 7, without: 0, total: 4 }
  expect(await page(0)).toEqual({ ...facts, groups: ['Ann 3', 'Bob 2', 'Carl 1'], next_offset: 3 })
  expect(await page(3)).toEqual({ ...facts, groups: ['Eve 1'] })
  expect(await page(9)).toMatchObject({ ...facts, groups: [] })
})
