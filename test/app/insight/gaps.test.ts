import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { fitGaps, gapKey, listGaps } from '../../../src/app/insight/gaps.ts'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { callTool } from '../../../src/mcp/calls/call-tool.ts'
import { gapsTool } from '../../../src/mcp/tools/insight.ts'
import type { Wire } from '../../support/stdio-client.ts'
import { searchCore } from '../search-core.ts'

const LONG =
  'a text of its own that is long enough to be more than a stub with words such as harbour lighthouse keeper and many others besides these few that make it thirty words or more in all here'

/** Two rings of five notes, joined by a bridge. Without the bridge, one ring would be cut off. */
const RINGS = Object.fromEntries([
  ...['a', 'b'].flatMap((ring) =>
    Array.from({ length: 5 }, (_, at) => [`${ring}/${ring}${at}.md`, `[[${ring}${(at + 1) % 5}]] ${ring.repeat(3)} ${at}`]),
  ),
  ['Bridge.md', '[[a0]] [[b0]]'],
  ['End.md', LONG],
  ['a/more.md', '[[End]] [[a1]] [[Nowhere]]'],
  ['b/more too.md', '[[nowhere]] [[b1]]'],
])

test('lists cut notes, missing notes and dead ends, most striking first', async () => {
  const core = await searchCore(RINGS)
  const { value, warnings } = await listGaps(core, { limit: 20 })
  expect(warnings).toEqual([])
  expect(value.cut?.map(({ id, falls_off }) => [id, falls_off])).toEqual([
    ['a/a0.md', 6],
    ['bridge.md', 6],
    ['b/b0.md', 5],
  ])
  expect(value.wanted?.map(({ notes, sources }) => [notes, sources.length])).toEqual([[2, 2]])
  expect(value.dead_ends).toMatchObject({ total: 1, first: [{ id: 'end.md', title: 'End' }] })
})

test('a dismissed gap is not listed again', async () => {
  const core = await searchCore(RINGS)
  await core.insightState.dismiss(gapKey('dead_ends', 'END.md', core))
  await core.insightState.dismiss(gapKey('wanted', 'NOWHERE', core))
  const { value } = await listGaps(core, { limit: 20 })
  expect(value.totals).toMatchObject({ wanted: 0, dead_ends: 0 })
  expect(value.dead_ends?.first).toEqual([])
})

test('a gap dismissed before the vault had a name stays dismissed, and ids with the name work too', async () => {
  const core = await searchCore(RINGS, { name: 'work' })
  for (const key of ['cut:a/a0.md', gapKey('cut', 'Work:bridge.md', core)]) await core.insightState.dismiss(key)
  const { value } = await listGaps(core, { kind: 'cut', limit: 20 })
  expect(value.cut?.map(({ id }) => id)).toEqual(['work:b/b0.md'])
  expect(gapKey('apart', 'work:c1,work:c4', core)).toBe('apart:c1,c4')
  // The order of the two communities depends on their sizes, which may change.
  expect(gapKey('apart', 'c4, C1', core)).toBe('apart:c1,c4')
})

test('notes ignored by insight.ignore do not create missing notes', async () => {
  const core = await searchCore({
    'Templates/Daily.md': '[[Project name]] [[Plans]]',
    'Templates/Board.canvas': JSON.stringify({ nodes: [{ id: '1', type: 'text', text: '[[Project name]] [[Plans]]' }] }),
    'Monday.md': '[[Plans]]',
  })
  const { value } = await listGaps({ ...core, isIgnored: (path) => path.startsWith('Templates/') }, { limit: 20 })
  expect(value.wanted).toEqual([{ name: 'Plans', notes: 1, sources: [{ id: 'monday.md', line: 1 }] }])
})

test('pages through one kind', async () => {
  const core = await searchCore(RINGS)
  const { value, list } = await listGaps(core, { kind: 'cut', limit: 2, offset: 1 })
  expect(Object.keys(value)).toEqual(['cut', 'totals'])
  expect(value.cut).toHaveLength(2)
  expect(list).toEqual({ offset: 1, shown: 2, count: 3, counted: 'all' })
})

test('counts and lists all missing notes except dismissed ones', async () => {
  const names = Array.from({ length: 620 }, (_, at) => `Wanted ${at}`)
  const core = await searchCore({ 'a.md': names.map((name) => `[[${name}]]`).join('\n') })
  await core.insightState.dismiss(gapKey('wanted', 'wanted 7', core))
  const { value, list } = await listGaps(core, { kind: 'wanted', limit: 100, offset: 600 })
  expect(value.totals).toEqual({ wanted: 619 })
  expect(value.wanted).toHaveLength(19)
  expect(value.wanted?.[0]?.sources).toEqual([{ id: 'a.md', line: expect.any(Number) }])
  expect(list).toMatchObject({ offset: 600, shown: 19, count: 619 })
})

test('names the stubs among dead ends, after longer notes', async () => {
  const links = { 'a.md': '[[Short]] [[End]] [[b]]', 'b.md': '[[a]] [[Short]]' }
  const core = await searchCore({ ...links, 'End.md': LONG, 'Short.md': 'Short.' })
  const ends = async () => (await listGaps(core, { kind: 'dead_ends', limit: 20 })).value.dead_ends
  expect(await ends()).toMatchObject({ total: 2, stubs: 1, first: [{ id: 'end.md' }, { id: 'short.md' }] })
  await core.insightState.dismiss(gapKey('dead_ends', 'short.md', core))
  expect(await ends()).toMatchObject({ total: 1, stubs: 0, first: [{ id: 'end.md' }] })
})

test('a folder limits stubs to its own, and an unknown folder gives a warning', async () => {
  const core = await searchCore({ 'a.md': '[[End]] [[b]]', 'b.md': '[[a]]', 'in/end.md': 'Short.' })
  const stubsOf = async (folder?: string) =>
    (await listGaps(core, { kind: 'dead_ends', folder, limit: 20 })).value.dead_ends?.stubs
  expect([await stubsOf(), await stubsOf('in'), await stubsOf('nowhere')]).toEqual([1, 1, 0])
  const { warnings } = await listGaps(core, { folder: 'nowhere', limit: 20 })
  expect(warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
  expect((await listGaps(core, { folder: 'in', limit: 20 })).warnings).toEqual([])
})

test('items of one kind that the budget omits come from the end, so the next page continues there', () => {
  const wanted = Array.from({ length: 50 }, (_, at) => ({ name: `Wanted ${at}`, notes: 1, sources: [] }))
  const { value, omitted } = fitGaps({ wanted, totals: { wanted: 50 } }, 400)
  expect(omitted).toEqual({ results: 50 - (value.wanted?.length ?? 0) })
  const long = { name: 'long '.repeat(200), notes: 1, sources: [] }
  expect(fitGaps({ wanted: [long, ...wanted], totals: { wanted: 51 } }, 400)).toMatchObject({
    value: { wanted: [long] },
    omitted: { results: 50 },
  })
})

test('gaps fit every budget, with some of each kind first', async () => {
  const core = await searchCore(RINGS)
  const { value } = await listGaps(core, { limit: 20 })
  for (const room of [400, 600, 900]) expect(jsonBytes(fitGaps(value, room).value)).toBeLessThanOrEqual(room)
  expect(fitGaps(value, 100_000)).toEqual({ value, omitted: {} })
})

test('pages of one kind cover every missing note under any budget', async () => {
  const links = Array.from({ length: 620 }, (_, at) => `[[Missing ${at}]]`)
  const core = await searchCore({ 'List.md': links.join(' '), 'Other.md': '[[List]]' })
  const vaults = vaultsOnDemand([], async () => core)
  const ask = async (args: object): Promise<Wire> =>
    (await callTool(gapsTool, { kind: 'wanted', ...args }, { vaults, log: (line) => expect(line).toBe('') })).structuredContent
  const first = await ask({})
  expect(first).toMatchObject({ total: 620, totals: { wanted: 620 }, next_offset: 20 })
  const names: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await ask({ limit: 100, max_tokens: 400, offset })
    expect(jsonBytes({ wanted: page.wanted, totals: page.totals })).toBeLessThanOrEqual(1_600)
    expect(page.omitted?.results ?? 0).toBe(Math.min(100, 620 - offset) - page.wanted.length)
    names.push(...page.wanted.map(({ name }: Wire) => name))
    offset = page.next_offset
  }
  expect(new Set(names).size).toBe(620)
  expect((await ask({ max_tokens: 100, offset: 619 })).wanted).toHaveLength(1)
})
