import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toNodeId } from '../../src/core/ids.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import { openEmbeddedStore } from '../../src/store/embedded/open-store.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { ask } from '../support/ask.ts'
import { allOf, openIndexer } from '../support/indexers.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A number of files that is larger than a commit can hold. */
const FILES = 10_001

/** A writer whose process ends after this many commits. */
function endingAfter(writer: IndexWriter, commits: number): IndexWriter {
  let left = commits
  return new Proxy(writer, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'begin' && left-- === 0) throw new Error('the process ended')
        return value.apply(target, args)
      }
    },
  })
}

function openStore(path: string) {
  const store = openEmbeddedStore(
    { kind: 'file', path },
    {
      onDamage: () => {},
      search: { kind: 'file', path: `${path}-search` },
    },
  )
  onTestFinished(() => store.close())
  return store
}

test('every reader sees that an index is incomplete, and the next process completes it', async () => {
  const path = join(temporaryFolder(), 'index.db')
  const vault = new MemoryVault(Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.md`, `[[${at + 1}]]`])))
  const store = openStore(path)
  expect(await ask(store).state()).toEqual({ generation: 0, files: 0, complete: false })

  // Another process had indexed the whole vault, but then someone deleted the cache folder.
  const writer = openIndexWriter({ kind: 'file', path })
  onTestFinished(() => writer.close())
  const other = openIndexer(vault, writer)
  await other.reconcile({ all: true })
  expect(await ask(store).state()).toMatchObject({ files: FILES, complete: true })
  await writer.reset()

  const ending = openIndexWriter({ kind: 'file', path })
  onTestFinished(() => ending.close())
  await expect(openIndexer(vault, endingAfter(ending, 2)).reconcile({ all: true })).rejects.toThrow('the process ended')
  const half = await ask(store).state()
  expect(half.complete).toBe(false)
  expect(half.files).toBeLessThan(FILES)

  await other.reconcile({ all: false, folders: [], files: ['1.md'] })
  expect(await ask(store).state()).toMatchObject({ files: FILES, complete: true })
})

test('if all unread files are deleted, only the mark of a complete index is missing', async () => {
  const path = join(temporaryFolder(), 'index.db')
  const vault = new MemoryVault(Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.md`, ''])))
  const writer = openIndexWriter({ kind: 'file', path })
  onTestFinished(() => writer.close())
  await expect(openIndexer(vault, endingAfter(writer, 1)).reconcile({ all: true })).rejects.toThrow('the process ended')
  const committed = new Set<string>((await allOf(writer.files())).map((file) => file.path))
  for (const path of vault.paths()) if (!committed.has(path)) vault.remove(path)
  await openIndexer(vault, writer).reconcile({ all: true })
  expect(await ask(openStore(path)).state()).toMatchObject({ files: committed.size, complete: true })
})

/** A vault whose first file links to its last one. */
function firstLinksToLast() {
  const vault = new MemoryVault(Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.md`, ''])))
  vault.write('0.md', `[[${FILES - 1}]]`)
  return { path: join(temporaryFolder(), 'index.db'), vault, last: `${FILES - 1}.md` }
}

async function linksOfFirst(path: string): Promise<readonly string[]> {
  const wanted = { direction: 'out', kinds: ['note', 'missing'] } as const
  const { items } = await ask(openStore(path)).neighbors(toNodeId('0.md'), wanted, { offset: 0, limit: 9 })
  return items
}

test('a file that is deleted before it is read becomes a missing target, and its key can be reused', async () => {
  const { path, vault, last } = firstLinksToLast()
  const read = vault.read.bind(vault)
  vault.read = (file) => {
    if (file === '1.md') vault.remove(last)
    return read(file)
  }
  const writer = openIndexWriter({ kind: 'file', path })
  onTestFinished(() => writer.close())
  await openIndexer(vault, writer).reconcile({ all: true })
  vault.write('New.md', '')
  // Another process, which knows only the keys in the index.
  await openIndexer(vault, writer).reconcile({ all: true })
  expect(await linksOfFirst(path)).toEqual([String(FILES - 1)])
})

test('a file deleted between a crash of the first scan and the next start becomes a missing target', async () => {
  const { path, vault, last } = firstLinksToLast()
  const writer = openIndexWriter({ kind: 'file', path })
  onTestFinished(() => writer.close())
  await expect(openIndexer(vault, endingAfter(writer, 1)).reconcile({ all: true })).rejects.toThrow('the process ended')
  vault.remove(last)
  await openIndexer(vault, writer).reconcile({ all: true })
  expect(await linksOfFirst(path)).toEqual([String(FILES - 1)])
})
