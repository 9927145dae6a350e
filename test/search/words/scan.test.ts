import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanWords, scanWordsBeginning } from '../../../src/search/words/scan.ts'
import type { WordSink } from '../../../src/search/words/word-sink.ts'

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

test('words that begin as wanted are found just as if all were wanted, at the same places', () => {
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const initials = fc.uniqueArray(fc.constantFrom(...'abcdlnu1.é検'))
  fc.assert(
    fc.property(text, initials, (written, letters) => {
      const wanted = new Set(letters.map((letter) => letter.charCodeAt(0)))
      const listInto = (list: unknown[]): WordSink => {
        return (form, ...place) => {
          if (wanted.has(form.charCodeAt(0))) list.push([form, ...place])
        }
      }
      const all: unknown[] = []
      const some: unknown[] = []
      scanWords(written, listInto(all))
      scanWordsBeginning(wanted, written, listInto(some))
      expect(some).toEqual(all)
    }),
    { numRuns: 500 },
  )
})

test('plain words that begin otherwise are not handed over', () => {
  const forms: string[] = []
  scanWordsBeginning(new Set(['b'.charCodeAt(0)]), 'apple Bread cake butter', (form) => void forms.push(form))
  expect(forms).toEqual(['bread', 'butter'])
})
