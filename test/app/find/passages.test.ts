import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Passage, passageLengths } from '../../../src/app/find/passages.ts'
import { search } from '../../../src/app/find/search.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'

const filler = (topic: string) => `${`Words about ${topic} go on and on, line by line.\n`.repeat(40)}`
const LONG = [
  '---',
  'title: Encyclopaedia',
  '---',
  'An opening.',
  '',
  '# Animals',
  '',
  filler('animals'),
  '## Otters',
  '',
  `Otters hold hands while they sleep.\n\n${filler('rivers')}`,
  '# Plants',
  '',
  filler('plants'),
  '## Thistles',
  '',
  `Thistles prick.\r\nThey prick indeed.\r\n\r\n${filler('meadows')}`,
].join('\n')
const FILES = { 'long.md': LONG, 'short.md': '---\na: 1\n---\n\n\nShort and sweet.\n\n' }

async function passagesFor(core: SearchCore, query: string, mode: 'hybrid' | 'keyword' | 'semantic' = 'hybrid') {
  const args = { query, limit: 5, includeContent: false, relevance: 'loose', mode, explain: false } as const
  const { value } = await search(core, args)
  return new Map(value.map(({ id, passages }) => [id as string, passages]))
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Checks that the lines a passage names contain its text. */
function expectPlaced(file: string, { start_line, end_line, text }: Passage): void {
  const lines = file.split('\n')
  expect(start_line).toBeGreaterThanOrEqual(1)
  expect(end_line).toBeGreaterThanOrEqual(start_line)
  expect(end_line).toBeLessThanOrEqual(lines.length)
  const named = collapse(lines.slice(start_line - 1, end_line).join('\n'))
  expect(named).toContain(collapse(text.replace(/^…|…$/g, '')))
  expect(text.length).toBeLessThanOrEqual(1_600)
}

describe.each([true, false])('with an embedder: %s', (isEmbedded) => {
  const open = () => searchCore(FILES, isEmbedded ? { embedder: new KnownBag() } : {})

  test.each(['otters sleep', 'thistles prick', 'animals', 'meadows rivers', 'opening', 'encyclopaedia'])(
    '%s: at most three passages, best first, each at its lines',
    async (query) => {
      const passages = (await passagesFor(await open(), query)).get('long.md') ?? []
      expect(passages.length).toBeGreaterThan(0)
      expect(passages.length).toBeLessThanOrEqual(3)
      const scores = passages.map(({ score }) => score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
      for (const passage of passages) expectPlaced(LONG, passage)
    },
  )

  test('the heading path works as a section of get_node', async () => {
    const [passage] = (await passagesFor(await open(), 'otters hold hands')).get('long.md') ?? []
    expect(passage?.heading).toEqual(['Animals', 'Otters'])
    expect(passage?.text).toContain('Otters hold hands')
    const [other] = (await passagesFor(await open(), 'thistles prick')).get('long.md') ?? []
    expect(other?.heading).toEqual(['Plants', 'Thistles'])
  })

  test('a short note is one passage, without surrounding white space', async () => {
    const passages = (await passagesFor(await open(), 'short sweet')).get('short.md')
    expect(passages).toMatchObject([{ heading: [], start_line: 6, end_line: 6, text: 'Short and sweet.' }])
  })

  test('shows a word deep in a very long note, also by words alone', async () => {
    const sections = Array.from({ length: 80 }, (_, at) => `## Part ${at}\n\n${filler(`topic ${at}`)}\n`)
    sections[61] += '\nThe quetzal nests here.\n'
    const core = await searchCore({ 'huge.md': sections.join('\n') }, isEmbedded ? { embedder: new KnownBag() } : {})
    for (const mode of ['keyword', 'hybrid'] as const) {
      const [passage] = (await passagesFor(core, 'quetzal', mode)).get('huge.md') ?? []
      expect(passage?.text).toContain('quetzal')
      expectPlaced(sections.join('\n'), passage as Passage)
    }
  })

  test('a note that changed since indexing is quoted from its current text', async () => {
    const core = await open()
    const now = `# New first heading\n\n${filler('otters')}\n# Second\n\nOtters now dance.\n`
    core.vault.write('long.md', now)
    const passages = (await passagesFor(core, 'otters')).get('long.md') ?? []
    expect(passages.length).toBeGreaterThan(0)
    for (const passage of passages) {
      expectPlaced(now, passage)
      expect([['New first heading'], ['Second']]).toContainEqual(passage.heading)
    }
  })
})

test.each([
  ['theatre', 'théâtre'],
  ['strasse', 'Straße'],
  ['oeuvre', 'œuvre'],
  ['wide', 'Ｗｉｄｅ'],
  ["don't", 'don’t'],
  ['dont', "don't"],
  ['1000', '1,000'],
  ['otters', 'İİİİ otters'],
])('in a long note, %s finds %s', async (query, spelled) => {
  const section = (at: number, text: string) =>
    `# Part ${at}\n\n${'So it goes, on and on with nothing in it. '.repeat(12)}${text}\n`
  const note = Array.from({ length: 60 }, (_, at) => section(at, at === 47 ? `Here stands ${spelled}.` : '')).join('\n')
  const [first] = (await passagesFor(await searchCore({ 'note.md': note }), query)).get('note.md') ?? []
  expect(first?.heading).toEqual(['Part 47'])
  expect(first?.text).toContain(spelled)
})

test('reads a part with an abbreviation even if it seems to lack the words', async () => {
  const part = (at: number, text: string) => `# Part ${at}\n\n${'So it goes, on and on with nothing in it. '.repeat(40)}${text}\n`
  const texts = ['Treaty.', 'Treaty again.', 'A treaty.', 'The treaty of the U.S.A. and others.', 'No treaty.', '']
  const note = texts.map((text, at) => part(at, text)).join('\n')
  const passages = (await passagesFor(await searchCore({ 'note.md': note }), 'usa treaty')).get('note.md') ?? []
  expect(passages[0]?.heading).toEqual(['Part 3'])
  expect(passages).toHaveLength(1)
})

test('the first results get the longest passages, and the others never get too little', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 10_000 }), fc.integer({ min: 1, max: 50 }), (tokens, results) => {
      const lengthAt = passageLengths(tokens, results)
      const lengths = Array.from({ length: results }, (_, at) => lengthAt(at))
      expect(lengths).toEqual(lengths.toSorted((a, b) => b - a))
      expect(lengths.every((length) => length >= 160 && length <= 1_600)).toBe(true)
      const sum = lengths.reduce((all, length) => all + length, 0)
      if (lengths.some((length) => length > 160)) expect(sum).toBeLessThanOrEqual(0.67 * 4 * tokens)
    }),
  )
  expect([0, 2, 3, 9].map(passageLengths(2_000, 10))).toEqual([480, 480, 160, 160])
  expect([0, 2].map(passageLengths(2_000, 3))).toEqual([1_506, 1_506])
  expect(passageLengths(undefined, 50)(49)).toBe(500)
})

test("a note's opening answers a question about its title, and a section one about its heading", async () => {
  const core = await searchCore({
    'Sourdough.md': `---\na: 1\n---\n\nA dough that ferments by itself.\n\n## Care of the starter\n\nFeed it.\n\n### How often\n\nDaily.\n\n## More\n\n${filler('sourdough')}`,
    'Rye.md': `# Rye\n\n## Care of the starter\n`,
  })
  const textOf = async (query: string, id: string) => (await passagesFor(core, query)).get(id)?.[0]?.text
  expect(await textOf('What is sourdough?', 'sourdough.md')).toBe('A dough that ferments by itself.')
  expect(await textOf('care of the starter', 'sourdough.md')).toBe(
    '## Care of the starter\n\nFeed it.\n\n### How often\n\nDaily.',
  )
  // A section without text cannot answer anything.
  expect(await textOf('care of the starter', 'rye.md')).toContain('# Rye')
})
