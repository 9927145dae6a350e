import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toVaultPath } from '../../src/core/ids.ts'
import { RecentFiles } from '../../src/vault/recent-files.ts'
import { diskVault } from './support.ts'

const past = new Date(Date.now() - 60_000)

test('the same bytes are the same object until the file changes', async () => {
  const { root, vault } = diskVault({ 'a.md': 'one', 'b.md': 'x' })
  const files = new RecentFiles(vault)
  const path = toVaultPath('a.md')
  await new Promise((resolve) => setTimeout(resolve, 60))
  const first = files.read(path)
  expect(Buffer.from(first ?? []).toString()).toBe('one')
  expect(files.read(path)).toBe(first)
  writeFileSync(join(root, 'a.md'), 'two')
  // Even where its time is set back: the file's own change of status tells.
  utimesSync(join(root, 'a.md'), past, past)
  expect(Buffer.from(files.read(path) ?? []).toString()).toBe('two')
  expect(files.read(toVaultPath('nope.md'))).toBeUndefined()
})

test('a file that was just written is read anew each time', () => {
  const { vault } = diskVault({ 'a.md': 'one' })
  const files = new RecentFiles(vault)
  expect(files.read(toVaultPath('a.md'))).not.toBe(files.read(toVaultPath('a.md')))
})

test('no more is kept than there is room for', async () => {
  const { vault } = diskVault({ 'a.md': 'a'.repeat(5 << 20), 'b.md': 'b'.repeat(5 << 20) })
  await new Promise((resolve) => setTimeout(resolve, 60))
  const files = new RecentFiles(vault)
  const first = files.read(toVaultPath('a.md'))
  const second = files.read(toVaultPath('b.md'))
  expect(files.read(toVaultPath('b.md')) === second).toBe(true)
  expect(files.read(toVaultPath('a.md')) === first).toBe(false)
})
