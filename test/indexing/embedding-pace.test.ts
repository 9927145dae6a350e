import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EmbeddingPace } from '../../src/indexing/embed-texts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Returns how long it rests after this many milliseconds of work. */
async function restAfter(pace: EmbeddingPace, worked: number): Promise<number> {
  pace.begin()
  vi.advanceTimersByTime(worked)
  const began = performance.now()
  const resting = pace.pause().then(() => performance.now() - began)
  await vi.runAllTimersAsync()
  return await resting
}

test('the pause is short while no one asks, however long the work took', async () => {
  const pace = new EmbeddingPace()
  expect(pace.hasRecentCall).toBe(false)
  expect(await restAfter(pace, 100)).toBe(4)
})

test('the pause is twice the work time, within limits, while calls arrive', async () => {
  const pace = new EmbeddingPace()
  pace.onCall()
  expect(await restAfter(pace, 7)).toBe(14)
  expect(await restAfter(pace, 1)).toBe(4)
  expect(await restAfter(pace, 100)).toBe(16)
})

test('short pauses return half a second after the last call', async () => {
  const pace = new EmbeddingPace()
  pace.onCall()
  vi.advanceTimersByTime(499)
  expect(pace.hasRecentCall).toBe(true)
  vi.advanceTimersByTime(1)
  expect(pace.hasRecentCall).toBe(false)
  expect(await restAfter(pace, 20)).toBe(4)
})
