import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerFindable } from '../../../src/app/answer/answer-when-ready.ts'
import { findNodes } from '../../../src/app/find/find-nodes.ts'
import { resolveNodes } from '../../../src/app/find/resolve-nodes.ts'
import { search } from '../../../src/app/find/search.ts'
import { similarNodes } from '../../../src/app/find/similar-nodes.ts'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { RouxError } from '../../../src/core/errors.ts'
import type { IndexStatus, SearchReadiness } from '../../../src/core/indexing.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'

const DONE = { done: 3, total: 3 }
const HALF = { done: 1, total: 3 }

/** A core that records what was waited for. */
function waitingCore(status: Partial<IndexStatus>, isEmbedding = true) {
  const core = fakeCore(fakeStore({}), status)
  const waited: SearchReadiness[] = []
  core.indexing.awaitFindable = async (by) => {
    waited.push(by)
    return true
  }
  const embedding = { open: async () => new BagOfWords(), openFormer: async () => undefined }
  return { core: { ...core, ...(isEmbedding ? { embedding } : undefined) }, waited }
}
const plain = async () => ({ value: 'answer', warnings: [] })

describe('waiting before a search', () => {
  test('waits for nothing when everything is indexed', async () => {
    const { core, waited } = waitingCore({ search: { words: DONE, vectors: DONE } })
    expect(await answerFindable(core, {}, 'meaning', plain)).toEqual({ value: 'answer', warnings: [] })
    expect(waited).toEqual([])
  })

  test.each([undefined, { words: HALF }])('waits for words that are not indexed yet: %j', async (search) => {
    const { core, waited } = waitingCore(search === undefined ? {} : { search })
    const { warnings } = await answerFindable(core, {}, 'words', plain)
    expect(waited).toEqual(['words'])
    expect(warnings).toMatchObject([{ code: 'INDEX_BUILDING' }])
  })

  test('only a command waits for embeddings; a server answers while it embeds, with a warning', async () => {
    const search = { words: DONE, vectors: { ...HALF, embedder: 'bag' } }
    const server = waitingCore({ search, watch: 'events' })
    expect((await answerFindable(server.core, {}, 'meaning', plain)).warnings).toMatchObject([{ code: 'EMBEDDING' }])
    expect(server.waited).toEqual([])
    const command = waitingCore({ search, watch: 'off' })
    await answerFindable(command.core, {}, 'meaning', plain)
    expect(command.waited).toEqual(['meaning'])
    const without = waitingCore({ search, watch: 'off' }, false)
    await answerFindable(without.core, {}, 'meaning', plain)
    expect(without.waited).toEqual([])
  })

  test('a server waits too while it does not know yet what is embedded', async () => {
    const { core, waited } = waitingCore({ search: { words: DONE, vectors: HALF }, watch: 'events' })
    await answerFindable(core, {}, 'meaning', plain)
    expect(waited).toEqual(['meaning'])
  })
})

test('loads the search index while it waits for the graph', async () => {
  const { core } = waitingCore({ search: { words: DONE, vectors: DONE } })
  const order: string[] = []
  core.indexing.ready = async () => {
    order.push('graph awaited')
    return true
  }
  const searching = { ...core, loadSearchEarly: () => order.push('search loaded') }
  await answerFindable(searching, {}, 'meaning', plain)
  expect(order).toEqual(['search loaded', 'graph awaited'])
})

test('a semantic search reports why the embedder is stuck', async () => {
  const { core } = waitingCore({ search: { words: DONE, vectors: HALF, message: 'the endpoint is down' } })
  const { warnings } = await answerFindable(core, {}, 'meaning', plain)
  expect(warnings).toEqual([{ code: 'FALLBACK', message: expect.stringContaining('the endpoint is down') }])
  expect((await answerFindable(core, {}, 'words', plain)).warnings).toEqual([])
})

test.each(['words', 'meaning'] as const)('reports that indexing has stopped rather than that it continues: by %s', async (by) => {
  const message = 'Search is not up to date: the disk is full'
  const { core } = waitingCore({ search: { words: HALF, vectors: HALF, message, isStopped: true } })
  expect((await answerFindable(core, {}, by, plain)).warnings).toEqual([{ code: 'STALE', message }])
})

describe('nothing is indexed yet and indexing is slow', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** A server that needs this many ms to read the vault, never finishes indexing words, and never opens its model. */
  function slowCore(reading: number) {
    const core = fakeCore(fakeStore({ 'bread.md': { body: 'Bread needs time.' } }), { watch: 'events' })
    const never = new Promise<never>(() => {})
    const atMost = (ms: number, timeout: number) => sleep(Math.min(ms, timeout)).then(() => ms <= timeout)
    const indexing: GraphCore['indexing'] = {
      ...core.indexing,
      ready: (timeout) => atMost(reading, timeout),
      awaitFindable: (_, timeout) => atMost(Number.POSITIVE_INFINITY, timeout),
    }
    return { ...core, indexing, embedding: { open: () => never, openFormer: async () => undefined } }
  }
  const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

  /** The outcome of a call and the ms it took; calls that use a model get another half second. */
  async function timed<T>(call: Promise<T>) {
    const outcome = call.then(
      (value) => ({ value, after: performance.now() }),
      (error) => ({ error, after: performance.now() }),
    )
    const began = performance.now()
    // Fake timers do not control the clock of AbortSignal.timeout.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const stop = new AbortController()
      setTimeout(() => stop.abort(new Error('late')), ms)
      return stop.signal
    })
    await vi.runAllTimersAsync()
    const done = await outcome
    return { ...done, after: done.after - began }
  }

  test.each([0, 4_000, 9_900, 60_000])(
    'search answers after ten seconds from the indexed words, with warnings, when reading takes %d ms',
    async (reading) => {
      const args = { limit: 5, includeContent: false, relevance: 'loose', mode: 'hybrid', explain: false } as const
      const done = await timed(search(slowCore(reading), { query: 'bread', ...args }))
      if (!('value' in done)) throw done.error
      expect(done.value.value.map(({ id }) => id)).toEqual(['bread.md'])
      expect(done.value.warnings.map(({ code }) => code)).toEqual(['INDEX_BUILDING', 'EMBEDDING', 'FALLBACK'])
      expect(done.after).toBe(10_500)
    },
  )

  test('find_nodes with a query answers after ten seconds', async () => {
    const args = { limit: 5, orderBy: 'relevance', includeArchived: false } as const
    const done = await timed(findNodes(slowCore(4_000), { query: 'Bread', ...args }))
    expect(done).toMatchObject({ after: 10_000, value: { warnings: [{ code: 'INDEX_BUILDING' }] } })
  })

  test('similar_nodes answers after ten seconds', async () => {
    const args = { id: 'bread.md', limit: 5, relevance: 'normal', excludeLinked: false } as const
    const done = await timed(similarNodes(slowCore(4_000), args))
    expect(done.after).toBe(10_000)
    expect('value' in done && done.value.warnings.map(({ code }) => code)).toEqual(['INDEX_BUILDING', 'EMBEDDING', 'FALLBACK'])
  })

  test('a semantic resolve fails after ten seconds because the model is not open yet', async () => {
    const done = await timed(resolveNodes(slowCore(4_000), { names: ['bread'], strategy: 'semantic', threshold: 0.5 }))
    expect(done).toMatchObject({ after: 10_500, error: { code: 'PROVIDER_ERROR', isTransient: true } })
  })
})

describe('a damaged search index', () => {
  const damaged = () => new RouxError('STORE_UNAVAILABLE', 'It is being built again.', { hint: 'Call again.' })
  test('waits once for a damaged index and runs again', async () => {
    const { core, waited } = waitingCore({ search: { words: DONE } })
    let runs = 0
    const run = async () => {
      if (++runs === 1) throw damaged()
      return { value: 'right', warnings: [] }
    }
    expect((await answerFindable(core, {}, 'words', run)).value).toBe('right')
    expect(waited).toEqual(['words'])
  })

  test('a persistently damaged index is an error with a hint', async () => {
    const { core } = waitingCore({ search: { words: DONE } })
    const run = () => Promise.reject(damaged())
    await expect(answerFindable(core, {}, 'words', run)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      hint: expect.any(String),
    })
  })

  test('does not retry other errors', async () => {
    const { core } = waitingCore({ search: { words: DONE } })
    let runs = 0
    const run = () => {
      runs++
      return Promise.reject(new Error('odd'))
    }
    await expect(answerFindable(core, {}, 'words', run)).rejects.toThrow('odd')
    expect(runs).toBe(1)
  })
})
