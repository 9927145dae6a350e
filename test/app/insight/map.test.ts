import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { communityLabel, requireCommunity } from '../../../src/app/find/communities.ts'
import { findNodes } from '../../../src/app/find/find-nodes.ts'
import { listNodes } from '../../../src/app/find/list-nodes.ts'
import { fitMap, mapVault } from '../../../src/app/insight/map.ts'
import { insightsOf, memoryInsightState } from '../../support/insights.ts'
import { searchCore } from '../search-core.ts'

const THEMES: Readonly<Record<string, string>> = {
  Coffee:
    'beans roast grinder espresso crema brew kettle filter aroma cup barista milk foam water ratio dose extraction bitter acid',
  Sailing: 'boat wind mast rudder harbour tide anchor knots hull keel jib sheet halyard deck crew wave buoy chart compass lee',
}

/** Ten notes per theme: each contains some of its words and links to the first note, which links to two others. */
function themes(names: readonly string[] = Object.keys(THEMES)): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of names) {
    const words = (THEMES[name] ?? '').split(' ')
    for (let at = 0; at < 10; at++) {
      const chosen = words.map((_, place) => words[(place * (at + 1)) % words.length])
      const links = at === 0 ? `[[${name} 2]] [[${name} 3]]` : `[[${name}]]`
      files[`${name.toLowerCase()}/${at === 0 ? name : `${name} ${at}`}.md`] =
        `${chosen.join(' ')} ${at} ${words.slice(at, at + 12).join(' ')}\n\n${links}`
    }
  }
  return files
}

const LIST = { limit: 100, kinds: undefined, path: undefined, tag: undefined }
const FIND = { limit: 100, orderBy: 'relevance', includeArchived: false } as const

test('names communities after their most linked note, with distinctive words', async () => {
  const core = await searchCore(themes())
  const { value, warnings } = await mapVault(core, { level: 1 })
  expect(warnings).toEqual([])
  expect(value).toMatchObject({ notes: 20, links: 22, stubs: 0, alone: 0 })
  expect(value.communities.map(({ id, label, notes, folders }) => ({ id, label, notes, folders }))).toEqual([
    { id: 'c1', label: 'Coffee', notes: 10, folders: ['coffee'] },
    { id: 'c2', label: 'Sailing', notes: 10, folders: ['sailing'] },
  ])
  for (const [at, name] of ['Coffee', 'Sailing'].entries()) {
    const words = value.communities[at]?.about.split(', ') ?? []
    expect(words).toHaveLength(4)
    for (const word of words) expect(`${THEMES[name]} ${name.toLowerCase()}`).toContain(word)
  }
})

test('a community of stubs is named after the list of its entries, and not after the person who made most of them', async () => {
  const numbers = [...Array(10).keys()]
  const about =
    'A page with enough words of its own about canvases, boards, timelines, galleries and the other ways to look at notes.'
  const core = await searchCore({
    ...Object.fromEntries(numbers.map((at) => [`entry-${at}.md`, '[[quorafind]] [[Plugins with custom views]]'])),
    'quorafind.md': `${about.repeat(3)} ${numbers.map((at) => `[[entry-${at}]]`).join(' ')}`,
    'Plugins with custom views.md': `${about.repeat(3)} ${numbers
      .slice(0, 6)
      .map((at) => `[[entry-${at}]]`)
      .join(' ')}`,
  })
  const { value } = await mapVault(core, { level: 1 })
  expect(value.communities.map(({ label }) => label)).toEqual(['Plugins with custom views'])
})

test('folders are spelled as on disk', async () => {
  const files = Object.entries(themes()).map(([path, text]) => [`My Notes/${path}`, text])
  const { value } = await mapVault(await searchCore(Object.fromEntries(files)), { level: 1 })
  expect(value.communities.map(({ folders }) => folders)).toEqual([['My Notes/coffee'], ['My Notes/sailing']])
})

test('a long title gives a label that is cut after a word, and a custom name stays unchanged', () => {
  const title = 'AI/ES/25/11 Code/LEAD/20 Thu/1120 McKinsey Moving away from Agile'
  expect(communityLabel({ id: 'c1', label: title }, new Map())).toBe('AI/ES/25/11 Code/LEAD/20 Thu/1120 McKinsey…')
  expect(communityLabel({ id: 'c1', label: 'x'.repeat(60) }, new Map())).toBe(`${'x'.repeat(47)}…`)
  expect(communityLabel({ id: 'c1', label: 'a' }, new Map([['c1', title]]))).toBe(title)
})

test('names of embedded pictures are not keywords of a community', async () => {
  const pictures = {
    Coffee: '![[roastery-0411.png]] ![[roastery-0412.PNG|500]]',
    Sailing: '![[regatta-0413.mp4]] ![[regatta-0414.jpg]]',
  }
  const files = Object.entries(pictures).flatMap(([name, shown]) =>
    Array.from({ length: 12 }, (_, at) => {
      const own = Array.from({ length: 40 }, (_, word) => `${name}${'abcdefghijklmnop'[at]}${word}x`).join(' ')
      return [`${name} ${at}.md`, `${own}\n\nAs is seen in ${own.slice(0, 9)}: ${shown}\n\n[[${name} 0]]`]
    }),
  )
  const { value } = await mapVault(await searchCore(Object.fromEntries(files)), { level: 1 })
  expect(value.communities).toHaveLength(2)
  for (const { about } of value.communities) expect(about).not.toMatch(/\.(?:png|mp4|jpg)/)
})

test("a user's name for a community survives changes of the vault", async () => {
  const core = await searchCore(themes())
  await mapVault(core, { level: 1 })
  await core.insightState.setLabel('c2', 'On water')
  core.vault.write('coffee/Coffee 10.md', `${THEMES.Coffee}\n\n[[Coffee]]`)
  await core.indexed.indexer.reconcile({ all: true })
  await mapVault(core, { level: 1 })
  await expect.poll(async () => (await mapVault(core, { level: 1 })).warnings).toEqual([])
  const { value } = await mapVault(core, { level: 1 })
  expect(value.communities.map(({ id, label, notes }) => [id, label, notes])).toEqual([
    ['c1', 'Coffee', 11],
    ['c2', 'On water', 10],
  ])
  expect(value.changed).toEqual({ new: [], gone: [], moved: 0 })
})

test('the notes of a community can be listed and queried', async () => {
  const core = await searchCore(themes())
  const sailing = Object.keys(themes(['Sailing'])).map((path) => path.toLowerCase())
  const { value: listed } = await listNodes(core, { ...LIST, community: 'C2' })
  expect(listed.nodes.map(({ id }) => id)).toEqual(sailing.sort())
  const { value: found } = await findNodes(core, { ...FIND, query: 'community:c2 -title:Sailing' })
  expect(found).toEqual([])
  const { value: some } = await findNodes(core, { ...FIND, query: 'community:c2 keel' })
  expect(new Set(some.map(({ id }) => id.split('/')[0]))).toEqual(new Set(['sailing']))
})

test('an unknown community is an error that says where to look', async () => {
  const core = await searchCore(themes())
  await expect(mapVault(core, { level: 1, community: 'c9' })).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
  await expect(findNodes(core, { ...FIND, query: 'community:c9' })).rejects.toThrow('There is no community "c9".')
})

test('a former community is an error that names the communities with its notes', () => {
  const level = { list: [{ id: 'c1' }, { id: 'c3' }] as never, of: new Uint32Array(), between: [] }
  const successors = new Map([
    ['c2', ['c4', 'c1']],
    ['c4', ['c3']],
  ])
  expect(() => requireCommunity({ levels: [level, { ...level, list: [] }], successors }, 'work:c2', { name: 'work' })).toThrow(
    expect.objectContaining({ code: 'NODE_NOT_FOUND', hint: 'Its notes are in work:c1, work:c3 now.' }),
  )
})

test('a map of a folder counts only its notes', async () => {
  const core = await searchCore(themes())
  const { value } = await mapVault(core, { level: 1, scope: 'Sailing/' })
  expect(value).toMatchObject({ notes: 10, links: 11, communities: [{ id: 'c2', notes: 10 }], between: [] })
  const { warnings } = await mapVault(core, { level: 1, scope: 'Saling' })
  expect(warnings.map(({ code }) => code)).toEqual(['UNKNOWN_ID'])
})

test('a map of any size fits every budget, largest communities first', async () => {
  const core = await searchCore(themes())
  const { value } = await mapVault(core, { level: 1 })
  const many = {
    ...value,
    communities: Array.from({ length: 300 }, (_, at) => ({ ...value.communities[0], id: `c${at}` })) as never,
  }
  for (const room of [1200, 4000, 8000, 200_000]) {
    const { value: fitted, omitted } = fitMap(many, room)
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(room)
    const { communities = [] } = fitted
    expect(communities.length + (omitted.communities ?? 0)).toBe(300)
    expect(communities[0]?.id).toBe('c0')
    const { key = [], folders = [] } = value.communities[0] ?? {}
    const shown = (name: 'key' | 'folders') => communities.reduce((sum, row) => sum + (row[name]?.length ?? 0), 0)
    expect(shown('key') + (omitted.key ?? 0)).toBe(communities.length * key.length)
    expect(shown('folders') + (omitted.folders ?? 0)).toBe(communities.length * folders.length)
    // Empty lists are left out of the answer.
    for (const row of communities) expect([row.key, row.folders]).not.toContainEqual([])
  }
})

test.each<[string, Record<string, string>]>([
  ['no notes', {}],
  ['one note', { 'a.md': 'alone' }],
  ['notes without links', Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}.md`, `word${at} other${at}`]))],
  [
    'one note that all others link to',
    { 'hub.md': '', ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}.md`, '[[hub]]'])) },
  ],
  ['equal notes', Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}.md`, 'the same words in every note']))],
  [
    'notes of days',
    Object.fromEntries(
      Array.from({ length: 28 }, (_, at) => [`2024-02-${String(at + 1).padStart(2, '0')}.md`, '[[2024-02-01]] walked the dog']),
    ),
  ],
  ['names of one letter', Object.fromEntries([...'abcdefgh'].map((name) => [`${name}.md`, '[[a]] [[b]] x y z']))],
  [
    'a script without spaces',
    Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${at}.md`, `東京の天気は今日も晴れです。[[0]]`])),
  ],
])('a vault of %s has a map', async (_, files) => {
  const core = await searchCore(files)
  for (const level of [1, 2]) {
    const { value, warnings } = await mapVault(core, { level })
    expect(warnings).toHaveLength(value.notes === 0 ? 1 : 0)
    expect(value.notes).toBe(Object.keys(files).length)
    expect(value.communities.reduce((sum, { notes }) => sum + notes, value.alone)).toBe(value.notes)
  }
})

test('notes that the vault hides appear in no label', async () => {
  const core = await searchCore({
    ...themes(['Coffee']),
    '.obsidian/app.json': '{"userIgnoreFilters":["hidden/"]}',
    'hidden/Secret.md': `${THEMES.Coffee} secret`,
    'coffee/More.md': '[[Secret]] [[Coffee]]',
  })
  expect(JSON.stringify((await mapVault(core, { level: 1 })).value)).not.toContain('ecret')
})

test('communities keep their ids when the vault gets a name', async () => {
  const state = memoryInsightState()
  const idsOf = async (name?: string) => {
    const core = await searchCore(themes(), name === undefined ? {} : { name })
    const insights = insightsOf(core.indexed, state, name)
    const { value } = await mapVault({ ...core, insights, insightState: state }, { level: 1 })
    return value
  }
  const before = await idsOf()
  const after = await idsOf('work')
  expect(before.communities.length).toBeGreaterThan(1)
  expect(after.communities.map(({ id, notes }) => [id, notes])).toEqual(
    before.communities.map(({ id, notes }) => [`work:${id}`, notes]),
  )
  expect(after.changed).toEqual({ new: [], gone: [], moved: 0 })
})

test('an unfinished map reports its progress, and another call does not restart it', async () => {
  const core = await searchCore(themes())
  const warningOf = async (progress?: { readonly done: number; readonly total: number }) => {
    const { value, warnings } = await mapVault(
      { ...core, insights: { follow: async () => undefined, progress: () => progress } },
      { level: 1 },
    )
    expect(value.communities).toEqual([])
    return warnings.map(({ code, message }) => `${code}: ${message}`).join()
  }
  const rest = '. Ask again in a few seconds.'
  const first = 'STALE: The vault is being analyzed for the first time'
  expect(await warningOf()).toBe(`${first}${rest}`)
  expect(await warningOf({ done: 12, total: 20 })).toBe(`${first} (12 of 20 notes have been read)${rest}`)
  expect(await warningOf({ done: 20, total: 20 })).toBe(`${first} (all notes have been read and are being compared)${rest}`)
})
