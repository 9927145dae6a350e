import { expect, test } from 'vitest'
import { isUpToDate, withoutRepeats } from '../../../src/cli/vaults/feed.ts'

test('a feeder does not repeat its last message', () => {
  const printed: string[] = []
  const say = withoutRepeats((line) => printed.push(line))
  for (const line of ['away', 'away', 'feeding', 'up to date', 'up to date', 'away']) say(line)
  expect(printed).toEqual(['away', 'feeding', 'up to date', 'away'])
})

test('a feeder is up to date only when words and vectors are too', () => {
  const half = { done: 1, total: 2 }
  const all = { done: 2, total: 2 }
  const idle = { phase: 'idle', ...all, cache: 'disk', watch: 'events' } as const
  expect(isUpToDate(idle, true)).toBe(false)
  expect(isUpToDate({ ...idle, search: { words: half } }, false)).toBe(false)
  expect(isUpToDate({ ...idle, search: { words: all, vectors: half } }, true)).toBe(false)
  expect(isUpToDate({ ...idle, phase: 'verifying', search: { words: all, vectors: all } }, true)).toBe(false)
  expect(isUpToDate({ ...idle, search: { words: all, vectors: all } }, true)).toBe(true)
  expect(isUpToDate({ ...idle, search: { words: all } }, false)).toBe(true)
  // A model that cannot be opened is reported elsewhere; then only words can be fed.
  expect(isUpToDate({ ...idle, search: { words: all, message: 'no model' } }, true)).toBe(true)
})
