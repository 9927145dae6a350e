import { describe, expect, test } from 'vitest'
import { servingEmbedder, tryQuestion, within } from '../../src/app/question-vector.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { searchCore } from './search-core.ts'

const NOTES = { 'a.md': 'One.', 'b.md': 'Two.' }

describe('the embedder that serves', () => {
  test('is the former one while its vectors are more, if it can be opened', async () => {
    const former = new BagOfWords('former')
    const next = new BagOfWords('next', 24)
    const openFormer = async (id: string) => (id === former.id ? former : undefined)
    const core = await searchCore(NOTES, { embedder: former, open: async () => next, openFormer })
    expect((await servingEmbedder(core)).id).toBe(former.id)
    const closed = await searchCore(NOTES, { embedder: former, open: async () => next })
    expect((await servingEmbedder(closed)).id).toBe(next.id)
  })

  test('whose vectors another process has forgotten looks at what is stored, to make them again', async () => {
    const own = new BagOfWords('own')
    const core = await searchCore(NOTES, { embedder: own })
    const compared: (readonly string[] | undefined)[] = []
    const indexing: typeof core.indexing = {
      ...core.indexing,
      status: () => ({
        ...core.indexing.status(),
        search: { words: { done: 2, total: 2 }, vectors: { done: 2, total: 2, embedder: own.id } },
      }),
      reconcile: async (paths) => void compared.push(paths),
    }
    await servingEmbedder({ ...core, indexing })
    expect(compared).toEqual([])
    const store = { ...core.store, vectorStates: async () => [] }
    expect(await servingEmbedder({ ...core, indexing, store })).toBe(own)
    expect(compared).toEqual([[]])
  })

  test('is the own one where it has as many', async () => {
    const own = new BagOfWords('own')
    expect(await servingEmbedder(await searchCore(NOTES, { embedder: own }))).toBe(own)
  })
})

test('a question of which nothing is known has no vector, and nothing is said', async () => {
  const core = await searchCore(NOTES, { embedder: new BagOfWords() })
  expect(await tryQuestion(core, '🍎', {})).toBeUndefined()
  expect(await tryQuestion(await searchCore(NOTES), 'one', {})).toBeUndefined()
})

test('who is already gone waits for nothing', async () => {
  await expect(within(new Promise<never>(() => {}), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})
