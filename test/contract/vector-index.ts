import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import type { HnswIndex } from '../../src/store/embedded/vectors/hnsw-index.ts'
import { packVector, unpackVector } from '../../src/store/embedded/vectors/packed-vector.ts'
import type { StoredVector } from '../../src/store/embedded/vectors/vector-index.ts'
import { bruteForce, coarse, cosine, drawUnitVector, generator } from '../store/embedded/vectors/draw-vectors.ts'

export type VectorIndex = Pick<HnswIndex, 'size' | 'set' | 'delete' | 'search' | 'close'>

export type OpenVectorIndex = (dimensions: number, exact: StoredVector) => VectorIndex

export interface VectorIndexTraits {
  /** True if the index may miss near vectors. Its hits must still exist, with correct scores and in order. */
  readonly approximate?: boolean
}

/** The contract of an index with or without a graph. */
export function testVectorIndex(name: string, openIndex: OpenVectorIndex, { approximate = false }: VectorIndexTraits = {}): void {
  describe(`${name} vector index`, () => {
    let opened: VectorIndex[] = []
    afterEach(() => {
      for (const index of opened) index.close()
      opened = []
    })

    /** An index with the store of packed vectors that it reads. */
    function open(dimensions: number, vectors: Iterable<readonly [number, Float32Array]> = []) {
      const stored = new Map<number, Uint8Array>()
      const index = openIndex(dimensions, (label) => {
        const packed = stored.get(label)
        return packed && unpackVector(packed, dimensions)
      })
      opened.push(index)
      const set = (label: number, vector: Float32Array) => {
        stored.set(label, packVector(vector))
        index.set(label, coarse(vector))
      }
      const remove = (label: number) => {
        stored.delete(label)
        index.delete(label)
      }
      for (const [label, vector] of vectors) set(label, vector)
      return { index, set, remove }
    }

    const axis = (...values: readonly number[]) => {
      const vector = Float32Array.from({ length: 16 }, (_, i) => values[i] ?? 0)
      const length = Math.hypot(...vector)
      return vector.map((value) => value / length)
    }
    const labels = (hits: readonly { readonly label: number }[]) => hits.map(({ label }) => label)

    test('an empty index finds nothing', () => {
      expect(open(16).index.search(axis(1), 5)).toEqual([])
    })

    test('returns the best by cosine first, then by label', () => {
      const { index } = open(16, [
        [7, axis(1, 1)],
        [3, axis(1)],
        [9, axis(1)],
        [0, axis(-1)],
        [4, axis(0, 1)],
      ])
      const hits = index.search(axis(1), 10)
      expect(labels(hits)).toEqual([3, 9, 7, 4, 0])
      for (const [i, score] of [1, 1, Math.SQRT1_2, 0, -1].entries()) expect(hits[i]?.score).toBeCloseTo(score, 4)
    })

    test('setting replaces, deleting removes, and deleting an unknown label does nothing', () => {
      const { index, set, remove } = open(16, [
        [0, axis(1)],
        [1, axis(0, 1)],
      ])
      set(0, axis(0, 0, 1))
      expect(labels(index.search(axis(0, 0, 1), 1))).toEqual([0])
      expect(labels(index.search(axis(1, 0.1), 1))).toEqual([1])
      remove(0)
      remove(0)
      remove(1234)
      expect(index.size).toBe(1)
      expect(labels(index.search(axis(0, 0, 1), 9))).toEqual([1])
      set(0, axis(1))
      expect(labels(index.search(axis(1), 1))).toEqual([0])
    })

    test('a strict filter still gets all its matches, best first', () => {
      const random = generator(5)
      const vectors = Array.from({ length: 700 }, (_, label) => [label, drawUnitVector(random, 24)] as const)
      const { index } = open(24, vectors)
      const query = drawUnitVector(random, 24)
      const allowed = (label: number) => label % 100 === 17
      const expected = bruteForce(new Map(vectors.filter(([label]) => allowed(label))), query, 20)
      expect(labels(index.search(query, 20, allowed))).toEqual(labels(expected))
      expect(index.search(query, 20, () => false)).toEqual([])
    })

    test('an error in a filter is thrown, and the index keeps working', () => {
      const { index } = open(16, [[0, axis(1)]])
      const fails = () => {
        throw new TypeError('broken filter')
      }
      expect(() => index.search(axis(1), 1, fails)).toThrow('broken filter')
      expect(labels(index.search(axis(1), 1))).toEqual([0])
    })

    test('accepts limits of zero, all, and more than there are', () => {
      const { index } = open(16, [
        [0, axis(1)],
        [1, axis(1, 1)],
      ])
      expect([0, -1, 1, 1.9, 2, 1e9, Number.POSITIVE_INFINITY].map((limit) => index.search(axis(1), limit).length)).toEqual([
        0, 0, 1, 1, 2, 2, 2,
      ])
    })

    test('accepts a query of any length; zeros are equally near to all', () => {
      const { index } = open(16, [
        [0, axis(1)],
        [1, axis(1, 1)],
      ])
      const far = new Float32Array(16).fill(0)
      expect(index.search(far, 2)).toEqual([
        { label: 0, score: 0 },
        { label: 1, score: 0 },
      ])
      for (const factor of [1e-30, 1e30]) {
        const hits = index.search(
          axis(1, 1).map((value) => value * factor),
          1,
        )
        expect(labels(hits)).toEqual([1])
        expect(hits[0]?.score).toBeCloseTo(1, 4)
      }
    })

    const nan = axis(1)
    nan[3] = Number.NaN
    const unfit: readonly (readonly [string, (index: VectorIndex) => void])[] = [
      ['a query too short', (index) => index.search(new Float32Array(3), 1)],
      ['a query with NaN', (index) => index.search(nan, 1)],
      ['a query that is no vector', (index) => index.search(undefined as unknown as Float32Array, 1)],
    ]
    test.each(unfit)('%s is a clear error and changes nothing', (_, attempt) => {
      const { index } = open(16, [[0, axis(1)]])
      expect(() => attempt(index)).toThrow(RouxError)
      expect(index.size).toBe(1)
      expect(labels(index.search(axis(1), 5))).toEqual([0])
    })

    test('after any changes, results equal those of a new index and of brute force', () => {
      const step = fc.record({ label: fc.nat(60), seed: fc.nat(1000), remove: fc.integer({ min: 0, max: 3 }) })
      const steps = fc.array(step, { maxLength: 120, size: 'max' })
      fc.assert(
        fc.property(steps, fc.constantFrom(16, 40, 64), fc.nat(), (changes, dimensions, seed) => {
          const changed = open(dimensions)
          const truth = new Map<number, Float32Array>()
          for (const { label, seed: vectorSeed, remove } of changes) {
            const vector = drawUnitVector(generator(vectorSeed), dimensions)
            if (remove === 0) changed.remove(label)
            else changed.set(label, vector)
            if (remove === 0) truth.delete(label)
            else truth.set(label, vector)
          }
          const again = open(dimensions, truth)
          const query = drawUnitVector(generator(seed), dimensions)
          const hits = changed.index.search(query, 10)
          const expected = bruteForce(truth, query, 10)
          expect(changed.index.size).toBe(truth.size)
          for (const [i, { label, score }] of hits.entries()) {
            const vector = truth.get(label)
            expect(vector && Math.abs(score - cosine(query, vector))).toBeLessThan(2e-4)
            expect(score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1)
          }
          if (!approximate) {
            expect(hits).toEqual(again.index.search(query, 10))
            expect(hits.length).toBe(expected.length)
            for (const [i, { score }] of hits.entries()) expect(Math.abs(score - (expected[i]?.score ?? 0))).toBeLessThan(2e-4)
          }
          changed.index.close()
          again.index.close()
        }),
        { numRuns: 60 },
      )
    })

    test('a closed index is empty', () => {
      const { index } = open(16, [[0, axis(1)]])
      index.close()
      expect(index.size).toBe(0)
      expect(index.search(axis(1), 5)).toEqual([])
    })
  })
}
