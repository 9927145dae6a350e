import { describe, expect, test } from 'vitest'
import { resolveNodes } from '../../src/app/find/resolve-nodes.ts'
import { type SearchArguments, search } from '../../src/app/find/search.ts'
import { similarNodes } from '../../src/app/find/similar-nodes.ts'
import { type SuggestionKind, suggestLinks } from '../../src/app/insight/suggest-links.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { TABLE, TABLES } from '../embed/support.ts'
import { type SearchCore, searchCore } from './search-core.ts'

const ARABIC = {
  'الخبز.md': 'يُخبز الخبز من الدقيق والماء والملح في فرن ساخن.\n',
  'الحساء.md': 'حساء الكراث مع الملح والماء، يُطهى على نار هادئة.\n',
  'الحديقة.md': 'ينمو الكراث في الخريف ويحتاج إلى الماء كل يوم.\n',
  'السفر.md': 'من يطعم الكلب عندما نسافر في الصيف؟\n',
  'الضرائب.md': 'الدخل والخصومات والاستمارات والمواعيد النهائية.\n',
}
const ENGLISH = {
  'Bread.md': 'Bread is baked of flour, water and salt in a hot oven.\n',
  'Soup.md': 'Leek soup with salt and water, cooked on a low flame.\n',
  'Garden.md': 'Leek grows in autumn and wants water every day.\n',
  'Travel.md': 'Who feeds the dog while we travel in summer?\n',
}
const DEFAULTS: SearchArguments = {
  query: '',
  limit: 10,
  includeContent: false,
  relevance: 'normal',
  mode: 'hybrid',
  explain: true,
}
const embedder = openStaticEmbedder({ english: TABLE })
const open = (notes: Readonly<Record<string, string>>) => searchCore(notes, { embedder })
const ask = async (notes: Readonly<Record<string, string>>, args: Partial<SearchArguments>) =>
  search(await open(notes), { ...DEFAULTS, ...args })
const ranked = async (notes: Readonly<Record<string, string>>, args: Partial<SearchArguments>) =>
  (await ask(notes, args)).value.map(({ id, score }) => ({ id, score }))

describe('the embedder does not know the language', () => {
  test.each(['الكراث والملح في الماء', 'من يطعم الكلب في الصيف', 'ق'])(
    'hybrid mode gives the same notes and scores as keyword mode: %s',
    async (query) => {
      expect(await ranked(ARABIC, { query })).toEqual(await ranked(ARABIC, { query, mode: 'keyword' }))
    },
  )

  test.each([
    ['numbers', (at: number) => `d12${at}`],
    ['times', (at: number) => `20240301101${at}`],
    ['dates', (at: number) => `2024-03-0${at + 1}`],
  ])('names made of %s do not change the weight of meaning', async (_, nameOf) => {
    const renamed = Object.fromEntries(Object.values(ENGLISH).map((text, at) => [`${nameOf(at)}.md`, text]))
    const query = 'leek soup with water'
    const explained = async (notes: Readonly<Record<string, string>>) =>
      (await ask(notes, { query })).value.find(({ explain }) => explain?.keyword)?.explain?.weight
    expect(await explained(renamed)).toBe(await explained(ENGLISH))
  })

  test('explain names the deciding language', async () => {
    const languageIn = async (query: string) => (await ask(ENGLISH, { query })).value[0]?.explain?.language
    expect(await languageIn('the salt and water')).toBe('en')
    expect(await languageIn('salt')).toBeUndefined()
  })

  test('a question is in one of the languages of search.languages', async () => {
    const core = await searchCore(ENGLISH, { embedder, languages: ['de', 'en'] })
    const languageIn = async (of: SearchCore) =>
      (await search(of, { ...DEFAULTS, query: 'wie is salt' })).value[0]?.explain?.language
    expect(await languageIn(await open(ENGLISH))).toBe('nl')
    expect(await languageIn(core)).toBe('de')
  })

  test('semantic mode finds nothing and warns', async () => {
    const { value, warnings } = await ask(ARABIC, { query: 'الكراث والملح', mode: 'semantic' })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('embedder.kind') }])
  })

  test('resolve_nodes with the semantic strategy skips such names with a warning', async () => {
    const args = { names: ['الكراث', 'bread'], strategy: 'semantic', threshold: 0.7 } as const
    const { value, warnings } = await resolveNodes(await open({ ...ARABIC, ...ENGLISH }), args)
    expect(value.map(({ match }) => match)).toEqual([null, 'bread.md'])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('الكراث') }])
  })

  test('similar_nodes compares such notes by words', async () => {
    const core = await searchCore(ARABIC, { embedder, openFormer: async () => embedder })
    const { value } = await similarNodes(core, { id: 'الخبز.md', limit: 5, relevance: 'loose', excludeLinked: false })
    expect(value).not.toEqual([])
  })

  test('similar_nodes returns nothing and warns until words are compared', async () => {
    const core = {
      ...(await searchCore(ARABIC, { embedder, openFormer: async () => embedder })),
      insights: { follow: async () => undefined },
    }
    const { value, warnings } = await similarNodes(core, { id: 'الخبز.md', limit: 5, relevance: 'loose', excludeLinked: false })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('embedder.kind') }])
  })
})

describe('with the multilingual table', () => {
  const many = openStaticEmbedder(TABLES)
  const asking = async (notes: Readonly<Record<string, string>>, args: Partial<SearchArguments>) =>
    search(await searchCore(notes, { embedder: many }), { ...DEFAULTS, ...args })

  test.each([
    ['German', 'Wer gibt dem Hund zu fressen, wenn wir verreisen?', 'travel.md'],
    ['Japanese', 'パンは何から焼かれますか', 'bread.md'],
    ['Arabic', 'من يطعم الكلب عندما نسافر', 'travel.md'],
  ])('a question in %s finds the English note', async (_, query, id) => {
    const { value } = await asking(ENGLISH, { query })
    expect(value[0]?.id).toBe(id)
  })

  test('a question in English finds the Arabic note', async () => {
    const { value } = await asking(ARABIC, { query: 'who feeds the dog when we travel' })
    expect(value[0]?.id).toBe('السفر.md')
  })

  const MIXED = {
    ...ENGLISH,
    ...ARABIC,
    'Fest.md': 'Die Familie feiert im Sommer mit Musik und Tanz.\n',
    'Antrag.md': 'Wer Urlaub nimmt, muss ihn vor dem Sommer beantragen.\n',
    'Frist.md': 'Solange die Frist läuft, macht das Amt nichts.\n',
    'Regal.md': 'Das Regal wird mit einer Schraube an der Wand befestigt.\n',
  }

  test('notes in other languages come before unrelated notes with common words', async () => {
    const query = 'Wer füttert den Hund, solange die Familie im Sommer Urlaub macht?'
    const { value } = await asking(MIXED, { query })
    expect(value.slice(0, 3).map(({ id }) => id)).toContain('travel.md')
  })

  test('similar_nodes finds the same subject in other languages, even before words are compared', async () => {
    const notes = {
      ...MIXED,
      'Baking.md':
        'Bake the bread in a hot oven until the crust is brown. Let the dough of flour, water, salt and yeast rise first.\n',
      'Backen.md':
        'Das Brot wird im heißen Ofen gebacken, bis die Kruste braun ist. Vorher geht der Teig aus Mehl, Wasser, Salz und Hefe.\n',
    }
    const core = await searchCore(notes, { embedder: many, openFormer: async () => many })
    const similar = async (id: string, insights = core.insights) => {
      const args = { id, limit: 2, relevance: 'normal', excludeLinked: false } as const
      return (await similarNodes({ ...core, insights }, args)).value.map((note) => note.id)
    }
    expect(await similar('baking.md')).toContain('backen.md')
    expect(await similar('backen.md')).toContain('baking.md')
    expect(await similar('backen.md', { follow: async () => undefined })).toContain('baking.md')
  })

  test('suggest_links suggests the note in another language on the same subject', async () => {
    const notes = {
      ...MIXED,
      'Baking.md':
        'Bake the bread in a hot oven until the crust is brown. Let the dough of flour, water, salt and yeast rise first.\n',
      'Backen.md':
        'Das Brot wird im heißen Ofen gebacken, bis die Kruste braun ist. Vorher geht der Teig aus Mehl, Wasser, Salz und Hefe.\n',
    }
    const core = await searchCore(notes, { embedder: many, openFormer: async () => many })
    const suggested = async (kind: SuggestionKind) =>
      (await suggestLinks(core, { id: 'backen.md', kind, limit: 3 })).value.suggestions
    expect(await suggested('related')).toContainEqual(
      expect.objectContaining({ to: 'baking.md', why: expect.arrayContaining(['meaning']) }),
    )
    expect((await suggested('named')).map(({ to }) => to)).not.toContain('baking.md')
  })

  test('explain shows the rank among notes in other languages', async () => {
    const { value } = await asking(MIXED, { query: 'who looks after the dog when we travel in summer' })
    const explained = Object.fromEntries(value.map(({ id, explain }) => [id, explain?.across]))
    expect(explained['travel.md']).toBeUndefined()
    expect(explained['السفر.md']).toMatchObject({ rank: 1, normalized: expect.any(Number) })
  })

  test('meaning has more weight in other languages than in English', async () => {
    const weightOf = async (query: string, notes: Readonly<Record<string, string>>) =>
      (await asking(notes, { query })).value.find(({ explain }) => explain?.keyword)?.explain?.weight
    expect(await weightOf('ماء الحديقة في الصيف', ARABIC)).toBeGreaterThan(
      (await weightOf('the water of a summer garden', ENGLISH)) ?? 1,
    )
  })

  test('resolve_nodes with the semantic strategy finds names in other languages', async () => {
    const core = await searchCore(ENGLISH, { embedder: many })
    const { value } = await resolveNodes(core, { names: ['Reise', 'Garten'], strategy: 'semantic', threshold: 0.35 })
    expect(value.map(({ match }) => match)).toEqual(['travel.md', 'garden.md'])
  })
})
