import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMatches, mayHoldStem } from '../../../src/search/words/matches.ts'
import { phraseOf, queryTerms } from '../../../src/search/words/query-terms.ts'
import { analyze } from '../../../src/search/words/scan.ts'

const piece = fc.oneof(
  fc.constantFrom(
    'node.js',
    "don't",
    "l'eau",
    'useEffect',
    'U.S.A.',
    '.net',
    '2024-01-05',
    '1,000',
    'c++',
    'Café',
    '検索',
    ' ',
    '\n',
    '-',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...'abAB1.,_@#+-’ ') }),
)

test('scanning for word beginnings finds the same matches as reading every word', () => {
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const query = fc.array(fc.oneof(piece, fc.constantFrom('happily', 'abilities', 'agreed', 'cafes', "isn't")), { maxLength: 6 })
  const written = fc.oneof(
    text,
    fc.tuple(text, query).map((parts) => parts.flat().join(' ')),
  )
  fc.assert(
    fc.property(written, query, (note, words) => {
      const terms = queryTerms(words.join(' ')).map((term) => ({ term, weight: 1 }))
      // A phrase makes the search read every word.
      const phrases = [phraseOf('never written')]
      expect(findMatches(note, { terms, phrases: [] })).toEqual(findMatches(note, { terms, phrases }))
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['happy', 'Her happiness shows', 'happiness'],
  ['ability', 'Able, abilities, unable', 'abilities'],
  ['usa', 'in the U.S.A. today', 'U.S.A'],
  ['dont', "We don't know", "don't"],
  ['1000', 'a 1,000 times', '1,000'],
  ['cafe', 'our Café there', 'Café'],
  ['effect', 'a useEffect hook', 'useEffect'],
  ['js', 'with node.js here', 'js'],
  ['net', 'a (.NET) thing', '.NET'],
])('%s is found in “%s”', (query, text, found) => {
  const terms = queryTerms(query).map((term) => ({ term, weight: 1 }))
  expect(findMatches(text, { terms, phrases: [] }).map(({ start, end }) => text.slice(start, end))).toContain(found)
})

test('never skips a text that contains a stem of the question', () => {
  const words = fc.constantFrom(
    'happy',
    'happily',
    'U.S.A.',
    "don't",
    'node.js',
    'naïve',
    'c++',
    '1,000',
    'Kafé',
    'ability',
    '漢字',
    'fooBar',
  )
  const text = fc.array(fc.tuple(words, fc.constantFrom(' ', '-', '.', '_', ', ', '', '**')), { maxLength: 6 })
  fc.assert(
    fc.property(text, text, (asked, held) => {
      const terms = queryTerms(asked.flat().join(''))
      const stems = new Set(analyze(held.flat().join('')).map(({ stem }) => stem))
      if (terms.some(({ stem }) => stems.has(stem))) expect(mayHoldStem(terms)(held.flat().join(''))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
