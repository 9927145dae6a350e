import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withTypo } from '../../../src/app/eval/known-items.ts'
import { seededRandom } from '../../../src/app/eval/statistics.ts'
import { editDistance } from '../../../src/core/text/nearest.ts'

test('a typo is a single edit, never in a first letter', () => {
  const word = fc.stringMatching(/^[a-z]{4,12}$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.nat(), (words, seed) => {
      const text = words.join(' ')
      const typed = withTypo(text, seededRandom(seed)) ?? ''
      expect(editDistance(text, typed, 1)).toBe(1)
      const firsts = (line: string) => line.split(' ').map((one) => one.charAt(0))
      expect(firsts(typed)).toEqual(firsts(text))
    }),
  )
})

test('letters are inserted, removed, changed and swapped', () => {
  const typed = Array.from({ length: 200 }, (_, seed) => withTypo('compost', seededRandom(seed)) ?? '')
  const lengths = new Set(typed.map((text) => text.length))
  expect(lengths).toEqual(new Set([6, 7, 8]))
  const isSwap = (text: string) => [...text].sort().join() === [...'compost'].sort().join()
  expect(typed.some(isSwap)).toBe(true)
  expect(typed.some((text) => text.length === 7 && !isSwap(text))).toBe(true)
})

test('short words and non-words stay as they are', () => {
  expect(withTypo('AI 2024', seededRandom(1))).toBeUndefined()
  expect(withTypo('', seededRandom(1))).toBeUndefined()
  expect(withTypo('a b Zürich 12', seededRandom(3))).toMatch(/^a b Z.+ 12$/)
})
