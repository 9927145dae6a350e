import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLazyStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { TABLE } from './support.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A table that can be taken away, which tells whether it is still in memory. */
function table() {
  const path = join(temporaryFolder(), 'table.bin')
  copyFileSync(TABLE, path)
  return { path, takeAway: () => rmSync(path) }
}

test('a table whose first text is expected is read at once, and given up a while after the last text', async () => {
  const { path, takeAway } = table()
  const embedder = openLazyStaticEmbedder(path, undefined, { kept: 1_000, isExpected: true })
  takeAway()
  vi.advanceTimersByTime(900)
  expect(await embedder.embed(['text'], 'query')).toHaveLength(1)
  vi.advanceTimersByTime(900)
  expect(await embedder.embed(['text'], 'query')).toHaveLength(1)
  vi.advanceTimersByTime(1_000)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})

test('a table that is not expected is read with the first text', async () => {
  const { path, takeAway } = table()
  const embedder = openLazyStaticEmbedder(path)
  takeAway()
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})

test('of a table for few texts only rows are read, its file is closed a while after the last text, and not under one who embeds', async () => {
  const { path, takeAway } = table()
  const embedder = openLazyStaticEmbedder(path, undefined, { kept: 1_000, isExpected: true, isSparse: true })
  takeAway()
  const many = embedder.embed(
    Array.from({ length: 3_000 }, (_, at) => `text ${at} `.repeat(20)),
    'query',
  )
  embedder.coverage?.('short')
  vi.advanceTimersByTime(1_000)
  expect(await many).toHaveLength(3_000)
  vi.advanceTimersByTime(1_000)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})
