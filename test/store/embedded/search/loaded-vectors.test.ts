import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { NoteVectors } from '../../../../src/core/search-writer.ts'
import { Graph } from '../../../../src/graph/graph.ts'
import type { LoadedVectors } from '../../../../src/store/embedded/search/loaded-vectors.ts'
import { graphPath, SearchIndex } from '../../../../src/store/embedded/search/search-index.ts'
import { stampOf } from '../../../../src/store/embedded/search/search-rows.ts'
import { openSearchWriter } from '../../../../src/store/embedded/search/search-writer.ts'
import { openSqlite } from '../../../../src/store/embedded/sqlite.ts'
import { drawUnitVector, generator } from '../vectors/draw-vectors.ts'

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'roux-vectors-'))
  const location = { kind: 'file', path: join(folder, 'search.db') } as const
  const writer = openSearchWriter(location)
  const index = new SearchIndex(location, () => new Graph(), { kind: 'auto' })
  onTestFinished(async () => {
    index.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  return { location, writer, index }
}

const random = generator(11)

function note(key: number, dimensions = 16): NoteVectors {
  const chunk = { hash: key.toString(16).padStart(32, '0'), vector: drawUnitVector(random, dimensions) }
  const place = { start: 0, end: 1, startLine: 1, endLine: 1 }
  return { key, path: `${key}.md`, version: 1, content: '00'.repeat(32), chunks: [{ ...chunk, ...place }], names: [chunk] }
}

/** The keys of all notes with vectors, in order. */
function keysOf(table: LoadedVectors | undefined, dimensions = 16): readonly number[] {
  if (table === undefined) throw new Error('There is no table of vectors.')
  const hits = table.nearestChunks(drawUnitVector(generator(1), dimensions), 10_000, () => true)
  return hits.map(({ key }) => key).sort((a, b) => a - b)
}

const isCurrent = (key: number, stamp: number) => stamp === stampOf(`${key}.md`)

test('the next question loads new commits', async () => {
  const { writer, index } = open()
  expect(await index.vectors('a:16')).toBeUndefined()
  const notes = Array.from({ length: 600 }, (_, key) => note(key))
  await writer.putVectors('a:16', notes)
  const query = (notes[444] as NoteVectors).chunks[0]?.vector as Float32Array
  const [first, second] = await Promise.all([index.vectors('a:16'), index.vectors('a:16')])
  expect(second).toBe(first)
  expect(keysOf(first)).toHaveLength(600)
  expect(first?.nearestChunks(query, 1, isCurrent)[0]?.key).toBe(444)
  await writer.putVectors('a:16', [note(444)])
  const again = await index.vectors('a:16')
  expect(keysOf(again)).toHaveLength(600)
  expect(again?.nearestChunks(query, 1, isCurrent)[0]?.score).toBeLessThan(0.99)
})

test('deleted vectors free their memory', async () => {
  const { writer, index } = open()
  await writer.putVectors('a:16', [note(1), note(2), note(3)])
  index.refresh()
  const table = await index.vectors('a:16')
  await writer.forget([1, 3])
  index.refresh()
  await index.vectors('a:16')
  expect(keysOf(table)).toEqual([2])
  await writer.putVectors('a:16', [note(3)])
  index.refresh()
  await index.vectors('a:16')
  expect(keysOf(table)).toEqual([2, 3])
})

test('the notes of each embedder are counted and forgotten, whether there is one embedder or more', async () => {
  const { writer, index } = open()
  const countsOf = () => Object.fromEntries(index.embedders().map(({ embedder, notes }) => [embedder, notes]))
  await writer.putVectors('a:16', [note(1), note(2), note(3)])
  index.refresh()
  expect(countsOf()).toEqual({ 'a:16': 3 })
  await writer.putVectors('b:8', [note(2, 8), note(3, 8)])
  index.refresh()
  expect(countsOf()).toEqual({ 'a:16': 3, 'b:8': 2 })
  const tables = await Promise.all([index.vectors('a:16'), index.vectors('b:8')])
  await writer.forget([1, 2])
  index.refresh()
  await Promise.all([index.vectors('a:16'), index.vectors('b:8')])
  expect([keysOf(tables[0]), keysOf(tables[1], 8)]).toEqual([[3], [3]])
  await writer.forget([3])
  index.refresh()
  await index.vectors('a:16')
  expect([countsOf(), keysOf(tables[0])]).toEqual([{ 'a:16': 0, 'b:8': 0 }, []])
})

test('after many small changes and merges, every reader has the stored vectors', async () => {
  const { location, writer, index } = open()
  const stored = new Map<number, NoteVectors>()
  const put = async (notes: readonly NoteVectors[]) => {
    for (const one of notes) stored.set(one.key, one)
    await writer.putVectors('a:16', notes)
  }
  const expectAll = async (reader: SearchIndex) => {
    reader.refresh()
    const table = await reader.vectors('a:16')
    expect(keysOf(table)).toEqual([...stored.keys()].sort((a, b) => a - b))
    for (const [key, { chunks }] of [...stored].slice(0, 20)) {
      const [hit] = table?.nearestChunks(chunks[0]?.vector as Float32Array, 1, isCurrent) ?? []
      expect([hit?.key, hit?.score.toFixed(3)]).toEqual([key, '1.000'])
    }
  }
  const fresh = () => new SearchIndex(location, () => new Graph(), { kind: 'auto' })
  const parts = () => {
    const database = openSqlite(location.path)
    const { count } = database.prepare('SELECT count(*) AS count FROM coarse').get() as { count: number }
    database.close()
    return count
  }
  await put(Array.from({ length: 300 }, (_, key) => note(key)))
  let most = 0
  for (let round = 0; round < 500; round++) {
    await put([note((round * 7) % 310)])
    if (round % 9 === 0) {
      const gone = (round * 3) % 310
      stored.delete(gone)
      await writer.forget([gone])
    }
    if (round % 3 === 0) await writer.maintain()
    if (round % 100 === 0) await expectAll(index)
    most = Math.max(most, parts())
  }
  expect(most).toBeLessThan(300)
  while (await writer.maintain());
  await expectAll(index)
  const reader = fresh()
  await expectAll(reader)
  reader.close()
})

test('the state says how chunks are compared', async () => {
  const { writer, index } = open()
  await writer.putVectors('a:16', [note(1)])
  await index.vectors('a:16')
  expect(index.embedders()).toEqual([{ embedder: 'a:16', notes: 1, index: 'exact' }])
})

test('nothing remains of a deleted embedder, even if its number is reused', async () => {
  const { location, writer, index } = open()
  const stale = graphPath(location, 'b:32') as string
  await writer.putVectors('a:16', [note(1)])
  await writer.putVectors('b:32', [note(1, 32)])
  const former = await index.vectors('b:32')
  writeFileSync(stale, '')
  await writer.keepOnly('a:16')
  index.refresh()
  expect(index.embedders().map(({ embedder }) => embedder)).toEqual(['a:16'])
  expect(keysOf(former, 32)).toEqual([])
  await expect.poll(() => existsSync(stale)).toBe(false)
  await writer.putVectors('c:8', [note(2, 8)])
  expect(keysOf(await index.vectors('c:8'), 8)).toEqual([2])
})

test('closing stops loading', async () => {
  const { writer, index } = open()
  await writer.putVectors(
    'a:16',
    Array.from({ length: 600 }, (_, key) => note(key)),
  )
  const loading = index.vectors('a:16')
  index.close()
  expect(keysOf(await loading)).toEqual([])
})
