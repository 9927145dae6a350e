import { expect, test } from 'vitest'
import { askedTexts } from '../../../src/search/query/compare-values.ts'

test('a text that lists several is asked for by each of them, and a number by all of it', () => {
  expect(askedTexts(['drama,  comedy ；noir', '1,000'])).toEqual(['drama,  comedy ；noir', 'drama', 'comedy', 'noir', '1,000'])
  expect(askedTexts(['one', 'two'])).toEqual(['one', 'two'])
})

// A quadratic search would not come to an end.
test('of any number of blanks', () => {
  const blanks = ' '.repeat(1_000_000)
  expect(askedTexts([`${blanks}x`, `a,${blanks}b`])).toEqual([`${blanks}x`, `a,${blanks}b`, 'a', 'b'])
})
