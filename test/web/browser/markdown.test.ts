import { expect, test } from 'vitest'
import type { PageNote } from '../../../src/app/read/page-note.ts'
import { toNodeId } from '../../../src/core/ids.ts'
import { renderNote } from '../../../src/web/client/markdown.ts'

const SLOTS = { link: () => 'link', embed: () => 'embed' }

function noteOf(text: string): PageNote {
  const rest = { tags: [], aliases: [], properties: {}, left_out: 0, lines_before: 0, links: [], comments: [], breaks: false }
  return { id: toNodeId('a.md'), path: 'a.md', title: 'a', kind: 'note', text, ...rest }
}

test.each([
  ['quotes', `${'>'.repeat(50_000)} x`],
  ['quotes with blanks', `Text\n${'> '.repeat(50_000)}x`],
  ['lists on one line', `${'- '.repeat(50_000)}x`],
  ['lists', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
])('%s that are nested without end are shown as they are written', (_, text) => {
  expect(renderNote(noteOf(text), SLOTS)).toMatchObject({ type: 'pre', props: { children: text } })
})

test('quotes and lists that people write are elements', () => {
  const shown = renderNote(noteOf('> > quote\n\n- a\n  - b\n    - c\n'), SLOTS)
  expect(shown).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'blockquote' }), expect.objectContaining({ type: 'ul' })]),
  )
})
