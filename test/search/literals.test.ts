import fc from 'fast-check'
import { expect, test } from 'vitest'
import { literalsIn } from '../../src/search/literals.ts'

test.each([
  ['Ctrl+Shift+I', 'Press <kbd>Ctrl</kbd> or `Ctrl+Shift+I` now.', true],
  ['What does ctrl+shift+i do?', 'Ctrl + Shift + I', true],
  ['what does Ctrl + Shift + I do', '`Ctrl+Shift+I`', true],
  ['(Cmd+P)', 'Cmd+P', true],
  ['Cmd+P', 'Cmd+Print', false],
  ['Cmd+P', 'Cmd P', false],
  ['app.vault.read', 'await this.app.vault.read(file)', true],
  ['app.vault.read', 'app.vault.readBinary', false],
  ['app.vault.read', 'app vault read', false],
  ['how to use hasTag()?', 'hasTag("x")', true],
  ['hasTag()', 'hasTags', false],
  ['#MOC', 'A #moc, or #MOC/sub.', true],
  ['#MOC', 'A MOC, a #MOCs', false],
  ['css_class', 'the css_class here', true],
  ['git push --force-with-lease', 'push --force-with-lease=main', true],
  ['--force', 'push --force-with-lease', false],
  ['--force=x', 'with force', false],
  ['what is `dv.pages`', 'dv.pages("#a")', true],
  ['`two  words`', 'Two\nwords', true],
])('%s in "%s": %s', (question, text, isHeld) => {
  const literals = literalsIn(question)
  expect(literals).toHaveLength(1)
  expect(literals[0]?.isIn(text)).toBe(isHeld)
})

test.each([
  'How do I write a good note?',
  'e.g. CD4+ cells, i.e. 3.14 of v2.1, or IL-2+',
  'obsidian.md and README.md',
  'C# and c++',
  '#1984',
  '# heading',
  '``',
  '`…`',
  'A+B',
  'bread + butter',
  'is it so?--i.e. or --x',
  'a -- b --- c',
  'and/or',
])('%s has no literal', (question) => {
  expect(literalsIn(question)).toEqual([])
})

test('returns each of several literals once', () => {
  expect(literalsIn('hasTag() #MOC hasTag() #moc `#MOC`')).toHaveLength(2)
})

test('finds the text in backticks in any note that contains it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ maxLength: 20 }), (code, around) => {
      for (const literal of literalsIn(`\`${code}\``)) expect(typeof literal.isIn(around + code + around)).toBe('boolean')
      const inner = code.replaceAll('`', '')
      const [verbatim] = literalsIn(`\`${inner}\``)
      if (verbatim !== undefined) expect(verbatim.isIn(`${around} ${inner} ${around}`)).toBe(true)
    }),
  )
})
