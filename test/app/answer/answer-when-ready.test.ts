import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { answer, plain } from '../../../src/app/answer/answer-when-ready.ts'
import { RouxError } from '../../../src/core/errors.ts'
import { fakeCore, fakeStore, withSnapshot } from '../../support/fake-store.ts'

const store = fakeStore({ 'a.md': {} })
const empty = withSnapshot(store, { generation: 0, files: 0 })

/** Stops the clock, because some assertions depend on how much of a call's time is left. */
function stopTheClock(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

test('every call starts the index and waits up to ten seconds for it', async () => {
  stopTheClock()
  const core = fakeCore(store)
  expect(await answer(core, {}, async () => plain(1))).toEqual({ value: 1, warnings: [] })
  expect(core.calls).toEqual(['begin', 'ready 10000'])
})

describe('a file event that has not been read yet', () => {
  /** A core whose index stays behind until it has been waited for this many times. */
  function behindCore(waits: number) {
    const core = fakeCore(store)
    const waited: number[] = []
    const isBehind = () => waited.length < waits
    const awaitCaughtUp = async (timeout: number) => {
      waited.push(timeout)
      return !isBehind()
    }
    return { core: { ...core, indexing: { ...core.indexing, isBehind, awaitCaughtUp } }, waited }
  }

  test('a call waits up to fifty milliseconds for pending file events', async () => {
    const { core, waited } = behindCore(1)
    expect(await answer(core, {}, async () => plain(1))).toEqual({ value: 1, warnings: [] })
    expect(waited).toEqual([50])
  })

  test('warns that the answer is stale when the wait is too short', async () => {
    const { core } = behindCore(2)
    expect((await answer(core, {}, async () => plain(1))).warnings).toEqual([{ code: 'STALE', message: expect.any(String) }])
  })

  test('warns that the answer is stale when an event arrives during the call', async () => {
    const core = fakeCore(store)
    let isBehind = false
    const changing = { ...core, indexing: { ...core.indexing, isBehind: () => isBehind } }
    const { warnings } = await answer(changing, {}, async () => {
      isBehind = true
      return plain(1)
    })
    expect(warnings).toMatchObject([{ code: 'STALE' }])
  })
})

test('answers from the last good state, with a warning, while indexing restarts', async () => {
  const { warnings } = await answer(fakeCore(store, { phase: 'restarting', message: 'it ended' }), {}, async () => plain(1))
  expect(warnings).toEqual([{ code: 'STALE', message: expect.stringContaining('it ended') }])
})

test.each(['waiting', 'building', 'verifying'] as const)('warns that the index is incomplete while %s', async (phase) => {
  const core = fakeCore(store, { phase, done: 3, total: 9 })
  const { value, warnings } = await answer(core, {}, async () => plain([]))
  expect(value).toEqual([])
  expect(warnings).toEqual([{ code: 'INDEX_BUILDING', message: expect.stringContaining('(3 of 9 files)') }])
})

test('warns when indexing finishes during the call, because the answer may lack it', async () => {
  const core = fakeCore(store)
  const idle = core.indexing.status()
  let phase: 'building' | 'idle' = 'building'
  const changing = { ...core, indexing: { ...core.indexing, status: () => ({ ...idle, phase }) } }
  const { warnings } = await answer(changing, {}, async () => {
    phase = 'idle'
    return plain(1)
  })
  expect(warnings).toHaveLength(1)
})

test('warns when another process has indexed only part of the vault', async () => {
  const core = fakeCore(withSnapshot(store, { complete: false }))
  const whole = fakeCore(store)
  const expected = [{ code: 'INDEX_BUILDING', message: expect.stringContaining('Another process') }]
  expect((await answer(core, {}, async () => plain(1))).warnings).toEqual(expected)
  expect((await answer(whole, {}, async () => plain(1))).warnings).toEqual([])
})

test('a missing vault is an error until its folder exists', async () => {
  const missing = fakeCore(store, { phase: 'missing' })
  await expect(answer(missing, {}, async () => plain(1))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
})

test('answers from the last good state after indexing failed, and throws if there is none', async () => {
  const failed = { phase: 'failed', message: 'disk full' } as const
  const { warnings } = await answer(fakeCore(store, failed), {}, async () => plain(1))
  expect(warnings).toEqual([{ code: 'STALE', message: expect.stringContaining('disk full') }])
  const run = answer(fakeCore(empty, failed), {}, async () => plain(1))
  await expect(run).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
})

test('a cancelled call does no work', async () => {
  let ran = false
  const run = answer(fakeCore(store), { signal: AbortSignal.abort() }, async () => {
    ran = true
    return plain(1)
  })
  await expect(run).rejects.toThrow()
  expect(ran).toBe(false)
})

describe('a damaged index', () => {
  beforeEach(stopTheClock)

  const lost = () => new RouxError('STORE_UNAVAILABLE', 'The index was damaged and is being built again.')

  /** A core whose index is damaged until it has been waited for `times` more times. */
  function damagedCore(times: number) {
    let left = times
    const core = fakeCore({
      ...store,
      condition: () => (left > 0 ? 'rebuilding' : 'ready'),
      read: async (use) => {
        if (left > 0) throw lost()
        return await use(store.snapshot)
      },
    })
    const ready: typeof core.indexing.ready = async (timeout, signal) => {
      if (core.calls.includes(`ready ${timeout}`)) left--
      return core.indexing.ready(timeout, signal)
    }
    const read = async () => plain('whole')
    const damaged = { ...core, indexing: { ...core.indexing, ready } }
    return { damaged, read }
  }

  test('a call that meets a damaged index waits for the rebuild and reads again', async () => {
    const { damaged, read } = damagedCore(1)
    expect(await answer(damaged, {}, read)).toEqual({ value: 'whole', warnings: [] })
    expect(damaged.calls).toEqual(['begin', 'ready 10000', 'ready 10000'])
  })

  test('throws when the index is damaged again after the retry', async () => {
    const { damaged, read } = damagedCore(2)
    await expect(answer(damaged, {}, read)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(damaged.calls).toHaveLength(3)
  })

  test('does not retry other failures', async () => {
    let runs = 0
    const run = answer(fakeCore(store), {}, async () => {
      runs++
      throw new RouxError('PROVIDER_ERROR', 'No embedder.')
    })
    await expect(run).rejects.toThrow('No embedder.')
    expect(runs).toBe(1)
  })
})
