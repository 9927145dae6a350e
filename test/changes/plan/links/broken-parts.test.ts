import { expect, test } from 'vitest'
import type { Operation } from '../../../../src/core/operations.ts'
import { writable } from '../../../support/writable-vault.ts'

const FILES = {
  'a.md': '# Top\n## Part\nText. ^block\n## Kept\n[[#Part]]\n',
  'b.md': '[[a#Part|p]] [[a#Kept]] [[a#Never]]\n\n![[a#^block]]\n',
  'c.canvas': '{"nodes":[{"type":"file","file":"a.md","subpath":"#Top#Part"}]}',
}

const replace = (find: string, by: string): Operation => ({
  kind: 'update',
  id: 'a',
  updateLinks: false,
  replaceText: { find, replace: by, count: 1 },
})

async function notesOf(operations: Operation | readonly Operation[]): Promise<readonly string[]> {
  const vault = await writable(FILES)
  const dry = await vault.write(operations, { dryRun: true })
  const result = await vault.write(operations)
  expect(dry.notes, 'a dry run gives the same notes').toEqual(result.notes)
  return result.notes
}

test('editing away a heading reports the links to it', async () => {
  expect(await notesOf(replace('## Part', '## Other'))).toEqual([
    '3 links refer to a heading or block that is no longer in a.md: a.md:5 "#Part", b.md:1 "a#Part", c.canvas:1 "a.md#Top#Part". They lead to the top of the note; rename_heading keeps links to a heading.',
  ])
})

test('removing a block reports the links to it', async () => {
  expect(await notesOf(replace(' ^block', ''))).toEqual([
    '1 link refers to a heading or block that is no longer in a.md: b.md:3 "a#^block". It leads to the top of the note; rename_heading keeps links to a heading.',
  ])
})

test.each<[string, Operation | readonly Operation[], string]>([
  ['before', [{ kind: 'move', id: 'a', to: 'z' }, { ...replace('## Part', '## Other'), id: 'z' } as Operation], 'z'],
  ['after', [replace('## Part', '## Other'), { kind: 'move', id: 'a', to: 'sub/y' }], 'sub/y'],
])('reports a lost heading also when the note moves %s the edit', async (_, operations, to) => {
  const [note] = (await notesOf(operations)).filter((text) => text.includes('heading or block'))
  expect(note).toContain(`3 links refer to a heading or block that is no longer in ${to}.md`)
})

test.each<[string, Operation | readonly Operation[]]>([
  ['an edit that keeps headings and blocks', replace('Text.', 'Other text.')],
  ['a new heading', replace('## Kept', '## New\n## Kept')],
  ['renaming a heading with its links', { kind: 'renameHeading', id: 'a', heading: ['Top', 'Part'], to: 'Other' }],
  ['a heading that the next operation restores', [replace('## Part', '## Other'), replace('## Other', '## Part')]],
])('%s is not reported as breaking links', async (_, operations) => {
  const notes = await notesOf(operations)
  expect(notes.filter((note) => note.includes('heading or block'))).toEqual([])
})
