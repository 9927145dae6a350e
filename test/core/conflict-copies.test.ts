import { expect, test } from 'vitest'
import { conflictOriginal } from '../../src/core/conflict-copies.ts'

test.each([
  ['a/note (conflicted copy 2024-05-01).md', 'a/note.md'],
  ["note (Anna's conflicted copy 2024-05-01).md", 'note.md'],
  ["note (Anna's MacBook's conflicted copy 2024-05-01 (1)).md", 'note.md'],
  ["note (Anna's conflicted copy 2024-05-01) (1).md", 'note.md'],
  ['note (Anna’s conflicted copy).md', 'note.md'],
  ['note (conflicted copy).md', 'note.md'],
  ['note (conflicted copy 2024-05-01 101010).md', 'note.md'],
  ['note (Anna conflicted copy 2024-05-01 10-10-10).md', 'note.md'],
  ['note (Conflicted copy Pixel 8 202405011010).md', 'note.md'],
  ['note (In Konflikt stehende Kopie von Anna 2024-05-01).md', 'note.md'],
  ['note (Case Conflict).md', 'note.md'],
  ['note (Case Conflict 1).md', 'note.md'],
  ['note (Unicode Encoding Conflict).md', 'note.md'],
  ['note (Conflict).md', 'note.md'],
  ['note [conflicted].md', 'note.md'],
  ['note (SFConflict a@b.org 2024-05-01-10-10-10).md', 'note.md'],
  ['note.sync-conflict-20240501-101010-ABCDEFG.md', 'note.md'],
  ['note.sync-conflict-20240501-101010.md', 'note.md'],
  ['noext.sync-conflict-20240501-101010-ABCDEFG', 'noext'],
  ['note_conflict-20240501-101010.md', 'note.md'],
  ['note.Conflict.md', 'note.md'],
  ['note_Anna-PC_May-01-101010-2024_Conflict.md', 'note.md'],
  ['v1.2 (conflicted copy 2024-05-01).md', 'v1.2.md'],
  ['note (conflicted copy 2024-05-01).sync-conflict-20240502-101010-ABCDEFG.md', 'note.md'],
])('%s is a conflict copy of %s', (copy, original) => {
  expect(conflictOriginal(copy)).toBe(original)
})

test.each([
  'note.md',
  'note 2.md',
  'note (1).md',
  'note-DESKTOP-ABC123.md',
  'How to resolve a conflicted copy.md',
  'Guide (how to resolve a conflicted copy).md',
  'Vietnam conflict.md',
  'Vietnam (conflict).md',
  'conflict.md',
  'a.conflict',
  '(Conflict).md',
  'note (Conflict)/a.md',
  'sync-conflict-20240501.md',
  '',
])('%j is not a conflict copy', (name) => {
  expect(conflictOriginal(name)).toBeUndefined()
})
