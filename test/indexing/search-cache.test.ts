import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SearchWriter, WordBatch } from '../../src/core/search-writer.ts'
import { openSearchWriter } from '../../src/store/embedded/search/search-writer.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { PATIENCE } from '../support/patience.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { file, NOTES, openBag, startedSearch, statesOf, wordIds } from './search-rig.ts'

describe('a cache that cannot be written', () => {
  const places: readonly (readonly [string, (folder: string) => void])[] = [
    ['a folder of the same name', (folder) => mkdirSync(join(folder, 'search.db'))],
    [
      'a folder of the same name that is not empty',
      (folder) => {
        mkdirSync(join(folder, 'search.db'))
        writeFileSync(join(folder, 'search.db', 'file'), '')
      },
    ],
  ]
  test.each(places)('%s: search stays in memory, the graph on disk', async (_, spoil) => {
    const folder = temporaryFolder()
    spoil(folder)
    const bag = new BagOfWords()
    const vault = new MemoryVault(NOTES)
    const { service, store } = await startedSearch(join(folder, 'index.db'), vault, openBag(bag))
    await service.awaitFindable('meaning', PATIENCE)
    expect(service.status()).toMatchObject({ phase: 'idle', cache: 'disk' })
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    expect(await statesOf(store)).toEqual([{ embedder: bag.id, notes: 40 }])
    vault.write('new.md', 'Ukulele.')
    await service.reconcile()
    await service.awaitFindable('meaning', PATIENCE)
    expect(await wordIds(store, 'ukulele')).toEqual(['new.md'])
  })

  test('if the cache folder cannot be created, graph and search stay in memory', async () => {
    const bag = new BagOfWords()
    const { service, store } = await startedSearch('/dev/null/none/index.db', new MemoryVault(NOTES), openBag(bag))
    await service.awaitFindable('meaning', PATIENCE)
    expect(service.status()).toMatchObject({ phase: 'idle', cache: 'memory' })
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    expect(await statesOf(store)).toEqual([{ embedder: bag.id, notes: 40 }])
  })

  test.each(['words', 'vectors', 'forget', 'compact', 'tidy'] as const)(
    'if the disk is full during %s, search continues in memory and loses nothing',
    async (what) => {
      const vault = new MemoryVault(NOTES)
      let isFull = false
      const openWriter: typeof openSearchWriter = (location) => {
        const writer = openSearchWriter(location)
        return location.kind === 'memory' ? writer : fullAt(writer, what, () => isFull)
      }
      const bag = new BagOfWords()
      const { service, store } = await startedSearch(file(), vault, { ...openBag(bag), openWriter })
      await service.awaitFindable('meaning', PATIENCE)
      isFull = true
      vault.write('new.md', 'Ukulele.')
      vault.remove('notes/note 3.md')
      await service.reconcile()
      await service.awaitFindable('meaning', PATIENCE)
      await expect.poll(() => wordIds(store, 'ukulele')).toEqual(['new.md'])
      expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
      expect(await wordIds(store, 'word3')).toEqual([])
      await expect.poll(() => statesOf(store)).toEqual([{ embedder: bag.id, notes: 40 }])
      expect(service.status().phase).toBe('idle')
    },
  )

  test('deleting the cache folder costs time but loses nothing', async () => {
    const folder = temporaryFolder()
    const vault = new MemoryVault(NOTES)
    const bag = new BagOfWords()
    const { service, store } = await startedSearch(join(folder, 'index.db'), vault, openBag(bag))
    await service.awaitFindable('meaning', PATIENCE)
    for (const name of ['search.db', 'search.db-wal', 'search.db-shm']) rmSync(join(folder, name), { force: true })
    vault.write('new.md', 'Ukulele.')
    await service.reconcile()
    await expect.poll(() => wordIds(store, 'ukulele')).toEqual(['new.md'])
    await expect.poll(() => wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    await service.awaitFindable('meaning', PATIENCE)
    await expect.poll(() => statesOf(store)).toEqual([{ embedder: bag.id, notes: 41 }])
  })
})

/** A writer that finds the disk full during one kind of work. */
function fullAt(
  writer: SearchWriter,
  what: 'words' | 'vectors' | 'forget' | 'compact' | 'tidy',
  isFull: () => boolean,
): SearchWriter {
  const check = (kind: typeof what): void => {
    if (kind === what && isFull()) throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' })
  }
  return new Proxy(writer, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const kinds: Readonly<Record<string, typeof what>> = {
        putVectors: 'vectors',
        forget: 'forget',
        maintain: 'compact',
        tidy: 'tidy',
      }
      return (...args: readonly unknown[]) => {
        const kind = kinds[String(name)]
        if (kind !== undefined) check(kind)
        const result = value.apply(target, args)
        if (name !== 'beginWords') return result
        return result.then(({ put, commit }: WordBatch) => ({
          put,
          commit: async () => {
            check('words')
            await commit()
          },
        }))
      }
    },
  })
}
