import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldName } from '../../src/core/text/fold.ts'
import { isPlain, plainName } from '../../src/search/similar-names.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('a', 'I', 'İ', 'Σ', 'ς', 'ß', 'ё', '\u0308', '\u0301', '\u00ad', '\u00a0', ' ', '\t', '.', '('),
    maxLength: 6,
  }),
)

describe('a plain name', () => {
  test('has single spaces between words and no punctuation around them', () => {
    expect(plainName(' «Café\u00a0 latte?» ')).toBe('cafe latte')
    expect(plainName('C#')).toBe('c#')
  })

  test('is the same for names that are equal when folded', () => {
    fc.assert(
      fc.property(text, (name) => {
        expect(plainName(foldName(name))).toBe(plainName(name))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is recognized without computing it if it equals the lower-cased name', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ maxLength: 6 })), (name) => {
        fc.pre(isPlain(name))
        expect(plainName(name)).toBe(name.toLowerCase())
      }),
      { numRuns: 2_000 },
    )
    expect(['Plain', 'two words', '(a) b', 'a  b', 'é', ''].map(isPlain)).toEqual([true, true, false, false, false, true])
  })
})
