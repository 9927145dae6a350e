import { existsSync, rmSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { NoteVectors, NoteWords, SearchWriter } from '../../../../src/core/search-writer.ts'
import { analyzeNote } from '../../../../src/search/words/scan.ts'
import { stemOf } from '../../../../src/search/words/stem.ts'
import { Projection } from '../../../../src/store/embedded/projection.ts'
import { SearchIndex } from '../../../../src/store/embedded/search/search-index.ts'
import { FORGET_KEY, openSearchWriter } from '../../../../src/store/embedded/search/search-writer.ts'
import { openSqlite } from '../../../../src/store/embedded/sqlite.ts'
import { ask } from '../../../support/ask.ts'
import { bagOf } from '../../../support/bag-of-words.ts'
import { MemoryVault } from '../../../support/memory-vault.ts'
import { SearchRig } from './search-rig.ts'

const NOTES = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`n${at}.md`, `word${at} common`]))

/** Opens a graph of some notes. The test controls how much of it search has indexed. */
async function graphOnly(): Promise<{ readonly rig: SearchRig; readonly keys: ReadonlyMap<string, number> }> {
  const rig = new SearchRig(new MemoryVault(NOTES))
  await rig.reconcile()
  // Keys follow the order of the listing.
  return { rig, keys: new Map(Object.keys(NOTES).map((path, at) => [path, at])) }
}

function words(key: number, path: string, body = NOTES[path] ?? ''): NoteWords {
  const fields = { title: [path.slice(0, -3)], headings: [], body, tags: [], properties: [] }
  return { key, path, version: 1, ...analyzeNote(fields) }
}

function vectors(key: number, path: string, dimensions: number): NoteVectors {
  const text = { hash: '00'.repeat(16), vector: bagOf(NOTES[path] ?? path, dimensions) }
  const place = { start: 0, end: 1, startLine: 1, endLine: 1 }
  return { key, path, version: 1, content: '00'.repeat(32), chunks: [{ ...text, ...place }], names: [text] }
}

/** Writes one segment per note. */
async function putOneByOne(writer: SearchWriter, keys: ReadonlyMap<string, number>): Promise<void> {
  for (const [path, key] of keys) {
    const batch = await writer.beginWords(stemOf)
    await batch.put([words(key, path)])
    await batch.commit()
  }
}

async function foundBy(rig: SearchRig): Promise<readonly number[]> {
  const { hits } = await ask(rig.store).words('common', {}, 100)
  const each = await Promise.all(
    Object.keys(NOTES).map(async (_, at) => (await ask(rig.store).words(`word${at}`, {}, 9)).hits.length),
  )
  return [hits.length, ...each]
}
const EVERYTHING = [32, ...Object.keys(NOTES).map(() => 1)]

describe('merging', () => {
  test('keeps answers the same at every step, for old and new readers', async () => {
    const { rig, keys } = await graphOnly()
    await putOneByOne(rig.writer, keys)
    expect(await foundBy(rig)).toEqual(EVERYTHING)
    while (await rig.writer.maintain()) expect(await foundBy(rig)).toEqual(EVERYTHING)
    expect(await foundBy(rig)).toEqual(EVERYTHING)
  })

  test('by two processes at once is not mistaken for damage', async () => {
    const { rig, keys } = await graphOnly()
    await putOneByOne(rig.writer, keys)
    const other = openSearchWriter({ kind: 'file', path: rig.searchFile })
    for (let more = true; more; ) {
      const [one, two] = [await rig.writer.maintain(), await other.maintain()]
      more = one || two
      expect(await foundBy(rig)).toEqual(EVERYTHING)
    }
    await other.close()
    expect(await foundBy(rig)).toEqual(EVERYTHING)
  })

  test('loses no words if another process considers it abandoned', async () => {
    const { rig, keys } = await graphOnly()
    const other = openSearchWriter({ kind: 'file', path: rig.searchFile })
    const some = [...keys].slice(0, 8)
    const vocabulary = Array.from({ length: 40_000 }, (_, at) => `term${at}`)
    for (const [at, [path, key]] of some.entries()) {
      const batch = await rig.writer.beginWords(stemOf)
      await batch.put([words(key, path, vocabulary.filter((_, word) => word % 8 === at).join(' '))])
      await batch.commit()
    }
    // Each step reads the clock twice, so with this clock, it ends early.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
    onTestFinished(() => void vi.restoreAllMocks())
    for (let step = 0; step < 3; step++) await rig.writer.maintain()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 3_600_000)
    await other.maintain()
    while (await rig.writer.maintain());
    await other.close()
    vi.restoreAllMocks()
    const lost: string[] = []
    for (const word of vocabulary.filter((_, at) => at % 101 === 0)) {
      if ((await ask(rig.store).words(word, {}, 9)).hits.length !== 1) lost.push(word)
    }
    expect(lost).toEqual([])
  })

  test('respects notes that are rewritten or deleted meanwhile', async () => {
    const { rig, keys } = await graphOnly()
    await putOneByOne(rig.writer, keys)
    await rig.writer.maintain()
    const batch = await rig.writer.beginWords(stemOf)
    await batch.put([words(3, 'n3.md', 'rewritten common')])
    await batch.commit()
    rig.vault.remove('n5.md')
    await rig.reconcile()
    await rig.writer.forget([5])
    while (await rig.writer.maintain());
    expect((await ask(rig.store).words('rewritten', {}, 9)).hits.map(({ id }) => id)).toEqual(['n3.md'])
    expect((await ask(rig.store).words('word3', {}, 9)).hits).toEqual([])
    expect((await ask(rig.store).words('word5', {}, 9)).hits).toEqual([])
    expect((await ask(rig.store).words('common', {}, 99)).hits).toHaveLength(31)
  })

  test('leaves nothing visible when interrupted', async () => {
    const { rig, keys } = await graphOnly()
    await putOneByOne(rig.writer, keys)
    await rig.writer.maintain()
    await rig.writer.close()
    expect(await foundBy(rig)).toEqual(EVERYTHING)
    const next = openSearchWriter({ kind: 'file', path: rig.searchFile })
    while (await next.maintain());
    await next.close()
    expect(await foundBy(rig)).toEqual(EVERYTHING)
  })
})

describe('embedders', () => {
  test('a number is not reused, so an old reader is not misled', async () => {
    const { rig } = await graphOnly()
    await rig.writer.putVectors('a:16', [vectors(0, 'n0.md', 16), vectors(1, 'n1.md', 16)])
    await rig.writer.putVectors('b:24', [vectors(0, 'n0.md', 24)])
    expect(await ask(rig.store).nearest('b:24', bagOf('word0', 24), {}, 9)).toHaveLength(1)
    await rig.writer.keepOnly('a:16')
    await rig.writer.putVectors('c:16', [vectors(2, 'n2.md', 16)])
    expect((await ask(rig.store).nearest('c:16', bagOf('word2 common'), {}, 9)).map(({ id }) => id)).toEqual(['n2.md'])
    expect(await ask(rig.store).nearest('b:24', bagOf('word0', 24), {}, 9)).toEqual([])
    expect(await ask(rig.store).nearest('a:16', bagOf('word0'), {}, 9)).toHaveLength(2)
  })

  test('finds stored vectors by the hash of their text', async () => {
    const { rig } = await graphOnly()
    await rig.writer.putVectors('a:16', [vectors(0, 'n0.md', 16)])
    const known = await rig.writer.vectorsOf('a:16', [0, 1])
    expect([...known.keys()]).toEqual(['00'.repeat(16)])
    const stored = known.get('00'.repeat(16)) ?? new Float32Array(16)
    bagOf(NOTES['n0.md'] as string).forEach((value, at) => {
      expect(stored[at]).toBeCloseTo(value, 4)
    })
    expect(await rig.writer.vectorsOf('b:16', [0])).toEqual(new Map())
    expect(await rig.writer.vectorVersions('a:16')).toEqual(new Map([[0, 1]]))
  })
})

test('reading creates nothing on disk', async () => {
  const { rig } = await graphOnly()
  expect(await rig.writer.wordVersions()).toEqual(new Map())
  expect(await rig.writer.vectorVersions('a')).toEqual(new Map())
  expect(await rig.writer.maintain()).toBe(false)
  expect(await rig.writer.isOutdated()).toBe(false)
  await rig.writer.keepOnly('a')
  await rig.writer.tidy()
  expect(existsSync(rig.searchFile)).toBe(false)
})

test('a writer notices that its index was deleted, even if it created it', async () => {
  const { rig } = await graphOnly()
  expect(await rig.writer.isOutdated()).toBe(false)
  const batch = await rig.writer.beginWords(stemOf)
  await batch.put([words(0, 'n0.md')])
  await batch.commit()
  for (const ending of ['', '-wal', '-shm']) rmSync(rig.searchFile + ending, { force: true })
  expect(await rig.writer.isOutdated()).toBe(true)
  expect(await rig.writer.wordVersions()).toEqual(new Map())
  expect(await rig.writer.isOutdated()).toBe(false)
})

test('an answer shows one moment: segments merged away meanwhile are still read', async () => {
  const { rig, keys } = await graphOnly()
  await putOneByOne(rig.writer, keys)
  const projection = new Projection({ kind: 'file', path: rig.indexFile })
  projection.refresh()
  const index = new SearchIndex({ kind: 'file', path: rig.searchFile }, () => projection.graph, { kind: 'exact' })
  const counts = index.read(() => {
    // The body of `maintain` runs at once, like work of another thread, which may happen at any time.
    for (let step = 0; step < 50; step++) void rig.writer.maintain()
    return Object.keys(NOTES).map((_, at) => index.words.keysWith({ form: `word${at}`, match: 'form' }).size)
  })
  expect(counts).toEqual(Object.keys(NOTES).map(() => 1))
  expect(index.read(() => index.words.keysWith({ form: 'word', match: 'prefix' }).size)).toBe(32)
  index.close()
  projection.file.close()
})

test('deletes the vectors of another model a few at a time, and later those left by a dead process', async () => {
  const { rig } = await graphOnly()
  const notes = Array.from({ length: 1_200 }, (_, key) => vectors(key, `n${key}.md`, 8))
  await rig.writer.putVectors('old', notes)
  await rig.writer.putVectors('new', notes.slice(0, 3))
  const database = openSqlite(rig.searchFile)
  onTestFinished(() => database.close())
  const count = () => (database.prepare('SELECT count(*) AS rows FROM vector').get() as { rows: number }).rows
  const seen = new Set<number>()
  let isDone = false
  const done = rig.writer.keepOnly('new').then(() => {
    isDone = true
  })
  while (!isDone) {
    seen.add(count())
    expect(await ask(rig.store).vectorStates()).toMatchObject([{ embedder: 'new', notes: 3 }])
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  expect(seen.size).toBeGreaterThan(2)
  expect(count()).toBe(3)
  database.exec('UPDATE vector SET embedder = 99 WHERE key = 2')
  await rig.writer.keepOnly('new')
  expect(count()).toBe(2)
})

test('finds the rows of a forgotten note by an index', async () => {
  const { rig, keys } = await graphOnly()
  await putOneByOne(rig.writer, keys)
  const database = openSqlite(rig.searchFile)
  onTestFinished(() => database.close())
  const plans = FORGET_KEY.map((sql) => JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1)))
  expect(plans).toEqual([expect.stringContaining('SEARCH note'), expect.stringContaining('SEARCH vector USING')])
})
