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
  expect(dry.notes, 'a dry run says the same').toEqual(result.notes)
  return result.notes
}

test('a heading that is renamed as text is told with the links that named it', async () => {
  expect(await notesOf(replace('## Part', '## Other'))).toEqual([
    '3 links name a heading or block that is no longer in a.md: a.md:5 "#Part", b.md:1 "a#Part", c.canvas:1 "a.md#Top#Part". They lead to the top of the note; rename_heading keeps links to a heading.',
  ])
})

test('a block that goes is told with the links that named it', async () => {
  expect(await notesOf(replace(' ^block', ''))).toEqual([
    '1 link names a heading or block that is no longer in a.md: b.md:3 "a#^block". It leads to the top of the note; rename_heading keeps links to a heading.',
  ])
})

test.each<[string, Operation | readonly Operation[], string]>([
  ['before', [{ kind: 'move', id: 'a', to: 'z' }, { ...replace('## Part', '## Other'), id: 'z' } as Operation], 'z'],
  ['after', [replace('## Part', '## Other'), { kind: 'move', id: 'a', to: 'sub/y' }], 'sub/y'],
])('a heading that goes is told also where the note is moved %s it', async (_, operations, to) => {
  const [note] = (await notesOf(operations)).filter((text) => text.includes('heading or block'))
  expect(note).toContain(`3 links name a heading or block that is no longer in ${to}.md`)
})

test.each<[string, Operation | readonly Operation[]]>([
  ['an edit that leaves headings and blocks where they are', replace('Text.', 'Other text.')],
  ['a heading that comes', replace('## Kept', '## New\n## Kept')],
  ['renaming a heading, which links follow', { kind: 'renameHeading', id: 'a', heading: ['Top', 'Part'], to: 'Other' }],
  ['a heading that the next operation puts back', [replace('## Part', '## Other'), replace('## Other', '## Part')]],
])('%s is not told as breaking links', async (_, operations) => {
  const notes = await notesOf(operations)
  expect(notes.filter((note) => note.includes('heading or block'))).toEqual([])
})
