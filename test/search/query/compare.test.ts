import { expect, test } from 'vitest'
import { askedTexts } from '../../../src/search/query/compare-values.ts'

test('each part of a list in a string matches, but a number only as a whole', () => {
  expect(askedTexts(['drama,  comedy ；noir', '1,000'])).toEqual(['drama,  comedy ；noir', 'drama', 'comedy', 'noir', '1,000'])
  expect(askedTexts(['one', 'two'])).toEqual(['one', 'two'])
})

// A quadratic search would not finish in time.
test('handles any number of spaces', () => {
  const blanks = ' '.repeat(1_000_000)
  expect(askedTexts([`${blanks}x`, `a,${blanks}b`])).toEqual([`${blanks}x`, `a,${blanks}b`, 'a', 'b'])
})
