import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { PATIENCE } from '../support/patience.ts'
import { settled } from '../support/settled.ts'
import { temporaryFolder } from '../support/temporary.ts'
import {
  CountingVault,
  FailingBag,
  file,
  NOTES,
  nearest,
  openBag,
  SlowBag,
  serveSearch,
  startedSearch,
  statesOf,
  wordIds,
} from './search-rig.ts'

test('does not report a change as searchable before it is, however often the vault is checked meanwhile', async () => {
  const vault = new MemoryVault(NOTES)
  const { service, store } = await startedSearch(file(), vault, openBag(new BagOfWords()))
  await service.awaitFindable('words', PATIENCE)
  const scope = { all: false, folders: [], files: ['notes/note 3.md'] } as const
  const done = await service.exclusively(async ({ reconcile }) => {
    vault.write('notes/note 3.md', 'zebra')
    await reconcile(scope)
    // A watcher does the same when it reports a write of the program itself.
    await reconcile(scope)
    return service.status().search?.words
  })
  expect(done).toEqual({ done: 39, total: 40 })
  await service.awaitFindable('words', PATIENCE)
  expect(service.status().search?.words).toEqual({ done: 40, total: 40 })
  expect(await wordIds(store, 'zebra')).toEqual(['notes/note 3.md'])
})

describe('starting', () => {
  test('cold: finds everything by word and by meaning', async () => {
    const bag = new BagOfWords()
    const { service, store, errors } = await startedSearch(file(), new MemoryVault(NOTES), openBag(bag))
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search).toMatchObject({
      words: { done: 40, total: 40 },
      vectors: { done: 40, total: 40, embedder: bag.id },
    })
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    expect((await statesOf(store))[0]).toEqual({ embedder: bag.id, notes: 40 })
    const [hit] = await nearest(store, bag, 'note 3 word3 and note 21 filler number3 filler number3 filler number3')
    expect(hit).toMatchObject({ id: 'notes/note 3.md' })
    expect(errors).toEqual([])
  })

  test('warm: reads and embeds nothing, and answers at once', async () => {
    const at = file()
    const vault = new CountingVault(NOTES)
    const bag = new BagOfWords()
    const first = await startedSearch(at, vault, openBag(bag))
    await first.service.awaitFindable('meaning', PATIENCE)
    await first.close()
    vault.reads.length = 0
    bag.passages.length = 0
    const { service, store } = await startedSearch(at, vault, openBag(bag))
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(vault.reads).toEqual([])
    expect(bag.passages).toEqual([])
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    expect(await nearest(store, bag, 'word17')).toHaveLength(1)
  })

  test.each([40, 200])('cold, with a fast embedder: reads each of %i notes once for links, words and vectors', async (count) => {
    const paths = Array.from({ length: count }, (_, at) => `note ${at}.md`)
    const vault = new CountingVault(Object.fromEntries(paths.map((path, at) => [path, `Word${at} and [[note ${at + 1}]].`])))
    const bag = new BagOfWords()
    const { service } = await startedSearch(file(), vault, { ...openBag(bag), isEmbedderQuick: true })
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect([...vault.reads].sort()).toEqual([...paths].sort())
    expect(service.status().search).toMatchObject({ words: { done: count }, vectors: { done: count } })
  })

  test('cold, with a fast embedder: finds everything, with more notes than fit in memory and one long note', async () => {
    const paths = Array.from({ length: 600 }, (_, at) => `note ${at}.md`)
    const notes = Object.fromEntries(paths.map((path, at) => [path, `Word${at}. ${'Some more of it. '.repeat(20)}`]))
    const vault = new MemoryVault({ ...notes, 'long.md': `Whale. ${'On and on. '.repeat(5_000)}` })
    const bag = new BagOfWords()
    const { service, store } = await startedSearch(file(), vault, { ...openBag(bag), isEmbedderQuick: true })
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search).toMatchObject({ words: { done: 601 }, vectors: { done: 601 } })
    for (const at of [0, 200, 400, 599]) expect(await wordIds(store, `word${at}`)).toEqual([`note ${at}.md`])
    expect(await wordIds(store, 'whale')).toEqual(['long.md'])
    expect(await statesOf(store)).toEqual([{ embedder: bag.id, notes: 601 }])
  })

  test('a fast embedder that fails does not delay word search', async () => {
    const paths = Array.from({ length: 1_000 }, (_, at) => `note ${at}.md`)
    const bag = new FailingBag(async () => {
      throw new Error('no table')
    })
    const vault = new MemoryVault(Object.fromEntries(paths.map((path) => [path, `See ${path}.`])))
    const { service, store } = await startedSearch(file(), vault, { ...openBag(bag), isEmbedderQuick: true })
    expect(service.status().search?.words).toEqual({ done: 1_000, total: 1_000 })
    expect(await wordIds(store, '999')).toEqual(['note 999.md'])
  })

  test('a command builds no search index until someone waits for it', async () => {
    const bag = new BagOfWords()
    const { service } = serveSearch(file(), new MemoryVault(NOTES), { ...openBag(bag), isEager: false })
    service.start()
    service.begin()
    await service.ready(PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(service.status().search).toBeUndefined()
    expect(bag.passages).toEqual([])
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search?.vectors).toMatchObject({ done: 40, total: 40 })
  })

  test('writes nothing before the first real request', async () => {
    const at = file()
    const { service } = serveSearch(at, new MemoryVault(NOTES), openBag(new BagOfWords()))
    service.start()
    expect(await service.awaitFindable('words', 50)).toBe(false)
    expect(service.status().search).toBeUndefined()
  })

  test('reads an edited note once and embeds only its changed chunks', async () => {
    const vault = new CountingVault(NOTES)
    const bag = new BagOfWords()
    const { service, store } = await startedSearch(file(), vault, { ...openBag(bag), isEmbedderQuick: true })
    await service.awaitFindable('meaning', PATIENCE)
    vault.reads.length = 0
    bag.passages.length = 0
    vault.write('notes/note 5.md', 'Something quite different.')
    await service.reconcile(['notes/note 5.md'])
    await service.awaitFindable('meaning', PATIENCE)
    expect(vault.reads).toEqual(['notes/note 5.md'])
    expect(bag.passages).toEqual(['note 5\nSomething quite different.'])
    expect(await wordIds(store, 'different')).toEqual(['notes/note 5.md'])
    expect(await wordIds(store, 'word5')).toEqual([])
  })

  test('continues where it stopped after being closed while embedding', async () => {
    const at = file()
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, note) => [`note ${note}.md`, `Text${note}.`]))
    const vault = new MemoryVault(many)
    const slow = new SlowBag()
    const first = await startedSearch(at, vault, openBag(slow))
    await expect.poll(async () => (await statesOf(first.store))[0]?.notes ?? 0, { interval: 2 }).toBeGreaterThan(200)
    const [stored] = await statesOf(first.store)
    await first.close()
    expect(stored?.notes).toBeLessThan(400)
    const bag = new BagOfWords()
    const { service, store } = await startedSearch(at, vault, openBag(bag))
    await service.awaitFindable('meaning', PATIENCE)
    expect(await statesOf(store)).toEqual([{ embedder: bag.id, notes: 400 }])
    // Each note has two texts, its chunk and its title.
    expect(bag.passages).toHaveLength(2 * (400 - (stored?.notes ?? 0)))
    expect(service.status().search?.vectors).toMatchObject({ done: 400, total: 400 })
  })

  test('does not embed stored vectors again after a kill', async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const bag = new BagOfWords()
    const first = await startedSearch(at, vault, openBag(bag))
    await first.service.awaitFindable('meaning', PATIENCE)
    const more = Object.keys(NOTES).slice(0, 3)
    for (const path of more) vault.write(path, `New text of ${path}.`)
    const broken = new FailingBag(async () => {
      throw new Error('killed')
    })
    await first.close()
    const second = await startedSearch(at, vault, openBag(broken))
    await second.service.awaitFindable('meaning', PATIENCE)
    await second.close()
    bag.passages.length = 0
    const third = await startedSearch(at, vault, openBag(bag))
    await third.service.awaitFindable('meaning', PATIENCE)
    expect(bag.passages.filter((text) => text.includes('New text'))).toHaveLength(3)
    expect(bag.passages.every((text) => /note [012]\b/.test(text))).toBe(true)
  })
})

describe('several services on one file', () => {
  test('all start cold at the same time and answer correctly', async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const bags = [new BagOfWords(), new BagOfWords(), new SlowBag()]
    const servers = await Promise.all(bags.map((bag) => startedSearch(at, vault, openBag(bag))))
    await Promise.all(servers.map(({ service }) => service.awaitFindable('meaning', PATIENCE)))
    for (const { store, errors, service } of servers) {
      expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
      expect(await statesOf(store)).toEqual([{ embedder: bags[0]?.id, notes: 40 }])
      expect(errors).toEqual([])
      expect(service.status().search?.message).toBeUndefined()
    }
  })

  test('every reader answers correctly while they change notes in turn', async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const bag = new BagOfWords()
    const servers = await Promise.all([1, 2].map(() => startedSearch(at, vault, openBag(bag))))
    for (let round = 0; round < 30; round++) {
      vault.write(`notes/note ${round}.md`, `Turn${round} by turn.`)
      if (round % 4 === 0) vault.remove(`notes/note ${round + 5}.md`)
      await Promise.all(servers.map(({ service }, at) => (at === round % 2 || round % 5 === 0 ? service.reconcile() : undefined)))
      await Promise.all(servers.map(({ service }) => service.awaitFindable('meaning', PATIENCE)))
      for (const { store } of servers) {
        await expect.poll(() => wordIds(store, `turn${round}`)).toEqual([`notes/note ${round}.md`])
        expect(await wordIds(store, `word${round}`)).toEqual([])
      }
    }
    for (const { errors } of servers) expect(errors).toEqual([])
  })
})

describe('closing', () => {
  test('at any moment leaves no large log, and the next start finishes the work', async () => {
    const vault = new MemoryVault(NOTES)
    for (let turns = 0; turns < 60; turns += 3) {
      const folder = temporaryFolder()
      const { service, close } = serveSearch(join(folder, 'index.db'), vault, openBag(new BagOfWords()))
      service.start()
      service.begin()
      await service.ready(PATIENCE)
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await close()
      await settled()
      const log = join(folder, 'search.db-wal')
      expect(statSync(log, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    }
  })
})

describe('after the graph is rebuilt', () => {
  async function followsAfter(changes: number): Promise<void> {
    const vault = new MemoryVault(NOTES)
    const bag = new BagOfWords()
    const { service, store } = await startedSearch(file(), vault, openBag(bag))
    await service.awaitFindable('meaning', PATIENCE)
    for (let change = 0; change < changes; change++) {
      vault.write('changed.md', `Change${change}.`)
      await service.reconcile()
      await service.awaitFindable('meaning', PATIENCE)
    }
    vault.remove('notes/note 0.md')
    service.replaceDamaged()
    await service.reconcile()
    await service.awaitFindable('meaning', PATIENCE)
    for (const at of [1, 17, 39]) {
      await expect.poll(() => wordIds(store, `word${at}`)).toEqual([`notes/note ${at}.md`])
    }
    expect(await wordIds(store, 'word0')).toEqual([])
    const [hit] = await nearest(store, bag, 'note 3 word3 and note 21 filler number3 filler number3 filler number3')
    expect(hit?.id).toBe('notes/note 3.md')
    const stored = await Promise.all(
      Object.keys(NOTES)
        .slice(1)
        .map((path) => ask(store).vectors(bag.id, path as never)),
    )
    expect(stored.every((one) => one?.chunks.length === 1)).toBe(true)
  }

  test.each([1, 3])('with other keys, search follows %i commits later', (changes) => followsAfter(changes))

  // The rebuilt index has as many commits as the old one, so their number does not distinguish the two.
  test('with other keys, search follows at once', () => followsAfter(0))
})

test('an index that cannot be opened stops search, and the status says why', async () => {
  const openWriter = (): never => {
    throw new Error('the disk is on fire')
  }
  const { service } = await startedSearch(file(), new MemoryVault(NOTES), { openWriter })
  expect(service.status().search).toMatchObject({ message: 'Search is not up to date: the disk is on fire', isStopped: true })
})
