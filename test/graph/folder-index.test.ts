import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FolderEntry, FolderIndex, spelledPath } from '../../src/graph/folder-index.ts'
import { anyRows, applyTwice, noteRow } from './support.ts'

/** A folder and everything below it. */
function factsOf(entry: FolderEntry | undefined): unknown {
  if (entry === undefined) return undefined
  const folders = [...entry.folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, below]) => [name, factsOf(below)])
  return { path: spelledPath(entry), notes: [...entry.notes].sort(), archived: entry.archived, folders }
}

test('the folders are the same for any order of updates', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const [grown, fresh] = applyTwice(() => new FolderIndex(), rows)
      for (const path of ['', 'x', 'x/y', 'x/y/z', 'a', 'a/b'])
        expect(factsOf(grown.find(path))).toEqual(factsOf(fresh.find(path)))
    }),
  )
})

test('folders that differ only in case are one, in the most common spelling; without notes, in that of the first subfolder', () => {
  const index = new FolderIndex()
  for (const [key, path] of ['Top/In/a.md', 'top/in/b.md', 'Top/In/c.md'].entries()) index.add(noteRow(key, path))
  expect(factsOf(index.find('top'))).toEqual({
    path: 'Top',
    notes: [],
    archived: 0,
    folders: [['in', { path: 'Top/In', notes: [0, 1, 2], archived: 0, folders: [] }]],
  })
})

test('a folder disappears with its last note, and so do parents that become empty', () => {
  const index = new FolderIndex()
  const deep = noteRow(0, 'a/b/c.md')
  index.add(deep)
  index.add(noteRow(1, 'a/d.md'))
  index.remove(deep)
  expect([index.find('a/b'), index.find('a')?.notes]).toEqual([undefined, [1]])
})
