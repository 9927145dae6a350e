import { expect, test } from 'vitest'
import type { VaultPath } from '../../src/core/ids.ts'
import type { Vault } from '../../src/core/vault.ts'
import { ask } from '../support/ask.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

/** A vault with unreadable files. */
function guard(vault: MemoryVault, guarded: ReadonlySet<string>): Vault {
  return {
    root: vault.root,
    marker: vault.marker,
    list: (folder) => vault.list(folder),
    stat: (path) => vault.stat(path),
    outsideLink: (path) => vault.outsideLink(path),
    read: (path) => (guarded.has(path) ? 'unreadable' : vault.read(path)),
  }
}

test('an unreadable note is tried each time but reported once', async () => {
  const vault = new MemoryVault({ 'a.md': '[[x]]', 'x.md': '[[a]]' })
  const guarded = new Set(['x.md'])
  const { store, indexer } = await new IndexedVault(guard(vault, guarded)).index()
  const malformed = async () =>
    (await ask(store).problems({ kind: 'malformed' }, { offset: 0, limit: 9 })).items.map(({ id }) => id)
  const first = await ask(store).state()
  expect(await malformed()).toEqual(['x.md'])
  await indexer.reconcile({ all: true })
  await indexer.reconcile({ all: false, folders: [], files: ['x.md'] })
  expect(await ask(store).state()).toEqual(first)
  // Changes of unreadable files do not matter, either.
  vault.write('x.md', 'Longer than it was.')
  await indexer.reconcile({ all: true })
  expect(await ask(store).state()).toEqual(first)
  guarded.clear()
  await indexer.reconcile({ all: true })
  expect((await ask(store).state()).generation).toBe(first.generation + 1)
  expect(await malformed()).toEqual([])
  guarded.add('x.md')
  await indexer.reconcile({ all: false, folders: [], files: ['x.md'] })
  expect(await malformed()).toEqual(['x.md'])
})

test('folders that cannot be listed are reported until they can be', async () => {
  const vault = new MemoryVault({ 'a.md': '' })
  const shut = new Set(['locked', 'f/shut'])
  const unreadable = () => [...shut].map((path) => ({ path: path as VaultPath, message: 'EACCES' }))
  const listing: Vault = { ...guard(vault, new Set()), list: (folder) => ({ ...vault.list(folder), unreadable: unreadable() }) }
  const { indexer } = await new IndexedVault(listing).index()
  expect(indexer.unlisted.map(({ path }) => path)).toEqual(['locked', 'f/shut'])
  shut.clear()
  await indexer.reconcile({ all: false, folders: [{ path: 'f' as VaultPath, recursive: true }], files: [] })
  expect(indexer.unlisted.map(({ path }) => path)).toEqual(['locked'])
  await indexer.reconcile({ all: false, folders: [{ path: 'locked' as VaultPath, recursive: false }], files: [] })
  expect(indexer.unlisted).toEqual([])
})
