import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highlightsOf } from '../../../src/app/find/passage-text.ts'

const marked = (question: string, text: string) => highlightsOf(question, text).map(([start, end]) => text.slice(start, end))

test('highlights the words of a question in any form, but no stop words', () => {
  expect(marked('why is the bread so dense', 'The breads: dense, Dense, denser')).toEqual(['breads', 'dense', 'Dense'])
  expect(marked('useEffect', 'call useEffect once')).toEqual(['useEffect'])
  expect(marked('', 'text')).toEqual([])
})

test("highlights word forms of the text's language", () => {
  expect(marked('Einstellung', 'Das sind die Einstellungen, die nicht für alle sind.')).toEqual(['Einstellungen'])
  expect(marked('نتیجه‌ها در فارسی', 'این نتيجه‌ها را در فارسی می‌نویسند')).toEqual(['نتيجه‌ها', 'فارسی'])
})

test('highlights are ascending, do not overlap and stay within the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (question, rest) => {
      const text = `${rest} ${question} foo_bar ${rest}`
      let last = 0
      for (const [start, end] of highlightsOf(`${question} foo_bar bar`, text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        last = end
      }
    }),
  )
})
