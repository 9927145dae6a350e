import { expect, test } from 'vitest'
import { NameIndex } from '../../src/links/names.ts'

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
