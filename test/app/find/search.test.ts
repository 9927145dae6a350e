import { afterEach, describe, expect, test, vi } from 'vitest'
import { type SearchArguments, search } from '../../../src/app/find/search.ts'
import type { Embedder } from '../../../src/core/embedder.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'
import { noPatience } from './no-patience.ts'

/** An embedder for which every note is equally near to every question. */
class VaguelyAlike extends KnownBag {
  private readonly cosine: number
  override readonly id: string

  constructor(cosine: number, id = 'static:bag:64') {
    super()
    this.cosine = cosine
    this.id = id
  }

  override async embed(texts: readonly string[], kind: 'query' | 'passage' | 'across'): Promise<readonly Float32Array[]> {
    const cosine = kind === 'passage' ? 1 : this.cosine
    return texts.map(() => Float32Array.from({ length: 64 }, (_, at) => [cosine, Math.sqrt(1 - cosine ** 2)][at] ?? 0))
  }
}

const KITCHEN = {
  'Bread.md': '---\naliases: [Loaf of rye]\ntags: [food/baked]\n---\n# Bread\n\nSourdough rises overnight with flour and salt.\n',
  'Soups/Soup.md': '---\ntags: [food]\n---\nLeek soup with salt. See [[Bread]].\n',
  'Soups/Old soup.md': '---\narchived: true\n---\nFish soup with salt, of old.\n',
  'Soups/Leek.md': 'Leek grows in autumn. #food\n',
  'Dog sitter.md': 'Whom to ask when we travel: Anna feeds the dog and walks him.\n',
  'Holidays.md': 'A dog sitter is needed, a dog sitter for two weeks, dog sitter, sitter.\n',
}
const DEFAULTS: SearchArguments = {
  query: '',
  limit: 10,
  includeContent: false,
  relevance: 'normal',
  mode: 'hybrid',
  explain: false,
}
const ask = (core: SearchCore, args: Partial<SearchArguments>) => search(core, { ...DEFAULTS, ...args })
const idsOf = async (core: SearchCore, args: Partial<SearchArguments>) => (await ask(core, args)).value.map(({ id }) => id)
const kitchen = (embedder: Embedder | undefined = new KnownBag()) =>
  searchCore(KITCHEN, embedder === undefined ? {} : { embedder })

test('a note with only properties has no passage instead of an empty one', async () => {
  const core = await searchCore({ 'Zebra.md': '---\ntype: animal\n---\n', 'Other.md': 'Zebras have stripes.\n' })
  const { value } = await ask(core, { query: 'zebra' })
  expect(value.map(({ id, passages }) => [id, passages.length])).toEqual([
    ['zebra.md', 0],
    ['other.md', 1],
  ])
})

test('a list of words is read in the language of its note', async () => {
  const text = 'Wir haben die alten Gebäude am Fluss gesehen, und sie sind sehr schön, aber nicht für alle Leute.\n'
  const words = 'Wiesen, Felder, Tische, Lampen, Berge, Wolken, Fenster, Karten, Schiffe, Hunde, Pferde, '
  const core = await searchCore({
    'Fluss.md': `# Fluss\n\n${text.repeat(20)}\n## Liste\n\nHäuser, Bücher, ${words.repeat(15)}\n\n## Ende\n\n${text.repeat(20)}`,
    'Wald.md': `${text}\nDer Wald ist mit dem Fluss nicht zu vergleichen.\n`,
  })
  const { value } = await ask(core, { query: 'Haus Buch', mode: 'keyword' })
  expect(value[0]?.passages[0]?.heading).toEqual(['Fluss', 'Liste'])
})

test('passages leave out a footer that several results share', async () => {
  const footer = (name: string) =>
    `\n## This page\n\n[Edit it](https://example.com/edit/${name}) | [Copy it](https://example.com/copy/${name})\n`
  const core = await searchCore({
    'Roses.md': `# Roses\n\nRoses want pruning in spring.\n${footer('roses')}`,
    'Pears.md': `# Pears\n\nPears want pruning in winter.\n${footer('pears')}`,
    'Plums.md': `# Plums\n\nPlums want pruning after harvest.\n${footer('plums')}`,
    'Anna.md': '# Anna\n\nHelps with pruning.\n\n## This page\n\nWritten by her own hand.\n',
  })
  const { value } = await ask(core, { query: 'who helps with pruning in spring', relevance: 'loose' })
  const shown = new Map<string, (typeof value)[number]['passages'][number] | undefined>(
    value.map(({ id, passages }) => [id, passages[0]]),
  )
  expect(shown.get('roses.md')).toMatchObject({ start_line: 1, end_line: 3, text: '# Roses\n\nRoses want pruning in spring.' })
  expect(shown.get('anna.md')?.text).toContain('Written by her own hand')
})

test('passages show a shared ending when the question asks for it', async () => {
  const page = (name: string) => `# ${name}\n\nA ${name} is good for salad.\n\n## Harvest\n\nRipe in August and September.\n`
  const core = await searchCore({ 'A.md': page('cucumber'), 'B.md': page('lettuce'), 'C.md': page('radish') })
  const { value } = await ask(core, { query: 'which salad is ripe for harvest in August?' })
  expect(value.map(({ passages }) => passages.some(({ text }) => text.includes('Ripe in August')))).toEqual([true, true, true])
})

describe('modes', () => {
  test.each(['hybrid', 'keyword', 'semantic'] as const)('%s finds the note, with scores between 0 and 1', async (mode) => {
    const core = await kitchen()
    const { value, warnings } = await ask(core, { query: 'sourdough flour overnight', mode })
    expect(value[0]?.id).toBe('bread.md')
    expect(warnings).toEqual([])
    for (const { score, passages } of value) {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(passages.length).toBeGreaterThan(0)
    }
  })

  test('semantic mode without an embedder is an error that names the setting; other modes work', async () => {
    const core = await searchCore(KITCHEN)
    await expect(ask(core, { query: 'soup', mode: 'semantic' })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      hint: expect.stringContaining('embedder.kind'),
    })
    expect((await idsOf(core, { query: 'salt' })).length).toBeGreaterThan(0)
    expect((await idsOf(core, { query: 'salt', mode: 'keyword' })).length).toBeGreaterThan(0)
  })

  test('keyword mode embeds nothing', async () => {
    const bag = new KnownBag()
    const core = await kitchen(bag)
    const embed = vi.spyOn(bag, 'embed')
    await ask(core, { query: 'salt', mode: 'keyword' })
    expect(embed).not.toHaveBeenCalled()
  })
})

describe('notes in other languages', () => {
  const MIXED = {
    'Häuser.md': 'Wir haben die alten Häuser am Fluss gesehen, und sie sind sehr schön.\n',
    'Книги.md': 'Это список моих книг, которые я ещё не прочитал, и тех, что уже прочитал.\n',
    'Notes.md': 'These are the notes of all the meetings that we had with them.\n',
  }

  test.each([
    ['mit den Häusern', 'häuser.md'],
    ['книгами', 'книги.md'],
    ['meeting', 'notes.md'],
  ])('%s finds %s by another form of the word', async (query, id) => {
    const core = await searchCore(MIXED)
    const { value } = await ask(core, { query, mode: 'keyword' })
    expect(value.map((each) => each.id)).toEqual([id])
    expect(value[0]?.passages).toHaveLength(1)
  })
})

describe('exact strings', () => {
  const CODE = {
    'Keys.md': '# Keys\n\nA long introduction to the keys of this editor stands here.\n\nOpen the tools with `Ctrl+Shift+I`.\n',
    'Shift.md': 'Ctrl, shift, I and other keys: ctrl shift, ctrl shift, shift ctrl. Shift and ctrl, I say.\n',
    'Reading.md': 'Notes are read by app.vault.read or by hasTag("x"), as code.\n',
    'Vault.md': 'A vault app can read a vault: vault, app, read. Read the vault in the app.\n',
    'Map.md': 'This one is a #MOC of all.\n',
    'MOC.md': 'A MOC is a map of content. MOC, MOC.\n',
    'Tags.md': 'Tags have tags: has tag, has tags, a tag has. \n',
  }

  test.each([
    ['Ctrl+Shift+I', 'keys.md'],
    ['what does ctrl+shift+i open', 'keys.md'],
    ['app.vault.read', 'reading.md'],
    ['hasTag()', 'reading.md'],
    ['#MOC', 'map.md'],
    ['`read the vault`', 'vault.md'],
  ])('%s: the note that contains it comes first, and notes without it score at most .5', async (query, first) => {
    const core = await searchCore(CODE, { embedder: new KnownBag() })
    for (const mode of ['hybrid', 'keyword'] as const) {
      const { value } = await ask(core, { query, mode, relevance: 'loose' })
      expect(value[0]?.id).toBe(first)
      expect(value[0]?.score).toBeGreaterThan(0.5)
      for (const { score } of value.slice(1)) expect(score).toBeLessThanOrEqual(0.5)
      expect(value.map(({ score }) => score)).toEqual(value.map(({ score }) => score).toSorted((a, b) => b - a))
    }
  })

  test('the passage contains the exact string', async () => {
    const filler = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} on ctrl and shift and I and keys.\n`).join('\n')
    const core = await searchCore({ 'Long.md': `${filler}\n## Tools\n\nPress Ctrl+Shift+I here.\n\n## More\n\n${filler}` })
    const { value } = await ask(core, { query: 'Ctrl+Shift+I' })
    expect(value[0]?.passages[0]?.text).toContain('Ctrl+Shift+I')
  })

  test('a compound that occurs nowhere shows the passage with its parts', async () => {
    const text = `${'Nothing of note here.\n\n'.repeat(300)}Key: AWSReserved_Access_acb08dd096/hugo\n`
    const { value } = await ask(await searchCore({ 'Day.md': text }), { query: 'AWSReserved_Access' })
    expect(value[0]?.passages[0]).toMatchObject({ text: expect.stringContaining('AWSReserved_Access_acb08dd096'), end_line: 601 })
  })

  test('scores at most .5 when no note contains the string', async () => {
    const core = await searchCore(CODE, { embedder: new KnownBag() })
    const { value } = await ask(core, { query: 'vault.app.read', relevance: 'loose' })
    expect(value.length).toBeGreaterThan(0)
    for (const { score } of value) expect(score).toBeLessThanOrEqual(0.5)
  })

  test('scopes and semantic mode work as usual', async () => {
    const core = await searchCore({ ...CODE, 'In/Keys 2.md': 'Ctrl+Shift+I too.\n' }, { embedder: new KnownBag() })
    expect(await idsOf(core, { query: 'Ctrl+Shift+I', folder: 'In' })).toEqual(['in/keys 2.md'])
    const { value } = await ask(core, { query: 'Ctrl+Shift+I', mode: 'semantic', relevance: 'loose', explain: true })
    expect(value.every(({ explain }) => explain?.keyword === null)).toBe(true)
  })
})

describe('names', () => {
  test.each(['hybrid', 'keyword'] as const)('%s: an exact title comes first, with score 1', async (mode) => {
    const core = await kitchen()
    const { value } = await ask(core, { query: ' DOG SITTER ', mode })
    expect(value[0]).toMatchObject({ id: 'dog sitter.md', score: 1 })
  })

  test('an exact alias comes first', async () => {
    const { value } = await ask(await kitchen(), { query: 'loaf of rye' })
    expect(value[0]).toMatchObject({ id: 'bread.md', score: 1 })
  })

  test.each(['dog siter', 'dog sittter', 'dog sitetr', 'dgo sitter'])(
    '%s: finds a misspelled title and warns about it',
    async (query) => {
      const core = await kitchen()
      const { value, warnings } = await ask(core, { query })
      expect(value.slice(0, 5).map(({ id }) => id)).toContain('dog sitter.md')
      expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('"Dog sitter" (dog sitter.md)') }])
    },
  )

  test('does not warn about names when the title is exact or nothing is near', async () => {
    const core = await kitchen()
    expect((await ask(core, { query: 'dog sitter' })).warnings).toEqual([])
    expect((await ask(core, { query: 'salt' })).warnings).toEqual([])
  })

  test('archived and out-of-scope notes are not found by name', async () => {
    const core = await kitchen()
    expect(await idsOf(core, { query: 'Old soup' })).not.toContain('soups/old soup.md')
    const { value, warnings } = await ask(core, { query: 'Old sup' })
    expect(value.map(({ id }) => id)).not.toContain('soups/old soup.md')
    expect(JSON.stringify(warnings)).not.toContain('old soup.md')
    expect(await idsOf(core, { query: 'Bread', note: 'soups/soup.md' })).toEqual(['soups/soup.md'])
  })
})

const CAFES = {
  'Café latte.md': 'Milk and espresso.',
  'Bar.md': 'Cafe latte, a cafe latte, one more cafe latte.',
  'Straße.md': '',
  'f/Long path.md': '---\ntitle: Something else\n---\nNothing.',
}

describe('sloppy queries', () => {
  test.each(['cafe latte', 'café latte?', 'CAFE  latte', '"Café\u00a0latte"', '  cafe\nlatte!! '])(
    '%j matches the title despite accents, white space and punctuation',
    async (query) => {
      const { value, warnings } = await ask(await searchCore(CAFES), { query, explain: true })
      expect(value[0]).toMatchObject({ id: 'café latte.md', score: 1, explain: { exact: true } })
      expect(warnings).toEqual([])
    },
  )

  test('the exact title comes before one with other accents', async () => {
    const core = await searchCore({ 'Cafe.md': '', 'Café.md': '' })
    const exactOf = async (query: string) =>
      (await ask(core, { query, explain: true })).value.filter(({ explain }) => explain?.exact)
    expect((await exactOf('cafe')).map(({ id }) => id)).toEqual(['cafe.md'])
    expect((await exactOf('café')).map(({ id }) => id)).toEqual(['café.md'])
    expect((await exactOf('café!')).map(({ id }) => id)).toEqual(['cafe.md', 'café.md'])
  })

  test.each([
    ['f/Long path.md', 'f/long path.md'],
    ['F/long path', 'f/long path.md'],
    ['straße.md', 'straße.md'],
    ['strasse', 'straße.md'],
  ])('%j is an id or a title', async (query, id) => {
    const { value } = await ask(await searchCore(CAFES), { query })
    expect(value[0]).toMatchObject({ id, score: 1 })
  })

  test('an id outside the scope finds nothing', async () => {
    const core = await searchCore(CAFES)
    expect(await idsOf(core, { query: 'f/long path.md', folder: 'g' })).toEqual([])
    expect(await idsOf(core, { query: 'f/long path.md', note: 'bar.md' })).toEqual([])
    expect(await idsOf(await kitchen(), { query: 'Soups/Old soup.md' })).not.toContain('soups/old soup.md')
  })
})

describe('misspelled words', () => {
  const NOTES = {
    'one.md': 'The temperature of the oven for rye.',
    'two.md': 'Temperature of the fridge. The receipt.',
    'three.md': 'A recipe for rye bread.',
    'four.md': 'What to write.',
  }

  test('replaces one unknown word among several with the nearest word, and warns', async () => {
    const core = await searchCore(NOTES)
    const { value, warnings } = await ask(core, { query: 'oven tempurature' })
    expect(value[0]).toMatchObject({ id: 'one.md', passages: [{ text: expect.stringContaining('temperature') }] })
    expect(value.map(({ id }) => id)).toEqual(['one.md', 'two.md'])
    expect(warnings).toEqual([
      { code: 'FALLBACK', message: 'Searched for "temperature" instead of "tempurature", which no note contains.' },
    ])
  })

  test("replaces a word of the embedder's vocabulary only by another one", async () => {
    const embedder = Object.assign(new KnownBag(), { knowsWord: (word: string) => ['diary', 'ting', 'tiny'].includes(word) })
    const core = await searchCore({ 'rare.md': 'The diaro of Ann.', 'oven.md': 'A tiny oven.' }, { embedder })
    const warningsFor = async (query: string) => (await ask(core, { query })).warnings.map(({ message }) => message)
    expect(await warningsFor('diary of Ann')).toEqual([])
    expect(await warningsFor('dioro of Ann')).toEqual([expect.stringContaining('"diaro" instead of "dioro"')])
    expect(await warningsFor('ting oven')).toEqual([expect.stringContaining('"tiny" instead of "ting"')])
  })

  test('never replaces a word that a note contains', async () => {
    const { value, warnings } = await ask(await searchCore(NOTES), { query: 'receipt for rye' })
    expect(value[0]?.id).toBe('two.md')
    expect(warnings).toEqual([])
  })

  test('drops a misspelled stop word', async () => {
    const { value } = await ask(await searchCore(NOTES), { query: 'whta rye recipe' })
    expect(value[0]?.id).toBe('three.md')
  })

  test('keeps numbers, short words, single words, dictionary words and off-topic questions', async () => {
    const core = await searchCore({
      ...NOTES,
      'five.md': 'Error 404 in the rye log, cat food, zebra crossing ahead.',
      'six.md': 'รายการสินค้า',
    })
    // The Thai words for "list" and "government" differ by one letter.
    for (const query of ['error 405', 'rye cas', 'tempurature', 'zebrb crossinx aheae foox', 'สินค้า ราชการ']) {
      expect((await ask(core, { query })).warnings, query).toEqual([])
    }
  })
})

describe('misspelled titles', () => {
  const BEANS = {
    'Coffee beans.md': 'Arabica.',
    'Grinders.md': 'How finely to grind which coffee bean, and for which machine.',
    'Error code 403.md': 'Forbidden.',
    'http.md': 'Not found is error code 404, an error code.',
    'Daily/2024-05-12.md': '',
    'Daily/2024-05-13.md': '',
    'Nesting.md': 'Boxes in boxes.',
    'Tests.md': 'Testing and testing.',
  }
  const scores = async (args: Partial<SearchArguments>) =>
    (await ask(await searchCore(BEANS), args)).value.map(({ score }) => score)

  test('a close title stays where its score puts it', async () => {
    const { value } = await ask(await searchCore(BEANS), { query: 'coffee bean', explain: true })
    expect(value[0]).toMatchObject({ id: 'coffee beans.md', explain: { close_title: 'Coffee beans' } })
  })

  test('a note that has all the words comes before a close title', async () => {
    const core = await searchCore(BEANS)
    expect(await idsOf(core, { query: 'testing' })).toEqual(['tests.md', 'nesting.md'])
    expect(await idsOf(core, { query: 'tesing' })).toEqual([])
    expect(await idsOf(core, { query: 'nestign' })).toEqual(['nesting.md'])
  })

  test('a different number is not a misspelling', async () => {
    const core = await searchCore(BEANS)
    const { value, warnings } = await ask(core, { query: 'error code 404' })
    expect(value.map(({ id }) => id)).toEqual(['http.md', 'error code 403.md'])
    expect(warnings).toEqual([])
    expect((await ask(core, { query: '2024-05-14' })).warnings).toEqual([])
    expect((await ask(core, { query: 'eror code 403' })).value[0]?.id).toBe('error code 403.md')
  })

  test.each(['coffee bean', 'coffe beans', 'error code 404', 'testing', 'nestign', 'eror code 403'])(
    '%j: scores descend',
    async (query) => {
      const found = await scores({ query })
      expect(found).toEqual(found.toSorted((a, b) => b - a))
      expect(found.length).toBeGreaterThan(0)
    },
  )

  test('strict relevance only suggests a title that nothing else supports', async () => {
    const core = await searchCore(BEANS)
    const { value, warnings } = await ask(core, { query: 'nestign', relevance: 'strict' })
    expect(value).toEqual([])
    expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('"Nesting"') }])
  })

  test('semantic mode ignores spelling', async () => {
    const core = await kitchen()
    const { warnings } = await ask(core, { query: 'dog siter', mode: 'semantic' })
    expect(warnings).toEqual([])
  })
})

describe('scope', () => {
  test('leaves out archived notes unless the scope names one', async () => {
    const core = await kitchen()
    expect(await idsOf(core, { query: 'fish soup salt' })).not.toContain('soups/old soup.md')
    expect(await idsOf(core, { query: 'fish soup salt', note: 'Soups/Old soup' })).toEqual(['soups/old soup.md'])
    expect(await idsOf(core, { query: 'fish soup salt', note: 'old SOUP' })).toEqual(['soups/old soup.md'])
  })

  test('a chosen note shows its closest passages even if they are barely relevant, except with strict', async () => {
    const core = await searchCore(KITCHEN, { embedder: new KnownBag() })
    for (const relevance of ['normal', 'loose'] as const)
      expect(await idsOf(core, { query: 'flour of a dog', note: 'soups/soup.md', relevance })).toEqual(['soups/soup.md'])
    expect(await idsOf(core, { query: 'flour of a dog', note: 'soups/soup.md', relevance: 'strict' })).toEqual([])
  })

  test('leaves out conflict copies unless the question or the scope names one', async () => {
    const copies = ['Bread.sync-conflict-20240501-101010-ABCDEFG', 'Soups/Soup (Anna’s conflicted copy 2024-05-01)']
    const text = { [copies[0] as string]: KITCHEN['Bread.md'], [copies[1] as string]: KITCHEN['Soups/Soup.md'] }
    const files = Object.fromEntries(Object.entries(text).map(([path, body]) => [`${path}.md`, body]))
    const core = await searchCore({ ...KITCHEN, ...files }, { embedder: new KnownBag() })
    const ids = copies.map((path) => `${path}.md`.toLowerCase())
    for (const query of ['sourdough flour salt leek soup', 'loaf of rye', 'loaf of rie', '"leek soup"']) {
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        const found = await idsOf(core, { query, mode, relevance: 'loose' })
        expect(found.filter((id) => ids.includes(id))).toEqual([])
      }
    }
    for (const copy of copies) {
      const query = copy.replace('Soups/', '')
      expect((await idsOf(core, { query }))[0]).toBe(`${copy}.md`.toLowerCase())
      expect(await idsOf(core, { query: 'salt', note: `${copy}.md` })).toEqual([`${copy}.md`.toLowerCase()])
    }
  })

  test('limits results to a folder or tag', async () => {
    const core = await kitchen()
    expect(await idsOf(core, { query: 'salt leek', folder: '/soups/' })).toEqual(['soups/leek.md', 'soups/soup.md'])
    expect(await idsOf(core, { query: 'salt flour', tag: '#FOOD/baked' })).toEqual(['bread.md'])
    expect(await idsOf(core, { query: 'salt', folder: 'nowhere' })).toEqual([])
  })

  test('rejects an attachment or a missing note as a scope', async () => {
    const core = await searchCore({ 'a.md': 'Salt. [[Missing]] ![[pic.png]]', 'pic.png': 'x' })
    for (const note of ['pic.png', 'Missing']) {
      await expect(ask(core, { query: 'salt', note })).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
    }
  })

  test('an unknown note is an error with a hint', async () => {
    const error = ask(await kitchen(), { query: 'salt', note: 'nope' })
    await expect(error).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', hint: expect.stringContaining('find_nodes') })
  })
})

describe('contents of an answer', () => {
  test('an answer has either content or properties', async () => {
    const core = await kitchen()
    const [without] = (await ask(core, { query: 'bread' })).value
    expect(without).toMatchObject({ title: 'Bread', tags: ['food/baked'], properties: { aliases: ['Loaf of rye'] } })
    expect(without).not.toHaveProperty('content')
    const [content] = (await ask(core, { query: 'bread', includeContent: true })).value
    expect(content?.content).toMatch(/^# Bread\n\nSourdough rises overnight with flour and salt\.\s*$/)
    expect(content).not.toHaveProperty('properties')
  })

  test('explain shows both rankings, their weight and why a note is first', async () => {
    const core = await kitchen()
    const [first] = (await ask(core, { query: 'leek soup salt', explain: true })).value
    expect(first?.explain?.keyword).toMatchObject({ rank: 1, normalized: expect.any(Number) })
    expect(first?.explain?.semantic).toMatchObject({ rank: expect.any(Number), normalized: expect.any(Number) })
    expect(first?.explain?.weight).toBeGreaterThan(0)
    expect(first?.explain?.weight).toBeLessThan(1)
    expect((await ask(core, { query: 'bread', explain: true })).value[0]?.explain?.exact).toBe(true)
    const keyword = (await ask(core, { query: 'salt', mode: 'keyword', explain: true })).value[0]?.explain
    expect(keyword).toMatchObject({ semantic: null, weight: 0 })
    const semantic = (await ask(core, { query: 'leek soup with salt', mode: 'semantic', explain: true })).value[0]?.explain
    expect(semantic).toMatchObject({ keyword: null, weight: 1 })
    expect((await ask(core, { query: 'salt' })).value[0]).not.toHaveProperty('explain')
  })

  test('returns no more than the limit', async () => {
    const core = await kitchen()
    const all = await idsOf(core, { query: 'salt soup leek bread', relevance: 'loose' })
    expect(all.length).toBeGreaterThan(2)
    expect(await idsOf(core, { query: 'salt soup leek bread', relevance: 'loose', limit: 2 })).toEqual(all.slice(0, 2))
  })
})

describe('relevance', () => {
  test('each level includes the results of the stricter one; strict returns nothing off-topic', async () => {
    const core = await kitchen()
    for (const query of ['leek soup', 'who feeds the dog', 'salt', 'volcano trombone']) {
      const [strict, normal, loose] = [
        await idsOf(core, { query, relevance: 'strict' }),
        await idsOf(core, { query, relevance: 'normal' }),
        await idsOf(core, { query, relevance: 'loose' }),
      ]
      expect(normal.slice(0, strict.length)).toEqual(strict)
      expect(loose.slice(0, normal.length)).toEqual(normal)
    }
    expect(await idsOf(core, { query: 'volcano trombone parliament', relevance: 'strict' })).toEqual([])
  })

  test('strict needs more than one common word and a vague likeness', async () => {
    const core = await kitchen(new VaguelyAlike(0.5))
    const query = 'salt levels of tectonic plates below volcanic islands'
    expect((await ask(core, { query, relevance: 'strict' })).value).toEqual([])
    expect((await ask(core, { query, relevance: 'normal' })).value).not.toEqual([])
    for (const found of [
      'who feeds the dog when we travel',
      'Bread',
      '`grows in autumn` below volcanic islands of tectonic plates',
    ])
      expect((await ask(core, { query: found, relevance: 'strict' })).value, found).not.toEqual([])
  })

  test('strict does not expect the words of a question in notes in another language', async () => {
    const german = {
      'Häuser.md': 'Wir haben die alten Häuser am Fluss gesehen, und sie sind sehr schön.\n',
      'Brot.md': 'Das Brot wird mit dem Teig vom Abend und etwas Salz gebacken.\n',
      'Hund.md': 'Der Hund von meiner Schwester ist noch jung und will immer mit uns gehen.\n',
    }
    const english = { 'Notes.md': 'These are the notes of all the meetings that we had with them.\n' }
    for (const notes of [german, { ...german, ...english }]) {
      const core = await searchCore(notes, { embedder: new VaguelyAlike(0.45, 'static:bag+more:64') })
      expect(await idsOf(core, { query: 'how do they bake the loaf in the oven', relevance: 'strict' })).toContain('brot.md')
    }
  })

  test('every level lets an exact title through', async () => {
    const core = await kitchen()
    for (const relevance of ['strict', 'normal', 'loose'] as const) {
      expect((await idsOf(core, { query: 'Leek', relevance }))[0]).toBe('soups/leek.md')
    }
  })
})

describe('queries with little content', () => {
  test.each(['hybrid', 'keyword', 'semantic'] as const)('%s: a query of only stop words searches for them', async (mode) => {
    const core = await kitchen()
    const ids = await idsOf(core, { query: 'the with', mode, relevance: 'loose' })
    for (const id of ids) expect(['bread.md', 'dog sitter.md', 'soups/soup.md', 'soups/leek.md', 'holidays.md']).toContain(id)
  })

  test.each(['🍎🍏', '?!', '   ', 'xylophone'])('%j: no error, and no results with strict relevance', async (query) => {
    const core = await kitchen()
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await idsOf(core, { query, mode, relevance: 'strict' })).toEqual([])
    }
  })

  test('a query of 10,000 characters works like a short one', async () => {
    const core = await kitchen()
    const query = 'leek soup '.repeat(1_000)
    expect((await idsOf(core, { query }))[0]).toBe('soups/soup.md')
    expect(await idsOf(core, { query: 'x'.repeat(10_000) })).toEqual([])
  })

  test('an empty vault returns nothing and says that it is empty', async () => {
    const core = await searchCore({}, { embedder: new KnownBag() })
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await ask(core, { query: 'soup', mode })).toMatchObject({ value: [], warnings: [{ code: 'NOTICE' }] })
    }
  })

  test('searches notes with only emoji, only code, one byte or nothing', async () => {
    const files = { 'emoji.md': '🍎🍏', 'code.md': '```js\nuseEffect(foo_bar)\n```', 'byte.md': 'x', 'nothing.md': '' }
    const core = await searchCore(files, { embedder: new KnownBag() })
    expect((await idsOf(core, { query: 'useEffect' }))[0]).toBe('code.md')
    expect((await idsOf(core, { query: 'foo_bar' }))[0]).toBe('code.md')
    expect((await idsOf(core, { query: 'nothing' }))[0]).toBe('nothing.md')
  })
})

test('says that notes are near in meaning only if none has a word of the question', async () => {
  const core = await kitchen(new VaguelyAlike(0.5))
  const message = 'No searched note contains a word of the query. The notes shown are only near in meaning.'
  const { value, warnings } = await ask(core, { query: 'zzzzqqq' })
  expect([value.length > 0, warnings]).toEqual([true, [{ code: 'FALLBACK', message }]])
  expect((await ask(core, { query: 'zzzzqqq salt' })).warnings).toEqual([])
  expect((await ask(core, { query: 'zzzzqqq', mode: 'semantic' })).warnings).toEqual([])
})

test('an empty answer says how many notes loose relevance would show', async () => {
  const core = await searchCore({ 'a.md': 'a garden of kale in autumn', 'b.md': 'gears' }, { embedder: new KnownBag() })
  const message = 'No note is relevant enough. With relevance "loose", there is 1 barely relevant note.'
  const query = 'autumn zebra piano volcano'
  expect(await ask(core, { query })).toMatchObject({ value: [], warnings: [{ code: 'NOTICE', message }] })
  expect(await ask(core, { query, relevance: 'loose' })).toMatchObject({ value: [{ id: 'a.md' }], warnings: [] })
  expect(await ask(core, { query, relevance: 'strict' })).toMatchObject({ value: [], warnings: [] })
})

test('a question without a word finds a note of that name, or says that there is no word', async () => {
  const core = await searchCore({ '🍎.md': 'Apples.', 'b.md': 'More 🍏.' }, { embedder: new KnownBag() })
  expect(await ask(core, { query: '🍎' })).toMatchObject({ value: [{ id: '🍎.md' }], warnings: [] })
  for (const query of ['🍏', '…', ' '])
    expect(await ask(core, { query })).toMatchObject({ value: [], warnings: [{ code: 'FALLBACK', message: NO_WORD }] })
  expect(await ask(core, { query: 'pears' })).toMatchObject({ value: [], warnings: [] })
})

const NO_WORD = 'The query contains no word. Punctuation and emoji are not searched, except in names of notes.'

describe('an embedder that fails', () => {
  afterEach(() => void vi.restoreAllMocks())

  const failing = (embed: Embedder['embed']): Embedder => ({
    id: 'static:bag:64',
    dimensions: 64,
    batch: 8,
    embed,
    close: async () => {},
  })
  const opens: readonly (readonly [string, () => Promise<Embedder>])[] = [
    ['cannot be opened', async () => Promise.reject(new Error('no model'))],
    ['throws', async () => failing(async () => Promise.reject(new Error('no power')))],
    ['hangs while it opens', () => new Promise<never>(() => {})],
    ['hangs', async () => failing(() => new Promise<never>(() => {}))],
    ['returns nothing', async () => failing(async () => [])],
    ['returns zeros', async () => failing(async (texts) => texts.map(() => new Float32Array(64)))],
  ]

  test.each(opens)('an embedder that %s: answers by words, with a warning', async (name, open) => {
    noPatience()
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open })
    const { value, warnings } = await ask(core, { query: 'leek soup' })
    expect(value[0]?.id).toBe('soups/soup.md')
    if (!name.includes('returns')) {
      expect(warnings).toEqual([
        { code: 'FALLBACK', message: expect.stringMatching(/words only.*(no model|no power|within 5 s)/) },
      ])
    }
  })

  test.each(opens.slice(0, 4))('an embedder that %s: semantic mode is an error', async (_, open) => {
    noPatience()
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open })
    await expect(ask(core, { query: 'leek soup', mode: 'semantic' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })

  test.each(['NaN', 'another dimension'])('a query vector with %s falls back to words', async (what) => {
    const embed: Embedder['embed'] = async (texts) =>
      texts.map(() => (what === 'NaN' ? new Float32Array(64).fill(Number.NaN) : new Float32Array(3).fill(0.6)))
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open: async () => failing(embed) })
    const { value, warnings } = await ask(core, { query: 'leek soup' })
    expect(value[0]?.id).toBe('soups/soup.md')
    expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('words only') }])
  })

  test.each(['throws', 'hangs'])('answers when the embedder %s while the vault calibrates its cosines', async (how) => {
    noPatience()
    const bag = new BagOfWords('unknown', 64)
    const core = await searchCore(KITCHEN, { embedder: bag })
    const embed = bag.embed.bind(bag)
    vi.spyOn(bag, 'embed').mockImplementation(async (texts, ...rest) => {
      if (texts.length === 1) return await embed(texts, ...rest)
      return how === 'throws' ? Promise.reject(new Error('429')) : new Promise(() => {})
    })
    const { value } = await ask(core, { query: 'leek soup' })
    expect(value[0]?.id).toBe('soups/soup.md')
  })

  test('calibrates cosines once, and only when all notes have vectors', async () => {
    const bag = new BagOfWords('unknown', 64)
    const embed = vi.spyOn(bag, 'embed')
    const half = { words: { done: 6, total: 6 }, vectors: { done: 2, total: 6 } }
    const early = await searchCore(KITCHEN, { embedder: bag, status: { search: half } })
    embed.mockClear()
    await ask(early, { query: 'leek soup' })
    expect(embed.mock.calls.map(([texts]) => texts.length)).toEqual([1])
    const core = await searchCore(KITCHEN, { embedder: bag })
    embed.mockClear()
    await ask(core, { query: 'leek soup' })
    await ask(core, { query: 'salt' })
    expect(embed.mock.calls.map(([texts]) => texts.length > 1)).toEqual([false, true, false])
  })

  test('a cancelled call does not fall back to words', async () => {
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open: () => new Promise<never>(() => {}) })
    const controller = new AbortController()
    const answer = search(core, { ...DEFAULTS, query: 'leek' }, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('gone')), 10)
    await expect(answer).rejects.toThrow('gone')
  })
})

test('warns about what is not indexed yet', async () => {
  const half = { words: { done: 6, total: 6 }, vectors: { done: 2, total: 6 } }
  const core = await searchCore(KITCHEN, { embedder: new KnownBag(), status: { search: half } })
  expect((await ask(core, { query: 'leek' })).warnings).toEqual([
    { code: 'EMBEDDING', message: expect.stringContaining('2 of 6') },
  ])
  expect((await ask(core, { query: 'leek', mode: 'keyword' })).warnings).toEqual([])
  const building = await searchCore(KITCHEN, { status: { search: { words: { done: 1, total: 6 } } } })
  const { warnings } = await ask(building, { query: 'leek', mode: 'keyword' })
  expect(warnings).toEqual([{ code: 'INDEX_BUILDING', message: expect.stringContaining('1 of 6') }])
})

describe('German compounds', () => {
  const GERMAN = {
    'sync.md': `Das ist die Synchronisierung.\n\n${'Sie ist nicht immer schnell. '.repeat(40)}\n\nDer Verlauf der Versionen zeigt die Änderungen.`,
    'publish.md': 'Im Versionsverlauf stehen alle Änderungen, und sie werden nicht gelöscht.',
    'start.md': 'Die Oberfläche hat viele Fenster, und sie ist nicht schwer.',
  }

  test('a compound finds a note with its parts, and the passage that has them', async () => {
    const { value } = await ask(await searchCore(GERMAN), { query: 'Versionsverlauf', mode: 'keyword', relevance: 'loose' })
    expect(value.map(({ id }) => id)).toEqual(['publish.md', 'sync.md'])
    expect(value[1]?.passages[0]?.text).toContain('Der Verlauf der Versionen')
  })

  test('separate words find a note with their compound', async () => {
    const { value } = await ask(await searchCore(GERMAN), { query: 'Verlauf der Versionen', mode: 'keyword', relevance: 'loose' })
    expect(value.map(({ id }) => id)).toEqual(['sync.md', 'publish.md'])
  })
})

describe('link texts', () => {
  const NOTES = {
    'levain.md': 'Flour and water that ferments.',
    'feeding.md': 'Every day, feed [[levain|the mother dough]] with rye.',
    'markdown.md': 'It is also called [barm of brewers](levain.md) by some.',
    'other.md': 'Brewers of beer. A mother of three. Dough of wheat.',
  }

  test('link texts find the target of the link, by words and in hybrid mode', async () => {
    const core = await searchCore(NOTES)
    expect((await idsOf(core, { query: 'mother dough' })).slice(0, 2)).toContain('levain.md')
    expect((await idsOf(core, { query: 'barm of brewers' })).slice(0, 2)).toContain('levain.md')
    const embedded = await searchCore(NOTES, { embedder: new KnownBag() })
    expect(await idsOf(embedded, { query: 'mother dough' })).toContain('levain.md')
    expect(await idsOf(embedded, { query: 'mother dough', mode: 'semantic' })).not.toContain('levain.md')
  })

  test('link texts follow an edit of the linking note', async () => {
    const core = await searchCore(NOTES)
    core.vault.write('feeding.md', 'Every day, feed [[levain|the old chef]] with rye.')
    await core.indexing.reconcile(['feeding.md'])
    await core.indexed.indexSearch()
    expect(await idsOf(core, { query: 'old chef' })).toContain('levain.md')
    expect(await idsOf(core, { query: 'mother dough' })).not.toContain('levain.md')
  })

  test('link texts in properties, comments and embeds do not count, nor do those that repeat the name', async () => {
    const core = await searchCore({
      'levain.md': 'Flour.',
      'a.md': '---\nup: "[[levain|first]]"\n---\nfirst %%[[levain|second]]%% second, [[levain|levain]], ![[levain|third]] third',
    })
    for (const query of ['first', 'second', 'third']) expect(await idsOf(core, { query }), query).toEqual(['a.md'])
  })

  test('a note with a thousand link texts is found by each, and its own words still come first', async () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `Go to [[hub|place${at} of wonders]].`)
    const core = await searchCore({
      'hub.md': 'A crossing of roads.',
      'list.md': texts.join('\n'),
      'birds.md': 'Roads with care, and place of birds.',
    })
    expect(await idsOf(core, { query: 'place777 of wonders' })).toContain('hub.md')
    expect((await idsOf(core, { query: 'crossing of roads' }))[0]).toBe('hub.md')
    expect(await idsOf(core, { query: 'place of birds' })).toEqual(['birds.md'])
  })

  test('link texts in archived notes do not count', async () => {
    const archived = '---\narchived: true\n---\n[[levain|chef]]'
    const core = await searchCore({ 'levain.md': 'Flour.', 'old.md': archived, 'b.md': 'A chef.' })
    expect(await idsOf(core, { query: 'chef' })).toEqual(['b.md'])
  })
})
