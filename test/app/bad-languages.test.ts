import { expect, test } from 'vitest'
import { type SearchArguments, search } from '../../src/app/find/search.ts'
import { similarNodes } from '../../src/app/find/similar-nodes.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { TABLES } from '../embed/support.ts'
import { searchCore } from './search-core.ts'

const embedder = openStaticEmbedder(TABLES)

const NOTES = {
  'Five.md': [
    'The train to the coast leaves at noon.',
    'Der Zug an die Küste fährt mittags ab.',
    'Поезд на побережье отправляется в полдень.',
    '海岸行きの電車は正午に出発します。',
    'يغادر القطار إلى الساحل عند الظهر.',
  ].join('\n\n'),
  'Names.md': 'كتبت الملاحظة باستخدام Obsidian مع إضافة Dataview وليس باستخدام Notion.\n',
  'Emoji.md': '🍎🍏🥐',
  'Private.md': '\ue000\ue001 \u{f0000}',
  'Million.md': 'kartoffel '.repeat(1_000_000),
  'Garden.md': 'Roses need pruning in March, with sharp shears.\n',
}

const open = (notes: Readonly<Record<string, string>> = NOTES) =>
  searchCore(notes, { embedder, openFormer: async () => embedder })
const core = open()
const asking = (query: string, limit: number): SearchArguments => ({
  query,
  limit,
  mode: 'hybrid',
  relevance: 'loose',
  includeContent: false,
  explain: false,
})
const found = async (query: string) => (await search(await core, asking(query, 3))).value.map(({ id }) => id as string)

test.each([
  ['five languages in one note: English', 'when does the train to the coast leave', 'five.md'],
  ['German', 'Wann fährt der Zug an die Küste?', 'five.md'],
  ['Russian', 'поезд на побережье', 'five.md'],
  ['Japanese', '海岸行きの電車', 'five.md'],
  ['Arabic', 'القطار إلى الساحل', 'five.md'],
  ['a Latin name in Arabic text', 'Dataview', 'names.md'],
  ['Arabic words around Latin names', 'إضافة Dataview', 'names.md'],
  ['one word a million times', 'Kartoffeln', 'million.md'],
])('%s', async (_, query, id) => {
  expect((await found(query))[0]).toBe(id)
})

test.each(['🍎', '\ue000', '\u{f0000}', '🍎🍏🥐 \ue000'])('a question of signs only (%j) finds nothing', async (query) => {
  expect(await found(query)).toEqual([])
})

test('identical notes are all found, with about the same score', async () => {
  const text = 'Der Zug an die Küste fährt mittags ab und ist nicht teuer.\n'
  const same = await open(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`Note ${at}.md`, text])))
  const { value } = await search(same, asking('Zug an die Küste', 40))
  expect(value).toHaveLength(40)
  const scores = value.map(({ score }) => score)
  expect(Math.max(...scores) - Math.min(...scores)).toBeLessThan(0.1)
  const similar = await similarNodes(same, { id: 'note 0.md', limit: 50, relevance: 'loose', excludeLinked: false })
  expect(similar.value.map(({ id }) => id)).not.toContain('note 0.md')
})
