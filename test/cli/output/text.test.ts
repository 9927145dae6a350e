import { expect, test } from 'vitest'
import { bytesText, durationText } from '../../../src/cli/output/text.ts'

test.each([
  [0, '0 kB'],
  [1, '1 kB'],
  [999_000, '999 kB'],
  [4_200_000, '4.2 MB'],
  [1_300_000_000, '1.30 GB'],
])('%i bytes', (bytes, expected) => {
  expect(bytesText(bytes)).toBe(expected)
})

test.each([
  [0, 'about 1 s'],
  [1_200, 'about 2 s'],
  [89_000, 'about 89 s'],
  [90_000, 'about 2 min'],
  [5_300_000, 'about 88 min'],
  [5_400_000, 'about 2 h'],
  [36_000_000, 'about 10 h'],
])('%i ms', (milliseconds, expected) => {
  expect(durationText(milliseconds)).toBe(expected)
})
