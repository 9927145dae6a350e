import { expect, test } from 'vitest'
import { type LinkStyle, linkStyleOf, uniqueOnLine, writeLink } from '../../../src/app/insight/write-link.ts'

const WIKI: LinkStyle = { form: 'wikilink', path: 'name' }
const RELATIVE: LinkStyle = { form: 'markdown', path: 'relative' }

function linked(
  text: string,
  shown: string,
  { style, to, isNameUnique = true }: { readonly style: LinkStyle; readonly to: string; readonly isNameUnique?: boolean },
) {
  const start = text.indexOf(shown)
  return writeLink({ text, start, end: start + shown.length, from: 'a/From.md', to, isNameUnique }, style)
}

test.each([
  ['a name as it stands', 'Insert templates here.', 'templates', { style: WIKI, to: 'x/Templates.md' }, '[[templates]]'],
  [
    'another text than the name',
    'Insert template here.',
    'template',
    { style: WIKI, to: 'x/Templates.md' },
    '[[Templates|template]]',
  ],
  [
    'a name that two notes have',
    'Insert templates here.',
    'templates',
    { style: WIKI, to: 'x/Templates.md', isNameUnique: false },
    '[[x/Templates|templates]]',
  ],
  [
    'a cell of a table',
    '| a | b |\n|---|---|\n| template | c |\n',
    'template',
    { style: WIKI, to: 'Templates.md' },
    '[[Templates\\|template]]',
  ],
  [
    'a name that no wikilink can say',
    'Learn C# notes now.',
    'C# notes',
    { style: WIKI, to: 'C# notes.md' },
    '[C# notes](../C%23%20notes.md)',
  ],
  [
    'a vault of Markdown links',
    'Insert templates here.',
    'templates',
    { style: RELATIVE, to: 'a/b/My templates.md' },
    '[templates](b/My%20templates.md)',
  ],
  ['code', 'Say `templates` here.', 'templates', { style: WIKI, to: 'Templates.md' }, undefined],
] as const)('a link is written for %s', (_, text, shown, options, expected) =>
  expect(linked(text, shown, options)).toBe(expected),
)

test('the style is that of most links', () => {
  const isNote = (path: string) => ['x/B.md', 'a/C.md'].includes(path)
  expect(linkStyleOf([{ path: 'a/A.md', text: '[[B]] [[B|b]] [c](C.md)' }], isNote)).toEqual(WIKI)
  expect(linkStyleOf([{ path: 'a/A.md', text: '[c](C.md) [b](../x/B.md)' }], isNote)).toEqual(RELATIVE)
  expect(linkStyleOf([{ path: 'a/A.md', text: '[[x/B]]' }], isNote)).toEqual({ form: 'wikilink', path: 'full' })
  expect(linkStyleOf([{ path: 'a/A.md', text: 'No links.' }], isNote)).toBe(undefined)
})

test('what is replaced is made longer until it stands on its line once', () => {
  const text = 'cat\na cat and a cat\n'
  expect(uniqueOnLine({ text, start: 6, end: 9 }, '[[cat]]')).toEqual({ find: ' cat ', replace: ' [[cat]] ' })
  expect(uniqueOnLine({ text, start: 0, end: 3 }, '[[cat]]')).toEqual({ find: 'cat', replace: '[[cat]]' })
})
