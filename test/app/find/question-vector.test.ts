import { afterEach, describe, expect, test, vi } from 'vitest'
import { servingEmbedder, tryQuestion } from '../../../src/app/find/question-vector.ts'
import type { Snapshot } from '../../../src/core/store.ts'
import { untilAborted } from '../../../src/core/waiting/aborting.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { storeOf } from '../../support/fake-store.ts'
import { searchCore } from '../search-core.ts'

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
    const store = storeOf({ vectorStates: async () => [] } as unknown as Snapshot, {})
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
  await expect(untilAborted(new Promise<never>(() => {}), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})

describe('a model that failed', () => {
  afterEach(() => void vi.useRealTimers())

  /** A core whose model is down until `isUp`, on a clock of its own. */
  async function downCore() {
    vi.useFakeTimers({ toFake: ['performance'] })
    const bag = new BagOfWords()
    const model = { isUp: false, opens: 0 }
    const open = async () => {
      model.opens++
      if (!model.isUp) throw new Error('the server is down')
      return bag
    }
    return { model, core: await searchCore(NOTES, { embedder: bag, open }) }
  }
  const saying = (reason: string) => ({ warning: { code: 'FALLBACK', message: expect.stringContaining(reason) } })

  test('is not asked for a while, and the reason is said at once', async () => {
    const { model, core } = await downCore()
    for (let question = 0; question < 5; question++) {
      expect(await tryQuestion(core, 'one', {})).toEqual(saying('the server is down'))
    }
    expect(model.opens).toBe(1)
  })

  test('is tried again by one question after that, and serves all once it is there', async () => {
    const { model, core } = await downCore()
    await tryQuestion(core, 'one', {})
    vi.advanceTimersByTime(15_001)
    await Promise.all([1, 2, 3].map(() => tryQuestion(core, 'one', {})))
    expect(model.opens).toBe(2)
    model.isUp = true
    expect(await tryQuestion(core, 'one', {})).toEqual(saying('the server is down'))
    vi.advanceTimersByTime(15_001)
    expect(await tryQuestion(core, 'one', {})).toHaveProperty('vector')
    expect(await tryQuestion(core, 'two', {})).toHaveProperty('vector')
  })

  test('only took long to open: it is asked as soon as it is open', async () => {
    const patience = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort(new Error('too late')))
    const bag = new BagOfWords()
    let finish = (_: BagOfWords) => {}
    const opening = new Promise<BagOfWords>((resolve) => {
      finish = resolve
    })
    const core = await searchCore(NOTES, { embedder: bag, open: () => opening })
    expect(await tryQuestion(core, 'one', {})).toEqual(saying('did not answer'))
    patience.mockRestore()
    finish(bag)
    await vi.waitFor(async () => expect(await tryQuestion(core, 'one', {})).toHaveProperty('vector'))
  })

  test('of one vault says nothing of another’s', async () => {
    const { core } = await downCore()
    await tryQuestion(core, 'one', {})
    expect(await tryQuestion(await searchCore(NOTES, { embedder: new BagOfWords() }), 'one', {})).toHaveProperty('vector')
  })
})
