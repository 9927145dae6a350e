import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toVaultPath } from '../../../src/core/ids.ts'
import {
  BLOCKED_AFTER,
  type FileThread,
  FileThreads,
  isBlockedByFile,
  MAX_BLOCKED,
  READ_LIMIT,
} from '../../../src/workers/files/file-threads.ts'
import type { FromReader, ReadVault, ToReader } from '../../../src/workers/messages.ts'
import { eventually } from '../../support/eventually.ts'

const AT: ReadVault = { root: '/vault', ignore: [], gitignore: false, linkRoots: [], mode: 'auto' }

/** Files that block their reader until released. */
class Disk {
  /** Milliseconds that a thread takes to start. */
  startUp = 0
  readonly slow = new Set<string>()
  readonly threads: FakeThread[] = []
  /** Every file that a thread began to read. */
  readonly begun: string[] = []

  readonly start = (): FileThread => {
    const thread = new FakeThread(this)
    this.threads.push(thread)
    return thread
  }

  get running(): number {
    return this.threads.filter(({ isEnded }) => !isEnded).length
  }

  release(path: string): void {
    this.slow.delete(path)
    for (const thread of this.threads) thread.goOn()
  }
}

/** A thread that reads files one after another and blocks on slow ones. */
class FakeThread implements FileThread {
  readonly #disk: Disk
  readonly #queue: Extract<ToReader, { type: 'read' }>[] = []
  readonly vaults = new Set<number>()
  #listener: (message: FromReader) => void = () => {}
  #onEnd: (reason: string) => void = () => {}
  #isUp = false
  #isReading = false
  #onFreed: () => void = () => {}
  isEnded = false

  constructor(disk: Disk) {
    this.#disk = disk
    const up = (): void => {
      this.#isUp = true
      this.#listener({ type: 'up' })
      this.goOn()
    }
    if (disk.startUp === 0) queueMicrotask(up)
    else setTimeout(up, disk.startUp)
  }

  post(message: ToReader): void {
    if (message.type === 'read') this.#queue.push(message)
    else if (message.type === 'vault') this.vaults.add(message.vault)
    else this.vaults.delete(message.vault)
    queueMicrotask(() => this.goOn())
  }

  goOn(): void {
    if (!this.#isUp) return
    if (this.#queue.every(({ job }) => !this.#disk.slow.has(job.path))) this.#onFreed()
    for (let [next] = this.#queue; next !== undefined && !this.isEnded; [next] = this.#queue) {
      if (!this.#isReading) this.#disk.begun.push(next.job.path)
      this.#isReading = this.#disk.slow.has(next.job.path)
      if (this.#isReading) return
      this.#queue.shift()
      const text = { text: next.job.path, bodyStart: 0, hash: '' }
      const isKnown = next.job.kind === 'text' && next.job.known !== undefined
      this.#listener({ type: 'read', id: next.id, result: isKnown ? 'same' : { text } })
    }
  }

  fail(): void {
    this.isEnded = true
    this.#onEnd('it broke')
  }

  onMessage(listener: (message: FromReader) => void): void {
    this.#listener = listener
  }

  onEnd(listener: (reason: string) => void): void {
    this.#onEnd = listener
  }

  async end(): Promise<void> {
    this.isEnded = true
    // A blocked thread notices this only after its file has answered.
    if (this.#isReading) {
      await new Promise<void>((resolve) => {
        this.#onFreed = resolve
      })
    }
  }
}

/** Time until a thread counts as blocked. */
const BLOCKED = BLOCKED_AFTER + 1

const TIMEOUT = { code: 'TIMEOUT', message: expect.stringContaining('cannot be read now') }

function opened() {
  const disk = new Disk()
  const threads = new FileThreads(disk.start)
  const vault = threads.open(AT)
  const read = async (path: string) => {
    const result = await vault.read({ kind: 'text', path: toVaultPath(path) })
    return typeof result === 'object' && 'text' in result ? result.text.text : undefined
  }
  return { disk, threads, vault, read }
}

/** The results after this much time. */
async function elapse(ms: number, ...answers: readonly Promise<unknown>[]) {
  const settled = Promise.allSettled(answers)
  await vi.advanceTimersByTimeAsync(ms)
  return await settled
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a file that does not answer', () => {
  test('does not block other files', async () => {
    const { disk, read } = opened()
    disk.slow.add('slow.md')
    const slow = read('slow.md')
    const others = [read('a.md'), read('b.md')]
    expect(await elapse(BLOCKED, ...others)).toMatchObject([{ value: 'a.md' }, { value: 'b.md' }])
    expect(await elapse(READ_LIMIT, slow)).toMatchObject([{ reason: TIMEOUT }])
    expect(await elapse(0, read('c.md'))).toMatchObject([{ value: 'c.md' }])
    expect(disk.running).toBe(2)
    expect(isBlockedByFile()).toBe(true)
    disk.release('slow.md')
    await elapse(0)
    expect(isBlockedByFile()).toBe(false)
  })

  test('is noticed also after an idle time', async () => {
    // Fake timers restart a stopped timer, which Node does not do.
    vi.useRealTimers()
    const { disk, read } = opened()
    await read('before.md')
    disk.slow.add('slow.md')
    const slow = read('slow.md')
    const other = read('a.md')
    await eventually(() => expect(isBlockedByFile()).toBe(true))
    expect(await other).toBe('a.md')
    disk.release('slow.md')
    expect(await slow).toBe('slow.md')
  })

  test('is awaited once by all callers, and then fails at once until it answers', async () => {
    const { disk, read } = opened()
    disk.slow.add('slow.md')
    const first = read('slow.md')
    await vi.advanceTimersByTimeAsync(BLOCKED)
    const second = read('slow.md')
    expect(await elapse(READ_LIMIT, first, second)).toMatchObject([{ reason: TIMEOUT }, { reason: TIMEOUT }])
    expect(await elapse(0, read('slow.md'))).toMatchObject([{ reason: TIMEOUT }])
    expect(disk.begun.filter((path) => path === 'slow.md')).toHaveLength(1)
    disk.release('slow.md')
    expect(await elapse(0, read('slow.md'))).toMatchObject([{ value: 'slow.md' }])
    expect(isBlockedByFile()).toBe(false)
  })

  test('is returned to all waiting callers if it comes in time', async () => {
    const { disk, read } = opened()
    disk.slow.add('slow.md')
    const early = [read('slow.md'), read('slow.md'), read('a.md')]
    await vi.advanceTimersByTimeAsync(BLOCKED)
    const late = read('slow.md')
    disk.release('slow.md')
    const answers = await elapse(0, ...early, late)
    expect(answers.map((answer) => answer.status === 'fulfilled' && answer.value)).toEqual([
      'slow.md',
      'slow.md',
      'a.md',
      'slow.md',
    ])
    expect(disk.running).toBe(1)
  })

  test('returns its text to one caller and "unchanged" to another', async () => {
    const { disk, vault, read } = opened()
    disk.slow.add('slow.md')
    const known = { mtime: 1, ctime: 1, birthtime: 1, size: 7 }
    const asked = vault.read({ kind: 'text', path: toVaultPath('slow.md'), known })
    await vi.advanceTimersByTimeAsync(BLOCKED)
    const text = read('slow.md')
    disk.release('slow.md')
    expect(await elapse(0, asked, text)).toMatchObject([{ value: 'same' }, { value: 'slow.md' }])
  })

  test("blocks one thread, and a vault's files block a limited number", async () => {
    const { disk, threads, read } = opened()
    const names = Array.from({ length: MAX_BLOCKED + 5 }, (_, at) => `slow${at}.md`)
    for (const name of names) disk.slow.add(name)
    const answers = await elapse(2 * READ_LIMIT, ...names.map(read))
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    expect(new Set(disk.begun).size).toBe(MAX_BLOCKED)
    expect(await elapse(0, read('a.md'))).toMatchObject([{ reason: TIMEOUT }])
    const other = threads.open({ ...AT, root: '/other' })
    expect(await elapse(0, other.read({ kind: 'text', path: toVaultPath('b.md') }))).toMatchObject([
      { value: { text: { text: 'b.md' } } },
    ])
    expect(disk.running).toBe(MAX_BLOCKED + 1)
    for (const name of names) disk.release(name)
    expect(await elapse(0, read('a.md'))).toMatchObject([{ value: 'a.md' }])
    expect(disk.running).toBe(1)
  })

  test('has its full time from the start of the thread on', async () => {
    const { disk, read } = opened()
    disk.startUp = 1.5 * READ_LIMIT
    disk.slow.add('slow.md')
    const [fast, slow] = [read('a.md'), read('slow.md')]
    expect(await elapse(disk.startUp, fast)).toMatchObject([{ value: 'a.md' }])
    expect(await elapse(READ_LIMIT, slow)).toMatchObject([{ reason: TIMEOUT }])
    disk.release('slow.md')
    await elapse(0)
  })

  test('does not delay closing', async () => {
    const { disk, threads, read } = opened()
    disk.slow.add('slow.md')
    const slow = read('slow.md')
    await vi.advanceTimersByTimeAsync(BLOCKED)
    expect(await elapse(1_000, threads.close(), slow)).toMatchObject([
      { status: 'fulfilled' },
      { reason: { message: 'The vault is closed.' } },
    ])
    expect(disk.running).toBe(0)
    expect(isBlockedByFile()).toBe(true)
    disk.release('slow.md')
    await elapse(0)
    expect(isBlockedByFile()).toBe(false)
  })

  test('is counted as blocking even if closing comes first', async () => {
    const { disk, threads, read } = opened()
    disk.slow.add('slow.md')
    const slow = read('slow.md')
    await vi.advanceTimersByTimeAsync(0)
    await elapse(1_000, threads.close(), slow)
    expect(isBlockedByFile()).toBe(true)
    disk.release('slow.md')
    await elapse(0)
    expect(isBlockedByFile()).toBe(false)
  })
})

test('no thread starts after closing', async () => {
  const { disk, threads } = opened()
  await threads.close()
  threads.boot()
  expect(disk.threads).toEqual([])
})

test('idle threads end on request, and the next file starts another', async () => {
  const { disk, threads, read } = opened()
  expect(await elapse(0, read('a.md'))).toMatchObject([{ value: 'a.md' }])
  disk.slow.add('slow.md')
  const slow = read('slow.md')
  await vi.advanceTimersByTimeAsync(0)
  threads.releaseMemory()
  expect(disk.running).toBe(1)
  disk.release('slow.md')
  expect(await elapse(0, slow)).toMatchObject([{ value: 'slow.md' }])
  threads.releaseMemory()
  expect(disk.running).toBe(0)
  expect(await elapse(0, read('b.md'))).toMatchObject([{ value: 'b.md' }])
  expect(disk.threads).toHaveLength(2)
})

test('a thread keeps nothing of a closed vault', async () => {
  const { disk, threads, read } = opened()
  await elapse(0, read('a.md'))
  for (let count = 0; count < 3; count++) {
    const vault = threads.open(AT)
    await elapse(0, vault.read({ kind: 'text', path: toVaultPath('b.md') }))
    vault.close()
  }
  expect(disk.threads.map(({ vaults }) => vaults.size)).toEqual([1])
})

test('if a thread dies, the caller of its current file gets an error, and another thread reads the rest', async () => {
  const { disk, read } = opened()
  disk.slow.add('a.md')
  const answers = [read('a.md'), read('b.md')]
  await vi.advanceTimersByTimeAsync(0)
  disk.threads[0]?.fail()
  expect(await elapse(0, ...answers)).toMatchObject([
    { reason: { message: expect.stringContaining('it broke') } },
    { value: 'b.md' },
  ])
})
