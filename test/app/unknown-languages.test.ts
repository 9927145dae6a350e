import { describe, expect, test } from 'vitest'
import { resolveNodes } from '../../src/app/find/resolve-nodes.ts'
import { type SearchArguments, search } from '../../src/app/find/search.ts'
import { similarNodes } from '../../src/app/find/similar-nodes.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { TABLE } from '../embed/support.ts'
import { searchCore } from './search-core.ts'

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
const embedder = openStaticEmbedder(TABLE)
const open = (notes: Readonly<Record<string, string>>) => searchCore(notes, { embedder })
const ask = async (notes: Readonly<Record<string, string>>, args: Partial<SearchArguments>) =>
  search(await open(notes), { ...DEFAULTS, ...args })
const ranked = async (notes: Readonly<Record<string, string>>, args: Partial<SearchArguments>) =>
  (await ask(notes, args)).value.map(({ id, score }) => ({ id, score }))

describe('where the embedder does not know the language', () => {
  test.each(['الكراث والملح في الماء', 'من يطعم الكلب في الصيف', '8f3a9c0e-77b1-4d', 'ق'])(
    'the mix gives the same notes and scores as words alone: %s',
    async (query) => {
      expect(await ranked(ARABIC, { query })).toEqual(await ranked(ARABIC, { query, mode: 'keyword' }))
    },
  )

  test('notes that are not known do not count as unrelated to a question that is', async () => {
    const notes = { ...ARABIC, 'السفر.md': 'من يطعم الكلب عندما نسافر؟ Travel.\n' }
    const query = 'who will water the plants when we travel'
    expect(await ranked(notes, { query })).toEqual(await ranked(notes, { query, mode: 'keyword' }))
  })

  test.each([
    ['numbers', (at: number) => `d12${at}`],
    ['times', (at: number) => `20240301101${at}`],
    ['dates', (at: number) => `2024-03-0${at + 1}`],
  ])('notes named by %s have meaning count as much as notes named by words', async (_, nameOf) => {
    const renamed = Object.fromEntries(Object.values(ENGLISH).map((text, at) => [`${nameOf(at)}.md`, text]))
    const query = 'leek soup with water'
    const explained = async (notes: Readonly<Record<string, string>>) =>
      (await ask(notes, { query })).value.find(({ explain }) => explain?.keyword)?.explain?.weight
    expect(await explained(renamed)).toBe(await explained(ENGLISH))
  })

  test('a question that is known in part gives meaning a part of its weight', async () => {
    const weightOf = async (query: string) => (await ask(ENGLISH, { query, relevance: 'loose' })).value[0]?.explain?.weight
    const [full, half, none] = [
      await weightOf('soup dog flour'),
      await weightOf('soup dog flour طبخ'),
      await weightOf('salt طبخ الكراث في الماء'),
    ]
    expect(full).toBeGreaterThan(0.3)
    expect(half).toBeGreaterThan(0)
    expect(half).toBeLessThan(full ?? 0)
    expect(none).toBe(0)
  })

  test('explain says how much of the question the embedder knows', async () => {
    const coverageOf = async (query: string) => (await ask(ENGLISH, { query })).value[0]?.explain?.coverage
    expect(await coverageOf('salt and water')).toBeGreaterThan(0.95)
    expect(await coverageOf('الكراث salt')).toBeLessThan(0.7)
  })

  test('by meaning alone such a question finds nothing, and a warning says why', async () => {
    const { value, warnings } = await ask(ARABIC, { query: 'الكراث والملح', mode: 'semantic' })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('embedder.kind') }])
  })

  test('resolve_nodes by meaning leaves out such names, and a warning names them', async () => {
    const args = { names: ['الكراث', 'bread'], strategy: 'semantic', threshold: 0.7 } as const
    const { value, warnings } = await resolveNodes(await open({ ...ARABIC, ...ENGLISH }), args)
    expect(value.map(({ match }) => match)).toEqual([null, 'bread.md'])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('الكراث') }])
  })

  test('similar_nodes compares such notes by their words', async () => {
    const core = await searchCore(ARABIC, { embedder, openFormer: async () => embedder })
    const { value } = await similarNodes(core, { id: 'الخبز.md', limit: 5, relevance: 'loose', excludeLinked: false })
    expect(value).not.toEqual([])
  })

  test('until words are compared similar_nodes compares no such note, and a warning says why', async () => {
    const core = {
      ...(await searchCore(ARABIC, { embedder, openFormer: async () => embedder })),
      insights: { follow: async () => undefined },
    }
    const { value, warnings } = await similarNodes(core, { id: 'الخبز.md', limit: 5, relevance: 'loose', excludeLinked: false })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('embedder.kind') }])
  })
})
