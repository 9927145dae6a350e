import { expect, test } from 'vitest'
import type { Operation } from '../../../../src/core/operations.ts'
import { type WritableOptions, writable } from '../../../support/writable-vault.ts'

const FILES = {
  'a.md': '# Top\nAn old link to [[Gone]] and [[b#Gone]].\n',
  'b.md': '# Part\nText. ^block\n',
  'x/Same.md': 'One.\n',
  'y/Same.md': 'Another.\n',
}

const append = (text: string, id = 'a'): Operation => ({ kind: 'update', id, updateLinks: false, append: text })

async function notesOf(operations: Operation | readonly Operation[], options: WritableOptions = {}): Promise<readonly string[]> {
  const vault = await writable(FILES, options)
  const dry = await vault.write(operations, { dryRun: true })
  const { notes } = await vault.write(operations)
  expect(dry.notes, 'a dry run gives the same notes').toEqual(notes)
  return notes
}

test('reports newly written broken links with their line, but not existing ones', async () => {
  expect(await notesOf(append('See [[Nope]], [[b]] and ![[no.png]].'))).toEqual([
    '2 new links lead nowhere: a.md:4 "Nope", a.md:4 "no.png".',
  ])
})

test('reports another link to a missing note once', async () => {
  expect(await notesOf(append('Again [[Gone]].'))).toEqual(['1 new link leads nowhere: a.md:4 "Gone".'])
})

test('reports links to missing headings and blocks', async () => {
  expect(await notesOf(append('[[b#Part]] [[b#^block]] [[b#Other]] [[#Nope]]'))).toEqual([
    '2 new links refer to a heading or block that does not exist: a.md:4 "b#Other", a.md:4 "#Nope". They lead to the top of the note.',
  ])
})

test('reports an ambiguous link with its candidates', async () => {
  expect(await notesOf(append('[[Same]]'))).toEqual([
    '1 new link matches several notes: a.md:4 "Same" (x/Same.md, y/Same.md). Use the path of the intended note.',
  ])
})

test('a link to a note that a later operation creates is not broken', async () => {
  expect(await notesOf([append('[[Nope]]'), { kind: 'create', id: 'nope', content: '' }])).toEqual([])
})

test('reports links in new notes and in properties', async () => {
  const content = '[[Nope]]\n'
  expect(await notesOf({ kind: 'create', id: 'new', content, properties: { up: '[[None]]' } })).toEqual([
    '2 new links lead nowhere: new.md:2 "None", new.md:4 "Nope".',
  ])
})

test('counts many links and names the first five', async () => {
  const [note] = await notesOf(append(Array.from({ length: 9 }, (_, at) => `[[n${at}]]`).join(' ')))
  expect(note).toMatch(/^9 new links lead nowhere: .*"n4" and 4 more\.$/)
})

test.each<[string, Operation]>([
  ['an edit elsewhere in the note', append('Nothing.')],
  ['a move', { kind: 'move', id: 'a', to: 'sub/a' }],
  ['links to the web', append('[x](https://example.com/y) <https://example.com> [m](mailto:a@b.c)')],
  ['code', append('`[[Nope]]`')],
])('%s is not reported as a broken link', async (_, operation) => {
  expect(await notesOf(operation)).toEqual([])
})

test('pages named in a Logseq property need not exist', async () => {
  expect(await notesOf(append('kind:: nowhere'), { mode: 'logseq' })).toEqual([])
})

test.each<[Operation, string]>([
  [{ kind: 'create', id: 'n', content: '', tags: ['A', '#a', 'b'] }, 'Duplicate tags are written once: #A.'],
  [{ kind: 'update', id: 'a', updateLinks: false, tags: ['x', 'x/', 'X'] }, 'Duplicate tags are written once: #x.'],
  [{ kind: 'manageTags', id: 'a', add: ['x', '#x'], remove: [] }, 'Duplicate tags are written once: #x.'],
  [{ kind: 'manageTags', id: 'a', add: ['x', 'y'], remove: ['X'] }, 'Tags in both add and remove are kept: #x.'],
])('%j reports duplicate tags', async (operation, note) => {
  expect(await notesOf(operation)).toEqual([note])
})
