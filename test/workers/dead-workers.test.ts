import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ComputeClient } from '../../src/workers/compute-client.ts'
import { IndexerHost } from '../../src/workers/indexer-channel.ts'
import { IndexingClient } from '../../src/workers/indexing-client.ts'
import type { IndexerData } from '../../src/workers/messages.ts'

class FakeWorker extends EventEmitter {
  readonly posted: { readonly type?: string; readonly id?: number }[] = []
  isEnded = false
  postMessage(message: (typeof this.posted)[number]): void {
    this.posted.push(message)
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<number> {
    this.isEnded = true
    this.emit('exit', 1)
    return 1
  }
}

/** Workers as they are started, the newest last. */
function fakes() {
  const started: FakeWorker[] = []
  const start = () => {
    const worker = new FakeWorker()
    started.push(worker)
    return worker as unknown as Worker
  }
  return { started, start, newest: () => started.at(-1) as FakeWorker }
}

function client(host: IndexerHost) {
  const errors: string[] = []
  const indexing = new IndexingClient(host.channel(), { file: 'index.db' } as IndexerData, {
    onReplaced: () => {},
    onSearchReplaced: () => {},
    onCommitted: () => {},
    openEmbedder: () => Promise.reject(new Error('none')),
    onError: (stack) => errors.push(stack),
  })
  return { indexing, errors }
}

test('whoever waits for an indexing worker that ends without a word is told, and so is whoever asks later', async () => {
  const workers = fakes()
  const { indexing, errors } = client(new IndexerHost(workers.start))
  const waiting = indexing.ready(10_000)
  const asked = indexing.reconcile()
  workers.newest().emit('exit', 1)
  expect(await waiting).toBe(true)
  await expect(asked).rejects.toThrow('The indexing worker ended.')
  expect(indexing.status()).toMatchObject({ phase: 'failed', message: 'The indexing worker ended.' })
  await expect(indexing.reconcile()).rejects.toThrow('The indexing worker ended.')
  await expect(indexing.writing.changes(1)).rejects.toThrow('The indexing worker ended.')
  indexing.reportDamage()
  expect(await indexing.ready(0)).toBe(true)
  expect(errors).toHaveLength(1)
})

test('of an indexing worker that fails the reason is told, once', async () => {
  const workers = fakes()
  const { indexing, errors } = client(new IndexerHost(workers.start))
  workers.newest().emit('error', new Error('out of memory'))
  workers.newest().emit('exit', 1)
  expect(indexing.status().message).toContain('out of memory')
  expect(errors).toHaveLength(1)
})

test('a vault that is opened after the indexing worker died gets another one, which outlives the first vault', async () => {
  const workers = fakes()
  const host = new IndexerHost(workers.start)
  const first = host.channel()
  const second = host.channel()
  expect(workers.started).toHaveLength(1)
  workers.newest().emit('exit', 1)
  const third = host.channel()
  const fourth = host.channel()
  expect(workers.started).toHaveLength(2)
  await first.end()
  await second.end()
  await third.end()
  expect(workers.newest().isEnded).toBe(false)
  expect(workers.newest().posted.map(({ type }) => type)).toEqual(['join'])
  await fourth.end()
  expect(workers.newest().isEnded).toBe(true)
  host.channel()
  expect(workers.started).toHaveLength(3)
})

test('the end of a computing worker that failed does not disturb the next', async () => {
  const workers = fakes()
  const compute = new ComputeClient(workers.start)
  const run = () => compute.run('pagerank', { offsets: new Uint32Array(1), targets: new Uint32Array(0) })
  const failing = run()
  const old = workers.newest()
  old.emit('error', new Error('out of memory'))
  await expect(failing).rejects.toThrow('out of memory')
  const done = run()
  old.emit('exit', 1)
  void run()
  const { id } = workers.newest().posted[0] ?? {}
  workers.newest().emit('message', { id, result: { scores: new Float64Array(0) } })
  expect(await done).toEqual({ scores: new Float64Array(0) })
  expect(workers.started).toHaveLength(2)
  expect(workers.newest().isEnded).toBe(false)
})

test('a compute worker ends as soon as nothing waits for it, and the next run starts another', async () => {
  const workers = fakes()
  const compute = new ComputeClient(workers.start)
  const graph = () => ({ offsets: new Uint32Array(1), targets: new Uint32Array(0) })
  const answer = (at: number) => {
    const { id } = workers.newest().posted[at] as { id: number }
    workers.newest().emit('message', { id, result: { scores: new Float64Array(0) } })
  }
  const first = compute.run('pagerank', graph())
  const second = compute.run('betweenness', graph())
  answer(0)
  await first
  expect(workers.newest().isEnded).toBe(false)
  answer(1)
  await second
  expect(workers.newest().isEnded).toBe(true)
  const third = compute.run('pagerank', graph())
  expect(workers.started).toHaveLength(2)
  answer(0)
  await third
  await compute.close()
})
