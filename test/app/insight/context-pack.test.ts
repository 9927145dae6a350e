import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ContextPack, contextPack, type PackArguments } from '../../../src/app/insight/context-pack.ts'
import type { Vaults } from '../../../src/app/vaults.ts'
import { prepareCall } from '../../../src/mcp/calls/prepare-call.ts'
import { contextPackTool } from '../../../src/mcp/tools/insight.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'
import { fakeWriting } from '../write/fake-writing.ts'

const GARDEN = {
  'Roses.md': '# Roses\n\nRoses want pruning in spring. The tool for that is kept by [[Anna]].\n\n## Soil\n\nHeavy soil.\n',
  'Anna.md': '---\ntags: [people]\n---\n# Anna\n\nLives at the mill. Her telephone number is 4711.\n',
  'Mill.md': '# Mill\n\nThe mill grinds flour. See [[Roses]].\n',
  'Old/Spring.md': '---\narchived: true\n---\nSpring is when roses want pruning.\n',
  'Board.canvas':
    '{"nodes":[{"id":"1","type":"text","text":"Pruning roses on [[Anna]] day","x":0,"y":0,"width":9,"height":9}],"edges":[]}',
}
const QUESTION = 'who keeps the tool for pruning roses in spring'
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const pack = async (core: SearchCore, args: PackArguments) => (await contextPack(core, args)).value
const garden = async (files: Readonly<Record<string, string>> = GARDEN) => ({
  ...(await searchCore(files, { embedder: new KnownBag() })),
  writing: fakeWriting(),
})
const LONG = 'Compost and water make roses grow in spring, and pruning makes them flower again. '

test('includes the target of a link in a passage, with the link', async () => {
  const core = await garden()
  const { excerpts } = await pack(core, { query: QUESTION })
  expect(excerpts[0]?.id).toBe('roses.md')
  const anna = excerpts.find(({ id }) => id === 'anna.md')
  expect(anna).toMatchObject({ title: 'Anna', via: { from: 'roses.md', line: 3 }, text: expect.stringContaining('4711') })
  expect(excerpts.map(({ id }) => id)).not.toContain('old/spring.md')
})

test('packs a conflict copy only when its id is given', async () => {
  const copy = 'Roses (conflicted copy 2024-05-01).md'
  const core = await garden({ ...GARDEN, [copy]: GARDEN['Roses.md'], 'Mill.md': `${GARDEN['Mill.md']} Or [[${copy}|Roses]].` })
  const idsOf = async (args: PackArguments) => (await pack(core, args)).excerpts.map(({ id }) => id)
  for (const args of [{ query: QUESTION }, { query: 'mill flour' }, { ids: ['mill.md'] }]) {
    expect(await idsOf(args)).not.toContain(copy.toLowerCase())
  }
  expect(await idsOf({ ids: [copy] })).toContain(copy.toLowerCase())
})

test("a link's target follows the passage with the link, however well it matches", async () => {
  const core = await searchCore({
    'Talk.md': 'The talk about zebras was held by [[Speaker]], who wrote of stripes.\n',
    'Speaker.md': 'Zebras.\n',
    'Other.md': 'Nothing.\n',
  })
  const { excerpts } = await pack(core, { query: 'who held the talk about zebras and wrote of stripes' })
  expect(excerpts.map(({ id }) => id)).toEqual(['talk.md', 'speaker.md'])
})

test("shows the part of a link's target that the linking sentence is about", async () => {
  const filler = (word: string) => `${`${word} and nothing else stands here. `.repeat(60)}\n\n`
  const core = await searchCore({
    'Licenses.md': 'Beta builds need a key. What becomes of it is told by the rules about refunds: [[Rules]].\n',
    'Rules.md': `# Rules\n\n${filler('Invoices')}## Later\n\n${filler('Seats')}Refunds are not given for keys.\n`,
  })
  const { excerpts } = await pack(core, { query: 'what do beta builds need', maxTokens: 600 })
  expect(excerpts.find(({ id }) => id === 'rules.md')?.text).toContain('Refunds are not given')
})

test('follows links without an embedder too', async () => {
  const core = await searchCore(GARDEN)
  const { value, warnings } = await contextPack(core, { query: QUESTION })
  expect(value.excerpts.map(({ id }) => id)).toContain('anna.md')
  expect(warnings).toEqual([])
})

test('packs the nearest passages with a notice when nothing clearly answers', async () => {
  const core = await garden()
  const query = 'telephone somewhere between zebras, yaks, xylophones and umbrellas'
  const { value, warnings } = await contextPack(core, { query })
  expect(value.excerpts[0]?.id).toBe('anna.md')
  expect(warnings).toContainEqual({
    code: 'NOTICE',
    message: expect.stringContaining('No passage clearly answers the question'),
  })
})

test('does not follow backlinks or links of link targets', async () => {
  const core = await searchCore({
    'A.md': 'Zebras are striped, says [[B]].\n',
    'B.md': 'More is in [[C]].\n',
    'C.md': 'Nothing of that.\n',
    'D.md': 'Quite another matter, but see [[A]].\n',
  })
  const { excerpts } = await pack(core, { query: 'zebras striped' })
  expect(excerpts.map(({ id }) => id)).toEqual(expect.arrayContaining(['a.md', 'b.md']))
  expect(excerpts).toHaveLength(2)
})

test('does not follow links out of the scope', async () => {
  const core = await garden({
    ...GARDEN,
    'Beds/Tulips.md': 'Tulips want pruning, too: [[Anna]] and [[Hedge]].\n',
    'Beds/Hedge.md': 'A hedge.\n',
  })
  const { excerpts } = await pack(core, { query: 'tulips want pruning', folder: 'beds' })
  expect(excerpts.map(({ id }) => id).toSorted()).toEqual(['beds/hedge.md', 'beds/tulips.md'])
  const { value, warnings } = await contextPack(core, { query: 'tulips', folder: 'bed' })
  expect(value).toMatchObject({ excerpts: [], omitted: 0 })
  expect(warnings[0]?.message).toContain('"Beds"')
})

test("gives the note's hash only when the whole note is shown", async () => {
  const core = await garden({ 'Short.md': 'Zebras are striped.\n', 'Long.md': `# Zebras\n\n${LONG.repeat(80)}\n\nZebras.\n` })
  const { excerpts } = await pack(core, { query: 'zebras' })
  expect(excerpts.find(({ id }) => id === 'short.md')?.hash).toMatch(/^[0-9a-f]{64}$/)
  for (const { hash } of excerpts.filter(({ id }) => id === 'long.md')) expect(hash).toMatch(/^partial:[0-9a-f]{64}$/)
})

test('notes given by id come first, from their beginning, with outline and link targets', async () => {
  const core = await garden()
  const { value, warnings } = await contextPack(core, { ids: ['roses.md', 'Mill', 'rosse.md'] })
  expect(value.excerpts.slice(0, 2).map(({ id }) => id)).toEqual(['roses.md', 'mill.md'])
  expect(value.excerpts[0]).toMatchObject({ outline: ['# Roses', '## Soil'], lines: [1, 7] })
  expect(value.excerpts.map(({ id }) => id)).toContain('anna.md')
  expect(warnings.map(({ message }) => message).join(' ')).toMatch(/no node "rosse.md".*"roses.md"/)
})

test('never packs an excluded note, whether found, linked or named', async () => {
  const core = await garden()
  core.vault.excluded.add('Anna.md')
  core.vault.write('Anna.md', 'Anna prunes roses in spring.\n')
  await core.indexed.index()
  await core.indexed.indexSearch(new KnownBag())
  for (const args of [{ query: QUESTION }, { ids: ['roses.md', 'anna.md'] }]) {
    const { value, warnings } = await contextPack(core, args)
    expect(value.excerpts.map(({ id }) => id)).toContain('roses.md')
    expect(value.excerpts.map(({ id }) => id)).not.toContain('anna.md')
    if ('ids' in args) expect(warnings[0]?.message).toContain('"anna.md" is not in this answer')
  }
})

test("packs the text of a canvas's cards", async () => {
  const core = await garden()
  const { excerpts } = await pack(core, { query: 'pruning roses day' })
  const board = excerpts.find(({ id }) => id === 'board.canvas')
  expect(board?.text).toBe('Pruning roses on [[Anna]] day')
  expect(board?.hash).toMatch(/^partial:/)
})

test('a query without meaningful words finds little, and missing arguments are errors', async () => {
  const core = await garden()
  for (const query of ['AND OR NOT', '()"*"', '🙂']) expect((await pack(core, { query })).excerpts.length).toBeLessThanOrEqual(5)
  const call = prepareCall.bind(undefined, contextPackTool)
  const vaults: Vaults = { names: [], open: async () => core }
  for (const args of [{}, { query: ' \n' }, { ids: [] }])
    expect(() => call(args, { vaults })).toThrow(/expected a question, or ids/)
  expect(() => call({ query: 'a', max_tokens: 99 }, { vaults })).toThrow(/max_tokens/)
})

/** Returns all pages of a result. */
async function pages(core: SearchCore, args: PackArguments): Promise<readonly ContextPack[]> {
  const all: ContextPack[] = []
  for (let offset: number | undefined = 0; offset !== undefined && all.length < 200; ) {
    const page: ContextPack = await pack(core, { ...args, offset })
    all.push(page)
    offset = page.next_offset
  }
  return all
}

test('offsets lead to the end without gaps or repetitions', async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`Note ${at}.md`, `# Note ${at}\n\n${`Roses ${at}. ${LONG}`.repeat(20)}\n`]),
  )
  const core = await garden(notes)
  const all = await pages(core, { query: 'roses in spring', maxTokens: 900 })
  expect(all.length).toBeGreaterThan(3)
  const shown = all.flatMap(({ excerpts }) => excerpts.map(({ id, lines }) => `${id} ${lines[0]}`))
  expect(new Set(shown).size).toBe(shown.length)
  expect(all.at(-1)).not.toHaveProperty('next_offset')
  expect(all.at(-1)?.omitted).toBe(0)
  expect(all[0]?.omitted).toBe(shown.length - (all[0]?.excerpts.length ?? 0))
})

test('an offset past the last passage finds nothing', async () => {
  const core = await garden()
  expect(await pack(core, { query: QUESTION, offset: 1_000 })).toMatchObject({ excerpts: [], omitted: 0 })
  expect(await pack(core, { query: QUESTION, offset: 1_000 })).not.toHaveProperty('next_offset')
})

test('every pack keeps its budget and states its true size, for any vault and question', async () => {
  const piece = fc.constantFrom(
    'roses ',
    'prüning "x" ',
    '\\\\ \t',
    '🌹🌹 ',
    '[[Note 1]] ',
    '[[Note 2|two]]. ',
    '\n\n',
    '## Spring\n\n',
    LONG,
  )
  const note = fc.array(piece, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(
      fc.array(note, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 500, max: 3_000 }),
      async (texts, maxTokens) => {
        const core = await searchCore(Object.fromEntries(texts.map((text, at) => [`Note ${at}.md`, text])))
        const all = await pages(core, { query: 'roses pruning spring', maxTokens })
        for (const page of all) {
          expect(bytesOf(page)).toBeLessThanOrEqual(maxTokens * 4)
          expect(page.tokens).toBe(Math.ceil(bytesOf(page) / 4))
        }
        const shown = all.flatMap(({ excerpts }) => excerpts.map(({ id, lines }) => `${id} ${lines}`))
        expect(new Set(shown).size).toBe(shown.length)
        await core.close()
      },
    ),
    { numRuns: 40 },
  )
})

test('leaves out and counts a note whose names alone exceed the budget', async () => {
  const path = `${'a very long folder/'.repeat(110)}roses.md`
  const core = await searchCore({ [path]: 'Roses.\n', 'Other.md': 'Roses, too.\n' })
  const value = await pack(core, { query: 'roses', maxTokens: 500 })
  expect(value.excerpts.map(({ id }) => id)).toEqual(['other.md'])
  expect(value.omitted).toBe(1)
  expect(value).not.toHaveProperty('next_offset')
})

test('packs a note of several megabytes within its budget', async () => {
  const core = await searchCore({ 'Big.md': `# Big\n\n${`${LONG.repeat(10)}\n\n`.repeat(2_500)}The zebra.\n` })
  const value = await pack(core, { query: 'zebra', maxTokens: 500 })
  expect(value.excerpts[0]?.text).toContain('zebra')
  expect(bytesOf(value)).toBeLessThanOrEqual(2_000)
})

test('asks all vaults, ranks their passages together and counts offsets over all of them', async () => {
  const work = await searchCore({ 'Plan.md': `Roses. ${LONG.repeat(20)}` }, { name: 'work' })
  const home = await searchCore(
    { 'Garden.md': `Roses in the garden. [[Anna]]\n\n${LONG.repeat(20)}`, 'Anna.md': 'Anna.\n' },
    { name: 'home' },
  )
  const open = async (name?: string) => (name === 'home' ? home : work)
  const ask = async (args: object, names = ['work', 'home']) => {
    const { value } = await prepareCall(contextPackTool, args, { vaults: { names, open } })({})
    return value as ContextPack
  }
  const both = await ask({ query: 'roses garden' })
  expect(new Set(both.excerpts.map(({ id }) => id))).toEqual(new Set(['work:plan.md', 'home:garden.md', 'home:anna.md']))
  expect(both.tokens).toBe(Math.ceil(bytesOf(both) / 4))
  const first = await ask({ query: 'roses garden', max_tokens: 500 })
  expect(first.next_offset).toBeGreaterThan(0)
  const next = await ask({ query: 'roses garden', max_tokens: 500, offset: first.next_offset })
  const keys = [...first.excerpts, ...next.excerpts].map(({ id, lines }) => `${id} ${lines[0]}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect((await ask({ ids: ['home:garden.md'] })).excerpts[0]?.id).toBe('home:garden.md')
})

test('leaves out a footer that many notes share', async () => {
  const footer = (name: string) =>
    `\n## This page\n\n[Edit it](https://example.com/edit/${name}) | [Copy it](https://example.com/copy/${name})\n`
  const core = await garden({
    'Roses.md': `# Roses\n\nRoses want pruning in spring.\n\nThe tool is kept by [[Anna]].\n${footer('roses')}`,
    'Tulips.md': `# Tulips\n\nTulips are planted in autumn and need no tool for pruning.\n${footer('tulips')}`,
    'Pears.md': `# Pears\n\nPears want pruning in winter, with a long tool.\n${footer('pears')}`,
    'Anna.md': `# Anna\n\nLives at the mill.\n\n## This page\n\nWritten by her own hand.\n`,
  })
  const { excerpts } = await pack(core, { query: 'who keeps the tool for pruning roses in spring' })
  const text = excerpts.map((each) => each.text).join('\n')
  expect(text).not.toContain('Edit it')
  expect(text).toContain('kept by [[Anna]]')
  expect(text).toContain('Written by her own hand')
  expect(excerpts[0]).toMatchObject({ id: 'roses.md', lines: [1, 5], hash: expect.stringMatching(/^partial:/) })
})

test('shows a shared ending when the question asks for it', async () => {
  const page = (name: string) => `# ${name}\n\nA ${name} is good for salad.\n\n## Harvest\n\nRipe in August and September.\n`
  const core = await garden({ 'A.md': page('cucumber'), 'B.md': page('lettuce'), 'C.md': page('radish') })
  const { excerpts } = await pack(core, { query: 'which salad is ripe for harvest in August?' })
  expect(excerpts.filter(({ text }) => text.includes('Ripe in August'))).toHaveLength(3)
})

test('shows notes whose only readable text is a shared section', async () => {
  const page = (name: string) =>
    `%% ${name} is to be written about pruning roses %%\n\n## This page\n\nNothing was written yet.\n`
  const core = await garden({ 'A.md': page('one'), 'B.md': page('two'), 'C.md': page('three') })
  const { excerpts } = await pack(core, { ids: ['a', 'b', 'c'] })
  expect(excerpts.map(({ text }) => text.includes('Nothing was written yet'))).toEqual([true, true, true])
})

describe('breadth', () => {
  const parts = (topic: string) =>
    Array.from({ length: 4 }, (_, at) => `## Part ${at}\n\n${`Roses ${topic} ${at} want water. `.repeat(60)}\n`).join('\n')

  test('shows a passage of each note before second passages', async () => {
    const core = await garden({ 'Roses.md': parts('red'), 'Beds.md': parts('blue'), 'Water.md': 'Roses want water, in short.\n' })
    const { excerpts } = await pack(core, { query: 'roses want water', maxTokens: 2_000 })
    const first = excerpts.slice(0, 3).map(({ id }) => id)
    expect(new Set(first).size).toBe(3)
  })

  test('shows only the first of nearly equal passages', async () => {
    const sentence =
      'Roses want pruning in spring with a sharp and clean knife, says the gardener of the old mill, who has grown them for forty years.'
    const core = await garden({
      'One.md': `# One\n\n${sentence}\n`,
      'Two.md': `# Two\n\n${sentence}\n`,
      'Else.md': '# Else\n\nRoses sleep.\n',
    })
    const { excerpts } = await pack(core, { query: 'pruning roses in spring' })
    expect(excerpts.filter(({ text }) => text.includes('sharp and clean knife'))).toHaveLength(1)
    expect(excerpts.map(({ id }) => id)).toContain('else.md')
  })
})

test('a section whose heading asks the question comes first and begins with that heading', async () => {
  const filler = 'History and versions are kept by many people in many ways, for a long time. '.repeat(40)
  const core = await garden({
    'Questions.md': `# Questions\n\n## Can I pay?\n\nYes.\n\n## How long do you keep the history?\n\nTwelve months.\n\n## Other\n\nNo.\n`,
    'History.md': `# History\n\n${filler}\n\n## Keeping\n\n${filler}\n`,
  })
  const [first] = (await pack(core, { query: 'How long do you keep the history?' })).excerpts
  expect(first).toMatchObject({ id: 'questions.md', heading: ['Questions', 'How long do you keep the history?'] })
  expect(first?.text).toMatch(/^## How long do you keep the history\?\n\nTwelve months\.$/)
})
