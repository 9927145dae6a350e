import { expect, test } from 'vitest'
import { phraseOf, queryTerms } from '../../../src/search/words/query-terms.ts'

function show(text: string): string[] {
  return queryTerms(text).map(({ form, match, count, parts }) =>
    [form, match === 'stem' ? '' : `:${match}`, count === 1 ? '' : `×${count}`, ...parts.map((part) => `/${part.form}`)].join(''),
  )
}

test('a query is its words, each stem once, without function words', () => {
  expect(show('How do I link the notes, linking note to note?')).toEqual(['link×2', 'notes×3'])
})

test('a query of nothing but function words keeps them', () => {
  expect(show('to be or not to be')).toEqual(['to×2', 'be×2', 'or', 'not'])
  expect(show('... !')).toEqual([])
})

test('a joined name has its parts for where it does not occur', () => {
  expect(show('useEffect in node.js')).toEqual(['useeffect/use/effect', 'node.js/node/js'])
})

test('a lone character of a script without spaces is a beginning, a run its pairs', () => {
  expect(show('猫')).toEqual(['猫:prefix'])
  expect(show('黒猫が')).toEqual(['黒猫', '猫が'])
})

test('a phrase keeps function words and says how far its words are apart', () => {
  const words = phraseOf('the 東京 Node.js is', { isPrefix: true }).words
  expect(words.map(({ form, offset, isPrefix }) => [form, offset, isPrefix])).toEqual([
    ['the', 0, false],
    ['東京', 1, false],
    ['node.js', 3, false],
    ['is', 4, true],
  ])
})
