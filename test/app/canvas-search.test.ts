import { describe, expect, test } from 'vitest'
import { findNodes } from '../../src/app/find/find-nodes.ts'
import { search } from '../../src/app/find/search.ts'
import { KnownBag, type SearchCore, searchCore } from './search-core.ts'

const CARDS = [
  { id: '1', type: 'text', text: '# Greenhouse\nWhere tomatoes ripen before #summer' },
  { id: '2', type: 'file', file: 'Bread.md' },
]
const FILES = {
  'Bread.md': 'Sourdough rises overnight.\n',
  'boards/Plan.canvas': JSON.stringify({ nodes: CARDS }, null, 1),
  'boards/Empty.canvas': '',
  'boards/Broken.canvas': '{"nodes":[{"type":"text","text":"tomatoes"',
}
const ARGUMENTS = { limit: 10, includeContent: false, relevance: 'normal', explain: false } as const
const find = (core: SearchCore, query: string) =>
  findNodes(core, { query, limit: 10, orderBy: 'relevance', includeArchived: false })

describe('finding a canvas by the words of its cards', () => {
  test('find_nodes returns the card as snippet, with its line', async () => {
    const { value } = await find(await searchCore(FILES), 'tomato ripen')
    expect(value.map(({ id, snippet, line }) => [id, snippet, line])).toEqual([
      ['boards/plan.canvas', '# Greenhouse Where tomatoes ripen before #summer', 6],
    ])
  })

  test.each(['keyword', 'hybrid', 'semantic'] as const)('search in %s mode returns the card as passage', async (mode) => {
    const core = await searchCore(FILES, { embedder: new KnownBag() })
    const { value } = await search(core, { ...ARGUMENTS, query: 'tomatoes ripen greenhouse', mode })
    expect(value[0]).toMatchObject({ id: 'boards/plan.canvas', title: 'Plan.canvas' })
    expect(value[0]?.passages.map(({ text, start_line }) => [text, start_line])).toEqual([
      ['# Greenhouse Where tomatoes ripen before #summer', 6],
    ])
  })

  test('find_nodes finds a canvas by name', async () => {
    expect((await find(await searchCore(FILES), 'plan')).value.map(({ id }) => id)).toEqual(['boards/plan.canvas'])
  })
})

test('queries without words, and words of the canvas format, find no canvas', async () => {
  const core = await searchCore(FILES)
  for (const query of ['path:boards', '#summer', 'nodes']) expect((await find(core, query)).value).toEqual([])
})
