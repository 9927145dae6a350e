import { hash as digest } from 'node:crypto'
import { expect, test, vi } from 'vitest'
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
const FLAVOUR = { profile: 'lenient', comments: true, mode: 'obsidian' } as const

test('what the index holds of a note makes it searchable as reading it would, without parsing it', async () => {
  const writer = openIndexWriter({ kind: 'memory', name: `describe-${process.pid}` })
  await openIndexer(new MemoryVault({ [PATH]: TEXT, 'other.md': 'Other.' }), writer).reconcile({ all: true })
  const key = (await allOf(writer.files())).find(({ path }) => path === PATH)?.key ?? -1
  const known = (await writer.descriptions([key, 4711])).get(key)
  expect(known?.hash).toBe(digest('sha256', TEXT, 'hex'))
  const parsed = readNote({ key, path: PATH, kind: 'note' }, Buffer.from(TEXT), FLAVOUR)
  const parse = vi.spyOn(notes, 'parseNote')
  const described = readNote({ key, path: PATH, kind: 'note', known }, Buffer.from(TEXT), FLAVOUR)
  expect(parse).not.toHaveBeenCalled()
  expect(described.fields).toEqual(parsed.fields)
  expect(described.chunks()).toEqual(parsed.chunks())
  await writer.close()
})

test('a note that was edited since is read, whatever the index holds of it', async () => {
  const writer = openIndexWriter({ kind: 'memory', name: `describe-edited-${process.pid}` })
  await openIndexer(new MemoryVault({ [PATH]: TEXT }), writer).reconcile({ all: true })
  const known = (await writer.descriptions([0])).get(0)
  const { fields } = readNote({ key: 0, path: PATH, kind: 'note', known }, Buffer.from('# Another'), FLAVOUR)
  expect(fields).toMatchObject({ headings: ['Another'], body: '# Another', tags: [] })
  await writer.close()
})
