import { afterEach, describe, expect, test, vi } from 'vitest'
import { type SearchArguments, search } from '../../../src/app/find/search.ts'
import type { Embedder } from '../../../src/core/embedder.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'

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

test('a note that is its properties only has no passage, not an empty one', async () => {
  const core = await searchCore({ 'Zebra.md': '---\ntype: animal\n---\n', 'Other.md': 'Zebras have stripes.\n' })
  const { value } = await ask(core, { query: 'zebra' })
  expect(value.map(({ id, passages }) => [id, passages.length])).toEqual([
    ['zebra.md', 0],
    ['other.md', 1],
  ])
})

describe('modes', () => {
  test.each(['hybrid', 'keyword', 'semantic'] as const)('%s finds what is asked for, with scores from 0 to 1', async (mode) => {
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

  test('semantic without an embedder is an error that says which setting; the others go on', async () => {
    const core = await searchCore(KITCHEN)
    await expect(ask(core, { query: 'soup', mode: 'semantic' })).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      hint: expect.stringContaining('embedder.kind'),
    })
    expect((await idsOf(core, { query: 'salt' })).length).toBeGreaterThan(0)
    expect((await idsOf(core, { query: 'salt', mode: 'keyword' })).length).toBeGreaterThan(0)
  })

  test('keyword embeds nothing', async () => {
    const bag = new KnownBag()
    const core = await kitchen(bag)
    const embed = vi.spyOn(bag, 'embed')
    await ask(core, { query: 'salt', mode: 'keyword' })
    expect(embed).not.toHaveBeenCalled()
  })
})

describe('what is meant letter by letter', () => {
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
  ])('%s: the note that holds it comes first, and what does not is never above .5', async (query, first) => {
    const core = await searchCore(CODE, { embedder: new KnownBag() })
    for (const mode of ['hybrid', 'keyword'] as const) {
      const { value } = await ask(core, { query, mode, relevance: 'loose' })
      expect(value[0]?.id).toBe(first)
      expect(value[0]?.score).toBeGreaterThan(0.5)
      for (const { score } of value.slice(1)) expect(score).toBeLessThanOrEqual(0.5)
      expect(value.map(({ score }) => score)).toEqual(value.map(({ score }) => score).toSorted((a, b) => b - a))
    }
  })

  test('the passage that is shown holds it', async () => {
    const filler = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} on ctrl and shift and I and keys.\n`).join('\n')
    const core = await searchCore({ 'Long.md': `${filler}\n## Tools\n\nPress Ctrl+Shift+I here.\n\n## More\n\n${filler}` })
    const { value } = await ask(core, { query: 'Ctrl+Shift+I' })
    expect(value[0]?.passages[0]?.text).toContain('Ctrl+Shift+I')
  })

  test('a compound that stands nowhere is shown where its parts stand, as notes are found by them', async () => {
    const text = `${'Nothing of note here.\n\n'.repeat(300)}Key: AWSReserved_Access_acb08dd096/hugo\n`
    const { value } = await ask(await searchCore({ 'Day.md': text }), { query: 'AWSReserved_Access' })
    expect(value[0]?.passages[0]).toMatchObject({ text: expect.stringContaining('AWSReserved_Access_acb08dd096'), end_line: 601 })
  })

  test('nothing that is found is above .5 where no note holds it', async () => {
    const core = await searchCore(CODE, { embedder: new KnownBag() })
    const { value } = await ask(core, { query: 'vault.app.read', relevance: 'loose' })
    expect(value.length).toBeGreaterThan(0)
    for (const { score } of value) expect(score).toBeLessThanOrEqual(0.5)
  })

  test('a scope and meaning alone hold as ever', async () => {
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

  test.each(['dog siter', 'dog sittter', 'dog sitetr', 'dgo sitter'])('%s: a slip is no obstacle, and is told', async (query) => {
    const core = await kitchen()
    const { value, warnings } = await ask(core, { query })
    expect(value.slice(0, 5).map(({ id }) => id)).toContain('dog sitter.md')
    expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('"Dog sitter" (dog sitter.md)') }])
  })

  test('no slip is told where the title is there, or nothing is near', async () => {
    const core = await kitchen()
    expect((await ask(core, { query: 'dog sitter' })).warnings).toEqual([])
    expect((await ask(core, { query: 'salt' })).warnings).toEqual([])
  })

  test('archived and other notes do not come in by their names', async () => {
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

describe('what is typed in a hurry', () => {
  test.each(['cafe latte', 'café latte?', 'CAFE  latte', '"Café\u00a0latte"', '  cafe\nlatte!! '])(
    '%j is the title but for accents, white space and punctuation',
    async (query) => {
      const { value, warnings } = await ask(await searchCore(CAFES), { query, explain: true })
      expect(value[0]).toMatchObject({ id: 'café latte.md', score: 1, explain: { exact: true } })
      expect(warnings).toEqual([])
    },
  )

  test('the very title comes before one that is so but for accents', async () => {
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

  test('an id outside of the scope is nothing', async () => {
    const core = await searchCore(CAFES)
    expect(await idsOf(core, { query: 'f/long path.md', folder: 'g' })).toEqual([])
    expect(await idsOf(core, { query: 'f/long path.md', note: 'bar.md' })).toEqual([])
    expect(await idsOf(await kitchen(), { query: 'Soups/Old soup.md' })).not.toContain('soups/old soup.md')
  })
})

describe('titles with a slip', () => {
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

  test('a title that fits stays where it is', async () => {
    const { value } = await ask(await searchCore(BEANS), { query: 'coffee bean', explain: true })
    expect(value[0]).toMatchObject({ id: 'coffee beans.md', explain: { close_title: 'Coffee beans' } })
  })

  test('a note that has all of the words comes before it', async () => {
    const core = await searchCore(BEANS)
    expect(await idsOf(core, { query: 'testing' })).toEqual(['tests.md', 'nesting.md'])
    expect(await idsOf(core, { query: 'tesing' })).toEqual([])
    expect(await idsOf(core, { query: 'nestign' })).toEqual(['nesting.md'])
  })

  test('another number is no slip', async () => {
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

  test('strict only tells of what nothing else speaks for', async () => {
    const core = await searchCore(BEANS)
    const { value, warnings } = await ask(core, { query: 'nestign', relevance: 'strict' })
    expect(value).toEqual([])
    expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('"Nesting"') }])
  })

  test('semantic knows nothing of spelling', async () => {
    const core = await kitchen()
    const { warnings } = await ask(core, { query: 'dog siter', mode: 'semantic' })
    expect(warnings).toEqual([])
  })
})

describe('scope', () => {
  test('archived notes are left out, but for a scope that names one', async () => {
    const core = await kitchen()
    expect(await idsOf(core, { query: 'fish soup salt' })).not.toContain('soups/old soup.md')
    expect(await idsOf(core, { query: 'fish soup salt', note: 'Soups/Old soup' })).toEqual(['soups/old soup.md'])
    expect(await idsOf(core, { query: 'fish soup salt', note: 'old SOUP' })).toEqual(['soups/old soup.md'])
  })

  test('conflict copies are left out, but for a question or a scope that names one', async () => {
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

  test('folder and tag', async () => {
    const core = await kitchen()
    expect(await idsOf(core, { query: 'salt leek', folder: '/soups/' })).toEqual(['soups/leek.md', 'soups/soup.md'])
    expect(await idsOf(core, { query: 'salt flour', tag: '#FOOD/baked' })).toEqual(['bread.md'])
    expect(await idsOf(core, { query: 'salt', folder: 'nowhere' })).toEqual([])
  })

  test('an attachment or a note that is only linked to is no note to search in', async () => {
    const core = await searchCore({ 'a.md': 'Salt. [[Missing]] ![[pic.png]]', 'pic.png': 'x' })
    for (const note of ['pic.png', 'Missing']) {
      await expect(ask(core, { query: 'salt', note })).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
    }
  })

  test('a note that is not there is an error with what to do', async () => {
    const error = ask(await kitchen(), { query: 'salt', note: 'nope' })
    await expect(error).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', hint: expect.stringContaining('resolve_nodes') })
  })
})

describe('what an answer has', () => {
  test('content or properties', async () => {
    const core = await kitchen()
    const [without] = (await ask(core, { query: 'bread' })).value
    expect(without).toMatchObject({ title: 'Bread', tags: ['food/baked'], properties: { aliases: ['Loaf of rye'] } })
    expect(without).not.toHaveProperty('content')
    const [content] = (await ask(core, { query: 'bread', includeContent: true })).value
    expect(content?.content).toMatch(/^# Bread\n\nSourdough rises overnight with flour and salt\.\s*$/)
    expect(content).not.toHaveProperty('properties')
  })

  test('explain: both legs, their weight, and why it is first', async () => {
    const core = await kitchen()
    const [first] = (await ask(core, { query: 'leek soup salt', explain: true })).value
    expect(first?.explain?.keyword).toMatchObject({ rank: 1, normalised: expect.any(Number) })
    expect(first?.explain?.semantic).toMatchObject({ rank: expect.any(Number), normalised: expect.any(Number) })
    expect(first?.explain?.weight).toBeGreaterThan(0)
    expect(first?.explain?.weight).toBeLessThan(1)
    expect((await ask(core, { query: 'bread', explain: true })).value[0]?.explain?.exact).toBe(true)
    const keyword = (await ask(core, { query: 'salt', mode: 'keyword', explain: true })).value[0]?.explain
    expect(keyword).toMatchObject({ semantic: null, weight: 0 })
    const semantic = (await ask(core, { query: 'leek soup with salt', mode: 'semantic', explain: true })).value[0]?.explain
    expect(semantic).toMatchObject({ keyword: null, weight: 1 })
    expect((await ask(core, { query: 'salt' })).value[0]).not.toHaveProperty('explain')
  })

  test('at most as many as are wanted', async () => {
    const core = await kitchen()
    const all = await idsOf(core, { query: 'salt soup leek bread', relevance: 'loose' })
    expect(all.length).toBeGreaterThan(2)
    expect(await idsOf(core, { query: 'salt soup leek bread', relevance: 'loose', limit: 2 })).toEqual(all.slice(0, 2))
  })
})

describe('relevance', () => {
  test('each preset lets through what the stricter one does; off-topic is nothing in strict', async () => {
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

  test('an exact title is let through by all', async () => {
    const core = await kitchen()
    for (const relevance of ['strict', 'normal', 'loose'] as const) {
      expect((await idsOf(core, { query: 'Leek', relevance }))[0]).toBe('soups/leek.md')
    }
  })
})

describe('queries that say little', () => {
  test.each(['hybrid', 'keyword', 'semantic'] as const)('%s: only stop words are looked for as they are', async (mode) => {
    const core = await kitchen()
    const ids = await idsOf(core, { query: 'the with', mode, relevance: 'loose' })
    for (const id of ids) expect(['bread.md', 'dog sitter.md', 'soups/soup.md', 'soups/leek.md', 'holidays.md']).toContain(id)
  })

  test.each(['🍎🍏', '?!', '   ', 'xylophone'])('%j: no error, and nothing in strict', async (query) => {
    const core = await kitchen()
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await idsOf(core, { query, mode, relevance: 'strict' })).toEqual([])
    }
  })

  test('10,000 characters are as good as ten', async () => {
    const core = await kitchen()
    const query = 'leek soup '.repeat(1_000)
    expect((await idsOf(core, { query }))[0]).toBe('soups/soup.md')
    expect(await idsOf(core, { query: 'x'.repeat(10_000) })).toEqual([])
  })

  test('an empty vault', async () => {
    const core = await searchCore({}, { embedder: new KnownBag() })
    for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
      expect(await ask(core, { query: 'soup', mode })).toMatchObject({ value: [], warnings: [] })
    }
  })

  test('notes of only emoji, only code, one byte, nothing', async () => {
    const files = { 'emoji.md': '🍎🍏', 'code.md': '```js\nuseEffect(foo_bar)\n```', 'byte.md': 'x', 'nothing.md': '' }
    const core = await searchCore(files, { embedder: new KnownBag() })
    expect((await idsOf(core, { query: 'useEffect' }))[0]).toBe('code.md')
    expect((await idsOf(core, { query: 'foo_bar' }))[0]).toBe('code.md')
    expect((await idsOf(core, { query: 'nothing' }))[0]).toBe('nothing.md')
  })
})

describe('an embedder that fails', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** What waits for a model waits no longer. */
  function noPatience(): void {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new DOMException('too late', 'TimeoutError')), 10)
      return controller.signal
    })
  }
  const failing = (embed: Embedder['embed']): Embedder => ({
    id: 'static:bag:64',
    dimensions: 64,
    batch: 8,
    embed,
    close: async () => {},
  })
  const opens: readonly (readonly [string, () => Promise<Embedder>])[] = [
    ['that cannot be opened', async () => Promise.reject(new Error('no model'))],
    ['that throws', async () => failing(async () => Promise.reject(new Error('no power')))],
    ['that hangs while it opens', () => new Promise<never>(() => {})],
    ['that hangs', async () => failing(() => new Promise<never>(() => {}))],
    ['that answers nothing', async () => failing(async () => [])],
    ['that answers zeros', async () => failing(async (texts) => texts.map(() => new Float32Array(64)))],
  ]

  test.each(opens)('%s: words answer, and it is said', async (name, open) => {
    noPatience()
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open })
    const { value, warnings } = await ask(core, { query: 'leek soup' })
    expect(value[0]?.id).toBe('soups/soup.md')
    if (!name.includes('answers')) {
      expect(warnings).toEqual([
        { code: 'FALLBACK', message: expect.stringMatching(/words only.*(no model|no power|within 5 s)/) },
      ])
    }
  })

  test.each(opens.slice(0, 4))('%s: by meaning alone is an error', async (_, open) => {
    noPatience()
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open })
    await expect(ask(core, { query: 'leek soup', mode: 'semantic' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })

  test.each(['NaN', 'another dimension'])('a question’s vector with %s: words answer', async (what) => {
    const embed: Embedder['embed'] = async (texts) =>
      texts.map(() => (what === 'NaN' ? new Float32Array(64).fill(Number.NaN) : new Float32Array(3).fill(0.6)))
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open: async () => failing(embed) })
    const { value, warnings } = await ask(core, { query: 'leek soup' })
    expect(value[0]?.id).toBe('soups/soup.md')
    expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('words only') }])
  })

  test.each(['throws', 'hangs'])(
    'one that %s when the vault is to tell what its cosines mean: the question is answered',
    async (how) => {
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
    },
  )

  test('what cosines mean is found out once, and not before all notes have vectors', async () => {
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

  test('a caller who goes away is not answered with words', async () => {
    const core = await searchCore(KITCHEN, { embedder: new KnownBag(), open: () => new Promise<never>(() => {}) })
    const controller = new AbortController()
    const asked = search(core, { ...DEFAULTS, query: 'leek' }, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('gone')), 10)
    await expect(asked).rejects.toThrow('gone')
  })
})

test('what is not indexed yet is said', async () => {
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
