import { afterEach, describe, expect, test, vi } from 'vitest'
import { servingEmbedder, tryQuestion } from '../../../src/app/find/question-vector.ts'
import type { Snapshot } from '../../../src/core/store.ts'
import { untilAborted } from '../../../src/core/waiting.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { eventually } from '../../support/eventually.ts'
import { storeOf } from '../../support/fake-store.ts'
import { searchCore } from '../search-core.ts'
import { noPatience } from './no-patience.ts'

const NOTES = { 'a.md': 'One.', 'b.md': 'Two.' }

describe('the serving embedder', () => {
  test('the former embedder serves while it has more vectors, if it can be opened', async () => {
    const former = new BagOfWords('former')
    const next = new BagOfWords('next', 24)
    const openFormer = async (id: string) => (id === former.id ? former : undefined)
    const core = await searchCore(NOTES, { embedder: former, open: async () => next, openFormer })
    expect((await servingEmbedder(core)).id).toBe(former.id)
    const closed = await searchCore(NOTES, { embedder: former, open: async () => next })
    expect((await servingEmbedder(closed)).id).toBe(next.id)
  })

  test('compares the vault again when another process has dropped its vectors', async () => {
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

  test('the configured embedder serves when it has as many vectors', async () => {
    const own = new BagOfWords('own')
    expect(await servingEmbedder(await searchCore(NOTES, { embedder: own }))).toBe(own)
  })
})

test('an unembeddable question has no vector and gives no warning', async () => {
  const core = await searchCore(NOTES, { embedder: new BagOfWords() })
  expect(await tryQuestion(core, '🍎', {})).toBeUndefined()
  expect(await tryQuestion(await searchCore(NOTES), 'one', {})).toBeUndefined()
})

test('a cancelled caller waits for nothing', async () => {
  await expect(untilAborted(new Promise<never>(() => {}), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})

describe('a model that failed', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** A core whose model is down until `isUp`, with a fake clock. */
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
  const failing = (reason: string) => ({ warning: { code: 'FALLBACK', message: expect.stringContaining(reason) } })

  test('a failed model is not tried again for a while, and the reason is given at once', async () => {
    const { model, core } = await downCore()
    for (let question = 0; question < 5; question++) {
      expect(await tryQuestion(core, 'one', {})).toEqual(failing('the server is down'))
    }
    expect(model.opens).toBe(1)
  })

  test('a single question retries a failed model, which serves all once it is up', async () => {
    const { model, core } = await downCore()
    await tryQuestion(core, 'one', {})
    vi.advanceTimersByTime(15_001)
    await Promise.all([1, 2, 3].map(() => tryQuestion(core, 'one', {})))
    expect(model.opens).toBe(2)
    model.isUp = true
    expect(await tryQuestion(core, 'one', {})).toEqual(failing('the server is down'))
    vi.advanceTimersByTime(15_001)
    expect(await tryQuestion(core, 'one', {})).toHaveProperty('vector')
    expect(await tryQuestion(core, 'two', {})).toHaveProperty('vector')
  })

  test('a slow model is used as soon as it has opened', async () => {
    noPatience()
    const bag = new BagOfWords()
    let finish = (_: BagOfWords) => {}
    const opening = new Promise<BagOfWords>((resolve) => {
      finish = resolve
    })
    const core = await searchCore(NOTES, { embedder: bag, open: () => opening })
    expect(await tryQuestion(core, 'one', {})).toEqual(failing('did not answer'))
    vi.restoreAllMocks()
    finish(bag)
    await eventually(async () => expect(await tryQuestion(core, 'one', {})).toHaveProperty('vector'))
  })

  test('a failed model does not affect another vault', async () => {
    const { core } = await downCore()
    await tryQuestion(core, 'one', {})
    expect(await tryQuestion(await searchCore(NOTES, { embedder: new BagOfWords() }), 'one', {})).toHaveProperty('vector')
  })
})
