import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../src/vault/file-system.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { memoryVault, OPTIONS, path, pathsOf, textOf } from './support.ts'

const MAC = { windows: false, folds: true }
const WINDOWS = { windows: true, folds: true }

describe.each([
  ['macOS', MAC],
  ['Windows', WINDOWS],
])('where names are case-insensitive, as on %s', (_, rules) => {
  test('a file exists only under its spelling on disk', () => {
    const { vault } = memoryVault({ 'Notes/Log.md': 'x' }, {}, rules)
    expect(pathsOf(vault.list())).toEqual(['Notes/Log.md'])
    expect(vault.stat(path('Notes/Log.md'))).toBeDefined()
    expect(vault.stat(path('Notes/log.md'))).toBeUndefined()
    expect(vault.stat(path('notes/Log.md'))).toBeUndefined()
    expect(vault.read(path('notes/Log.md'))).toBeUndefined()
    expect(pathsOf(vault.list({ path: 'notes', recursive: true }))).toEqual([])
    expect(textOf(vault.read(path('Notes/Log.md')))).toBe('x')
  })

  test('after a rename that changes only the case, the old name is gone', () => {
    const { vault, volume } = memoryVault({ 'f/log.md': 'x' }, {}, rules)
    volume.renameSync('/vault/f/log.md', '/vault/f/LOG.md')
    expect(vault.stat(path('f/log.md'))).toBeUndefined()
    expect(vault.stat(path('f/LOG.md'))).toBeDefined()
  })

  test('a name is listed in the normal form that the disk has, and read in either', () => {
    const { vault } = memoryVault({ 'Cafe\u0301/Re\u0301sume\u0301.md': 'x' }, {}, rules)
    expect(pathsOf(vault.list())).toEqual(['Cafe\u0301/Re\u0301sume\u0301.md'])
    for (const form of ['NFC', 'NFD']) {
      const named = path('Caf\u00e9/R\u00e9sum\u00e9.md'.normalize(form))
      expect(textOf(vault.read(named))).toBe('x')
      expect(vault.stat(named)?.stat.size).toBe(1)
    }
    expect(vault.stat(path('CAF\u00c9/r\u00e9sum\u00e9.md'))).toBeUndefined()
  })

  test('globs and .gitignore ignore case', () => {
    const { vault } = memoryVault(
      { 'Drafts/a.md': '', 'B.TMP': '', 'c.md': '', '.gitignore': '*.tmp' },
      { ignore: ['drafts'], gitignore: true },
      rules,
    )
    expect(pathsOf(vault.list())).toEqual(['c.md'])
  })

  test('a link into the vault is ignored', () => {
    const { vault, volume } = memoryVault({ 'f/a.md': '' }, {}, rules)
    volume.symlinkSync('/vault/f', '/vault/g')
    expect(pathsOf(vault.list())).toEqual(['f/a.md'])
    expect(vault.list().outside).toEqual([])
  })

  test('a followed link is read through', () => {
    const { vault, volume } = memoryVault({ 'a.md': '' }, { linkRoots: ['/shared'] }, rules)
    volume.fromJSON({ '/shared/docs/b.md': 'b' })
    volume.symlinkSync('/shared/docs', '/vault/link')
    expect(pathsOf(vault.list())).toEqual(['a.md', 'link/b.md'])
    expect(textOf(vault.read(path('link/b.md')))).toBe('b')
  })
})

describe('on Windows', () => {
  test.each(['f\\a.md', '..\\secret.md', 'C:/a.md', 'C:a.md', 'a.md:stream', '\\a.md', '//server/a.md'])(
    '%j is not a path in a vault',
    (name) => {
      const { vault, volume } = memoryVault({ 'f/a.md': '', 'a.md': '' }, {}, WINDOWS)
      volume.fromJSON({ '/secret.md': '' })
      expect(vault.stat(path(name))).toBeUndefined()
      expect(vault.read(path(name))).toBeUndefined()
      expect(pathsOf(vault.list({ path: name, recursive: true }))).toEqual([])
    },
  )

  test.each(['a.md.', 'a.md ', 'A.MD. .', 'f./b.md', 'f /b.md', 'nul', 'CON.md', 'f/com1', 'f/Aux.txt'])(
    '%j is not a file, although Windows opens one',
    (name) => {
      const { fs, vault } = memoryVault({ 'a.md': 'x', 'f/b.md': 'y' }, {}, WINDOWS)
      expect(fs.statSync(`/vault/${name}`, { throwIfNoEntry: false })?.isFile()).toBe(true)
      expect(vault.stat(path(name))).toBeUndefined()
      expect(vault.read(path(name))).toBeUndefined()
    },
  )

  test('paths use slashes', () => {
    const { vault } = memoryVault({ 'f/g/a.md': 'x' }, {}, WINDOWS)
    expect(pathsOf(vault.list())).toEqual(['f/g/a.md'])
    expect(textOf(vault.read(path('f/g/a.md')))).toBe('x')
  })
})

test('elsewhere, a backslash and a colon are ordinary characters', () => {
  const { vault } = memoryVault({ 'a\\b.md': 'x', 'c:d.md': 'y' })
  expect(pathsOf(vault.list())).toEqual(['a\\b.md', 'c:d.md'])
  expect(textOf(vault.read(path('a\\b.md')))).toBe('x')
})

test('where names are case-sensitive, names that differ in case are two files', () => {
  const { vault } = memoryVault({ 'Log.md': '1', 'log.md': '22', 'F/a.md': '', 'f/a.md': '' })
  expect(pathsOf(vault.list())).toEqual(['F/a.md', 'Log.md', 'f/a.md', 'log.md'])
  expect(vault.stat(path('log.md'))?.stat.size).toBe(2)
})

test('a whole Windows drive can be a vault', () => {
  const { fs, volume } = memoryVault({ 'other.md': '' }, {}, WINDOWS)
  volume.fromJSON({ 'a.md': 'x', 'f/b.md': 'y' }, '/E:')
  // `E:` alone means the current folder of that drive.
  const elsewhere = (opened: unknown) => (opened === 'E:' ? '/vault' : opened) as string
  const drive: FileSystem = {
    ...fs,
    statSync: (name, options) => fs.statSync(elsewhere(name), options),
    readdirSync: (name, options) => fs.readdirSync(elsewhere(name), options),
    readNamesSync: (name) => fs.readNamesSync(elsewhere(name)),
    realpathSync: { native: (name) => (name.endsWith('E:\\') ? 'E:\\' : name.replaceAll('/', '\\')) },
  }
  const vault = openVault('E:\\', OPTIONS, drive)
  expect(pathsOf(vault.list())).toEqual(['a.md', 'f/b.md'])
  expect(textOf(vault.read(path('a.md')))).toBe('x')
})
