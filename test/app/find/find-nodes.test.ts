import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { type FindArguments, findNodes } from '../../../src/app/find/find-nodes.ts'
import { type SearchCore, searchCore } from '../search-core.ts'

const KITCHEN = {
  'Bread.md':
    '---\naliases: [Loaf]\ntags: [food]\ncreated: 2024-01-01\nmodified: 2024-03-01\n---\n# Bread\n\nSourdough rises overnight.\n',
  'Soup.md': `---\ncreated: 2024-02-01\nmodified: 2024-02-02\n---\n${'Nothing of note here.\n'.repeat(30)}Then leeks,\n\n  and the LEEK soup; naïve leek-lovers.\n${'More of nothing.\n'.repeat(30)}`,
  'Old.md': '---\narchived: true\n---\nSourdough of old.\n',
  'Dog sitter.md': 'Anna.\n',
  'f/Leek.md': '---\nmodified: 2024-05-01\n---\nGrows.\n',
}
const DEFAULTS: FindArguments = { query: '', limit: 10, orderBy: 'relevance', includeArchived: false }
const find = (core: SearchCore, args: Partial<FindArguments>) =>
  findNodes(core, { ...DEFAULTS, ...args }, { withHighlights: true })
const idsOf = async (core: SearchCore, args: Partial<FindArguments>) => (await find(core, args)).value.map(({ id }) => id)

describe('snippets', () => {
  test('snippets show the text around the words, with exact highlight offsets', async () => {
    const core = await searchCore(KITCHEN)
    const [soup] = (await find(core, { query: 'leek soup' })).value
    expect(soup?.id).toBe('soup.md')
    expect(soup?.snippet.length).toBeLessThanOrEqual(240)
    const marked = soup?.highlights?.map(([start, end]) => soup.snippet.slice(start, end).toLowerCase())
    expect(marked).toEqual(['leeks', 'leek', 'soup', 'leek'])
    expect(soup?.line).toBe(35)
    expect(KITCHEN['Soup.md'].split('\n')[34]).toContain('leeks')
  })

  test('snippets around words leave out badges, images and comments', async () => {
    const badge = '![downloads](https://img.example/downloads/rye.svg)'
    const core = await searchCore({
      'Rye.md': `%% ask Anna %%\n${badge} [![stars](https://img.example/s.svg)](https://a.example)\n\nRye keeps long.\n`,
    })
    const [rye] = (await find(core, { query: 'rye keeps' })).value
    expect(rye).toMatchObject({
      snippet: 'Rye keeps long.',
      highlights: [
        [0, 3],
        [4, 9],
      ],
      line: 4,
    })
  })

  test('snippets keep line breaks, so matches in two list items are on two lines', async () => {
    const core = await searchCore({ 'List.md': '# To  do\n\n- [ ] bake  bread\n\n\n    - sell bread\n\n```\n  bread\n```\n' })
    const [list] = (await find(core, { query: 'bread' })).value
    expect(list?.snippet).toBe('# To do\n- [ ] bake bread\n    - sell bread\n```\n  bread\n```')
    expect(list?.highlights?.map(([start, end]) => list.snippet.slice(start, end))).toEqual(['bread', 'bread', 'bread'])
  })

  test('snippets show as many matching tasks as fit, and count the rest', async () => {
    const tasks = Array.from({ length: 30 }, (_, at) => `- [ ] water bed ${at}`).join('\n')
    const core = await searchCore({ 'Day.md': `- [ ]\n- [x] sleep\n${tasks}\n`, 'Blank.md': '- [ ] \n' })
    const found = (await find(core, { query: 'task:open', orderBy: 'title', order: 'desc' })).value
    expect(found.map(({ id, line }) => [id, line])).toEqual([
      ['day.md', 3],
      ['blank.md', 1],
    ])
    const lines = found[0]?.snippet.split('\n') ?? []
    expect(lines.slice(0, 2)).toEqual(['- [ ] water bed 0', '- [ ] water bed 1'])
    expect(lines.at(-1)).toBe(`… ${30 - (lines.length - 1)} more`)
    expect(found[0]?.snippet.length).toBeLessThanOrEqual(240)
    expect(found[1]?.snippet).toBe('- [ ]')
  })

  test('highlight each of several matching tasks', async () => {
    const core = await searchCore({ 'Day.md': '- [ ] bake bread\n- [ ] sleep\n- [ ] sell the bread\n' })
    const [day] = (await find(core, { query: 'task:open bread' })).value
    expect(day?.snippet).toBe('- [ ] bake bread\n- [ ] sell the bread')
    expect(day?.highlights?.map(([start, end]) => day.snippet.slice(start, end))).toEqual(['bread', 'bread'])
  })

  test('prefer visible words to words in a URL, and show the URL when it is the only match', async () => {
    const core = await searchCore({
      'Css.md': `# Inserter\n\nA plugin that inserts css.\n\n${'Filler. '.repeat(60)}\n\n[Edit](https://example.com/plugin/css/plugin-css.md)\n`,
      'Other.md': `# Other\n\n${'Filler. '.repeat(60)}\n\n[Edit](https://example.com/zebra.md)\n`,
    })
    const [css] = (await find(core, { query: 'plugin css' })).value
    expect(css).toMatchObject({ line: 3, snippet: expect.stringContaining('A plugin that inserts css.') })
    const shown = await find(core, { query: '"example.com/zebra"' })
    expect(shown.value).toMatchObject([{ id: 'other.md', snippet: expect.stringContaining('zebra') }])
  })

  test('snippets come without highlights for a model', async () => {
    const core = await searchCore(KITCHEN)
    const [soup] = (await findNodes(core, { ...DEFAULTS, query: 'leek soup' })).value
    expect(soup).toHaveProperty('snippet')
    expect(soup).not.toHaveProperty('highlights')
  })

  test('a snippet is the beginning of the note when the query has no words', async () => {
    const core = await searchCore(KITCHEN)
    const [bread] = (await find(core, { query: '#food' })).value
    expect(bread).toMatchObject({ id: 'bread.md', snippet: '# Bread\nSourdough rises overnight.', highlights: [], line: 7 })
  })

  test.each([
    ['"leek soup"', /^leek soup$/i],
    ['nai*', /^naïve$/i],
    ['title:soup leek', /^(leeks?|soup)$/i],
    ['leek -bread', /^leeks?$/i],
  ])("%s: highlights are forms of the query's words", async (query, form) => {
    const core = await searchCore(KITCHEN)
    const note = (await find(core, { query })).value.find(({ id }) => id === 'soup.md')
    expect(note?.highlights?.length).toBeGreaterThan(0)
    for (const [start, end] of note?.highlights ?? []) expect(note?.snippet.slice(start, end)).toMatch(form)
  })

  test('snippets have at most 240 units and ordered highlights of the word, for any text', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'leek',
        'Leeks',
        'LEEK',
        'soup',
        '🥬',
        '猫',
        'é',
        ' ',
        '\n',
        '\n\n',
        '. ',
        '[[Leek|leek]]',
        '**leek**',
        '`',
        'x'.repeat(300),
      ),
      fc.string({ maxLength: 8 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const core = await searchCore({ 'a.md': `${pieces.join(' ')} leek` })
        for (const { snippet, highlights, line } of (await find(core, { query: 'leek' })).value) {
          expect(snippet.length).toBeLessThanOrEqual(240)
          let last = 0
          for (const [start, end] of highlights ?? []) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            expect(snippet.slice(start, end)).toMatch(/^leeks?$/i)
            last = end
          }
          expect(line).toBeGreaterThanOrEqual(1)
          expect(snippet).not.toMatch(/\p{Surrogate}/u)
        }
        await core.close()
      }),
      { numRuns: 60 },
    )
  })

  test('use the current text of the file', async () => {
    const core = await searchCore(KITCHEN)
    core.vault.write('Bread.md', '---\ntitle: Rye\n---\nA sourdough of today.\n')
    const [bread] = (await find(core, { query: 'sourdough' })).value
    expect(bread).toMatchObject({
      id: 'bread.md',
      title: 'Rye',
      snippet: 'A sourdough of today.',
      highlights: [[2, 11]],
      line: 4,
    })
  })
})

describe('order of results', () => {
  test('orders by title, created or modified, in both directions; archived notes only on request', async () => {
    const core = await searchCore(KITCHEN)
    expect(await idsOf(core, { orderBy: 'title' })).toEqual(['bread.md', 'dog sitter.md', 'f/leek.md', 'soup.md'])
    expect(await idsOf(core, { orderBy: 'title', order: 'desc' })).toEqual(['soup.md', 'f/leek.md', 'dog sitter.md', 'bread.md'])
    expect(await idsOf(core, { query: 'has:property', orderBy: 'modified' })).toEqual(['f/leek.md', 'bread.md', 'soup.md'])
    expect(await idsOf(core, { query: 'created:2024', orderBy: 'created', order: 'asc' })).toEqual(['bread.md', 'soup.md'])
    expect(new Set(await idsOf(core, { query: 'sourdough', includeArchived: true }))).toEqual(new Set(['bread.md', 'old.md']))
    expect(await idsOf(core, { orderBy: 'title', limit: 2 })).toEqual(['bread.md', 'dog sitter.md'])
    expect(await idsOf(core, { orderBy: 'title', folder: '/f/' })).toEqual(['f/leek.md'])
  })

  test('an exact title comes first, with score 1', async () => {
    const [first] = (await find(await searchCore(KITCHEN), { query: 'leek' })).value
    expect(first).toMatchObject({ id: 'f/leek.md', score: 1 })
  })

  test('dates are shown if the query filters or orders by them', async () => {
    const core = await searchCore(KITCHEN)
    const dates = async (args: Partial<FindArguments>) => {
      const { created, modified } = (await find(core, args)).value.find(({ id }) => id === 'f/leek.md') ?? {}
      return [created !== undefined, modified !== undefined]
    }
    expect(await dates({ query: 'leek' })).toEqual([false, false])
    expect(await dates({ query: '' })).toEqual([false, true])
    expect(await dates({ query: 'leek', orderBy: 'created' })).toEqual([true, false])
    expect(await dates({ query: 'leek modified:>2000' })).toEqual([false, true])
  })

  test('a title that differs only in accents counts as exact', async () => {
    const core = await searchCore({ 'Café.md': 'Espresso.', 'Bar.md': 'Cafe cafe cafe cafe.' })
    expect((await find(core, { query: 'cafe' })).value.map(({ id, score }) => [id, score === 1])).toEqual([
      ['café.md', true],
      ['bar.md', false],
    ])
  })
})

describe('dates from properties', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test.each(['America/New_York', 'Asia/Tokyo', 'UTC'])('dates from properties are in local time: %s', async (place) => {
    process.env.TZ = place
    const files = {
      'year.md': '---\ncreated: 2023\n---\n',
      'month.md': '---\ncreated: 2023-05\n---\n',
      'day.md': '---\ncreated: 2023-05-01\n---\n',
      'minute.md': '---\ncreated: 2023-05-01 00:10\n---\n',
    }
    const core = await searchCore(files)
    expect((await idsOf(core, { query: 'created:2023' })).sort()).toEqual(['day.md', 'minute.md', 'month.md', 'year.md'])
    expect(await idsOf(core, { query: 'created:2023-01-01' })).toEqual(['year.md'])
    expect((await idsOf(core, { query: 'created:2023-05-01' })).sort()).toEqual(['day.md', 'minute.md', 'month.md'])
    expect(await idsOf(core, { query: 'created:<2023' })).toEqual([])
  })
})

describe('queries without a full match', () => {
  test('emoji are ignored', async () => {
    const core = await searchCore({ 'Pizza.md': 'Pizza 🍕 with cheese.', 'Bread.md': 'Pizza, no.' })
    const { value, warnings } = await find(core, { query: 'pizza 🍕' })
    expect(value.map(({ id }) => id)).toEqual(['pizza.md', 'bread.md'])
    expect(warnings).toEqual([])
    await expect(find(core, { query: '🍕 🗂️' })).rejects.toMatchObject({ message: expect.stringContaining('it contains no word') })
  })

  test('falls back to notes with any of the words, with a warning', async () => {
    const { value, warnings } = await find(await searchCore(KITCHEN), { query: 'sourdough leek' })
    expect(value.map(({ id }) => id).sort()).toEqual(['bread.md', 'f/leek.md', 'soup.md'])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('some of them') }])
  })

  test("falls back to words that start with the query's words, with a warning", async () => {
    const core = await searchCore({ 'Day.md': 'Key: AWSReserved_Access_acb08dd096/hugo\n', 'Other.md': 'Access\n' })
    const { value, warnings } = await find(core, { query: 'AWSReserved_Access' })
    expect(value).toMatchObject([{ id: 'day.md', snippet: 'Key: AWSReserved_Access_acb08dd096/hugo' }])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('start with them') }])
  })

  test('finds code with calls as it is written', async () => {
    const core = await searchCore({ 'Code.md': 'if (isExhausted(job)) app.hasTag()\n', 'Tag.md': 'tag\n' })
    for (const query of ['isExhausted(', 'isExhausted( ', 'hasTag()', '(app.hasTag() OR nothing)', 'app.hasTag()']) {
      expect([query, await idsOf(core, { query })]).toEqual([query, ['code.md']])
    }
  })

  test('suggests a title that is close to a misspelled query', async () => {
    const core = await searchCore(KITCHEN)
    for (const query of ['dog siter', 'dgositter']) {
      const { warnings } = await find(core, { query })
      expect(warnings.at(-1)).toEqual({ code: 'FALLBACK', message: expect.stringContaining('"Dog sitter" (dog sitter.md)') })
    }
  })

  test('an unmatched query returns nothing and no warning', async () => {
    expect(await find(await searchCore(KITCHEN), { query: 'xylophone' })).toMatchObject({ value: [], warnings: [] })
  })

  test('a query that does not parse is an error with its column', async () => {
    await expect(find(await searchCore(KITCHEN), { query: 'leek titel:soup' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('column 6'),
    })
  })
})
