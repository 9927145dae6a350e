import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../../src/core/errors.ts'
import { ExactScan } from '../../../../src/store/embedded/vectors/exact-scan.ts'
import { BLOCK, createKernel, hasSimd, QUERY_PEAK, strideOf } from '../../../../src/store/embedded/vectors/kernel.ts'
import { coarsen, packVector } from '../../../../src/store/embedded/vectors/packed-vector.ts'
import { testVectorIndex } from '../../../contract/vector-index.ts'
import { bruteForce, coarse, drawClusters, drawUnitVector, generator } from './draw-vectors.ts'

testVectorIndex('SIMD', (dimensions, exact) => new ExactScan({ dimensions, exact, simd: true }))
testVectorIndex('plain', (dimensions, exact) => new ExactScan({ dimensions, exact, simd: false }))

describe('kernel', () => {
  test("the committed module equals the script's output", () => {
    const path = (relative: string) => fileURLToPath(new URL(`../../../../${relative}`, import.meta.url))
    const assembled = execFileSync(process.execPath, [path('scripts/assemble-kernel.mjs'), '--print'], { encoding: 'utf8' })
    expect(readFileSync(path('src/store/embedded/vectors/kernel-module.ts'), 'utf8')).toBe(assembled)
  })

  test('Node has SIMD', () => {
    expect(hasSimd()).toBe(true)
  })

  test('both kernels return true dot products, even at the ends of their ranges', () => {
    const int8 = fc.oneof(fc.constantFrom(-127, 127), fc.integer({ min: -127, max: 127 }))
    const int16 = fc.oneof(fc.constantFrom(-QUERY_PEAK, QUERY_PEAK), fc.integer({ min: -QUERY_PEAK, max: QUERY_PEAK }))
    const row = fc.array(int8, { minLength: 48, maxLength: 48 })
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 9 }),
        fc.array(int16, { minLength: 48, maxLength: 48 }),
        (rows, query) => {
          const expected = rows.map((values) => values.reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0))
          for (const simd of [true, false]) {
            const kernel = createKernel(48, simd)
            kernel.reserve(rows.length)
            kernel.query.set(query)
            kernel.rows.set(rows.flat())
            expect([...kernel.dots(0, rows.length).subarray(0, rows.length)]).toEqual(expected)
          }
        },
      ),
    )
  })

  test('4,096 dimensions at their maximum do not overflow', () => {
    for (const simd of [true, false]) {
      const kernel = createKernel(4096, simd)
      kernel.query.fill(QUERY_PEAK)
      kernel.rows.fill(-127, 0, 4096)
      expect(kernel.dots(0, 1)[0]).toBe(-127 * QUERY_PEAK * 4096)
    }
  })

  test('growing keeps the rows', () => {
    for (const simd of [true, false]) {
      const kernel = createKernel(16, simd)
      kernel.query.fill(1)
      kernel.rows.fill(3, 0, 16)
      for (const rows of [10, 5000, 5001, 100_000]) kernel.reserve(rows)
      expect([kernel.dots(0, 1)[0], kernel.dots(99_999, 1)[0]]).toEqual([48, 0])
    }
  })

  test('skips columns in which the query is 0', () => {
    const random = generator(5)
    for (const simd of [true, false]) {
      const kernel = createKernel(64, simd)
      kernel.reserve(7)
      kernel.query.set(Array.from({ length: 64 }, (_, at) => (at < 32 || at >= 48 ? 0 : Math.round(random() * 4000 - 2000))))
      kernel.rows.set(Array.from({ length: 7 * 64 }, () => Math.round(random() * 254 - 127)))
      for (const [first, count] of [
        [0, 7],
        [3, 2],
      ] as const) {
        const whole = [...kernel.dots(first, count).subarray(0, count)]
        for (const from of [0, 16, 32]) {
          for (const to of [48, 64]) expect([...kernel.dots(first, count, { from, to }).subarray(0, count)]).toEqual(whole)
        }
        // The kernel must not read other columns.
        expect([...kernel.dots(first, count, { from: 48, to: 64 }).subarray(0, count)]).toEqual(new Array(count).fill(0))
      }
    }
  })

  test('rejects memory beyond the limit with a clear error', () => {
    for (const simd of [true, false]) expect(() => createKernel(4096, simd).reserve(2 ** 21)).toThrow(RouxError)
  })

  test('rows are padded to a multiple of sixteen bytes', () => {
    expect([1, 16, 17, 100, 256, 4096].map(strideOf)).toEqual([16, 16, 32, 112, 256, 4096])
  })
})

describe('exact scan', () => {
  const dimensions = 100
  const random = generator(11)
  const vectors = new Map(drawClusters(random, dimensions, BLOCK + 1500).entries())
  const queries = drawClusters(generator(11), dimensions, 12)

  function fill(simd: boolean, exact: (label: number) => Float32Array | undefined = (label) => vectors.get(label)) {
    const scan = new ExactScan({ dimensions, exact, simd })
    for (const [label, vector] of vectors) scan.set(label, coarse(vector))
    return scan
  }
  const simd = fill(true)
  const plain = fill(false)

  test('finds the same as brute force in double precision', () => {
    for (const query of queries)
      expect(simd.search(query, 20).map(({ label }) => label)).toEqual(bruteForce(vectors, query, 20).map(({ label }) => label))
  })

  test('ranks the same with and without SIMD', () => {
    for (const query of queries) expect(simd.search(query, 200)).toEqual(plain.search(query, 200))
  })

  test('searching some labels equals searching with a filter', () => {
    const some = [5000, 3, 77, 4096, 4095, 999_999]
    for (const query of queries) {
      expect(simd.searchAmong(query, 3, some)).toEqual(simd.search(query, 3, (label) => some.includes(label)))
    }
  })

  test('finds the same results as checking each wanted label', () => {
    const scan = fill(true)
    // Notes made from one template have as many equal vectors.
    for (let label = 0; label < 3_000; label += 7) scan.set(label, coarse(vectors.get(7) as Float32Array))
    for (const accept of [() => true, (label: number) => label % 7 === 0, (label: number) => label % 50 === 3, () => false]) {
      const wanted = [...scan.labels()].filter(accept)
      for (const limit of [1, 20, 200, 3_000])
        for (const query of queries.slice(0, 3))
          expect(scan.search(query, limit, accept)).toEqual(scan.searchAmong(query, limit, wanted))
    }
  })

  test('a few precise vectors give the same results as all candidates', () => {
    let left = 0
    const exact = (label: number) => (left-- > 0 ? vectors.get(label) : undefined)
    const [few, all] = [{ fineReads: 40 }, {}].map((reads) => {
      const scan = new ExactScan({ dimensions, exact, ...reads })
      for (const [label, vector] of vectors) scan.set(label, coarse(label % 3 === 0 ? (vectors.get(9) as Float32Array) : vector))
      return (query: Float32Array, limit: number) => {
        left = 40
        return scan.search(query, limit)
      }
    })
    for (const query of queries) for (const limit of [1, 10, 50, 200]) expect(few?.(query, limit)).toEqual(all?.(query, limit))
  })

  test('without precise vectors the scores are estimates, accurate to a hundredth', () => {
    const estimating = fill(true, () => undefined)
    for (const query of queries) {
      const [hit] = estimating.search(query, 1)
      const [expected] = bruteForce(vectors, query, 1)
      expect(Math.abs((hit?.score ?? 0) - (expected?.score ?? 0))).toBeLessThan(0.01)
    }
  })

  test('ignores a precise vector of another model, or with invalid values', () => {
    for (const unfit of [new Float32Array(3), new Float32Array(dimensions), new Float32Array(dimensions).fill(Number.NaN)]) {
      const [hit] = fill(true, () => unfit).search(queries[0] as Float32Array, 1)
      expect(hit?.score).toBeGreaterThan(0.3)
      expect(hit?.score).toBeLessThanOrEqual(1.01)
    }
  })

  test('lists its labels in order', () => {
    expect([...simd.labels()]).toEqual([...vectors.keys()])
  })

  test('a damaged stored vector is a clear error', () => {
    const packed = packVector(drawUnitVector(random, 16))
    const damaged = [packed.subarray(2), packed.map((byte, i) => (i < 4 ? 255 : byte)), packed.fill(0, 4)]
    for (const bytes of damaged) expect(() => coarsen(bytes, 16)).toThrow(RouxError)
  })

  test.each([0, -1, 1.5, 4097, Number.NaN])('rejects %d dimensions', (unfit) => {
    expect(() => new ExactScan({ dimensions: unfit, exact: () => undefined })).toThrow(RouxError)
  })
})
