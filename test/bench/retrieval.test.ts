import fc from 'fast-check'
import { expect, test } from 'vitest'
// @ts-expect-error: benchmarks are JavaScript.
import { score } from '../../bench/retrieval.mjs'

test('scores a ranking like trec_eval', () => {
  // DCG = 3 / log₂ 3 + 1 / log₂ 4 + 2 / log₂ 5 = 3.254142; ideal = 3 + 2 / log₂ 3 + 1 / log₂ 4 = 4.761860.
  const gains = new Map([
    ['a', 3],
    ['b', 2],
    ['c', 1],
    ['d', 0],
  ])
  expect(score(['x', 'a', 'c', 'b'], gains)).toEqual({ ndcg: expect.closeTo(0.683376, 5), mrr: 0.5 })
})

test('only the first ten results count', () => {
  const gains = new Map([['wanted', 1]])
  const after = (count: number) => [...Array.from({ length: count }, (_, at) => `other ${at}`), 'wanted']
  expect(score(after(9), gains)).toEqual({ ndcg: expect.closeTo(1 / Math.log2(11)), mrr: 0.1 })
  expect(score(after(10), gains)).toEqual({ ndcg: 0, mrr: 0 })
})

test('the ideal order scores 1, and no order scores more', () => {
  const judged = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 4 })), {
    selector: ([id]) => id,
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(judged, (pairs) => {
      const gains = new Map(pairs)
      const ids = pairs.map(([id]) => id)
      const ideal = [...pairs].sort((a, b) => b[1] - a[1]).map(([id]) => id)
      expect(score(ideal, gains).ndcg).toBeCloseTo(1)
      expect(score(ids, gains).ndcg).toBeLessThanOrEqual(1 + 1e-9)
    }),
  )
})
