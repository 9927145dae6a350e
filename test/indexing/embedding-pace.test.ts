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

test('rests only briefly, however long the work took, while nobody asks', async () => {
  const pace = new EmbeddingPace()
  expect(pace.hasRecentCall).toBe(false)
  expect(await restAfter(pace, 100)).toBe(4)
})

test('rests twice as long as it worked, within limits, while someone asks', async () => {
  const pace = new EmbeddingPace()
  pace.onCall()
  expect(await restAfter(pace, 7)).toBe(14)
  expect(await restAfter(pace, 1)).toBe(4)
  expect(await restAfter(pace, 100)).toBe(16)
})

test('returns to short rests half a second after the last question', async () => {
  const pace = new EmbeddingPace()
  pace.onCall()
  vi.advanceTimersByTime(499)
  expect(pace.hasRecentCall).toBe(true)
  vi.advanceTimersByTime(1)
  expect(pace.hasRecentCall).toBe(false)
  expect(await restAfter(pace, 20)).toBe(4)
})
