import { expect, test } from 'vitest'
import { phraseOf, queryTerms } from '../../../src/search/words/query-terms.ts'

function show(text: string): string[] {
  return queryTerms(text).map(({ form, match, count, parts }) =>
    [form, match === 'stem' ? '' : `:${match}`, count === 1 ? '' : `×${count}`, ...parts.map((part) => `/${part.form}`)].join(''),
  )
}

test('returns the words of a query, each stem once, without function words', () => {
  expect(show('How do I link the notes, linking note to note?')).toEqual(['link×2', 'notes×3'])
})

test('keeps function words if there are no others', () => {
  expect(show('to be or not to be')).toEqual(['to×2', 'be×2', 'or', 'not'])
  expect(show('... !')).toEqual([])
})

test('adds the parts of a joined name, for when the whole does not occur', () => {
  expect(show('useEffect in node.js')).toEqual(['useeffect/use/effect', 'node.js/node/js'])
})

test('treats a single character of a script without spaces as a prefix, and a run as its pairs', () => {
  expect(show('猫')).toEqual(['猫:prefix'])
  expect(show('黒猫が')).toEqual(['黒猫', '猫が'])
})

test('keeps function words in a phrase, with the distances between words', () => {
  const words = phraseOf('the 東京 Node.js is', { isPrefix: true }).words
  expect(words.map(({ form, offset, isPrefix }) => [form, offset, isPrefix])).toEqual([
    ['the', 0, false],
    ['東京', 1, false],
    ['node.js', 3, false],
    ['is', 4, true],
  ])
})
