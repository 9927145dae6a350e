import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_COMMUNITY } from '../../../src/core/insight/insight.ts'
import { matchCommunities } from '../../../src/insight/communities/community-names.ts'

const none = NO_COMMUNITY

function match(now: readonly number[], before: readonly number[]) {
  return matchCommunities(Uint32Array.from(now), Uint32Array.from(before))
}

test('the same communities under other numbers are equal, and no note has moved', () => {
  expect(match([1, 1, 0, 0, 2], [5, 5, 9, 9, 7])).toEqual({ formerOf: [9, 5, 7], moved: 0 })
})

test('when a community splits, the larger part keeps the name and the notes of the other part have moved', () => {
  expect(match([0, 0, 0, 1, 1], [4, 4, 4, 4, 4])).toEqual({ formerOf: [4, undefined], moved: 2 })
})

test('a community that shares less than a quarter with any former one is new', () => {
  expect(match([0, 0, 0, 0, 0], [1, 2, 3, 4, 5]).formerOf).toEqual([undefined])
})

test('added and deleted notes neither rename a community nor count as moved', () => {
  expect(match([0, 0, 0, 0, 0], [2, none, none, none, none])).toEqual({ formerOf: [2], moved: 0 })
})

test('a note that is no longer in any community has moved', () => {
  expect(match([0, 0, 0, none], [1, 1, 1, 1])).toEqual({ formerOf: [1], moved: 1 })
})

test('a former community is matched at most once, and each of its notes is counted once', () => {
  const partitions = fc.array(fc.tuple(fc.nat(6), fc.constantFrom(0, 1, 2, 3, 4, 5, none)), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(partitions, (notes) => {
      const [now, before] = [notes.map(([a]) => a), notes.map(([, b]) => b)]
      const { formerOf, moved } = match(now, before)
      const kept = formerOf.filter((old) => old !== undefined)
      expect(new Set(kept).size).toBe(kept.length)
      const stayed = notes.filter(([a, b]) => b !== none && formerOf[a] === b).length
      expect(moved).toBe(before.filter((old) => old !== none).length - stayed)
    }),
    { numRuns: 500 },
  )
})
