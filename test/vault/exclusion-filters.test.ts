import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diskVault, memoryVault } from './support.ts'

function excluded(names: readonly string[], settings: unknown): readonly string[] {
  const files = Object.fromEntries(names.map((name) => [name, '']))
  const { vault } = memoryVault({
    ...files,
    '.obsidian/app.json': typeof settings === 'string' ? settings : JSON.stringify(settings),
  })
  const listing = vault.list()
  expect(listing.files).toHaveLength(names.length)
  return listing.files
    .filter((file) => file.excluded)
    .map((file) => file.path)
    .sort()
}

describe('userIgnoreFilters mark files, and leave them in the vault', () => {
  const names = ['s.md', 'old/a.md', 'older/b.md', 'x/old/c.md', 'x.draft.md', 'Café/d.md', 'a+b/e.md']
  test.each<[readonly unknown[], readonly string[]]>([
    [['old/'], ['old/a.md']],
    [['old'], ['old/a.md', 'older/b.md']],
    [['OLD/'], ['old/a.md']],
    [['Cafe\u0301/'], ['Café/d.md']],
    [['a+b/'], ['a+b/e.md']],
    [
      ['s.md', 'x/'],
      ['s.md', 'x/old/c.md'],
    ],
    [['/draft\\.md$/'], ['x.draft.md']],
    [['/^X\\/.*C\\.md$/'], ['x/old/c.md']],
    [['/(/', '/[/', '/*/', 'old/'], ['old/a.md']],
    [['', '/', '//', 7, null, ['old/']], []],
  ])('%j', (filters, expected) => {
    expect(excluded(names, { userIgnoreFilters: filters })).toEqual(expected)
  })

  test.each(['', '{', 'null', '[]', '7', '{"userIgnoreFilters":"old/"}', '{"userIgnoreFilters":{"0":"old/"}}'])(
    'broken settings are none: %s',
    (text) => {
      expect(excluded(names, text)).toEqual([])
    },
  )

  test('a byte order mark does no harm', () => {
    expect(excluded(names, '\uFEFF{"userIgnoreFilters":["old/"]}')).toEqual(['old/a.md'])
  })

  test('an expression that would take for ever is dropped, and the others count', () => {
    const evil = `${'a'.repeat(60)}b.md`
    const filters = [...Array.from({ length: 20 }, (_, i) => `/^(a+|${i})+$/`), '/^(a|aa)+$/', '/(a*)*c/', 'old/']
    expect(excluded([...names, evil], { userIgnoreFilters: filters })).toEqual(['old/a.md'])
  })

  test('are read again when the file changes', () => {
    const { root, vault } = diskVault({ 'a.md': '', 'b.md': '' })
    const marked = () =>
      vault
        .list()
        .files.filter((file) => file.excluded)
        .map((file) => file.path)
    expect(marked()).toEqual([])
    const write = (filters: readonly string[]) =>
      writeFileSync(join(root, '.obsidian/app.json'), JSON.stringify({ userIgnoreFilters: filters }))
    mkdirSync(join(root, '.obsidian'))
    write(['a.md'])
    expect(marked()).toEqual(['a.md'])
    write(['/^b\\.md$/'])
    expect(marked()).toEqual(['b.md'])
  })
})
