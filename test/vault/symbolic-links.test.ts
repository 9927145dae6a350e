import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diskFileSystem } from '../../src/vault/file-system.ts'
import { openVault, type VaultOptions } from '../../src/vault/open-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type Files, OPTIONS, path, pathsOf, textOf, writeFiles } from './support.ts'

/** A vault in `vault/` with links, next to other folders. */
function linked(files: Files, links: Files, options: Partial<VaultOptions> = {}) {
  const folder = temporaryFolder()
  writeFiles(folder, { 'vault/': '', ...files })
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(folder, link))
  const linkRoots = (options.linkRoots ?? []).map((root) => join(folder, root))
  return { folder, vault: openVault(join(folder, 'vault'), { ...OPTIONS, ...options, linkRoots }) }
}

describe.skipIf(process.platform === 'win32')('a symbolic link', () => {
  test('into the vault is ignored, also one to a hidden folder or a file', () => {
    const { vault } = linked(
      { 'vault/f/a.md': '', 'vault/.trash/t.md': '' },
      { 'vault/g': 'f', 'vault/t': '.trash', 'vault/b.md': 'f/a.md', 'vault/f/self.md': 'a.md' },
    )
    expect(vault.list()).toMatchObject({ files: [{ path: 'f/a.md' }], outside: [], unreadable: [] })
    expect(vault.stat(path('g/a.md'))).toBeUndefined()
    expect(vault.read(path('g/a.md'))).toBeUndefined()
    expect(vault.stat(path('b.md'))).toBeUndefined()
    expect(vault.read(path('b.md'))).toBeUndefined()
  })

  test('to the vault or a parent is ignored, even below link roots', () => {
    const { vault } = linked(
      { 'vault/f/a.md': '' },
      { 'vault/up': '..', 'vault/f/loop': '..', 'vault/here': '.' },
      { linkRoots: [''] },
    )
    expect(vault.list()).toMatchObject({ files: [{ path: 'f/a.md' }], outside: [] })
  })

  test('that is dangling or circular is ignored', () => {
    const { vault } = linked(
      { 'vault/a.md': '' },
      { 'vault/d.md': 'nowhere.md', 'vault/x': 'y', 'vault/y': 'x', 'vault/o.md': '/nowhere/at/all' },
    )
    expect(vault.list()).toMatchObject({ files: [{ path: 'a.md' }], outside: [], unreadable: [] })
    expect(vault.read(path('d.md'))).toBeUndefined()
    expect(vault.read(path('x/a.md'))).toBeUndefined()
  })

  test('out of the vault is reported and not followed', () => {
    const { vault } = linked(
      { 'vault/f/a.md': '', 'other/b.md': 'secret' },
      { 'vault/f/o': '../../other', 'vault/s.md': '../other/b.md' },
    )
    expect(vault.list()).toMatchObject({
      files: [{ path: 'f/a.md' }],
      outside: [
        { path: 'f/o', target: '../../other' },
        { path: 's.md', target: '../other/b.md' },
      ],
    })
    expect(vault.outsideLink(path('f/o'))).toEqual({ path: 'f/o', target: '../../other' })
    expect(vault.outsideLink(path('s.md'))).toEqual({ path: 's.md', target: '../other/b.md' })
    for (const name of ['f/a.md', 'f', 'f/o/b.md', 'gone.md', 'gone/s.md']) expect(vault.outsideLink(path(name))).toBeUndefined()
    for (const name of ['f/o/b.md', 's.md']) {
      expect(vault.stat(path(name))).toBeUndefined()
      expect(vault.read(path(name))).toBeUndefined()
    }
    expect(pathsOf(vault.list({ path: 'f/o', recursive: true }))).toEqual([])
    expect(vault.list({ path: 'f', recursive: false }).outside).toHaveLength(1)
  })

  test('below a link root is followed, to folders and files', () => {
    const { vault } = linked(
      { 'vault/a.md': '', 'other/b.md': 'b', 'other/g/c.md': 'c', 'elsewhere/d.md': 'd' },
      { 'vault/o': '../other', 'vault/d.md': '../elsewhere/d.md' },
      { linkRoots: ['other', 'elsewhere', 'missing'] },
    )
    expect(pathsOf(vault.list())).toEqual(['a.md', 'd.md', 'o/b.md', 'o/g/c.md'])
    expect(textOf(vault.read(path('o/g/c.md')))).toBe('c')
    expect(textOf(vault.read(path('d.md')))).toBe('d')
    expect(vault.stat(path('o/g/c.md'))?.stat.size).toBe(1)
    expect(vault.stat(path('d.md'))?.stat.size).toBe(1)
    expect(pathsOf(vault.list({ path: 'o/g', recursive: true }))).toEqual(['o/g/c.md'])
  })

  test('a target is followed once, under the first name', () => {
    const links = {
      'vault/b': '../other',
      'vault/a': '../other',
      'vault/c': '../other/g',
      'vault/n.md': '../other/b.md',
      'other/g/back': '../../vault',
      'other/g/up': '..',
    }
    const { vault } = linked({ 'other/b.md': '', 'other/g/c.md': '' }, links, { linkRoots: ['other'] })
    expect(pathsOf(vault.list())).toEqual(['a/b.md', 'a/g/c.md'])
    expect(pathsOf(vault.list())).toEqual(['a/b.md', 'a/g/c.md'])
    expect(vault.read(path('b/b.md'))).toBeUndefined()
  })

  test('the same rules apply in a followed folder', () => {
    const { vault } = linked(
      { 'other/.git/x.md': '', 'other/skip/a.md': '', 'other/b.md': '', 'secret/s.md': '' },
      { 'vault/o': '../other', 'other/out': '../secret' },
      { linkRoots: ['other'], ignore: ['o/skip'] },
    )
    expect(vault.list()).toMatchObject({ files: [{ path: 'o/b.md' }], outside: [{ path: 'o/out', target: '../secret' }] })
    expect(vault.read(path('o/out/s.md'))).toBeUndefined()
  })

  test.each(['f', 'f/g'])('the folder %s is no longer followed once it is replaced with a link', (swapped) => {
    const { folder, vault } = linked({ 'vault/f/g/a.md': 'mine', 'other/a.md': 'secret!', 'other/g/a.md': 'secret!' }, {})
    const note = path('f/g/a.md')
    const look = () => [textOf(vault.read(note)), vault.stat(note)?.stat.size, vault.outsideLink(path('f/g/x'))?.target]
    expect(look()).toEqual(['mine', 4, undefined])
    renameSync(join(folder, 'vault', swapped), join(folder, 'aside'))
    symlinkSync(join(folder, 'other'), join(folder, 'vault', swapped))
    expect(look()).toEqual([undefined, undefined, undefined])
    rmSync(join(folder, 'vault', swapped))
    renameSync(join(folder, 'aside'), join(folder, 'vault', swapped))
    expect(look()).toEqual(['mine', 4, undefined])
  })

  test.each(['before', 'after'])('does not read through a folder that becomes a link just %s a file in it is opened', (when) => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'vault/f/a.md': 'mine', 'other/a.md': 'secret' })
    const swap = (to: string) => {
      rmSync(join(folder, 'vault/f'), { recursive: true })
      symlinkSync(to, join(folder, 'vault/f'))
    }
    const openSync: typeof diskFileSystem.openSync = (file, flags) => {
      if (!file.endsWith('f/a.md')) return diskFileSystem.openSync(file, flags)
      if (when === 'before') swap('../other')
      const fd = diskFileSystem.openSync(file, flags)
      if (when === 'before') {
        // The link is removed again, so nothing shows afterwards.
        rmSync(join(folder, 'vault/f'))
        writeFiles(folder, { 'vault/f/a.md': 'mine' })
      } else swap('../other')
      return fd
    }
    const vault = openVault(join(folder, 'vault'), OPTIONS, { ...diskFileSystem, openSync })
    expect(['mine', undefined]).toContain(textOf(vault.read(path('f/a.md'))))
  })

  test('the root itself may be a link, which is resolved once', () => {
    const { folder } = linked({ 'vault/f/a.md': 'x' }, { alias: 'vault' })
    const vault = openVault(join(folder, 'alias'), OPTIONS)
    expect(vault.root).toBe(join(folder, 'vault'))
    renameSync(join(folder, 'alias'), join(folder, 'alias2'))
    mkdirSync(join(folder, 'alias'))
    expect(pathsOf(vault.list())).toEqual(['f/a.md'])
    expect(textOf(vault.read(path('f/a.md')))).toBe('x')
  })
})
