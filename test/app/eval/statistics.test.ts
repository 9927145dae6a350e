import { expect, test } from 'vitest'
import { meanOf, quantile, shareOf } from '../../../src/app/eval/statistics.ts'

test('a share has a Wilson interval', () => {
  // By hand, 8 of 10: (.8 + 3.8416 / 20 ± 1.96 · √(.016 + 3.8416 / 400)) / (1 + 3.8416 / 10).
  const eight = shareOf(Array.from({ length: 10 }, (_, at) => at < 8))
  expect(eight.value).toBe(0.8)
  expect(eight.low).toBeCloseTo(0.4902, 3)
  expect(eight.high).toBeCloseTo(0.9433, 3)
  expect(shareOf([true, true, true]).low).toBeCloseTo(0.4385, 3)
  expect(shareOf([true]).high).toBe(1)
})

test('a mean lies in its interval, which narrows with more values and is empty for equal values', () => {
  const few = meanOf([0, 1, 0, 1])
  const many = meanOf(Array.from({ length: 400 }, (_, at) => at % 2))
  for (const { value, low, high } of [few, many]) {
    expect(value).toBe(0.5)
    expect(low).toBeLessThan(0.5)
    expect(high).toBeGreaterThan(0.5)
  }
  // 1.96 · √(.25 / 400) = .049 on either side.
  expect(many.low).toBeCloseTo(0.451, 2)
  expect(many.high).toBeCloseTo(0.549, 2)
  expect(meanOf([0.3, 0.3])).toEqual({ value: 0.3, low: 0.3, high: 0.3 })
})

test('a quantile is one of the values', () => {
  expect([0, 0.5, 0.99, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([1, 3, 4, 4])
  expect(quantile([], 0.5)).toBeNaN()
})
