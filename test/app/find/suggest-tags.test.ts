import { expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { fitTags } from '../../../src/app/find/fit-tags.ts'
import { type SuggestTagsArguments, suggestTags } from '../../../src/app/find/suggest-tags.ts'
import { toNodeId } from '../../../src/core/ids.ts'
import { KnownBag, searchCore } from '../search-core.ts'

const bread = (at: number) =>
  `---\ntags: [Bread, bread/sour]\n---\nSourdough loaf ${at}: flour, water, proofing and a hot oven.\n`
const roses = (at: number) => `---\ntags: [garden]\n---\nRoses ${at}: pruning, compost and rain in spring.\n`
const NOTES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`Kitchen/Loaf ${at}.md`, bread(at)])),
  ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`Beds/Rose ${at}.md`, roses(at)])),
  'New loaf.md': 'Another sourdough loaf: flour, water, longer proofing, the same oven.\n',
  'Tagged.md': '---\ntags: [bread]\n---\nSourdough loaf with flour, water and proofing.\n',
  'Strange.md': 'Zzxqj wvkpt.\n',
}

async function suggested(args: Partial<SuggestTagsArguments> & { readonly id: string }, embedder?: KnownBag) {
  const core = await searchCore(NOTES, embedder === undefined ? {} : { embedder })
  return await suggestTags(core, { limit: 5, relevance: 'normal', ...args })
}

test.each([
  ['by words and meaning', new KnownBag()],
  ['by words alone', undefined],
])('suggests tags and folders of the nearest notes, %s, each with a ready-made operation', async (_, embedder) => {
  const { value, warnings } = await suggested({ id: 'new loaf' }, embedder)
  expect(value.tags.map(({ tag }) => tag)).toEqual(expect.arrayContaining(['Bread', 'bread/sour']))
  expect(value.tags.map(({ tag }) => tag)).not.toContain('garden')
  expect(value.folders[0]).toMatchObject({ path: 'Kitchen' })
  expect(value.tags[0]?.from[0]).toMatch(/^kitchen\/loaf \d\.md$/)
  for (const { tag, operation } of value.tags)
    expect(operation).toEqual({ tool: 'manage_tags', arguments: { id: 'new loaf.md', add: [tag] } })
  expect(value.folders[0]?.operation).toEqual({
    tool: 'move_node',
    arguments: { id: 'new loaf.md', to: 'Kitchen/New loaf.md' },
  })
  expect(warnings).toEqual([])
})

test('does not suggest a tag again in another case', async () => {
  const { value } = await suggested({ id: 'tagged.md' }, new KnownBag())
  expect(value.tags.map(({ tag }) => tag.toLowerCase())).toEqual(['bread/sour'])
})

test('does not suggest a tag again in another Unicode form', async () => {
  const tagged = (tag: string) => `---\ntags: [${tag}]\n---\nSourdough loaf with flour, water and proofing.\n`
  const others = Array.from({ length: 6 }, (_, at) => [`Loaf ${at}.md`, tagged('caf\u00e9, bread')])
  const core = await searchCore(Object.fromEntries([...others, ['Own.md', tagged('cafe\u0301')]]), { embedder: new KnownBag() })
  const { value } = await suggestTags(core, { id: 'own.md', limit: 5, relevance: 'normal' })
  expect(value.tags.map(({ tag }) => tag)).toEqual(['bread'])
})

test('returns up to the limit, best first, with scores between 0 and 1', async () => {
  const { value } = await suggested({ id: 'new loaf', limit: 1, relevance: 'loose' }, new KnownBag())
  expect([value.tags.length, value.folders.length]).toEqual([1, 1])
  const { value: all } = await suggested({ id: 'new loaf', limit: 10, relevance: 'loose' }, new KnownBag())
  const scores = all.tags.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
})

test('more distant notes count too, with less weight', async () => {
  const near = Array.from({ length: 22 }, (_, at) => [
    `Loaf ${at}.md`,
    `---\ntags: [bread]\n---\nSourdough loaf: flour, water, proofing, oven.\n`,
  ])
  const far = Array.from({ length: 5 }, (_, at) => [
    `Tart ${at}.md`,
    `---\ntags: [cake]\n---\nTart with cherries, sugar, butter, from the oven.\n`,
  ])
  const mine = ['New.md', 'Sourdough loaf: flour, water, proofing, a hot oven.\n']
  const core = await searchCore(Object.fromEntries([...near, ...far, mine]), { embedder: new KnownBag() })
  const { value } = await suggestTags(core, { id: 'new.md', limit: 5, relevance: 'loose' })
  expect(value.tags.map(({ tag }) => tag)).toEqual(['bread', 'cake'])
})

test('a label in the title ranks before an equally common label in the text', async () => {
  const text = 'Kneading with water, in the oven.'
  const notes = Object.fromEntries(
    ['ferments', 'sourdough'].flatMap((tag) =>
      Array.from({ length: 4 }, (_, at) => [`${tag} ${at}.md`, `---\ntags: [${tag}]\n---\n${text}\n`]),
    ),
  )
  const core = await searchCore({
    ...notes,
    'A sourdough.md': `Of ferments. ${text}\n`,
    'Of ferments.md': `A sourdough. ${text}\n`,
  })
  const tagsOf = async (id: string) => {
    const { value } = await suggestTags(core, { id, limit: 5, relevance: 'loose' })
    return value.tags.map(({ tag }) => tag)
  }
  expect(await tagsOf('a sourdough.md')).toEqual(['sourdough', 'ferments'])
  expect(await tagsOf('of ferments.md')).toEqual(['ferments', 'sourdough'])
})

test('an empty answer gives the reason', async () => {
  const none = await suggested({ id: 'nowhere' })
  expect(none.value).toEqual({ tags: [], folders: [], reason: 'There is no such note.' })
  expect(none.warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
  const strange = await suggested({ id: 'strange.md' })
  expect(strange.value).toMatchObject({ tags: [], folders: [], reason: expect.stringMatching(/^No note is similar/) })
})

test('says why there are folders but no tags', async () => {
  const plain = Object.fromEntries(
    Object.entries(NOTES).map(([path, text]) => [path, text.replace(/^---[\s\S]*?---\n/, '')] as const),
  )
  const core = await searchCore(plain, { embedder: new KnownBag() })
  const { value } = await suggestTags(core, { id: 'new loaf.md', limit: 5, relevance: 'normal' })
  expect(value).toMatchObject({ tags: [], folders: [{ path: 'Kitchen' }], reason: expect.stringContaining('no tag') })
})

test('leaves out operations that do not fit the budget', () => {
  const operation = { tool: 'manage_tags', arguments: { id: toNodeId('a.md'), add: ['bread'] } } as const
  const tags = Array.from({ length: 3 }, () => ({ tag: 'bread', score: 0.5, from: [], operation }))
  const readyWithin = (room: number) => {
    const { value } = fitTags({ tags, folders: [] }, room)
    expect(jsonBytes(value)).toBeLessThanOrEqual(room)
    return value.tags.filter((tag) => tag.operation !== undefined).length
  }
  expect([readyWithin(200), readyWithin(260), readyWithin(1_000)]).toEqual([0, 1, 3])
})

test('within a budget, every label stays with as many source notes as fit, whatever the length of their ids', () => {
  const from = Array.from({ length: 3 }, (_, at) => toNodeId(`${'long/'.repeat(135)}${at}.md`))
  const labels = Array.from({ length: 5 }, (_, at) => ({ score: 0.5, from, label: `label ${at}` }))
  const value = {
    tags: labels.map(({ label, ...rest }) => ({ tag: label, ...rest })),
    folders: labels.map(({ label, ...rest }) => ({ path: label, ...rest })),
  }
  const named = (room: number) => {
    const fitted = fitTags(value, room)
    expect(jsonBytes(fitted.value)).toBeLessThanOrEqual(room)
    const rows = [...fitted.value.tags, ...fitted.value.folders]
    expect(rows).toHaveLength(10)
    for (const row of rows) expect(row.from).not.toEqual([])
    const counts = rows.map((row) => row.from?.length ?? 0)
    expect(counts.reduce((sum, count) => sum + count, 0) + (fitted.omitted.from ?? 0)).toBe(30)
    return counts.join('')
  }
  expect([named(600), named(2_000), named(8_000), named(15_000), named(30_000)]).toEqual([
    '0000000000',
    '1100000000',
    '2111111111',
    '3222222222',
    '3333333333',
  ])
})

test("does not suggest the note's own folder", async () => {
  const { value } = await suggested({ id: 'kitchen/loaf 1.md', relevance: 'loose' }, new KnownBag())
  expect(value.folders.map(({ path }) => path)).not.toContain('Kitchen')
})
