import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestSlots } from '../../../src/search/words/rank.ts'

test('equal the first ones after sorting everything, ties by key, or include all ties of the last', () => {
  const score = fc.oneof(
    fc.constantFrom(0.5, 1, 1.0001),
    fc.float({ min: Math.fround(1e-6), max: Math.fround(1e6), noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), fc.nat(70), fc.boolean(), (given, limit, backwards) => {
      const scores = Float32Array.from(given)
      const slots = Uint32Array.from(given.keys())
      const keys = Uint32Array.from(slots, (slot) => (backwards ? 1_000_000 - slot : 3 * slot))
      const byScore = (a: number, b: number) => (scores[b] ?? 0) - (scores[a] ?? 0) || (keys[a] ?? 0) - (keys[b] ?? 0)
      const sorted = [...slots].sort(byScore)
      expect(bestSlots(slots, limit, { scores, keys })).toEqual(sorted.slice(0, limit))
      const last = scores[sorted[Math.min(limit, sorted.length) - 1] ?? -1] ?? Number.POSITIVE_INFINITY
      const tied = bestSlots(slots, limit, { scores, keys, withTies: true })
      expect(tied).toEqual(limit === 0 ? [] : sorted.filter((slot) => (scores[slot] ?? 0) >= last))
    }),
  )
})
