import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { answer, plain } from '../../../src/app/answer/answer-when-ready.ts'
import { RouxError } from '../../../src/core/errors.ts'
import { fakeCore, fakeStore, withSnapshot } from '../../support/fake-store.ts'

const store = fakeStore({ 'a.md': {} })
const empty = withSnapshot(store, { generation: 0, files: 0 })

/** A clock that stands still, for what tells how much of a call's time is left. */
function stopTheClock(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

test('every call begins the index and waits up to ten seconds for it', async () => {
  stopTheClock()
  const core = fakeCore(store)
  expect(await answer(core, {}, async () => plain(1))).toEqual({ value: 1, warnings: [] })
  expect(core.calls).toEqual(['begin', 'ready 10000'])
})

describe('a change that the watcher told and that is not read yet', () => {
  /** A core that is behind until it is waited for so often. */
  function behindCore(waits: number) {
    const core = fakeCore(store)
    const waited: number[] = []
    const isBehind = () => waited.length < waits
    const caughtUp = async (timeout: number) => {
      waited.push(timeout)
      return !isBehind()
    }
    return { core: { ...core, indexing: { ...core.indexing, isBehind, caughtUp } }, waited }
  }

  test('is waited for, for fifty milliseconds at the most', async () => {
    const { core, waited } = behindCore(1)
    expect(await answer(core, {}, async () => plain(1))).toEqual({ value: 1, warnings: [] })
    expect(waited).toEqual([50])
  })

  test('is said when it takes longer', async () => {
    const { core } = behindCore(2)
    expect((await answer(core, {}, async () => plain(1))).warnings).toEqual([{ code: 'STALE', message: expect.any(String) }])
  })

  test('is said when it came while the answer was made', async () => {
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

test('while indexing is being started again the last good state answers, and says so', async () => {
  const { warnings } = await answer(fakeCore(store, { phase: 'restarting', message: 'it ended' }), {}, async () => plain(1))
  expect(warnings).toEqual([{ code: 'STALE', message: expect.stringContaining('it ended') }])
})

test.each(['waiting', 'building', 'verifying'] as const)('while %s, the answer says so', async (phase) => {
  const core = fakeCore(store, { phase, done: 3, total: 9 })
  const { value, warnings } = await answer(core, {}, async () => plain([]))
  expect(value).toEqual([])
  expect(warnings).toEqual([{ code: 'INDEX_BUILDING', message: expect.stringContaining('(3 of 9 files)') }])
})

test('work that ended while the answer was made was not in it, and is said', async () => {
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

test('while another process has only a part of the vault in the index, the answer says so', async () => {
  const core = fakeCore(withSnapshot(store, { complete: false }))
  const whole = fakeCore(store)
  const said = [{ code: 'INDEX_BUILDING', message: expect.stringContaining('Another process') }]
  expect((await answer(core, {}, async () => plain(1))).warnings).toEqual(said)
  expect((await answer(whole, {}, async () => plain(1))).warnings).toEqual([])
})

test('a missing vault is an error that ends when the folder is there', async () => {
  const missing = fakeCore(store, { phase: 'missing' })
  await expect(answer(missing, {}, async () => plain(1))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
})

test('after indexing failed the last good state answers; without one it is an error', async () => {
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

describe('an index that is found damaged', () => {
  beforeEach(stopTheClock)

  const lost = () => new RouxError('STORE_UNAVAILABLE', 'The index was damaged and is being built again.')

  /** A core whose index is damaged until someone has waited for it `times` more times. */
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

  test('while a call reads it is waited for, and read again', async () => {
    const { damaged, read } = damagedCore(1)
    expect(await answer(damaged, {}, read)).toEqual({ value: 'whole', warnings: [] })
    expect(damaged.calls).toEqual(['begin', 'ready 10000', 'ready 10000'])
  })

  test('and again damaged is an error', async () => {
    const { damaged, read } = damagedCore(2)
    await expect(answer(damaged, {}, read)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(damaged.calls).toHaveLength(3)
  })

  test('another failure is not tried again', async () => {
    let runs = 0
    const run = answer(fakeCore(store), {}, async () => {
      runs++
      throw new RouxError('PROVIDER_ERROR', 'No embedder.')
    })
    await expect(run).rejects.toThrow('No embedder.')
    expect(runs).toBe(1)
  })
})
