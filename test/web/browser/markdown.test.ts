import { expect, test } from 'vitest'
import type { PageText } from '../../../src/app/read/page-note.ts'
import { renderMarkdown } from '../../../src/web/client/markdown.ts'
import { parseMarkdown } from '../../../src/web/client/markdown-tree.ts'

const SLOTS = { link: () => 'link', embed: () => 'embed' }

function textOf(text: string): PageText {
  return { title: 'a', text, left_out: 0, lines_before: 0, links: [], comments: [], breaks: false }
}

const filled = (part: string): string => part.repeat(200_000 / part.length)

test.each([
  ['quotes', `${'>'.repeat(50_000)} x`],
  ['quotes with blanks', `Text\n${'> '.repeat(50_000)}x`],
  ['lists on one line', `${'- '.repeat(50_000)}x`],
  ['lists', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
  ['emphases', `${'*a_'.repeat(250)}b${'_a*'.repeat(250)}`],
])('%s that are nested without end are shown as they are written', (_, text) => {
  const note = textOf(text)
  const tree = parseMarkdown(note)
  expect(tree).toBeUndefined()
  expect(renderMarkdown(note, tree, SLOTS)).toMatchObject([{ type: 'p' }, { type: 'pre', props: { children: text } }])
})

test.each([
  ['brackets', filled('[')],
  ['emphases that end nowhere', filled('*_*_ ')],
  ['emphases within one another', `${'*a '.repeat(30_000)}b${' a*'.repeat(30_000)}`],
  ['crossed out and emphasised', `${'~a*'.repeat(30_000)}b${'*a~'.repeat(30_000)}`],
  ['backticks', filled('`a')],
  ['links within one another', `${'['.repeat(50_000)}a${'](b)'.repeat(30_000)}`],
  ['pictures within one another', `${'!['.repeat(25_000)}a${'](b)'.repeat(25_000)}`],
  ['a table', `| a | b |\n| - | - |\n${filled('| a | b |\n')}`],
  ['a table of short rows', `${'| a '.repeat(12_000)}|\n${'| - '.repeat(12_000)}|\n${filled('|\n')}`],
  ['a list', filled('- a\n')],
  ['empty items', filled('-\n')],
  ['headings', filled('a\n=\n')],
  ['a quote that goes on', `${'>'.repeat(49)}${filled('a\n')}`],
  ['footnotes within one another', filled('[^a]:\n    ')],
  ['references to characters', `www.a.b${filled('&a;')}`],
])('200,000 characters of %s are not parsed where nothing could end it', (_, text) => {
  expect(parseMarkdown(textOf(text), { mostMarks: 5_000 })).toBeUndefined()
})

test('a long note that people write is parsed also where nothing could end it', () => {
  const note = textOf(
    filled('Many words in a row, still more of them than before, and [one link](https://a.example) in them. ').slice(0, 60_000),
  )
  expect(parseMarkdown(note, { mostMarks: 5_000 })?.children).toHaveLength(1)
  expect(parseMarkdown(textOf('# A\n\n- *a*\n'.repeat(400)), { mostMarks: 5_000 })).toBeDefined()
})

test('quotes and lists that people write are elements', () => {
  const note = textOf('> > quote\n\n- a\n  - b\n    - c\n')
  expect(renderMarkdown(note, parseMarkdown(note), SLOTS)).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'blockquote' }), expect.objectContaining({ type: 'ul' })]),
  )
})

test('where notes are written as in Obsidian the id of a block is not shown, elsewhere it is text', () => {
  const text = 'A claim. ^claim\n\n- GitHub: x ^github\n- 2 ^ 3\n\nAt ^the end not'
  const shown = (breaks: boolean) => JSON.stringify(parseMarkdown({ ...textOf(text), breaks })?.children)
  expect(shown(true)).not.toMatch(/\^claim|\^github/)
  for (const kept of ['A claim.', 'GitHub: x', '2 ^ 3', 'At ^the end not']) expect(shown(true)).toContain(kept)
  expect(shown(false)).toContain('A claim. ^claim')
})
