import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toVaultPath } from '../../src/core/ids.ts'
import type { Vault } from '../../src/core/vault.ts'
import { diskFileSystem, type FileSystem, readStretch } from '../../src/vault/file-system.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'

const OPTIONS = { ignore: [], gitignore: false, linkRoots: [], mode: 'obsidian' } as const

test('reads from a large file behind a followed link, and returns nothing for a deleted one', () => {
  const folder = temporaryFolder()
  const root = join(folder, 'vault')
  const large = join(folder, 'large.bin')
  mkdirSync(root)
  writeFileSync(large, 'abc')
  truncateSync(large, 65 << 20)
  symlinkSync(large, join(root, 'link.bin'))
  const vault = openVault(root, { ...OPTIONS, linkRoots: [folder] })
  const path = toVaultPath('link.bin')
  const stretch = readStretch(vault, path, { offset: 1, length: 3 })
  expect([...(stretch?.bytes ?? [])]).toEqual([98, 99, 0])
  const known = vault.stat(path)
  rmSync(join(root, 'link.bin'))
  const stale = { root, read: (gone: typeof path) => vault.read(gone), stat: () => known } as unknown as Vault
  expect(readStretch(stale, path, { offset: 1, length: 3 })).toBeUndefined()
})

test('reads a range, a shorter rest, or only the size, and nothing unreadable', () => {
  const folder = temporaryFolder()
  const root = join(folder, 'vault')
  mkdirSync(root)
  writeFileSync(join(root, 'a.bin'), 'abcdef')
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'))
  const vault = openVault(root, OPTIONS)
  const read = (path: string, offset: number, length: number) => {
    const stretch = readStretch(vault, toVaultPath(path), { offset, length })
    return stretch && [Buffer.from(stretch.bytes).toString(), stretch.size]
  }
  expect(read('a.bin', 1, 3)).toEqual(['bcd', 6])
  expect(read('a.bin', 4, 10)).toEqual(['ef', 6])
  expect(read('a.bin', 9, 10)).toEqual(['', 6])
  expect(read('a.bin', 0, 0)).toEqual(['', 6])
  expect(read('b.bin', 0, 1)).toBeUndefined()
  expect(read('link.txt', 0, 6)).toBeUndefined()
  expect(read('../secret.txt', 0, 6)).toBeUndefined()
})

test.each(['a.bin', 'link.bin'])('reads no more than the range from %s, wherever a link leads', (name) => {
  const folder = temporaryFolder()
  const root = join(folder, 'vault')
  mkdirSync(root)
  writeFileSync(join(root, 'a.bin'), 'abcdef'.repeat(100_000))
  writeFileSync(join(folder, 'c.bin'), 'abcdef'.repeat(100_000))
  symlinkSync(join(folder, 'c.bin'), join(root, 'link.bin'))
  let read = 0
  const fs: FileSystem = {
    ...diskFileSystem,
    readSync: (fd, bytes, at, length, position) => {
      const got = diskFileSystem.readSync(fd, bytes, at, length, position)
      read += got
      return got
    },
  }
  const vault = openVault(root, { ...OPTIONS, linkRoots: [folder] }, fs)
  const stretch = readStretch(vault, toVaultPath(name), { offset: 60_001, length: 3 })
  expect(Buffer.from(stretch?.bytes ?? []).toString()).toBe('bcd')
  expect(stretch?.size).toBe(600_000)
  expect(read).toBe(3)
})
