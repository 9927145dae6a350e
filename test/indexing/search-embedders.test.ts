import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SearchWriter } from '../../src/core/search-writer.ts'
import type { Location } from '../../src/store/embedded/location.ts'
import { openSearchWriter } from '../../src/store/embedded/search/search-writer.ts'
import { BagOfWords, bagOf } from '../support/bag-of-words.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { PATIENCE } from '../support/patience.ts'
import { settled } from '../support/settled.ts'
import {
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

describe('an embedder that fails', () => {
  afterEach(() => void vi.useRealTimers())

  const failures: readonly (readonly [string, RegExp, (vectors: readonly Float32Array[]) => Promise<readonly Float32Array[]>])[] =
    [
      ['throws', /no power/, async () => Promise.reject(new Error('no power'))],
      ['answers NaN', /not a number/, async (vectors) => vectors.map((vector) => vector.map(() => Number.NaN))],
      [
        'answers one number that is none',
        /not a number/,
        async ([first, ...rest]) => [first?.with(0, Number.NaN) ?? new Float32Array(0), ...rest],
      ],
      [
        'answers infinity',
        /not a number/,
        async (vectors) => vectors.map((vector) => vector.map(() => Number.POSITIVE_INFINITY)),
      ],
      ['answers too few vectors', /vectors for/, async (vectors) => vectors.slice(1)],
      ['answers too many vectors', /vectors for/, async (vectors) => [...vectors, ...vectors]],
      ['answers none', /0 vectors for/, async () => []],
      ['answers vectors of another dimension', /instead of 16/, async (vectors) => vectors.map(() => bagOf('a', 24))],
      [
        'answers vectors that are not of unit length',
        /length/,
        async (vectors) => vectors.map((vector) => vector.map((value) => 2 * value)),
      ],
    ]

  test.each(failures)('%s: word search works, the status gives the reason, and it recovers', async (_, message, fail) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const bag = new FailingBag(fail)
    const vault = new MemoryVault(NOTES)
    const { service, store, errors } = await startedSearch(file(), vault, openBag(bag))
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search?.message).toMatch(message)
    expect(service.status()).toMatchObject({ phase: 'idle', cache: 'disk' })
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    vault.write('new.md', 'Ukulele.')
    await service.reconcile(['new.md'])
    expect(await service.awaitFindable('words', PATIENCE)).toBe(true)
    expect(await wordIds(store, 'ukulele')).toEqual(['new.md'])
    // The pauses between retries grow: 1, 2, 4, 8 … seconds.
    const tries = bag.passages.length
    await vi.advanceTimersByTimeAsync(1_000)
    await settled()
    const second = bag.passages.length
    expect(second).toBeGreaterThan(tries)
    await vi.advanceTimersByTimeAsync(1_500)
    await settled()
    expect(bag.passages.length).toBe(second)
    bag.fail = undefined
    await vi.advanceTimersByTimeAsync(60_000)
    await settled()
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search).toMatchObject({ vectors: { done: 41, total: 41 } })
    expect(service.status().search?.message).toBeUndefined()
    expect(await statesOf(store)).toEqual([{ embedder: bag.id, notes: 41 }])
    expect(errors).toEqual([])
  })

  test('an embedder that cannot be opened is retried', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let tries = 0
    const bag = new BagOfWords()
    const embedder = async () => {
      if (++tries < 4) throw new Error('the model is missing')
      return bag
    }
    const { service, store } = await startedSearch(file(), new MemoryVault(NOTES), { embedder })
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search?.message).toBe('the model is missing')
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
    for (let second = 0; second < 10; second++) {
      await vi.advanceTimersByTimeAsync(1_000)
      await settled()
    }
    expect(tries).toBe(4)
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(service.status().search?.vectors).toMatchObject({ done: 40, total: 40 })
  })

  test('if an embedder rejects one text, all others get vectors, and the next process retries that text', async () => {
    const at = file()
    const picky = new FailingBag(undefined)
    const embed = picky.embed.bind(picky)
    picky.embed = async (...args) => {
      if (args[0].some((text) => text.includes('Word7 '))) throw new Error('this text is too much')
      return await embed(...args)
    }
    const first = await startedSearch(at, new MemoryVault(NOTES), openBag(picky))
    expect(await first.service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(await statesOf(first.store)).toEqual([{ embedder: picky.id, notes: 40 }])
    expect(first.service.status().search).toMatchObject({
      vectors: { done: 40, total: 40 },
      message: '1 note could not be embedded: notes/note 7.md: this text is too much',
    })
    await first.close()
    const bag = new BagOfWords()
    const { service } = await startedSearch(at, new MemoryVault(NOTES), openBag(bag))
    expect(await service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(bag.passages).toHaveLength(1)
    expect(service.status().search?.message).toBeUndefined()
  })

  test('an embedder that hangs delays neither word search nor closing', async () => {
    const hanging = new FailingBag(() => new Promise(() => {}))
    const vault = new MemoryVault(NOTES)
    const { service, store, close } = await startedSearch(file(), vault, openBag(hanging))
    vault.write('new.md', 'Ukulele.')
    await service.reconcile(['new.md'])
    await service.awaitFindable('words', PATIENCE)
    expect(await wordIds(store, 'ukulele')).toEqual(['new.md'])
    expect(await service.awaitFindable('meaning', 20)).toBe(false)
    await close()
  })
})

describe('another embedder', () => {
  test('uses the previous vectors until its own are complete, then they are deleted', async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const old = new BagOfWords('old')
    const first = await startedSearch(at, vault, openBag(old))
    await first.service.awaitFindable('meaning', PATIENCE)
    await first.close()

    const next = new SlowBag('next', 24)
    const { service, store } = await startedSearch(at, vault, openBag(next))
    expect(await nearest(store, old, 'word3')).toHaveLength(1)
    expect((await statesOf(store)).find(({ embedder }) => embedder === old.id)?.notes).toBe(40)
    await service.awaitFindable('meaning', PATIENCE)
    await expect.poll(() => statesOf(store)).toEqual([{ embedder: next.id, notes: 40 }])
    expect(await nearest(store, old, 'word3')).toEqual([])
    expect(await nearest(store, next, 'word3')).toHaveLength(1)
    expect(await wordIds(store, 'word17')).toEqual(['notes/note 17.md'])
  })

  test("in a command leaves the server's vectors in place", async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const lasting = new BagOfWords('lasting')
    const server = await startedSearch(at, vault, openBag(lasting))
    await server.service.awaitFindable('meaning', PATIENCE)
    const once = new BagOfWords('once', 24)
    const command = await startedSearch(at, vault, { ...openBag(once), isEager: false })
    await command.service.awaitFindable('meaning', PATIENCE)
    expect(await nearest(command.store, once, 'word3')).toHaveLength(1)
    await command.close()
    expect(await nearest(server.store, lasting, 'word3')).toHaveLength(1)
    expect(await statesOf(server.store)).toEqual([
      { embedder: once.id, notes: 40 },
      { embedder: lasting.id, notes: 40 },
    ])
    await server.close()
    // The next server must keep the vectors that it needs.
    const next = await startedSearch(at, vault, openBag(lasting))
    await next.service.awaitFindable('meaning', PATIENCE)
    await expect.poll(() => statesOf(next.store)).toEqual([{ embedder: lasting.id, notes: 40 }])
  })

  test("in a second server replaces the first server's vectors; the first rebuilds its own, and both remain", async () => {
    const at = file()
    const vault = new MemoryVault(NOTES)
    const [one, other] = [new BagOfWords('one'), new BagOfWords('other', 24)]
    const first = await startedSearch(at, vault, openBag(one))
    await first.service.awaitFindable('meaning', PATIENCE)
    const second = await startedSearch(at, vault, openBag(other))
    await second.service.awaitFindable('meaning', PATIENCE)
    await expect.poll(() => statesOf(first.store)).toEqual([{ embedder: other.id, notes: 40 }])
    await first.service.reconcile([])
    await first.service.awaitFindable('meaning', PATIENCE)
    await settled()
    for (const { store } of [first, second]) {
      expect(await nearest(store, one, 'word3')).toHaveLength(1)
      expect(await nearest(store, other, 'word3')).toHaveLength(1)
    }
  })

  test('switching back and forth works with one open reader', async () => {
    const at = file()
    const vault = new MemoryVault(Object.fromEntries(Object.entries(NOTES).slice(0, 5)))
    const reader = await startedSearch(at, vault)
    const bags = [new BagOfWords('one', 16), new BagOfWords('two', 24), new BagOfWords('three', 16)]
    for (const bag of [...bags, ...bags.toReversed(), ...bags]) {
      const writer = await startedSearch(at, vault, openBag(bag))
      await writer.service.awaitFindable('meaning', PATIENCE)
      await expect.poll(() => statesOf(reader.store)).toEqual([{ embedder: bag.id, notes: 5 }])
      const [hit] = await nearest(reader.store, bag, 'note 3 word3 and note 21 filler number3 filler number3 filler number3')
      expect(hit?.id).toBe('notes/note 3.md')
      for (const other of bags) if (other !== bag) expect(await nearest(reader.store, other, 'word3')).toEqual([])
      await writer.close()
    }
  })
})

test('commits fewer notes at once while calls arrive, but all of them in the end', async () => {
  const notes = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}.md`, `Note with word${at}.`]))
  const sizes = async (isAsked: boolean) => {
    const stored: number[] = []
    const bag = new BagOfWords()
    const openWriter = (location: Location): SearchWriter => {
      const writer = openSearchWriter(location)
      const putVectors = writer.putVectors.bind(writer)
      return Object.assign(writer, {
        putVectors: async (...[embedder, ready]: Parameters<typeof putVectors>) => {
          stored.push(ready.length)
          await putVectors(embedder, ready)
        },
      })
    }
    const server = serveSearch(file(), new MemoryVault(notes), { ...openBag(bag), openWriter })
    if (isAsked) server.service.onStatus(() => server.service.onCall())
    server.service.start()
    server.service.begin()
    expect(await server.service.awaitFindable('meaning', PATIENCE)).toBe(true)
    expect(await statesOf(server.store)).toEqual([{ embedder: bag.id, notes: 100 }])
    return stored
  }
  expect(await sizes(false)).toEqual([100])
  expect(await sizes(true)).toEqual([64, 36])
})
