import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toVaultPath } from '../../src/core/ids.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { readStretch } from '../../src/vault/read-stretch.ts'
import { temporaryFolder } from '../support/temporary.ts'

const OPTIONS = { ignore: [], gitignore: false, linkRoots: [], mode: 'obsidian' } as const

test('a stretch, what is left of one, the size alone, and what may not be read', () => {
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
