import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawIndex, seededRandom, shuffled } from '../../../src/app/eval/random.ts'

test('numbers are from 0 to below 1, the same for the same seed', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const draw = () => {
        const random = seededRandom(seed)
        return Array.from({ length: 20 }, () => random())
      }
      const numbers = draw()
      expect(numbers.every((value) => value >= 0 && value < 1)).toBe(true)
      expect(new Set(numbers).size).toBe(20)
      expect(draw()).toEqual(numbers)
    }),
  )
})

test('every index is drawn about as often', () => {
  const random = seededRandom(5)
  const counts = [0, 0, 0, 0]
  for (let n = 0; n < 4_000; n++) counts[drawIndex(4, random)]!++
  for (const count of counts) expect(count).toBeGreaterThan(850)
})

test('shuffling keeps all items and leaves the original alone', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
      const before = [...items]
      expect([...shuffled(items, seededRandom(seed))].sort()).toEqual([...items].sort())
      expect(items).toEqual(before)
    }),
  )
  expect(shuffled([...'abcdefgh'], seededRandom(1))).not.toEqual([...'abcdefgh'])
})
