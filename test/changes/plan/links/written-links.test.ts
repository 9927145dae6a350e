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
  expect(dry.notes, 'a dry run says the same').toEqual(notes)
  return notes
}

test('a link that is written and leads nowhere is told with its line, those that were there before are not', async () => {
  expect(await notesOf(append('See [[Nope]], [[b]] and ![[no.png]].'))).toEqual([
    '2 links that were written lead nowhere: a.md:4 "Nope", a.md:4 "no.png".',
  ])
})

test('a link to a missing note that is written a second time is told once', async () => {
  expect(await notesOf(append('Again [[Gone]].'))).toEqual(['1 link that was written leads nowhere: a.md:4 "Gone".'])
})

test('a link to a heading or block that its note does not have is told', async () => {
  expect(await notesOf(append('[[b#Part]] [[b#^block]] [[b#Other]] [[#Nope]]'))).toEqual([
    '2 links that were written name a heading or block that is not there: a.md:4 "b#Other", a.md:4 "#Nope". They lead to the top of the note.',
  ])
})

test('a link that fits several notes is told with those it fits', async () => {
  expect(await notesOf(append('[[Same]]'))).toEqual([
    '1 link that was written fits several notes: a.md:4 "Same" (x/Same.md, y/Same.md). Write the path of the one that is meant.',
  ])
})

test('what a later operation makes is no link to nowhere', async () => {
  expect(await notesOf([append('[[Nope]]'), { kind: 'create', id: 'Nope', content: '' }])).toEqual([])
})

test('links of a new note and in properties are told', async () => {
  const content = '[[Nope]]\n'
  expect(await notesOf({ kind: 'create', id: 'new', content, properties: { up: '[[None]]' } })).toEqual([
    '2 links that were written lead nowhere: new.md:2 "None", new.md:4 "Nope".',
  ])
})

test('many links are counted, the first five are named', async () => {
  const [note] = await notesOf(append(Array.from({ length: 9 }, (_, at) => `[[n${at}]]`).join(' ')))
  expect(note).toMatch(/^9 links that were written lead nowhere: .*"n4" and 4 more\.$/)
})

test.each<[string, Operation]>([
  ['an edit elsewhere in the note', append('Nothing.')],
  ['a move', { kind: 'move', id: 'a', to: 'sub/a' }],
  ['links to the web', append('[x](https://example.com/y) <https://example.com> [m](mailto:a@b.c)')],
  ['code', append('`[[Nope]]`')],
])('%s is not told as a link to nowhere', async (_, operation) => {
  expect(await notesOf(operation)).toEqual([])
})

test('pages that a Logseq property names need not be there', async () => {
  expect(await notesOf(append('kind:: nowhere'), { mode: 'logseq' })).toEqual([])
})

test.each<[Operation, string]>([
  [{ kind: 'create', id: 'n', content: '', tags: ['A', '#a', 'b'] }, 'Tags that are given twice are written once: #A.'],
  [{ kind: 'update', id: 'a', updateLinks: false, tags: ['x', 'x/', 'X'] }, 'Tags that are given twice are written once: #x.'],
  [{ kind: 'manageTags', id: 'a', add: ['x', '#x'], remove: [] }, 'Tags that are given twice are written once: #x.'],
  [{ kind: 'manageTags', id: 'a', add: ['x', 'y'], remove: ['X'] }, 'Tags that are given to add and to remove stay: #x.'],
])('%j says which tags are given twice', async (operation, note) => {
  expect(await notesOf(operation)).toEqual([note])
})
