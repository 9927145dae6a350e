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

describe('userIgnoreFilters mark files but keep them in the vault', () => {
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
    'broken settings are ignored: %s',
    (text) => {
      expect(excluded(names, text)).toEqual([])
    },
  )

  test('ignores a byte order mark', () => {
    expect(excluded(names, '\uFEFF{"userIgnoreFilters":["old/"]}')).toEqual(['old/a.md'])
  })

  test('hides a note on which an expression would run forever, and decides the others as usual', () => {
    const evil = `${'a'.repeat(60)}b.md`
    const filters = [...Array.from({ length: 20 }, (_, i) => `/^(a+|${i})+$/`), '/^(a|aa)+$/', '/(a*)*c/', 'old/', '/^X\\/old/']
    expect(excluded([...names, evil], { userIgnoreFilters: filters })).toEqual(['Café/d.md', evil, 'old/a.md', 'x/old/c.md'])
  })

  test('slow expressions do not disable a good one after them', () => {
    const slow = Array.from({ length: 4 }, (_, i) => `${'a'.repeat(40)}${i}b.md`)
    const filters = [...slow.map((_, i) => `/^(a+)+${i}c/`), '/^private\\//']
    const { vault } = memoryVault({
      ...Object.fromEntries([...slow, 'a.md', 'private/b.md'].map((name) => [name, ''])),
      '.obsidian/app.json': JSON.stringify({ userIgnoreFilters: filters }),
    })
    for (let time = 0; time < 3; time++) {
      const marked = vault.list().files.filter((file) => file.excluded)
      expect(marked.map((file) => file.path).sort()).toEqual([...slow, 'private/b.md'])
    }
  })

  test('an expression that is slow only in total still works', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `${'ab'.repeat(40)}${i}.md`)
    const matching = many.filter((name) => name.endsWith('7.md'))
    expect(excluded(many, { userIgnoreFilters: ['/(?:.*b){3}z|7\\.md$/'] })).toEqual(matching.sort())
  })

  test('hides all notes when expressions cannot decide about many', () => {
    const evil = Array.from({ length: 12 }, (_, i) => `${'a'.repeat(60)}${i}.md`)
    expect(excluded(['x.md', ...evil], { userIgnoreFilters: ['/^(a+)+$/'] })).toHaveLength(13)
  })

  test('while the settings are being written, the previous ones apply', () => {
    const { volume, vault } = memoryVault({
      'a.md': '',
      'private/b.md': '',
      '.obsidian/app.json': '{"userIgnoreFilters":["private/"]}',
    })
    const marked = () => vault.list().files.flatMap(({ path, excluded }) => (excluded ? [path] : []))
    expect(marked()).toEqual(['private/b.md'])
    volume.writeFileSync('/vault/.obsidian/app.json', '{"userIgnoreFil')
    expect(marked()).toEqual(['private/b.md'])
    volume.writeFileSync('/vault/.obsidian/app.json', '{}')
    expect(marked()).toEqual([])
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
