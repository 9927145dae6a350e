import { expect, test } from 'vitest'
import { anyMatches } from '../../src/workers/open-writes.ts'

test.each<[readonly string[], readonly string[]]>([
  [['inbox/**'], ['inbox/a.md', 'inbox/b/c.md']],
  [['./*.md'], ['a.md']],
  [['inbox/{a,x}.md'], ['inbox/a.md']],
  [['!inbox/**'], ['a.md', 'drafts/a.md']],
  [['inbox'], []],
  [[], []],
])('%j in write.allow and write.deny', (globs, expected) => {
  const paths = ['a.md', 'inbox/a.md', 'inbox/b/c.md', 'drafts/a.md']
  expect(paths.filter(anyMatches(globs, false))).toEqual(expected)
})
