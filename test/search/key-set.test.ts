import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KeySet } from '../../src/search/key-set.ts'

const keys = fc.array(fc.oneof(fc.nat(70), fc.nat(5_000)), { maxLength: 60 })
const ascending = (set: Iterable<number>): readonly number[] => [...set].sort((a, b) => a - b)

describe('a set of keys', () => {
  test('behaves like a Set', () => {
    fc.assert(
      fc.property(keys, keys, fc.nat(5_000), (left, right, key) => {
        const [a, b] = [new Set(left), new Set(right)]
        const [x, y] = [KeySet.of(left), KeySet.of(b)]
        expect([...x]).toEqual(ascending(a))
        expect([...x.and(y)]).toEqual(ascending(a).filter((one) => b.has(one)))
        expect([...x.andNot(y)]).toEqual(ascending(a).filter((one) => !b.has(one)))
        expect([...x]).toEqual(ascending(a))
        expect(x.size).toBe(a.size)
        expect(x.has(key)).toBe(a.has(key))
        expect(x.andNot(y).isEmpty).toBe(left.every((one) => b.has(one)))
      }),
    )
  })

  test('never contains an invalid key', () => {
    const set = KeySet.of([0, 31, 32, 119_999])
    expect([...set]).toEqual([0, 31, 32, 119_999])
    for (const key of [-1, 0.5, Number.NaN, 2 ** 32, 1e9]) expect(set.has(key)).toBe(false)
    expect(KeySet.EMPTY.isEmpty).toBe(true)
  })

  test.each([-1, 0.5, Number.NaN, 2 ** 32])('rejects %d as a key', (key) => {
    expect(() => KeySet.of([key])).toThrow(RangeError)
  })
})
