import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Store } from '../../../src/core/store.ts'
import { deleteDatabase } from '../../../src/store/embedded/location.ts'
import { openEmbeddedStore } from '../../../src/store/embedded/open-store.ts'
import { openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { ask } from '../../support/ask.ts'
import { exported, IndexedVault, MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const NOTES = 2_600
const FILES = Object.fromEntries(Array.from({ length: NOTES }, (_, at) => [`${at}.md`, `[[${at + 1}]] [[missing ${at % 7}]]`]))

async function indexedAt(path: string, files: Readonly<Record<string, string>>) {
  const vault = new MemoryVault(files)
  return { vault, indexed: await new IndexedVault(vault, { location: { kind: 'file', path } }).index() }
}

function openAt(path: string) {
  const onDamage = vi.fn()
  const store = openEmbeddedStore({ kind: 'file', path }, { search: { kind: 'file', path: `${path}-search` }, onDamage })
  return { store, onDamage }
}

/** A store that has not read its index file yet. */
async function unread() {
  const path = join(temporaryFolder(), 'index.db')
  return { path, ...(await indexedAt(path, FILES)), ...openAt(path) }
}

/** Makes the clock run so fast that work which yields to others does so as often as it can. */
function slowClock(): void {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 50
    return now
  })
}

async function oneTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

/** Returns how often other work runs before a promise is fulfilled. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let isDone = false
  const done = promise.then(() => {
    isDone = true
  })
  let turns = 0
  for (; !isDone; turns++) await oneTurn()
  await done
  return turns
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the first load of an index file', () => {
  test('lets other work run meanwhile', async () => {
    const { store } = await unread()
    slowClock()
    expect(await turnsUntil(ask(store).state())).toBeGreaterThan(4)
    expect(await ask(store).state()).toMatchObject({ files: NOTES })
    await store.close()
  })

  test('and the first lookup of similar names let other work run meanwhile', async () => {
    const { store } = await unread()
    await ask(store).state()
    slowClock()
    expect(await turnsUntil(ask(store).named('2500', {}, 'similar'))).toBeGreaterThan(20)
    await store.close()
  })

  test('results in what is in the index', async () => {
    const { store, indexed } = await unread()
    expect(await exported(store)).toEqual(await exported(indexed.store))
    await store.close()
  })

  test('replaces what was derived from the empty graph before there was an index', async () => {
    const path = join(temporaryFolder(), 'index.db')
    const early = openAt(path).store
    const folders = (store: Store) => ask(store).tree('', { depth: 1, limit: 10, includeArchived: true })
    const tags = (store: Store) => ask(store).tags()
    const notes = (store: Store) => ask(store).select({}, { offset: 0, limit: 10 })
    const named = (store: Store) => ask(store).named('a', {})
    const asked = [folders, tags, notes, named]
    for (const one of asked) await one(early)
    await indexedAt(path, { 'f/a.md': '#tag' })
    const late = openAt(path).store
    for (const one of asked) expect(await one(early)).toEqual(await one(late))
    expect(await named(early)).toHaveLength(1)
    await early.close()
    await late.close()
  })

  test('is followed by what was committed meanwhile', async () => {
    const { store, vault, indexed } = await unread()
    const seen = new Set<string>()
    store.onChange(({ ids }) => {
      for (const id of ids) seen.add(id)
    })
    slowClock()
    store.refresh()
    await oneTurn()
    vault.write('0.md', '[[changed]]')
    vault.remove('2500.md')
    vault.write('new.md', 'new')
    await indexed.indexer.reconcile({ all: true })
    expect(await exported(store)).toEqual(await exported(indexed.store))
    expect(seen.size).toBe(NOTES + 1)
    await store.close()
  })

  test('gives way to another index that replaces the file', async () => {
    const { store, path, onDamage } = await unread()
    slowClock()
    store.refresh()
    await oneTurn()
    deleteDatabase(path)
    await indexedAt(path, { 'other.md': '' })
    expect(await store.read(async ({ files }) => files)).toBe(1)
    expect(onDamage).not.toHaveBeenCalled()
    await store.close()
  })

  test('ends when the store is closed', async () => {
    const { store, onDamage } = await unread()
    slowClock()
    store.refresh()
    await oneTurn()
    await store.close()
    for (let turn = 0; turn < 10; turn++) await oneTurn()
    expect(onDamage).not.toHaveBeenCalled()
  })
})

test('the rows that resolve links are read a thousand at a time', async () => {
  const path = join(temporaryFolder(), 'index.db')
  await indexedAt(path, FILES)
  const writer = openIndexWriter({ kind: 'file', path })
  const sizes: number[][] = [[], []]
  for await (const part of writer.names()) sizes[0]?.push(part.length)
  for await (const part of writer.mentions()) sizes[1]?.push(part.length)
  expect(sizes).toEqual([
    [1_000, 1_000, 600],
    [1_000, 1_000, 600],
  ])
  await writer.close()
})
