import { EventEmitter } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import type { IndexStatus } from '../../src/core/indexing.ts'
import type { WriteRequest } from '../../src/core/operations.ts'
import type { Call } from '../../src/core/thread-calls.ts'
import { ComputeClient, IDLE_TIME } from '../../src/workers/compute-client.ts'
import { IndexerHost, type RestartRule, Restarts } from '../../src/workers/indexer-channel.ts'
import { IndexingClient } from '../../src/workers/indexing-client.ts'
import type { IndexerData } from '../../src/workers/messages.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { PATIENCE } from '../support/patience.ts'

type Posted = Partial<Call> & { readonly type?: string; readonly call?: Call }

class FakeWorker extends EventEmitter {
  readonly posted: Posted[] = []
  isEnded = false
  /** True if the worker was terminated from outside. */
  isStopped = false
  heedsEnd = true
  postMessage(message: Posted): void {
    this.posted.push(message)
    if (message.type === 'end' && this.heedsEnd) this.#end()
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<number> {
    this.isStopped = true
    this.#end()
    return 1
  }
  #end(): void {
    this.isEnded = true
    this.emit('exit', 1)
  }
}

/** All started workers, newest last. */
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
  const replaced: string[] = []
  const indexing = new IndexingClient(host, { engine: { file: 'index.db' } } as IndexerData, {
    onReplaced: (which, cache) => replaced.push(`${which} on ${cache}`),
    onCommitted: () => {},
    openEmbedder: () => Promise.resolve(new BagOfWords()),
    onError: (stack) => errors.push(stack),
  })
  return { indexing, errors, replaced }
}

/** A client whose worker has finished its first full comparison. */
function settledClient(rule?: RestartRule) {
  const workers = fakes()
  const { indexing, errors, replaced } = client(new IndexerHost(workers.start, new Restarts(rule)))
  indexing.begin()
  workers.newest().emit('message', { type: 'status', status: IDLE })
  workers.newest().emit('message', { type: 'recovered' })
  const die = () => workers.newest().emit('exit', 1)
  /** The types of messages sent to the newest worker, and the names of methods called. */
  const asked = () => workers.newest().posted.map(({ type, call }) => call?.method ?? type)
  /** Answers the newest call. */
  const reply = (of: { readonly result: unknown } | { readonly progress: unknown }) => {
    const { call } = workers.newest().posted.findLast((message) => message.call !== undefined) ?? {}
    workers.newest().emit('message', { type: 'reply', reply: { id: call?.id, ...of } })
  }
  return { workers, indexing, errors, replaced, die, asked, reply }
}

const IDLE: IndexStatus = { phase: 'idle', done: 0, total: 0, cache: 'disk', watch: 'events' }
const RENAME: WriteRequest = { title: 'move', operations: [], dryRun: false }

/** The error of a rejected promise. */
const failure = (promise: Promise<unknown>): Promise<RouxError> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  )

describe('an indexing worker that dies', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is restarted after a pause and learns that a request came, while the last good state serves', async () => {
    const { workers, indexing, errors, die, asked } = settledClient()
    die()
    expect(indexing.status()).toMatchObject({
      phase: 'restarting',
      message: expect.stringContaining('The indexing worker ended'),
    })
    expect(await indexing.ready(0)).toBe(true)
    expect(workers.started).toHaveLength(1)
    await vi.runAllTimersAsync()
    expect(workers.started).toHaveLength(2)
    expect(asked()).toEqual(['open', 'begin'])
    expect(errors).toHaveLength(1)
    workers.newest().emit('message', { type: 'status', status: IDLE })
    expect(indexing.status().phase).toBe('idle')
  })

  test('before its first comparison keeps callers waiting, and nothing is written unasked', async () => {
    const workers = fakes()
    const { indexing } = client(new IndexerHost(workers.start))
    const waiting = indexing.ready(PATIENCE)
    workers.newest().emit('exit', 1)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(workers.newest().posted.map(({ type }) => type)).toEqual(['open'])
    workers.newest().emit('message', { type: 'status', status: IDLE })
    workers.newest().emit('message', { type: 'recovered' })
    expect(await waiting).toBe(true)
  })

  test('closes the in-memory indexes of its readers', async () => {
    const { workers, replaced, die } = settledClient()
    workers.newest().emit('message', { type: 'replaced', which: 'index', cache: 'memory' })
    workers.newest().emit('message', { type: 'replaced', which: 'search', cache: 'memory' })
    die()
    await vi.runAllTimersAsync()
    const moved = ['index on memory', 'search on memory', 'index on disk', 'search on disk']
    expect(replaced).toEqual(moved)
    die()
    await vi.runAllTimersAsync()
    expect(replaced, 'told once').toEqual(moved)
  })

  test('because of an error reports the reason once', async () => {
    const { workers, indexing, errors, die } = settledClient()
    workers.newest().emit('error', new Error('out of memory'))
    die()
    expect(indexing.status().message).toContain('out of memory')
    expect(errors).toHaveLength(1)
  })

  test('receives pending reads again, and calls made while it was down', async () => {
    const { indexing, die, asked, reply } = settledClient()
    const before = indexing.reconcile(['a.md'])
    die()
    await vi.advanceTimersByTimeAsync(0)
    const between = indexing.writing.changes(1)
    await vi.runAllTimersAsync()
    expect(asked()).toEqual(['open', 'begin', 'reconcile', 'changes'])
    reply({ result: [] })
    expect(await between).toEqual([])
    void before
  })

  test('repeatedly because of the same call gets that call only a few times', async () => {
    const { indexing, die } = settledClient()
    const poison = failure(indexing.reconcile(['poison.md']))
    for (let deaths = 0; deaths < 3; deaths++) {
      die()
      await vi.runAllTimersAsync()
    }
    expect(await poison).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.any(String) })
  })

  test('before it began a change has written nothing, and the write is not repeated', async () => {
    const { indexing, die, asked } = settledClient()
    const writing = failure(indexing.writing.run(RENAME))
    die()
    expect(await writing).toMatchObject({ message: expect.stringMatching(/^Nothing was written/), isTransient: true })
    await vi.runAllTimersAsync()
    expect(asked()).toEqual(['open', 'begin'])
  })

  test('loses its plans: callers must repeat the dry run', async () => {
    const { indexing, die, reply } = settledClient()
    const lost = {
      message: expect.stringMatching(/^Nothing was written/),
      hint: expect.stringContaining('Repeat the dry run'),
      isTransient: false,
    }
    const before = failure(indexing.writing.run({ ...RENAME, planId: 'p1' }))
    die()
    expect(await before).toMatchObject(lost)
    await vi.runAllTimersAsync()
    const amid = failure(indexing.writing.run({ ...RENAME, planId: 'p2' }))
    reply({ progress: 'c1' })
    die()
    await vi.runAllTimersAsync()
    reply({ result: { state: 'rolled_back', kept: [] } })
    expect(await amid).toMatchObject({ ...lost, message: expect.stringMatching(/^The change failed/) })
  })

  test.each([
    ['done', /^The change was made \(c1\)/],
    ['rolled_back', /^The change failed and was rolled back/],
    ['applying', /^Roux does not know whether the change c1/],
    [undefined, /^Roux does not know whether the change c1/],
  ])('during a change that recovery finds %s reports that', async (state, message) => {
    const { indexing, die, asked, reply } = settledClient()
    const writing = failure(indexing.writing.run(RENAME))
    reply({ progress: 'c1' })
    die()
    await vi.runAllTimersAsync()
    expect(asked()).toEqual(['open', 'begin', 'outcomeOf'])
    reply({ result: state === undefined ? undefined : { state, kept: [] } })
    expect(await writing).toMatchObject({ message: expect.stringMatching(message), hint: expect.any(String) })
  })

  test('during a change that could not be undone in edited files names those files', async () => {
    const { indexing, die, reply } = settledClient()
    const writing = failure(indexing.writing.run(RENAME))
    reply({ progress: 'c1' })
    die()
    await vi.runAllTimersAsync()
    const kept = [{ path: 'a.md', reason: 'it was changed since' }]
    reply({ result: { state: 'rolled_back', kept } })
    const error = await writing
    expect(error.message).not.toContain('Nothing was written')
    expect(error).toMatchObject({ message: expect.stringContaining('"a.md" (it was changed since)'), candidates: kept })
    expect(error.isTransient, 'is not to be repeated unread').not.toBe(true)
  })

  test('too often is given up with an error, and a later call retries', async () => {
    const { workers, indexing, die } = settledClient({ firstPause: 10, limit: 3, window: 60_000 })
    for (let deaths = 0; deaths < 4; deaths++) {
      die()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(workers.started).toHaveLength(4)
    const said = 'It ended 4 times within 60 s'
    expect(indexing.status()).toMatchObject({ phase: 'failed', message: expect.stringContaining(said) })
    const later = { message: expect.stringContaining(said), hint: expect.any(String) }
    expect(await failure(indexing.reconcile())).toMatchObject(later)
    expect(await failure(indexing.writing.changes(1))).toMatchObject(later)
    expect(await indexing.ready(0)).toBe(true)
    indexing.begin()
    expect(workers.started).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(workers.started).toHaveLength(4)
    indexing.begin()
    expect(workers.started).toHaveLength(5)
    workers.newest().emit('message', { type: 'status', status: IDLE })
    expect(indexing.status().phase).toBe('idle')
  })

  test('does not receive vectors requested by its predecessor', async () => {
    const { workers, die, asked } = settledClient()
    const call = { id: 1, method: 'embed', argument: { texts: ['a'], kind: 'passage' } }
    workers.newest().emit('message', { type: 'embedder', call })
    die()
    await vi.runAllTimersAsync()
    expect(asked()).toEqual(['open', 'begin'])
  })

  test('while the vault is closing is not restarted, and waiting callers get an error', async () => {
    const { workers, indexing, die } = settledClient()
    const asked = failure(indexing.reconcile())
    const closing = indexing.close()
    die()
    await closing
    expect((await asked).message).toContain('The indexing worker ended.')
    expect(await failure(indexing.reconcile())).toBeInstanceOf(RouxError)
    await vi.runAllTimersAsync()
    expect(workers.started).toHaveLength(1)
  })

  test('with several vaults is restarted once for all of them', async () => {
    const workers = fakes()
    const host = new IndexerHost(workers.start)
    client(host)
    client(host)
    workers.newest().emit('exit', 1)
    await vi.runAllTimersAsync()
    expect(workers.started).toHaveLength(2)
    expect(workers.newest().posted.map(({ type }) => type)).toEqual(['open', 'join'])
  })
})

describe('a worker that runs out of memory', () => {
  const GB = 2 ** 30
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** Two vaults on one worker, on a machine with this much free memory. */
  function twoVaults(free: number) {
    vi.spyOn(process, 'availableMemory').mockReturnValue(free)
    const workers = fakes()
    const heaps: number[] = []
    const host = new IndexerHost((heap) => {
      heaps.push(heap)
      return workers.start()
    })
    return { workers, heaps, clients: [client(host), client(host)] as const }
  }
  const outOfMemory = () => Object.assign(new Error('reached the limit'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })

  test('is replaced by one with twice the heap before it reaches its limit, once for all vaults', async () => {
    const { workers, heaps, clients } = twoVaults(64 * GB)
    const [first] = workers.started
    expect(first?.posted[0]).toMatchObject({ type: 'open', data: { mayGrow: true } })
    first?.emit('message', { type: 'full' })
    first?.emit('message', { type: 'full' })
    expect(first?.isEnded).toBe(true)
    await vi.runAllTimersAsync()
    expect(heaps).toEqual([heaps[0], 2 * Number(heaps[0])])
    expect(workers.newest().posted.map(({ type }) => type)).toEqual(['open', 'join'])
    expect(clients[0].errors).toEqual([expect.stringContaining('larger heap')])
  })

  test('is replaced by one with twice the heap after it reached its limit', async () => {
    const { workers, heaps } = twoVaults(64 * GB)
    workers.newest().emit('error', outOfMemory())
    workers.newest().emit('exit', 1)
    await vi.runAllTimersAsync()
    expect(heaps).toEqual([heaps[0], 2 * Number(heaps[0])])
  })

  test('is not started again where there is no memory for a larger heap, and every status says what to do', async () => {
    const { workers, clients } = twoVaults(1 * GB)
    expect(workers.newest().posted[0]).toMatchObject({ data: { mayGrow: false } })
    workers.newest().emit('error', outOfMemory())
    workers.newest().emit('exit', 1)
    await vi.runAllTimersAsync()
    for (const { indexing } of clients) {
      expect(await indexing.ready(0)).toBe(true)
      expect(indexing.status()).toMatchObject({
        phase: 'failed',
        message: expect.stringContaining('Memory ran short'),
        hint: expect.stringContaining('--max-old-space-size'),
      })
      await expect(indexing.reconcile()).rejects.toThrow('Memory ran short')
    }
    expect(workers.started).toHaveLength(1)
  })
})

test('a vault opened after the worker died gets a new worker, which outlives the first vault', async () => {
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

test('a closed vault leaves no listener on the worker of the other vaults', async () => {
  const workers = fakes()
  const host = new IndexerHost(workers.start)
  const open = () => {
    const channel = host.channel()
    channel.onMessage(() => {})
    channel.onError(() => {})
    channel.onExit(() => {})
    return channel
  }
  const first = open()
  const listeners = () => ['message', 'error', 'exit'].map((event) => workers.newest().listenerCount(event))
  const alone = listeners()
  const second = open()
  for (let count = 0; count < 5; count++) await open().end()
  await second.end()
  expect(listeners()).toEqual(alone)
  const third = open()
  await first.end()
  expect(listeners()).toEqual(alone.map((count, at) => (at === 0 ? 0 : count)))
  await third.end()
})

test.each([
  ['between two steps ends by itself', true],
  ['that does not answer is stopped', false],
])('an indexing worker without vaults %s', async (_, heedsEnd) => {
  const workers = fakes()
  const channel = new IndexerHost(workers.start).channel()
  workers.newest().heedsEnd = heedsEnd
  await channel.end()
  expect([workers.newest().isEnded, workers.newest().isStopped]).toEqual([true, !heedsEnd])
})

function fakeTimers(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

test('the exit of a failed compute worker does not disturb the next one', async () => {
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

test('a compute worker ends some time after its last job, and the next run starts another', async () => {
  fakeTimers()
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
  await vi.advanceTimersByTimeAsync(IDLE_TIME)
  expect(workers.newest().isEnded).toBe(false)
  answer(1)
  await second
  await vi.advanceTimersByTimeAsync(IDLE_TIME - 1)
  const third = compute.run('pagerank', graph())
  await vi.advanceTimersByTimeAsync(IDLE_TIME)
  answer(2)
  await third
  expect([workers.started.length, workers.newest().isEnded]).toEqual([1, false])
  await vi.advanceTimersByTimeAsync(IDLE_TIME)
  expect(workers.newest().isEnded).toBe(true)
  const fourth = compute.run('pagerank', graph())
  expect(workers.started).toHaveLength(2)
  answer(0)
  await fourth
  await compute.close()
})

test('a compute worker lives while a whole-vault run is open, and its death ends the run', async () => {
  fakeTimers()
  const workers = fakes()
  const compute = new ComputeClient(workers.start)
  const begin = async () => {
    const beginning = compute.beginInsight('file', { kind: 'whole', offsets: new Uint32Array(1), targets: new Uint32Array(0) })
    const { id } = workers.newest().posted.at(-1) as { id: number }
    workers.newest().emit('message', { id, result: undefined })
    return await beginning
  }
  const first = await begin()
  await vi.advanceTimersByTimeAsync(IDLE_TIME)
  expect(workers.newest().isEnded).toBe(false)
  first.close()
  const { id, method } = workers.newest().posted.at(-1) as Call
  expect(method).toBe('endInsight')
  workers.newest().emit('message', { id, result: undefined })
  await vi.advanceTimersByTimeAsync(IDLE_TIME)
  expect(workers.newest().isEnded).toBe(true)
  const second = await begin()
  const planning = second.plan()
  workers.newest().emit('error', new Error('out of memory'))
  await expect(planning).rejects.toThrow('out of memory')
  second.close()
  expect(workers.started).toHaveLength(2)
})

test('a compute worker ends some time after any failed job', async () => {
  fakeTimers()
  const workers = fakes()
  const compute = new ComputeClient(workers.start)
  const graph = { offsets: new Uint32Array(1), targets: new Uint32Array(0) }
  const starts = [
    () => compute.run('pagerank', graph),
    () => compute.begin(8),
    () => compute.beginInsight('file', { kind: 'whole', ...graph }),
  ]
  for (const start of starts) {
    const running = start()
    // A second request ends the run over the whole vault, which could not begin.
    for (const at of [0, 1]) {
      const { id } = workers.newest().posted[at] ?? {}
      if (id !== undefined) workers.newest().emit('message', { id, error: { message: 'no memory' } })
      if (at === 0) await expect(running).rejects.toThrow('no memory')
    }
    await vi.advanceTimersByTimeAsync(IDLE_TIME)
    expect(workers.newest().isEnded).toBe(true)
  }
  expect(workers.started).toHaveLength(3)
})

test('a closed compute client starts no worker', async () => {
  const workers = fakes()
  const compute = new ComputeClient(workers.start)
  await compute.close()
  const graph = { offsets: new Uint32Array(1), targets: new Uint32Array(0) }
  await expect(compute.run('pagerank', graph)).rejects.toThrow('ended')
  await expect(compute.begin(8)).rejects.toThrow('ended')
  await expect(compute.beginInsight('file', { kind: 'whole', ...graph })).rejects.toThrow('ended')
  expect(workers.started).toEqual([])
})
