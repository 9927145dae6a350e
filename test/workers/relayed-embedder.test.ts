import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import { RouxError } from '../../src/core/errors.ts'
import { answer, type Call, Calls } from '../../src/core/thread-calls.ts'
import { type EmbedderService, embedderService, openRelayedEmbedder } from '../../src/workers/relayed-embedder.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'

/** Connects both ends, with messages copied as between threads. */
function connected(open: () => Promise<Embedder>) {
  const sent: Call[] = []
  const calls: Calls<EmbedderService> = new Calls((call) => {
    sent.push(call)
    void answer(embedderService(open), structuredClone(call), (reply) => calls.receive(structuredClone(reply)))
  })
  return { open: () => openRelayedEmbedder(calls), calls, sent }
}

describe('a relayed embedder', () => {
  test('behaves like the embedder in the other thread', async () => {
    const bag = new BagOfWords()
    const { open } = connected(async () => bag)
    const embedder = await open()
    expect(embedder).toMatchObject({ id: bag.id, dimensions: 16, batch: 8 })
    expect(await embedder.embed(['one', 'two words', ''], 'passage')).toEqual([bagOf('one'), bagOf('two words'), bagOf('')])
    expect(bag.passages).toEqual(['one', 'two words', ''])
    expect(await embedder.embed([], 'query')).toEqual([])
  })

  test('matches answers to requests in any order', async () => {
    const waiting: (() => void)[] = []
    const calls: Calls<EmbedderService> = new Calls((call) => {
      const reply = () =>
        void answer(
          embedderService(async () => new BagOfWords()),
          call,
          (one) => calls.receive(one),
        )
      if (call.method === 'open') reply()
      else waiting.push(reply)
    })
    const embedder = await openRelayedEmbedder(calls)
    const answers = Promise.all(['one', 'two', 'three'].map((text) => embedder.embed([text], 'query')))
    for (const answer of waiting.reverse()) answer()
    expect(await answers).toEqual([[bagOf('one')], [bagOf('two')], [bagOf('three')]])
  })

  test('reports why it cannot be opened, with a hint, and can be opened again', async () => {
    let tries = 0
    const { open } = connected(async () => {
      if (++tries === 1) throw new RouxError('PROVIDER_ERROR', 'No model.', { hint: 'Download it.' })
      return new BagOfWords()
    })
    await expect(open()).rejects.toMatchObject({ code: 'PROVIDER_ERROR', message: 'No model.', hint: 'Download it.' })
    expect((await open()).id).toBe('test:bag:16')
  })

  test('reports failures while embedding, even non-errors', async () => {
    const bag = new BagOfWords()
    const { open } = connected(async () => bag)
    const embedder = await open()
    bag.embed = async () => Promise.reject(new Error('out of memory'))
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow('out of memory')
    bag.embed = async () => Promise.reject(new RouxError('PROVIDER_ERROR', 'busy', { isTransient: true }))
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ isTransient: true })
    bag.embed = async () => Promise.reject('odd')
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ message: 'odd' })
  })

  test('does not send cancelled requests, and drops late answers', async () => {
    const { open, sent } = connected(async () => new BagOfWords())
    const embedder = await open()
    await expect(embedder.embed(['a'], 'query', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(sent).toHaveLength(1)
    const controller = new AbortController()
    const asked = embedder.embed(['a'], 'query', controller.signal)
    controller.abort(new Error('gone too'))
    await expect(asked).rejects.toThrow('gone too')
  })

  test('ignores answers nobody waits for, and closing it leaves the other open', async () => {
    const bag = new BagOfWords()
    const { open, calls } = connected(async () => bag)
    const embedder = await open()
    calls.receive({ id: 999, result: [] })
    await embedder.close()
    expect(bag.isClosed).toBe(false)
  })
})
