import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RouxError } from '../../../../src/core/errors.ts'
import { ExactScan } from '../../../../src/store/embedded/vectors/exact-scan.ts'
import { readLabelManifest, saveLabelManifest } from '../../../../src/store/embedded/vectors/hnsw-file.ts'
import { type HnswAddon, loadHnswAddon } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'
import { HnswIndex } from '../../../../src/store/embedded/vectors/hnsw-index.ts'
import type { VectorHit } from '../../../../src/store/embedded/vectors/vector-index.ts'
import { testVectorIndex, type VectorIndex } from '../../../contract/vector-index.ts'
import { coarse, drawClusters, drawUnitVector, generator } from './draw-vectors.ts'

const { addon, reason } = await loadHnswAddon()

test('a missing or wrong addon gives a reason, not an error', async () => {
  expect(await loadHnswAddon('no-such-addon')).toMatchObject({
    addon: undefined,
    reason: expect.stringContaining('no-such-addon'),
  })
  expect(await loadHnswAddon('node:path')).toMatchObject({ addon: undefined, reason: expect.stringContaining('version 3') })
})

if (addon === undefined) test.skip(`hnswlib index: ${reason}`, () => undefined)
else testHnsw(addon)

function testHnsw(addon: HnswAddon): void {
  testVectorIndex('hnswlib, small', (dimensions, exact) => openIndex(dimensions, exact))
  testVectorIndex(
    'hnswlib, over a scan',
    (dimensions, exact) => {
      const scan = new ExactScan({ dimensions, exact })
      return builtBeforeSearch(new HnswIndex({ addon, dimensions, exact, scan, graphFrom: 0 }))
    },
    { approximate: true },
  )
  testVectorIndex('hnswlib, behind', (dimensions, exact) => openIndex(dimensions, exact, 0))
  testVectorIndex('hnswlib, up to date', (dimensions, exact) => builtBeforeSearch(openIndex(dimensions, exact, 0)), {
    approximate: true,
  })
  describe('hnswlib graph', testGraph)
  describe('saved graph', testSaving)
}

function openIndex(dimensions: number, exact: (label: number) => Float32Array | undefined, graphFrom?: number): HnswIndex {
  if (addon === undefined) throw new Error(reason)
  return new HnswIndex({ addon, dimensions, exact, ...(graphFrom === undefined ? {} : { graphFrom }) })
}

function builtBeforeSearch(index: HnswIndex): VectorIndex {
  return {
    get size() {
      return index.size
    },
    set: (label, vector) => index.set(label, vector),
    delete: (label) => index.delete(label),
    search(query, limit, accept) {
      build(index)
      return index.search(query, limit, accept)
    },
    close: () => index.close(),
  }
}

function build(index: HnswIndex): void {
  for (const left of index.build()) expect(left).toBeGreaterThanOrEqual(0)
}

function recall(found: readonly VectorHit[], truth: readonly VectorHit[]): number {
  const labels = new Set(truth.map(({ label }) => label))
  return found.filter(({ label }) => labels.has(label)).length / truth.length
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

const DIMENSIONS = 64

function testGraph(): void {
  const random = generator(3)
  const drawn = drawClusters(random, DIMENSIONS, 20_100)
  const vectors = new Map(drawn.slice(0, 20_000).entries())
  const queries = drawn.slice(20_000)
  const exact = (label: number) => vectors.get(label)
  const index = openIndex(DIMENSIONS, exact, 0)
  const scan = new ExactScan({ dimensions: DIMENSIONS, exact })
  const meanRecall = (accept?: (label: number) => boolean) =>
    mean(queries.map((query) => recall(index.search(query, 10, accept), scan.search(query, 10, accept))))

  beforeAll(() => {
    for (const [label, vector] of vectors) {
      index.set(label, coarse(vector))
      scan.set(label, coarse(vector))
    }
    build(index)
  })
  afterAll(() => index.close())

  test('finds 98 % of the ten best in 20,000', () => {
    expect(index.unindexedCount).toBe(0)
    expect(meanRecall()).toBeGreaterThanOrEqual(0.98)
  })

  test.each([2, 5, 50, 5000])('also if one in %i is allowed: only allowed ones, with true scores', (oneIn) => {
    const accept = (label: number) => label % oneIn === 0
    expect(meanRecall(accept)).toBeGreaterThanOrEqual(0.98)
    for (const query of queries.slice(0, 10)) {
      const hits = index.search(query, 10, accept)
      expect(hits.length).toBe(Math.min(10, 20_000 / oneIn))
      expect(hits.every(({ label }) => accept(label))).toBe(true)
    }
  })

  test('sees changes at once, and stays as good after adding them', () => {
    for (let label = 0; label < 8000; label += 2) {
      if (label % 3 === 0) {
        vectors.delete(label)
        index.delete(label)
        scan.delete(label)
      } else {
        const vector = drawUnitVector(random, DIMENSIONS, drawn[label + 1])
        vectors.set(label, vector)
        index.set(label, coarse(vector))
        scan.set(label, coarse(vector))
      }
      if (label === 200) expect(meanRecall()).toBeGreaterThanOrEqual(0.98)
    }
    expect(index.size).toBe(scan.size)
    build(index)
    expect(index.unindexedCount).toBe(0)
    expect(meanRecall()).toBeGreaterThanOrEqual(0.98)
    for (const query of queries) for (const { label } of index.search(query, 10)) expect(vectors.has(label)).toBe(true)
  })

  test('rebuilds a worn graph', () => {
    for (let label = 8000; label < 16_000; label++) {
      vectors.delete(label)
      index.delete(label)
      scan.delete(label)
    }
    build(index)
    const left: number[] = [...index.build()]
    expect(left[0]).toBeGreaterThan(scan.size / 2)
    expect(meanRecall()).toBeGreaterThanOrEqual(0.98)
  })

  test('skips a label without a stored vector', () => {
    const lost = openIndex(16, () => undefined, 0)
    lost.set(4, coarse(drawUnitVector(random, 16)))
    build(lost)
    expect([lost.size, lost.unindexedCount]).toEqual([0, 0])
    lost.close()
  })

  test('4,096 dimensions', () => {
    const large = new Map(drawClusters(random, 4096, 120).entries())
    const wide = openIndex(4096, (label) => large.get(label), 0)
    for (const [label, vector] of large) wide.set(label, coarse(vector))
    build(wide)
    expect(wide.search(large.get(77) as Float32Array, 1)[0]?.label).toBe(77)
    wide.close()
    expect(() => openIndex(4097, () => undefined)).toThrow(RouxError)
  })
}

function testSaving(): void {
  const random = generator(8)
  const vectors = new Map(drawClusters(random, DIMENSIONS, 400).entries())
  const queries = drawClusters(random, DIMENSIONS, 5)
  const stamp = { embedder: 'test:64', fingerprint: 'first' }
  const exact = (label: number) => vectors.get(label)
  const scan = new ExactScan({ dimensions: DIMENSIONS, exact })
  let folder: string
  let path: string
  let whole: ReadonlyMap<string, Buffer<ArrayBuffer>>

  const filled = () => {
    const index = openIndex(DIMENSIONS, exact, 0)
    for (const [label, vector] of vectors) index.set(label, coarse(vector))
    return index
  }
  const lay = (files: ReadonlyMap<string, Uint8Array>) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
  }
  const dataName = () => [...whole.keys()].find((name) => name.endsWith('.data')) as string
  const expectTrueAnswers = (index: HnswIndex) => {
    for (const query of queries) {
      const truth = scan.search(query, 10)
      const hits = index.search(query, 10)
      expect(hits.length).toBe(10)
      expect(recall(hits, truth)).toBeGreaterThanOrEqual(0.9)
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roux-hnsw-'))
    path = join(folder, 'vectors.json')
    for (const [label, vector] of vectors) scan.set(label, coarse(vector))
    const index = filled()
    build(index)
    expect(await index.save(path, stamp)).toBe(true)
    whole = new Map(readdirSync(folder).map((name) => [name, Buffer.from(readFileSync(join(folder, name)))]))
    index.close()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('consists of two files', () => {
    expect([...whole.keys()].sort()).toEqual(['vectors.json', expect.stringMatching(/^vectors\.json-[0-9a-f]{32}\.data$/)])
  })

  test('is restored without building', async () => {
    lay(whole)
    const index = filled()
    expect(await index.restore(path, stamp)).toBeUndefined()
    expect(index.unindexedCount).toBe(0)
    expectTrueAnswers(index)
    index.close()
  })

  test('is restored with its deleted labels', async () => {
    lay(new Map())
    const index = filled()
    build(index)
    for (let label = 0; label < 100; label++) index.delete(label)
    build(index)
    expect(await index.save(path, stamp)).toBe(true)
    index.close()
    const again = filled()
    expect(await again.restore(path, stamp)).toBeUndefined()
    expect(again.unindexedCount).toBe(100)
    build(again)
    for (let label = 50; label < 150; label++) again.delete(label)
    build(again)
    expect(again.unindexedCount).toBe(0)
    expect(again.search(vectors.get(20) as Float32Array, 1)[0]?.label).toBe(20)
    expect(again.search(vectors.get(60) as Float32Array, 400).every(({ label }) => label < 50 || label >= 150)).toBe(true)
    again.close()
  })

  test('is not written while the graph is behind or empty', async () => {
    lay(new Map())
    const index = filled()
    expect(await index.save(path, stamp)).toBe(false)
    index.close()
    const empty = openIndex(DIMENSIONS, exact)
    expect(await empty.save(path, stamp)).toBe(false)
    empty.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('can be searched, changed, built and closed while it is being saved', async () => {
    lay(whole)
    const index = filled()
    build(index)
    const saving = index.save(path, { ...stamp, fingerprint: 'second' })
    expect(await index.save(path, stamp)).toBe(false)
    index.delete(3)
    build(index)
    expect(index.unindexedCount).toBe(1)
    expectTrueAnswers(index)
    index.close()
    expect(await saving).toBe(true)
    expect(readdirSync(folder)).toHaveLength(2)
    const again = filled()
    expect(await again.restore(path, { ...stamp, fingerprint: 'second' })).toBeUndefined()
    expectTrueAnswers(again)
    again.close()
  })

  test('of older content is restored and updated', async () => {
    lay(whole)
    const index = filled()
    index.delete(5)
    const current = { ...stamp, fingerprint: 'later' }
    const restoring = index.restore(path, { ...current, changedSince: (since) => (since === 'first' ? [5, 6] : undefined) })
    index.set(7, coarse(vectors.get(7) as Float32Array))
    index.set(400, coarse(queries[0] as Float32Array))
    expect(await restoring).toBeUndefined()
    expect(index.unindexedCount).toBe(4)
    expect(index.search(vectors.get(5) as Float32Array, 1)[0]?.label).not.toBe(5)
    index.close()
  })

  test.each([
    ['another embedder', { embedder: 'other:64', fingerprint: 'first' }, 'another embedding model'],
    ['other content', { embedder: 'test:64', fingerprint: 'other' }, 'other content'],
  ])('of %s is not used, but stays for its owner', async (_, other, because) => {
    lay(whole)
    const index = filled()
    expect(await index.restore(path, other)).toContain(because)
    expect(readdirSync(folder)).toHaveLength(2)
    expectTrueAnswers(index)
    index.close()
  })

  test('that is missing gives a reason', async () => {
    lay(new Map())
    const index = filled()
    expect(await index.restore(path, stamp)).toContain('ENOENT')
    index.close()
  })

  test('stays if another process replaces it while it is read', async () => {
    lay(whole)
    const other = filled()
    build(other)
    other.delete(1)
    build(other)
    rmSync(join(folder, dataName()))
    const index = filled()
    const restoring = index.restore(path, stamp)
    expect(await other.save(path, { ...stamp, fingerprint: 'newer' })).toBe(true)
    await restoring
    const again = filled()
    expect(await again.restore(path, { ...stamp, fingerprint: 'newer' })).toBeUndefined()
    for (const opened of [other, index, again]) opened.close()
  })

  test('has a manifest, which is deleted with it', async () => {
    lay(new Map())
    const marks = Float64Array.from([2 ** 48 - 1, Number.NaN, 0])
    const index = filled()
    build(index)
    const fingerprint = await saveLabelManifest(path, marks)
    expect(await readLabelManifest(path, stamp.embedder)).toBeUndefined()
    await index.save(path, { ...stamp, fingerprint })
    expect(await readLabelManifest(path, stamp.embedder)).toEqual({ fingerprint, marks })
    expect(await readLabelManifest(path, 'other:64')).toBeUndefined()
    await index.save(path, { ...stamp, fingerprint: await saveLabelManifest(path, marks.slice(1)) })
    expect((await readLabelManifest(path, stamp.embedder))?.marks).toEqual(marks.slice(1))
    expect(readdirSync(folder)).toHaveLength(3)
    const [manifest = ''] = readdirSync(folder).filter((name) => name.endsWith('.manifest'))
    writeFileSync(join(folder, manifest), Buffer.alloc(16))
    expect(await readLabelManifest(path, stamp.embedder)).toBeUndefined()
    index.close()
  })

  test('of another dimension is rejected', async () => {
    lay(whole)
    const index = openIndex(32, () => undefined)
    expect(await index.restore(path, stamp)).toContain('another embedding model')
    index.close()
  })

  test('that cannot be written is an error and leaves nothing', async () => {
    lay(new Map())
    const index = filled()
    build(index)
    await expect(index.save(join(folder, 'missing', 'vectors.json'), stamp)).rejects.toThrow()
    expectTrueAnswers(index)
    index.close()
  })

  test('that is truncated or has an impossible header is deleted, even if its hash is right', async () => {
    const data = whole.get(dataName()) as Buffer
    const damages: Uint8Array[] = Array.from({ length: 96 }, (_, at) =>
      Buffer.from(data).fill((data[at] as number) ^ 0xc1, at, at + 1),
    )
    for (const size of [0, 95, 96, 5000, data.length - 1]) damages.push(data.subarray(0, size))
    for (const damaged of damages) {
      const sha256 = createHash('sha256').update(damaged).digest('hex')
      const [line = ''] = String(whole.get('vectors.json')).split('\n')
      const signed = JSON.stringify({ ...JSON.parse(line), sha256 })
      const sidecar = `${signed}\n${createHash('sha256').update(signed).digest('hex')}\n`
      lay(
        new Map<string, Uint8Array>([
          ['vectors.json', Buffer.from(sidecar)],
          [`vectors.json-${sha256.slice(0, 32)}.data`, damaged],
        ]),
      )
      const index = filled()
      expect(await index.restore(path, stamp)).toMatch(/^no saved graph: the (file|header|links)/)
      expect(readdirSync(folder)).toEqual([])
      index.close()
    }
  })

  test('damaged in 200 ways is discarded or intact, and every answer is right', async () => {
    const data = whole.get(dataName()) as Buffer
    const sidecar = whole.get('vectors.json') as Buffer
    for (let round = 0; round < 200; round++) {
      const draw = generator(round)
      const damaged = new Map([
        [dataName(), data],
        ['vectors.json', sidecar],
      ])
      const name = round % 4 === 0 ? 'vectors.json' : dataName()
      damaged.set(name, damage(damaged.get(name) as Buffer, draw))
      lay(damaged)
      const index = filled()
      const why = await index.restore(path, stamp)
      if (!damaged.get(name)?.equals(whole.get(name) as Buffer)) expect(why).toMatch(/^no saved graph: /)
      expectTrueAnswers(index)
      index.close()
    }
  })
}

/** Flips a bit, truncates, swaps halves, overwrites a range, extends, empties, or replaces the file. */
function damage(bytes: Buffer, draw: () => number): Buffer {
  const at = Math.floor(draw() * bytes.length)
  const copy = Buffer.from(bytes)
  switch (Math.floor(draw() * 8)) {
    case 0:
      copy[at] = (copy[at] as number) ^ (1 << Math.floor(draw() * 8))
      return copy
    case 1:
      copy[at % 96] = Math.floor(draw() * 256)
      return copy
    case 2:
      return copy.subarray(0, at)
    case 3:
      return Buffer.concat([copy.subarray(at), copy.subarray(0, at)])
    case 4:
      return copy.fill(0, at, Math.min(copy.length, at + 4096))
    case 5:
      return Buffer.concat([copy, copy.subarray(at)])
    case 6:
      return Buffer.alloc(draw() < 0.5 ? 0 : bytes.length, 255)
    default:
      return Buffer.from('SQLite format 3\0'.repeat(1 + Math.floor(draw() * 100)))
  }
}
