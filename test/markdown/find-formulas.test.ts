import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFormulas } from '../../src/markdown/inline-spans.ts'

const found = (text: string): readonly string[] => findFormulas(text, 0).map(({ start, end }) => text.slice(start, end))

test.each([
  ['in a line', 'Where $a^2$ and $b$ meet.', ['$a^2$', '$b$']],
  ['of their own', 'Before\n\n$$\nx = 1\n$$\n\nafter $y$', ['$$\nx = 1\n$$', '$y$']],
  ['displayed in a line', 'So $$x$$ it is.', ['$$x$$']],
  ['in a quote', '> $$\n> x\n> $$\n> $y$', ['$$\n> x\n> $$', '$y$']],
  ['in a table', '| a | b |\n| - | - |\n| $x$ | y |', ['$x$']],
  ['in a heading', '# On $x$', ['$x$']],
  ['with what Markdown knows otherwise', '$a_1 * b_2 * [c]$', ['$a_1 * b_2 * [c]$']],
])('formulas %s', (_, text, expected) => {
  expect(found(text)).toEqual(expected)
})

test.each([
  ['prices', 'It is $5 or $ 6.'],
  ['code', '`$x$` and\n\n```\n$$\nx\n$$\n```'],
  ['escaped', '\\$x\\$'],
  ['marks alone', 'in $$$ and $$$$'],
  ['what nothing ends', 'a $x\n\n$$\ny'],
])('%s are not formulas', (_, text) => {
  expect(found(text)).toEqual([])
})

test('formulas come in order, not nested, each between its marks', () => {
  const part = fc.constantFrom('$', '$$', '\n', '\n\n', '> ', '`', 'x', ' ', '\\', '[[', ']]', '- ', '%%')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      let last = 0
      for (const { start, end } of findFormulas(text, 0)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(text.slice(start, end)).toMatch(/^\$[\s\S]*[^$][\s\S]*\$$/)
        last = end
      }
    }),
  )
})
