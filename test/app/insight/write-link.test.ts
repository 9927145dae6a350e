import { expect, test, vi } from 'vitest'
import { type LinkStyle, linkStyleOf, readLinks, uniqueOnLine, writeLinks } from '../../../src/app/insight/write-link.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'

vi.mock('../../../src/markdown/parse-note.ts', async (load) => {
  const module = await load<typeof import('../../../src/markdown/parse-note.ts')>()
  return { ...module, parseNote: vi.fn(module.parseNote) }
})

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
  const link = { start, end: start + shown.length, to, isNameUnique, pageNames }
  return writeLinks(readLinks('a/From.md', text), [link], style)[0]
}

test.each([
  ['a name as written', 'Insert templates here.', 'templates', { style: WIKI, to: 'x/Templates.md' }, '[[templates]]'],
  [
    'a display text that differs from the name',
    'Insert template here.',
    'template',
    { style: WIKI, to: 'x/Templates.md' },
    '[[Templates|template]]',
  ],
  [
    'a name that two notes share',
    'Insert templates here.',
    'templates',
    { style: WIKI, to: 'x/Templates.md', isNameUnique: false },
    '[[x/Templates|templates]]',
  ],
  [
    'a table cell',
    '| a | b |\n|---|---|\n| template | c |\n',
    'template',
    { style: WIKI, to: 'Templates.md' },
    '[[Templates\\|template]]',
  ],
  [
    'a name that a wikilink cannot contain',
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
    'a documentation site',
    'Insert templates here.',
    'templates',
    { style: SITE, to: 'a/b/My templates.md' },
    '[templates](/a/b/My%20templates/)',
  ],
  ['a folder page of a site', 'Insert templates here.', 'templates', { style: SITE, to: 'a/_index.md' }, '[templates](/a/)'],
  [
    'a Logseq page by its name',
    'Insert template here.',
    'template',
    { style: WIKI, to: 'pages/a___Templates.md', pageNames: ['a/Templates'] },
    '[[a/Templates|template]]',
  ],
  [
    'a Logseq page by an alias in the text',
    'Insert a form here.',
    'form',
    { style: WIKI, to: 'pages/a___Templates.md', pageNames: ['a/Templates', 'Form'] },
    '[[form]]',
  ],
  ['code', 'Say `templates` here.', 'templates', { style: WIKI, to: 'Templates.md' }, undefined],
] as const)('writes a link for %s', (_, text, shown, options, expected) => expect(linked(text, shown, options)).toBe(expected))

test('the style is that of most links', () => {
  const telling = { isNote: (path: string) => ['x/B.md', 'a/C.md'].includes(path), isDocs: false }
  expect(linkStyleOf([readLinks('a/A.md', '[[B]] [[B|b]] [c](C.md)')], telling)).toEqual(WIKI)
  expect(linkStyleOf([readLinks('a/A.md', '[c](C.md) [b](../x/B.md)')], telling)).toEqual(RELATIVE)
  expect(linkStyleOf([readLinks('a/A.md', '[[x/B]]')], telling)).toEqual({ form: 'wikilink', path: 'full' })
  expect(linkStyleOf([readLinks('a/A.md', 'No links.')], telling)).toBe(undefined)
  const docs = { ...telling, isDocs: true }
  expect(linkStyleOf([readLinks('a/A.md', '[[B]] [[B]] [b][r] [c](/no/)\n\n[r]: /x/B/')], docs)).toEqual(SITE)
  expect(linkStyleOf([readLinks('README.md', '[b](x/B.md)')], docs)).toEqual(RELATIVE)
})

test('extends the replaced text until it is unique on its line', () => {
  const text = 'cat\na cat and a cat\n'
  expect(uniqueOnLine(text, { start: 6, end: 9 }, '[[cat]]')).toEqual({ find: ' cat ', replace: ' [[cat]] ' })
  expect(uniqueOnLine(text, { start: 0, end: 3 }, '[[cat]]')).toEqual({ find: 'cat', replace: '[[cat]]' })
})

test('writes all links of a note with a single extra parse', () => {
  const names = Array.from({ length: 40 }, (_, at) => `name${at}`)
  const text = names.map((name) => `About ${name} here.`).join('\n\n')
  const note = readLinks('a/From.md', text)
  const links = names.map((name) => {
    const start = text.indexOf(`${name} `)
    return { start, end: start + name.length, to: `x/${name}.md`, isNameUnique: true }
  })
  vi.mocked(parseNote).mockClear()
  expect(writeLinks(note, links, WIKI)).toEqual(names.map((name) => `[[${name}]]`))
  expect(vi.mocked(parseNote)).toHaveBeenCalledTimes(1)
})

test('a link that cannot be inserted or overlaps another does not block the others', () => {
  const text = 'Say `code` and templates, then more templates and deep work.'
  const note = readLinks('a/From.md', text)
  const at = (shown: string, to: string, from = 0) => {
    const start = text.indexOf(shown, from)
    return { start, end: start + shown.length, to, isNameUnique: true }
  }
  const links = [at('code', 'Code.md'), at('templates', 'Templates.md'), at('deep work', 'Deep work.md'), at('deep', 'Deep.md')]
  expect(writeLinks(note, links, WIKI)).toEqual([undefined, '[[templates]]', '[[deep work]]', '[[deep]]'])
})
