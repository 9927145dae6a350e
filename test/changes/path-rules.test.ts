import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameProblem } from '../../src/changes/path-rules.ts'

test.each([
  ['note.md', undefined],
  ['Ünïcode – ok (1).md', undefined],
  ['[draft] #1.png', undefined],
  ['con', 'con_'],
  ['COM¹.md', 'COM¹_.md'],
  ['nul.tar.gz', 'nul_.tar.gz'],
  ['Aux', 'Aux_'],
  ['lpt9.md', 'lpt9_.md'],
  ['trailing .md', 'trailing.md'],
  ['C:note.md', 'C-note.md'],
  ['a\\b.md', 'a-b.md'],
  ['console.md', undefined],
  ['a/b.md', 'a-b.md'],
  ['a|b^c.md', 'a-b-c.md'],
  ['ends. ', 'ends'],
  ['dot..md', 'dot.md'],
  ['\ud800.md', '-.md'],
  ['a\nb.md', 'a-b.md'],
  ['a\u202edm.exe', 'adm.exe'],
  ['\u202a\u202b\u202ca\u2066\u2067\u2068\u2069.md', 'a.md'],
  ['\u202e.md', 'untitled.md'],
  ['\u200fملاحظة\u200e.md', undefined],
  [`${'é'.repeat(200)}.md`, `${'é'.repeat(126)}.md`],
])('suggests %j → %j', (name, suggestion) => {
  const problem = nameProblem(name)
  expect(problem?.suggestion).toBe(suggestion)
})

test('every suggestion is a valid name', () => {
  const strange = fc.string({
    unit: fc.constantFrom('a', 'é', '.', ' ', '#', '[', ':', '?', '\0', '\ud800', '\u202e', '\u2066', '💡', 'con', '.md', '/'),
    maxLength: 300,
  })
  fc.assert(
    fc.property(strange, (name) => {
      const problem = nameProblem(name)
      if (problem !== undefined) expect(nameProblem(problem.suggestion)).toBeUndefined()
    }),
  )
})
