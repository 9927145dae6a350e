import { expect, test } from 'vitest'
import { anchorOf } from '../../src/core/text/link-text.ts'
import { subpathTest } from '../../src/links/subpath.ts'
import { editSection } from '../../src/markdown/edit/section.ts'
import { parseCanvas } from '../../src/markdown/json-canvas/parse-canvas.ts'
import { findBlock, outlineOf } from '../../src/markdown/outline.ts'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { excerptOf } from '../../src/markdown/prose/excerpt.ts'
import { sentenceAt } from '../../src/markdown/prose/sentences.ts'
import { DOCS, flavor, LOGSEQ, OBSIDIAN } from './check.ts'

const fill = (part: string, length = 1_000_000) => part.repeat(Math.ceil(length / part.length))
const rows = (count: number, row: (i: number) => string) => Array.from({ length: count }, (_, i) => row(i)).join('')
const growingTicks = rows(1400, (i) => `${'`'.repeat(i + 1)} `)
const front = (yaml: string) => `---\n${yaml}\n---\n`

/** A quadratic step would exceed the test's time limit. */
const TEXTS: Readonly<Record<string, string>> = {
  'opening brackets': fill('['),
  'nested brackets': fill('[') + fill(']'),
  'growing backticks': growingTicks,
  'growing backticks in a quote': `> ${growingTicks}`,
  'open comments': fill('<!-- '),
  'open comments in paragraphs': fill('a <!-- \n\n'),
  dollars: fill('$'),
  prices: fill('$a '),
  'open math blocks': fill('$$a\n\n'),
  'a long math block': `$$\n${fill('a\n')}$$`,
  'math around links': fill('$[[a]]'),
  'deep quotes': fill('>'),
  'quotes of depth 10': fill('>>>>>>>>>>a\n'),
  'deep lists': fill('- '),
  'deep lists and blank lines': `${fill('- ', 200)}\n${fill('\n')}`,
  'one long line': fill('word ', 5_000_000),
  'one long word': fill('x', 5_000_000),
  'open links': fill('[a](b'),
  'open titles': fill('[a](b "'),
  'open destinations': fill('[a](<b'),
  'open parentheses': `[a](${fill('(')}`,
  'open wikilinks': fill('[[a'),
  'open embeds': fill('![['),
  'single brackets in wikilinks': fill('[[ a [ '),
  'nested links': fill('[a ') + fill('](b)'),
  'nested images': fill('![') + fill('](b)'),
  'comment marks': fill('%%'),
  'comment marks apart': fill('a %% '),
  'open tags': fill('<a'),
  'open attributes': fill('<a x="'),
  'mixed quotes': fill('<a x=\' y="'),
  'processing instructions': fill('<?'),
  declarations: fill('<!A'),
  autolinks: fill('<a@'),
  'emphasis and brackets': fill('*[a'),
  'emphasis and tags': fill('*#a'),
  tags: fill('#a'),
  pipes: `a|b\n-|-\n${fill('|', 100_000)}`,
  'table heads': `${fill('|', 100_000)}\n${fill('|-', 200_000)}`,
  'open wikilinks in tables': `a|b\n-|-\n${fill('[[a|b\n')}`,
  definitions: `${rows(100_000, (i) => `[d${i}]: u${i}\n`)}[d5]`,
  'one definition often': fill('[a]: b\n'),
  'open definition titles': fill('[a]: b\n"'),
  'open labels': `[a]: b\n\n${fill('[a][b')}`,
  references: `[a]: b\n\n${fill('![a][a]')}`,
  footnotes: fill('[^1]: '),
  fields: fill('a:: [[b]] '),
  'bracketed fields': fill('(a:: [[b]] '),
  backslashes: fill('\\'),
  tabs: fill('\t'),
  'character references': `[a](${fill('&amp;')})`,
  'HTML in docs': fill('<div>\n<a href="b">\n'),
  'flow brackets': front(`a: ${fill('[', 10_000)}`),
  'closed flow brackets': front(`a: ${fill('[', 10_000)}${fill(']', 10_000)}`),
  'block sequences': front(`a:\n  ${fill('- ', 20_000)}`),
  'plain frontmatter of 5 MB': front(rows(200_000, (i) => `key${i}: some value ${i}\n`)),
  'other frontmatter of 5 MB': front(fill('- a: {b: c}\n', 5_000_000)),
  'many keys': front(`x: {a: b}\n${rows(20_000, (i) => `k${i}: "\\t"\n`)}`),
  'spaces in a heading of two lines': `a${fill(' ')}b\nc${fill(' ')}d\n===\n`,
  'spaces in a page property': `key::${fill(' ')}b${fill(' ')}c\n`,
  'spaces in a quoted page property': `> a:: b${fill(' ')}c\n> d:: e\n`,
  'comments in quotes between paragraphs': fill('> a <!--\n> b <!--\n\nc <!--\n\n'),
  'code in quotes between paragraphs': fill('> a `\n> b `` $\n\nc ``` $$\n\n'),
  'quotes between paragraphs': fill('> a\n> b\n\nc\n\n'),
  'escaped links in a property': `${front(`a: "${fill('\\x5b[a]] ', 200_000)}"`)}${fill('word ', 5_000_000)}`,
  'spaces in a malformed list': front(`@\ntags: [a${fill(' ')}b${fill(' ')}c`),
  'comments in a malformed list': front(`@\ntags: a\u2028${fill(' # ')}\u2028b`),
  'malformed frontmatter': front(`@\ntags:\n${fill('- a\n')}`),
  'blank frontmatter': front(`${fill('\n')}a: |\n b`),
}

test.each(Object.keys(TEXTS).map((name, i) => [name, i] as const))('%s', (name, i) => {
  const text = TEXTS[name] as string
  const given = [DOCS, LOGSEQ, { ...OBSIDIAN, comments: false }][i % 3] ?? DOCS
  expect(parseNote(text, given).bodyStart).toBeLessThanOrEqual(text.length)
})

test('canvases', () => {
  const cards = rows(10_000, (i) => `{"type":"text","text":"[[a${i}]] \\n\\u0041 [[b]]"},`)
  expect(parseCanvas(`{"nodes":[${cards}{}]}`, flavor()).links).toHaveLength(20_000)
  expect(parseCanvas(`{"nodes":[{"text":"${fill('[[a]]\\n')}"}]}`, flavor()).links.length).toBeGreaterThan(100_000)
  expect(parseCanvas(fill('{"a":'), flavor()).malformed).toHaveLength(1)
})

test('excerpts', () => {
  expect(excerptOf(`${fill('\n', 8_000_000)}a`, 0, 10)).toEqual({ excerpt: 'a', cut: false })
  expect(excerptOf(fill(' \t\r\n', 8_000_000), 0, 10)).toEqual({ excerpt: '', cut: false })
  expect(excerptOf(`a${fill(' ')}b`, 0, 10)).toEqual({ excerpt: 'a', cut: true })
})

test('subpaths', () => {
  const titles = [
    ` {#${fill('a')}`,
    ` {#a${fill(' ')}`,
    ` {#a}${fill(' ')}b`,
    `${fill(' {#')}`,
    fill('[a]('),
    `a${fill(' ')}b`,
    fill('-1'),
  ]
  const headings = titles.map((text, line) => ({ level: 1, text, line }))
  for (const subpath of [...titles, 'x', fill('#a')]) expect(subpathTest({ headings, blocks: [] })(subpath)).toBeTypeOf('boolean')
  for (const title of titles) expect(anchorOf(title).length).toBeLessThanOrEqual(title.length)
})

test('sections below blank lines', () => {
  const text = `# A\n${fill('\n', 8_000_000)}b\n`
  const content = `${fill('\n', 8_000_000)}c`
  expect(editSection(text, { section: ['A'], mode: 'append', content, flavor: flavor() })).toMatchObject([{ start: text.length }])
})

test('sentences and blocks in long lines', () => {
  const text = `${fill('word. ', 5_000_000)}[[a]] ^id`
  const link = parseNote(text, flavor()).links[0]
  expect(sentenceAt(text, link?.start ?? 0, link?.end ?? 0)).toBe('[[a]] ^id')
  expect(findBlock(text, outlineOf(text, flavor()), 'id')).toMatchObject({ start: 0, line: 1 })
})
