import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedStore } from '../../../src/store/embedded/open-store.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { type ComingRows, openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { ask } from '../../support/ask.ts'
import { openIndexer } from '../../support/indexers.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

/** An index of these notes that is not made yet, and a reader of it. */
function unmade(notes: Readonly<Record<string, string>>) {
  const location = { kind: 'file', path: join(temporaryFolder(), 'index.db') } as const
  const store = openEmbeddedStore(location, {
    onDamage: () => {},
    search: { kind: 'memory', name: 'none' },
    onSearchDamage: () => {},
  })
  const told: ComingRows[] = []
  let onComing = (_: ComingRows): void => {}
  const writer = openIndexWriter(location, (coming) => {
    told.push(coming)
    onComing(coming)
  })
  const vault = new MemoryVault(notes)
  const indexer = openIndexer(vault, writer)
  return {
    store,
    told,
    vault,
    path: location.path,
    index: () => indexer.reconcile({ all: true }),
    onComing: (listener: typeof onComing) => {
      onComing = listener
    },
  }
}

const idsOf = async (store: ReturnType<typeof unmade>['store']): Promise<readonly string[]> =>
  (await ask(store).select({}, { offset: 0, limit: 9 })).items.map(({ id }) => id)

const NOTES = { 'A.md': '[[B]] #tag', 'B.md': '---\naliases: [Bee]\n---\n', 'pic.png': '' }

test('the first commit is known before it is written, and answers nothing until it is', async () => {
  const { store, index, onComing, told } = unmade(NOTES)
  let before: Promise<readonly string[]> | undefined
  onComing((coming) => {
    store.expect(coming)
    before = idsOf(store)
  })
  await index()
  expect(await before).toEqual([])
  expect(told).toHaveLength(1)
  expect(await idsOf(store)).toEqual(['a.md', 'b.md'])
})

test('what was expected is not read again; what is committed later is', async () => {
  const { store, index, onComing, path, vault } = unmade(NOTES)
  onComing((coming) => store.expect(coming))
  await index()
  const database = openSqlite(path)
  database.exec("UPDATE file SET hot = 'unreadable'")
  database.close()
  store.refresh()
  expect(await idsOf(store)).toEqual(['a.md', 'b.md'])
  expect((await ask(store).named('bee', {})).map(({ id }) => id)).toEqual(['b.md'])
  vault.write('C.md', '')
  await index()
  store.refresh()
  expect(await idsOf(store)).toEqual(['a.md', 'b.md', 'c.md'])
})

test('what was expected of another index is not taken', async () => {
  const other = unmade({ 'Other.md': '' })
  await other.index()
  const { store, index, onComing } = unmade(NOTES)
  onComing(() => store.expect(other.told[0] as ComingRows))
  await index()
  expect(await idsOf(store)).toEqual(['a.md', 'b.md'])
})
