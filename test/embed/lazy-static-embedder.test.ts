import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { TABLE } from './support.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A table that can be removed, to see whether it is still in memory. */
function table() {
  const path = join(temporaryFolder(), 'table.bin')
  copyFileSync(TABLE, path)
  return { path, takeAway: () => rmSync(path) }
}

test('an expected table is loaded at once, and unloaded a while after the last text', async () => {
  const { path, takeAway } = table()
  const embedder = openStaticEmbedder({ english: path }, { kept: 1_000, isExpected: true })
  takeAway()
  vi.advanceTimersByTime(900)
  expect(await embedder.embed(['text'], 'query')).toHaveLength(1)
  vi.advanceTimersByTime(900)
  expect(await embedder.embed(['text'], 'query')).toHaveLength(1)
  vi.advanceTimersByTime(1_000)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})

test('other tables are loaded with the first text', async () => {
  const { path, takeAway } = table()
  const embedder = openStaticEmbedder({ english: path })
  takeAway()
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})

test('a table stays loaded while a text is being embedded', async () => {
  const { path, takeAway } = table()
  const embedder = openStaticEmbedder({ english: path }, { kept: 1_000, isExpected: true })
  takeAway()
  const many = embedder.embed(
    Array.from({ length: 3_000 }, (_, at) => `text ${at} `.repeat(20)),
    'query',
  )
  await embedder.embed(['short'], 'query')
  vi.advanceTimersByTime(1_000)
  expect(await many).toHaveLength(3_000)
  vi.advanceTimersByTime(1_000)
  await expect(embedder.embed(['text'], 'query')).rejects.toThrow(/cannot be read/)
})
