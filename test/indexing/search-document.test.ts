import { hash as digest } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { VaultPath } from '../../src/core/ids.ts'
import { readNote } from '../../src/indexing/search-document.ts'
import * as notes from '../../src/markdown/parse-note.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { allOf, openIndexer } from '../support/indexers.ts'
import { MemoryVault } from '../support/memory-vault.ts'

const PATH = 'projects/Überblick.md' as VaultPath
const TEXT = `---
aliases: [One, "Two: 2"]
tags: [a/b, c]
rating: 4.5
limit: .inf
nested: { deep: [x, { y: z }] }
---
# First #inline

Text of the first.

## Second [[with a link|and a name]]

Text of the second.
`
const FLAVOR = { profile: 'lenient', comments: true, mode: 'obsidian' } as const

test('indexed facts make a note searchable without parsing it, exactly as reading it would', async () => {
  const writer = openIndexWriter({ kind: 'memory', name: `describe-${process.pid}` })
  await openIndexer(new MemoryVault({ [PATH]: TEXT, 'other.md': 'Other.' }), writer).reconcile({ all: true })
  const key = (await allOf(writer.files())).find(({ path }) => path === PATH)?.key ?? -1
  const known = (await writer.descriptions([key, 4711])).get(key)
  expect(known?.hash).toBe(digest('sha256', TEXT, 'hex'))
  const parsed = readNote({ key, path: PATH, kind: 'note' }, Buffer.from(TEXT), FLAVOR)
  const parse = vi.spyOn(notes, 'parseNote')
  const described = readNote({ key, path: PATH, kind: 'note', known }, Buffer.from(TEXT), FLAVOR)
  expect(parse).not.toHaveBeenCalled()
  expect(described.fields).toEqual(parsed.fields)
  expect(described.chunks()).toEqual(parsed.chunks())
  await writer.close()
})

test('a note that changed since it was indexed is read again', async () => {
  const writer = openIndexWriter({ kind: 'memory', name: `describe-edited-${process.pid}` })
  await openIndexer(new MemoryVault({ [PATH]: TEXT }), writer).reconcile({ all: true })
  const known = (await writer.descriptions([0])).get(0)
  const { fields } = readNote({ key: 0, path: PATH, kind: 'note', known }, Buffer.from('# Another'), FLAVOR)
  expect(fields).toMatchObject({ headings: ['Another'], body: '# Another', tags: [] })
  await writer.close()
})

describe('the first line of a note whose file name contains no words', () => {
  const namesOf = (path: string, text: string) =>
    readNote({ key: 0, path: path as VaultPath, kind: 'note' }, Buffer.from(text), FLAVOR).fields.title

  test.each([
    ['a heading', '# Rye *bread*\nIt is sour.', 'Rye bread'],
    ['a line of its own', 'Rye [[breads|bread]]\n\nIt is sour.', 'Rye bread'],
    ['the only line, after properties', '---\nmood: good\n---\n\nRye bread', 'Rye bread'],
  ])('is also a name of the note: %s', (_, text, title) => {
    expect(namesOf('zettel/202403011015.md', text)).toEqual(['202403011015', title])
    expect(namesOf('2024-03-01.md', text).at(-1)).toBe(title)
    expect(namesOf('d123.md', text).at(-1)).toBe(title)
  })

  test.each([
    ['a paragraph', 'Rye bread\nis sour.'],
    ['a list', '- Rye bread\n\nIt is sour.'],
    ['a picture', '![[rye.png]]\n\nIt is sour.'],
    ['a number', '# 7\n\nIt is sour.'],
    ['too long', `${'rye '.repeat(100)}\n\nIt is sour.`],
    ['nothing', ''],
  ])('is not a name if it is %s', (_, text) => {
    expect(namesOf('2024-03-01.md', text)).toEqual(['2024-03-01'])
  })

  test('is not a name of a note whose file name contains words', () => {
    expect(namesOf('Bread.md', '# Rye\n')).toEqual(['Bread'])
    expect(namesOf('2024-03-01.md', '---\naliases: [Baking day]\n---\n# Rye\n')).toEqual(['2024-03-01', 'Baking day'])
  })
})
