import { expect, test } from 'vitest'
import { withoutWords } from '../../../src/app/eval/without-words.ts'

test('the words of names are left out in every form, and marks with them', () => {
  const sentence = '- Every **gardener** turns the compost heaps with a [fork](https://example.org/x) in March'
  expect(withoutWords(sentence, ['Composts', 'The gardeners'])).toBe('Every turns heaps with a fork in March')
})

test('a sentence that says little else is none', () => {
  expect(withoutWords('See also the compost heap and more.', ['Compost heap'])).toBeUndefined()
  expect(withoutWords('', [])).toBeUndefined()
  expect(withoutWords('Worms, fungi, beetles, bacteria.', [])).toBe('Worms, fungi, beetles, bacteria.')
})
