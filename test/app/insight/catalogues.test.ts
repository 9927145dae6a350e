import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { fitMap, mapVault } from '../../../src/app/insight/map.ts'
import { renderMap } from '../../../src/cli/output/render-insight.ts'
import { searchCore } from '../search-core.ts'

type Files = Readonly<Record<string, string>>

/** Builds files from numbers, starting at 0. */
function many(count: number, file: (at: number) => readonly [path: string, text: string]): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => file(at)))
}

/** Words that no other note has. */
function prose(name: string, count: number): string {
  return Array.from(
    { length: count },
    (_, at) => `${name}${[...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}x`,
  ).join(' ')
}

const FOOTER = 'This page was made from the template of the club\n\nPlease do not edit below this line'
const PLUGINS = many(30, (at) => [
  `Things/Plugins/p${at}.md`,
  `---\nplugin-id: p${at}\ntags: [x]\n---\n${prose(`p${'abcdefghij'[at % 10]}${at % 3}`, 5)}\n\n${FOOTER}\n[[t${at % 12}]]`,
])
const THEMES = many(12, (at) => [`Things/Themes/t${at}.md`, `---\ntags: [x]\n---\n${prose(`t${at}`, 6)}\n\n${FOOTER}`])
const ESSAYS = many(8, (at) => [`Essays/e${at}.md`, `${prose(`e${at}`, 80)}\n\n[[e0]]`])

async function cataloguesOf(files: Files, scope?: string) {
  const core = await searchCore(files)
  const { value, warnings } = await mapVault(core, { level: 1, scope })
  expect(warnings).toHaveLength(value.notes === 0 ? 1 : 0)
  return value.catalogues
}

test('lists the folders whose notes are mostly short entries of the same form, before the communities', async () => {
  const core = await searchCore({ ...PLUGINS, ...THEMES, ...ESSAYS, 'Things/Plugins/Long.md': prose('long', 200) })
  const { value } = await mapVault(core, { level: 1 })
  expect(value.catalogues).toEqual([
    { folder: 'Things/Plugins', notes: 30, of: 31, properties: ['tags', 'plugin-id'] },
    { folder: 'Things/Themes', notes: 12, of: 12, properties: ['tags'] },
  ])
  expect(Object.keys(value).indexOf('catalogues')).toBeLessThan(Object.keys(value).indexOf('communities'))
  expect(renderMap(value, {})).toContain(`Most notes are short entries with the same structure
  30 of 31 notes in Things/Plugins (tags, plugin-id)
  12 notes in Things/Themes (tags)
`)
})

test('a map of a folder counts only its entries', async () => {
  const files = { ...PLUGINS, ...THEMES, ...ESSAYS }
  expect(await cataloguesOf(files, 'things/themes')).toEqual([
    { folder: 'Things/Themes', notes: 12, of: 12, properties: ['tags'] },
  ])
  expect(await cataloguesOf(files, 'Essays')).toBeUndefined()
})

test('divides entries in one folder by the property that states their type', async () => {
  const files = many(40, (at) => [
    `n${at}.md`,
    `---\ntype: ${at < 24 ? 'Plugin' : 'theme'}\nauthor: a${at}\ndone: ${at % 2 === 0}\n---\n${prose(`n${at}`, 4)}`,
  ])
  const properties = ['author', 'done', 'type']
  expect(await cataloguesOf(files)).toEqual([
    { folder: '', where: { type: 'Plugin' }, notes: 24, of: 24, properties },
    { folder: '', where: { type: 'theme' }, notes: 16, of: 16, properties },
  ])
})

test('year and month folders count as their parent folder', async () => {
  const day = (at: number) => `${2020 + (at % 4)}/${String((at % 12) + 1).padStart(2, '0')}/d${at}.md`
  const text = (at: number) => `---\nmood: fine\n---\n${prose(`d${at}`, 4)}`
  const properties = ['mood']
  expect(await cataloguesOf(many(60, (at) => [`Diary/${day(at)}`, text(at)]))).toEqual([
    { folder: 'Diary', notes: 60, of: 60, properties },
  ])
  expect(await cataloguesOf(many(60, (at) => [day(at), text(at)]))).toEqual([{ folder: '', notes: 60, of: 60, properties }])
})

test('identical notes form one catalogue', async () => {
  expect(await cataloguesOf(many(60, (at) => [`n${at}.md`, 'the same words in every note']))).toEqual([
    { folder: '', notes: 60, of: 60, properties: [] },
  ])
})

test.each<[string, Files]>([
  ['no notes', {}],
  ['one note', { 'a.md': 'alone' }],
  ['three notes', { 'a.md': 'one', 'b.md': 'two', 'c.md': 'three' }],
  ['long notes with a common footer', many(40, (at) => [`n${at}.md`, `${prose(`n${at}`, 60)}\n\n${FOOTER}`])],
  ['short notes that have nothing in common', many(40, (at) => [`n${at}.md`, prose(`n${at}`, 5)])],
  ['few entries among long notes', { ...THEMES, ...many(20, (at) => [`e${at}.md`, prose(`e${at}`, 60)]) }],
])('a vault of %s has no catalogue', async (_, files) => {
  expect(await cataloguesOf(files)).toBeUndefined()
})

test('a small budget keeps the largest catalogue and counts the others', async () => {
  const core = await searchCore({ ...PLUGINS, ...THEMES, ...ESSAYS })
  const { value } = await mapVault(core, { level: 1 })
  const catalogues = Array.from({ length: 50 }, (_, at) => ({
    folder: `Folder ${at}`,
    notes: 100 - at,
    of: 100,
    properties: ['tags'],
  }))
  for (const room of [400, 1_200, 8_000, 200_000]) {
    const { value: fitted, omitted } = fitMap({ ...value, catalogues }, room)
    expect(fitted.catalogues?.[0]).toEqual(catalogues[0])
    expect((fitted.catalogues?.length ?? 0) + (omitted.catalogues ?? 0)).toBe(50)
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(room)
  }
})

test('names a community of entries after the note that lists them, not after the most linked entry', async () => {
  const entries = many(20, (at) => [
    `Plugins/p${at}.md`,
    `${prose(`p${'abcdefghij'[at % 10]}${at % 3}`, 5)}\n\n${FOOTER}\n[[Ann]]`,
  ])
  const list = Object.keys(entries).map((path) => `- [[${path.slice('Plugins/'.length, -'.md'.length)}]]`)
  const files = {
    ...entries,
    'People/Ann.md': `Ann\n\n${FOOTER}`,
    'Kanban plugins.md': `${prose('kanban', 40)}\n\n${list.join('\n')}`,
  }
  const { value } = await mapVault(await searchCore(files), { level: 1 })
  expect(value.communities.map(({ label }) => label)).toEqual(['Kanban plugins'])
})
