import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FileSystem, fileKind } from '../../src/vault/file-system.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { diskVault, memoryVault, OPTIONS, path, pathsOf, textOf, writeFiles } from './support.ts'

const isRoot = process.getuid?.() === 0

describe('kinds of files', () => {
  test.each([
    ['a.md', 'obsidian', 'note'],
    ['a.MD', 'obsidian', 'note'],
    ['d.ir/a.Md', 'foam', 'note'],
    ['a.markdown', 'obsidian', 'attachment'],
    ['a.markdown', 'docs', 'note'],
    ['a.MDX', 'docs', 'note'],
    ['a.canvas', 'obsidian', 'canvas'],
    ['a.base', 'obsidian', 'attachment'],
    ['p.png', 'docs', 'attachment'],
    ['LICENSE', 'docs', 'attachment'],
    ['x.md/LICENSE', 'docs', 'attachment'],
  ] as const)('%s in mode %s is a %s', (name, mode, kind) => {
    expect(fileKind(name, mode)).toBe(kind)
  })
})

describe('listing', () => {
  test('returns all files with what identifies their version', () => {
    const { root, vault } = diskVault({ 'a.md': 'A', 'f/b.md': 'BB', 'f/p.png': '', 'f/g/c.canvas': '{}', 'empty/': '' })
    const listing = vault.list()
    expect(pathsOf(listing)).toEqual(['a.md', 'f/b.md', 'f/g/c.canvas', 'f/p.png'])
    expect(listing.outside).toEqual([])
    expect(listing.unreadable).toEqual([])
    const stat = statSync(join(root, 'f/b.md'))
    expect(listing.files.find((file) => file.path === 'f/b.md')).toEqual({
      path: 'f/b.md',
      stat: { mtime: stat.mtimeMs, ctime: stat.ctimeMs, birthtime: stat.birthtimeMs, size: 2 },
      excluded: false,
    })
  })

  test('leaves out names that start with a dot and node_modules, at any depth', () => {
    const { vault } = diskVault({
      '.x.md': '',
      '.git/a.md': '',
      '.trash/a.md': '',
      '.obsidian/x.md': '',
      'f/.h/a.md': '',
      'f/a.md': '',
      'node_modules/p/a.md': '',
      'f/node_modules/a.md': '',
    })
    expect(pathsOf(vault.list())).toEqual(['f/a.md'])
  })

  test('of one folder, with or without subfolders', () => {
    const { vault } = diskVault({ 'a.md': '', 'f/b.md': '', 'f/g/c.md': '', 'fg/d.md': '' })
    expect(pathsOf(vault.list({ path: 'f', recursive: true }))).toEqual(['f/b.md', 'f/g/c.md'])
    expect(pathsOf(vault.list({ path: 'f', recursive: false }))).toEqual(['f/b.md'])
    expect(pathsOf(vault.list({ path: '', recursive: false }))).toEqual(['a.md'])
  })

  test.each(['gone', 'a.md', '.git', 'f/../f', '/f', 'f/', '..', 'f//g', '\0'])('of %j is empty', (folder) => {
    const { vault } = diskVault({ 'a.md': '', 'f/b.md': '', '.git/c.md': '' })
    expect(vault.list({ path: folder, recursive: true })).toEqual({ files: [], outside: [], unreadable: [] })
  })

  test('keeps the spelling of names on disk', () => {
    const names = [
      'Ünï cödé.md',
      'Cafe\u0301.md',
      '🗂️ hub.md',
      '-rf.md',
      ' lead.md',
      'new\nline.md',
      'tab\t.md',
      'q\'u"o.md',
      `${'x'.repeat(252)}.md`,
      `${'é'.repeat(126)}.md`,
    ]
    const { vault } = diskVault(Object.fromEntries(names.map((name) => [name, name])))
    expect(pathsOf(vault.list())).toEqual([...names].sort())
    for (const name of names) expect(textOf(vault.read(path(name)))).toBe(name)
  })

  test.runIf(process.platform === 'linux')('reports names that are not UTF-8', () => {
    const { root, vault } = diskVault({ 'a.md': '', 'real\uFFFD.md': '' })
    writeFileSync(Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff]), Buffer.from('.md')]), 'x')
    mkdirSync(Buffer.concat([Buffer.from(`${root}/c`), Buffer.from([0xfe])]))
    const listing = vault.list()
    expect(pathsOf(listing)).toEqual(['a.md', 'real\uFFFD.md'])
    expect(listing.unreadable.map((problem) => problem.path).sort()).toEqual(['b\uFFFD.md', 'c\uFFFD'])
  })

  test.runIf(process.platform !== 'win32')('skips special files without waiting for them', () => {
    const { root, vault } = diskVault({ 'a.md': '' })
    execFileSync('mkfifo', [join(root, 'pipe.md')])
    expect(pathsOf(vault.list())).toEqual(['a.md'])
    expect(vault.stat(path('pipe.md'))).toBeUndefined()
    expect(vault.read(path('pipe.md'))).toBeUndefined()
  })

  test.skipIf(isRoot || process.platform === 'win32')('reports an unreadable folder', () => {
    const { root, vault } = diskVault({ 'a.md': '', 'shut/b.md': '' })
    chmodSync(join(root, 'shut'), 0)
    const listing = vault.list()
    chmodSync(join(root, 'shut'), 0o700)
    expect(pathsOf(listing)).toEqual(['a.md'])
    expect(listing.unreadable).toEqual([{ path: 'shut', message: 'EACCES: permission denied' }])
  })

  test('reports a folder that can be read but not entered, once', () => {
    const { fs } = memoryVault({ 'a.md': '', 'shut/b.md': '', 'shut/c.md': '' })
    const vault = openVault('/vault', OPTIONS, denying(fs, /shut\/./))
    expect(pathsOf(vault.list())).toEqual(['a.md'])
    expect(vault.list().unreadable).toEqual([{ path: 'shut', message: 'EACCES: permission denied' }])
  })

  test('reports an unreadable parent folder', () => {
    const { fs } = memoryVault({ 'shut/f/b.md': '' })
    const vault = openVault('/vault', OPTIONS, denying(fs, /shut\/./))
    expect(vault.list({ path: 'shut/f', recursive: true }).unreadable).toHaveLength(1)
    expect(vault.read(path('shut/f/b.md'))).toBe('unreadable')
    expect(vault.stat(path('shut/f/b.md'))).toBeUndefined()
  })

  test('a missing root is an error, not an empty vault', () => {
    const { root, vault } = diskVault({ 'a.md': '', 'f/b.md': '' })
    rmSync(root, { recursive: true })
    expect(() => vault.list()).toThrow(expect.objectContaining({ code: 'VAULT_NOT_FOUND', hint: expect.any(String) }))
    expect(() => vault.list({ path: 'f', recursive: true })).toThrow(expect.objectContaining({ code: 'VAULT_NOT_FOUND' }))
    expect(vault.read(path('a.md'))).toBeUndefined()
    writeFileSync(root, '')
    expect(() => vault.list()).toThrow(expect.objectContaining({ code: 'VAULT_NOT_FOUND' }))
  })

  test('folder by folder equals the full listing', () => {
    const name = fc.constantFrom('a', 'B', 'x.md', 'y.md', '.h', 'node_modules', 'skip', 'é', 'keep.tmp')
    const tree = fc.uniqueArray(
      fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `${names.join('/')}/n.md`),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(tree, (files) => {
        const all = { ...Object.fromEntries(files.map((file) => [file, ''])), '.gitignore': 'skip\n*.tmp\n!B/**/keep.tmp\n' }
        const { vault } = memoryVault(all, { gitignore: true, ignore: ['B/skip', '**/é'] })
        const whole = pathsOf(vault.list())
        const folders = new Set(files.flatMap((file) => file.split('/').map((_, i, names) => names.slice(0, i).join('/'))))
        const parts = [...folders].flatMap((folder) => pathsOf(vault.list({ path: folder, recursive: false })))
        expect(parts.sort()).toEqual(whole)
        expect(files.filter((file) => vault.stat(path(file))).sort()).toEqual(whole)
      }),
    )
  })
})

describe('a single file', () => {
  test('has the same entry as in the full listing', () => {
    const { vault } = diskVault({ 'f/a.md': 'x', '.obsidian/app.json': '{"userIgnoreFilters":["f/"]}' })
    expect(vault.stat(path('f/a.md'))).toEqual(vault.list().files[0])
    expect(vault.stat(path('f/a.md'))?.excluded).toBe(true)
  })

  test.each(['gone.md', 'f', '.h/a.md', '../a.md', '/a.md', 'f/../a.md', 'a.md/', '', 'a.md/x.md', 'a\0.md'])(
    '%j has none',
    (name) => {
      const { vault } = diskVault({ 'a.md': '', 'f/b.md': '', '.h/a.md': '' })
      expect(vault.stat(path(name))).toBeUndefined()
      expect(vault.read(path(name))).toBeUndefined()
    },
  )

  test('returns the exact bytes', () => {
    const { root, vault } = diskVault({ 'empty.md': '' })
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x0d, 0x0a, 0xff, 0x00])
    writeFileSync(join(root, 'b.md'), bytes)
    expect(vault.read(path('b.md'))).toEqual(new Uint8Array(bytes))
    expect(vault.read(path('empty.md'))).toEqual(new Uint8Array())
  })

  test('stays within the root', () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'secret.md': 's', 'vault/a.md': '' })
    const vault = openVault(join(folder, 'vault'), OPTIONS)
    for (const name of ['../secret.md', 'f/../../secret.md', join(folder, 'secret.md'), './../secret.md'])
      expect(vault.read(path(name))).toBeUndefined()
  })

  test.each(['EACCES', 'EPERM', 'EIO'])('is unreadable on %s', (code) => {
    const { fs } = memoryVault({ 'a.md': '' })
    const broken: FileSystem = { ...fs, openSync: () => fail(code) }
    expect(openVault('/vault', OPTIONS, broken).read(path('a.md'))).toBe('unreadable')
  })
})

function fail(code: string): never {
  throw Object.assign(new Error(`${code}: permission denied, open '/somewhere'`), { code })
}

/** Returns a file system that fails as if these folders had no execute permission. */
function denying(fs: FileSystem, paths: RegExp): FileSystem {
  const guard = <R>(path: string, call: () => R): R => (paths.test(path) ? fail('EACCES') : call())
  return {
    ...fs,
    statSync: (path, options) => guard(path, () => fs.statSync(path, options)),
    lstatSync: (path, options) => guard(path, () => fs.lstatSync(path, options)),
    openSync: (path, flags) => guard(path, () => fs.openSync(path, flags)),
    realpathSync: { native: (path) => guard(path, () => fs.realpathSync.native(path)) },
  }
}
