import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NameIndex, pageName, pageStem } from '../../src/links/names.ts'

test('adding a file again replaces its names, without duplicates', () => {
  const names = new NameIndex('docs')
  for (const path of ['f/index.md', 'f/a.md', 'g/a.md', 'g/a.md']) names.add({ key: 1, path, aliases: ['x'] })
  names.add({ key: 2, path: 'a.md', aliases: ['x'] })
  expect([names.withName('index'), names.withName('f/'), names.atPath('f/a.md')]).toEqual([[], [], []])
  expect([names.withName('a'), names.withAlias('x'), names.atPath('g/a.md')]).toEqual([[1, 2], [1, 2], [1]])
})

// A quadratic algorithm would exceed the test's time limit.
test('handles very many files with one name', () => {
  const names = new NameIndex('docs')
  for (let key = 0; key < 300_000; key++) names.add({ key, path: `${key}/index.md`, aliases: [] })
  expect(names.withName('index')).toHaveLength(300_000)
})

const SEGMENT = fc.stringMatching(/^[a-zé中 _%.?:*2F5-]{0,5}[a-zé中?]$/)

test.each(['triple-lowbar', 'legacy'] as const)('the file of a Logseq page (%s) has its name', (format) => {
  const names = fc.array(SEGMENT, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'))
  fc.assert(
    fc.property(names, (name) => {
      const stem = pageStem(name, format)
      expect(stem).not.toMatch(/[/:?*]|^\./)
      expect(pageName(`pages/${stem}.md`)).toBe(name)
    }),
  )
})

// Examples of Logseq's own names.
test.each([
  ['What? A: B', 'What%3F A%3A B'],
  ['50% done', '50% done'],
  ['a%2Fb', 'a%252Fb'],
  ['foo___bar', 'foo%5F%5F%5Fbar'],
  ['a_/b', 'a%5F___b'],
  ['a__/b', 'a_%5F___b'],
  ['a/_b', 'a___%5Fb'],
  ['.hidden', '%2Ehidden'],
  ['ends with.', 'ends with.___'],
  ['C#/F# notes', 'C%23___F%23 notes'],
  ['v1.0/notes', 'v1.0___notes'],
])('the page %s is in the file %s', (name, stem) => {
  expect(pageStem(name, 'triple-lowbar')).toBe(stem)
  expect(pageName(`${stem}.md`)).toBe(name)
})
