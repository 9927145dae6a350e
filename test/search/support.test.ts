import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FusedHit, supported, supportShare } from '../../src/search/fusion.ts'

function hit(key: string, score: number, exact = false): FusedHit<string> {
  return { key, score, exact, keyword: undefined, semantic: undefined, weight: 0.35 }
}

function unit(...values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}

const keys = (hits: readonly FusedHit<string>[]) => hits.map(({ key }) => key)

test('a note similar to the best ones ranks before one that is not', () => {
  const hits = [hit('bread', 0.8), hit('loaf', 0.75), hit('glacier', 0.62), hit('crust', 0.6)]
  const vectors = [unit(1, 0, 0), unit(1, 0.1, 0), unit(0, 0, 1), unit(1, 0.2, 0)]
  expect(keys(supported(hits, vectors, 0.5))).toEqual(['bread', 'loaf', 'crust', 'glacier'])
})

test('notes without a vector, or beyond the first ones, count as unsupported and keep their place', () => {
  const hits = [hit('a', 0.9), hit('b', 0.5), hit('c', 0.4), hit('d', 0.3)]
  expect(supported(hits, [undefined, undefined, undefined], 0.5)).toEqual(hits)
})

test('an exact title stays first with score 1', () => {
  const hits = [hit('title', 1, true), hit('a', 0.5), hit('b', 0.45), hit('c', 0.44)]
  const found = supported(hits, [unit(0, 1), unit(0, 1), unit(1, 0), unit(1, 0)], 0.5)
  expect(found[0]).toEqual(hits[0])
})

const manyHits = fc
  .array(fc.record({ score: fc.double({ min: 0.001, max: 1, noNaN: true }), x: fc.float({ min: -1, max: 1, noNaN: true }) }), {
    maxLength: 40,
  })
  .map((rows) => [...rows].sort((a, b) => b.score - a.score))

test('every note stays, best first, and the highest score is unchanged', () => {
  fc.assert(
    fc.property(manyHits, fc.nat(50), (rows, count) => {
      const hits = rows.map(({ score }, at) => hit(String(at), score))
      const found = supported(
        hits,
        rows.slice(0, count).map(({ x }) => unit(x, 0.5)),
        0.5,
      )
      expect([...keys(found)].sort()).toEqual([...keys(hits)].sort())
      expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a))
      if (hits[0] !== undefined) expect(found[0]?.score).toBeCloseTo(hits[0].score, 9)
    }),
  )
})

test('the more of the question one note has, the less similarity to others counts', () => {
  expect([0, 0.7, 0.8, 0.9, 1].map(supportShare)).toEqual([0.5, 0.5, expect.closeTo(0.25), 0, 0])
})
