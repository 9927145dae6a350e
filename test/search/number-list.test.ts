import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberList } from '../../src/search/number-list.ts'

test('keeps numbers in the order appended, one by one or in bulk, until emptied', () => {
  const parts = fc.array(fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 40 }), fc.constant('clear' as const)))
  fc.assert(
    fc.property(parts, fc.nat({ max: 8 }), (given, capacity) => {
      const list = new NumberList(capacity)
      let expected: number[] = []
      for (const part of given) {
        if (part === 'clear') {
          list.clear()
          expected = []
        } else if (typeof part === 'number') {
          list.push(part)
          expected.push(part)
        } else {
          const at = list.extend(part.length)
          expect(at).toBe(expected.length)
          list.items.set(part, at)
          expected.push(...part)
        }
        expect([...list.copy()]).toEqual(expected)
        expect(list.length).toBe(expected.length)
      }
    }),
  )
})
