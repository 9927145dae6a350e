import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EmbeddingPace } from '../../src/indexing/embed-texts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** How long is rested after so many milliseconds of work. */
async function restAfter(pace: EmbeddingPace, worked: number): Promise<number> {
  pace.begin()
  vi.advanceTimersByTime(worked)
  const began = performance.now()
  const resting = pace.rest().then(() => performance.now() - began)
  await vi.runAllTimersAsync()
  return await resting
}

test('while no one asks there are only short pauses, however long the work took', async () => {
  const pace = new EmbeddingPace()
  expect(pace.isAsked).toBe(false)
  expect(await restAfter(pace, 100)).toBe(4)
})

test('while someone asks it rests twice as long as it worked, within bounds', async () => {
  const pace = new EmbeddingPace()
  pace.asked()
  expect(await restAfter(pace, 7)).toBe(14)
  expect(await restAfter(pace, 1)).toBe(4)
  expect(await restAfter(pace, 100)).toBe(16)
})

test('half a second after the last question it goes on as before', async () => {
  const pace = new EmbeddingPace()
  pace.asked()
  vi.advanceTimersByTime(499)
  expect(pace.isAsked).toBe(true)
  vi.advanceTimersByTime(1)
  expect(pace.isAsked).toBe(false)
  expect(await restAfter(pace, 20)).toBe(4)
})
