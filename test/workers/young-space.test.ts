import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { boundYoungSpace } from '../../src/workers/spare-worker.ts'

const v8 = vi.hoisted(() => ({ size: 0, flags: [] as string[] }))

vi.mock('node:v8', () => ({
  getHeapSpaceStatistics: () => [
    { space_name: 'old_space', space_size: 2 ** 30 },
    { space_name: 'new_space', space_size: v8.size },
  ],
  setFlagsFromString: (flag: string) => void v8.flags.push(flag),
}))

beforeEach(() => {
  v8.size = 0
  v8.flags = []
})
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())
afterEach(() => void process.removeAllListeners('worker'))

/** Node's thread events: created, then online. */
function startThread(): void {
  const thread = new EventEmitter()
  const emitter: EventEmitter = process
  emitter.emit('worker', thread)
  thread.emit('online')
}

test('the young generation may grow to 8 MB; the limit is set once', () => {
  boundYoungSpace()
  v8.size = 4 << 20
  vi.advanceTimersByTime(1_000)
  expect(v8.flags).toEqual([])
  v8.size = 8 << 20
  vi.advanceTimersByTime(1_000)
  expect(v8.flags).toEqual(['--semi-space-growth-factor=1'])
  expect(vi.getTimerCount()).toBe(0)
})

test('sets the limit again for each new thread, because starting one resets it', () => {
  boundYoungSpace()
  startThread()
  expect(v8.flags).toEqual([])
  v8.size = 8 << 20
  vi.advanceTimersByTime(1_000)
  startThread()
  startThread()
  expect(v8.flags).toEqual(Array.from({ length: 3 }, () => '--semi-space-growth-factor=1'))
})
