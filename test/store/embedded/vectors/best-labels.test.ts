import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BestLabels } from '../../../../src/store/embedded/vectors/exact-scan.ts'

test('keeps the same results as sorting everything, in any order of offers', () => {
  const scores = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 20 }), fc.boolean(), (offers, limit, backwards) => {
      const hits = offers.map((score, label) => ({ label, score }))
      const best = new BestLabels(limit)
      for (const { label, score } of backwards ? hits.toReversed() : hits) best.offer(label, score)
      const sorted = hits.toSorted((a, b) => b.score - a.score || a.label - b.label).slice(0, limit)
      expect(best.sorted()).toEqual(sorted)
      expect(best.threshold).toBe(sorted.length < limit ? Number.NEGATIVE_INFINITY : sorted.at(-1)?.score)
    }),
  )
})
