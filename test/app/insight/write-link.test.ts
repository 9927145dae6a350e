import { expect, test } from 'vitest'
import { type LinkStyle, linkStyleOf, uniqueOnLine, writeLink } from '../../../src/app/insight/write-link.ts'

const WIKI: LinkStyle = { form: 'wikilink', path: 'name' }
const SITE: LinkStyle = { form: 'markdown', path: 'site' }
const RELATIVE: LinkStyle = { form: 'markdown', path: 'relative' }

function linked(
  text: string,
  shown: string,
  {
    style,
    to,
    isNameUnique = true,
    pageNames,
  }: {
    readonly style: LinkStyle
    readonly to: string
    readonly isNameUnique?: boolean
    readonly pageNames?: readonly string[]
  },
) {
  const start = text.indexOf(shown)
  return writeLink({ text, start, end: start + shown.length, from: 'a/From.md', to, isNameUnique, pageNames }, style)
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
  [
    'the pages of a site',
    'Insert templates here.',
    'templates',
    { style: SITE, to: 'a/b/My templates.md' },
    '[templates](/a/b/My%20templates/)',
  ],
  ['the page of a folder', 'Insert templates here.', 'templates', { style: SITE, to: 'a/_index.md' }, '[templates](/a/)'],
  [
    'a page of Logseq, by its name',
    'Insert template here.',
    'template',
    { style: WIKI, to: 'pages/a___Templates.md', pageNames: ['a/Templates'] },
    '[[a/Templates|template]]',
  ],
  [
    'a page of Logseq, by an alias that stands there',
    'Insert a form here.',
    'form',
    { style: WIKI, to: 'pages/a___Templates.md', pageNames: ['a/Templates', 'Form'] },
    '[[form]]',
  ],
  ['code', 'Say `templates` here.', 'templates', { style: WIKI, to: 'Templates.md' }, undefined],
] as const)('a link is written for %s', (_, text, shown, options, expected) =>
  expect(linked(text, shown, options)).toBe(expected),
)

test('the style is that of most links', () => {
  const telling = { isNote: (path: string) => ['x/B.md', 'a/C.md'].includes(path), isDocs: false }
  expect(linkStyleOf([{ path: 'a/A.md', text: '[[B]] [[B|b]] [c](C.md)' }], telling)).toEqual(WIKI)
  expect(linkStyleOf([{ path: 'a/A.md', text: '[c](C.md) [b](../x/B.md)' }], telling)).toEqual(RELATIVE)
  expect(linkStyleOf([{ path: 'a/A.md', text: '[[x/B]]' }], telling)).toEqual({ form: 'wikilink', path: 'full' })
  expect(linkStyleOf([{ path: 'a/A.md', text: 'No links.' }], telling)).toBe(undefined)
  const docs = { ...telling, isDocs: true }
  expect(linkStyleOf([{ path: 'a/A.md', text: '[[B]] [[B]] [b][r] [c](/no/)\n\n[r]: /x/B/' }], docs)).toEqual(SITE)
  expect(linkStyleOf([{ path: 'README.md', text: '[b](x/B.md)' }], docs)).toEqual(RELATIVE)
})

test('what is replaced is made longer until it stands on its line once', () => {
  const text = 'cat\na cat and a cat\n'
  expect(uniqueOnLine({ text, start: 6, end: 9 }, '[[cat]]')).toEqual({ find: ' cat ', replace: ' [[cat]] ' })
  expect(uniqueOnLine({ text, start: 0, end: 3 }, '[[cat]]')).toEqual({ find: 'cat', replace: '[[cat]]' })
})
