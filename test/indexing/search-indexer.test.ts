import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { VaultPath } from '../../src/core/ids.ts'
import { answersOf, SearchRig } from '../store/embedded/search/search-rig.ts'
import { ask } from '../support/ask.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { MemoryVault } from '../support/memory-vault.ts'

/** A vault whose files may change after they were listed. */
class MovingVault extends MemoryVault {
  readonly #once = new Map<string, Uint8Array | undefined>()

  /** Makes the nth read from now fail. */
  failingRead = 0

  /** Sets the content that only the next read of a file returns. */
  readOnce(path: string, text: string | undefined): void {
    this.#once.set(path, text === undefined ? undefined : Buffer.from(text))
  }

  override read(path: string): Uint8Array | undefined {
    if (--this.failingRead === 0) throw new Error('the disk hiccups')
    if (!this.#once.has(path)) return super.read(path)
    const bytes = this.#once.get(path)
    this.#once.delete(path)
    return bytes
  }
}

const GARDEN = { 'a.md': 'Apples.', 'b.md': 'Bananas.', 'c.md': 'Cherries.' }
const hits = async (rig: SearchRig, text: string) => (await ask(rig.store).words(text, {}, 9)).hits.map(({ id }) => id)

describe('a file that changes between comparing and reading', () => {
  test.each(['another text', 'nothing'] as const)('is found by its final content after it had %s for a moment', async (what) => {
    const vault = new MovingVault(GARDEN)
    const bag = new BagOfWords()
    const rig = await new SearchRig(vault, bag).finish()
    await rig.finish()
    vault.write('b.md', 'Blueberries.')
    await rig.reconcile()
    vault.readOnce('b.md', what === 'nothing' ? undefined : 'Something else.')
    await rig.steps(Number.POSITIVE_INFINITY)
    expect(rig.mismatches).toEqual(['b.md'])
    // The service does the same when it is notified.
    await rig.reconcile(rig.mismatches as VaultPath[])
    await rig.steps(Number.POSITIVE_INFINITY)
    expect(await hits(rig, 'blueberries')).toEqual(['b.md'])
    expect(await hits(rig, 'something bananas')).toEqual([])
    const fresh = await new SearchRig(vault, bag).finish()
    const questions = ['blueberries', 'something', 'bananas']
    expect(await answersOf(rig.store, bag.id, questions)).toEqual(await answersOf(fresh.store, bag.id, questions))
  })

  test('does not keep the indexer busy forever if it never matches', async () => {
    const vault = new MovingVault(GARDEN)
    const rig = await new SearchRig(vault, new BagOfWords()).finish()
    await rig.finish()
    vault.write('b.md', 'Blueberries.')
    await rig.reconcile()
    for (let round = 0; round < 50; round++) {
      vault.readOnce('b.md', undefined)
      await rig.steps(Number.POSITIVE_INFINITY)
      await rig.reconcile(['c.md'])
    }
    expect(rig.mismatches.length).toBeLessThan(20)
  })
})

describe('a single failed read', () => {
  // The first three reads are made for words, and the next three for vectors.
  test.each([1, 2, 3, 4, 5, 6])('of read %i: afterwards every note has its words and vectors', async (failing) => {
    const vault = new MovingVault(GARDEN)
    const bag = new BagOfWords()
    const rig = new SearchRig(vault, bag)
    await rig.reconcile()
    vault.failingRead = failing
    await expect(rig.steps(Number.POSITIVE_INFINITY)).rejects.toThrow('the disk hiccups')
    expect(rig.search.isComplete('meaning')).toBe(false)
    await rig.steps(Number.POSITIVE_INFINITY)
    expect(await hits(rig, 'apples bananas cherries')).toHaveLength(3)
    expect(await ask(rig.store).vectorStates()).toMatchObject([{ embedder: bag.id, notes: 3 }])
    expect(rig.search.progress()).toMatchObject({ words: { done: 3, total: 3 }, vectors: { done: 3, total: 3 } })
  })
})

describe('a deleted note', () => {
  test.each([0, 1, 2, 3, 4, 5])('leaves nothing behind after %i steps', async (before) => {
    const vault = new MemoryVault(GARDEN)
    const bag = new BagOfWords()
    const rig = new SearchRig(vault, bag)
    await rig.reconcile()
    await rig.steps(before)
    vault.remove('b.md')
    await rig.finish()
    expect(await ask(rig.store).vectorStates()).toMatchObject([{ embedder: bag.id, notes: 2 }])
    expect([...(await rig.writer.wordVersions()).keys()]).toHaveLength(2)
    expect(await hits(rig, 'bananas')).toEqual([])
    expect(rig.search.progress()).toMatchObject({ words: { done: 2, total: 2 }, vectors: { done: 2, total: 2 } })
  })
})

describe('embedding again', () => {
  const sections = (count: number, changed = -1) =>
    Array.from({ length: count }, (_, at) => {
      const word = at === changed ? 'changed' : `word${at}`
      return `## Part ${at}\n\n${`${word} of part ${at} goes on and on. `.repeat(30)}`
    }).join('\n\n')

  test('embeds only the changed chunks of an edited note', async () => {
    const vault = new MemoryVault({ ...GARDEN, 'long.md': sections(12) })
    const bag = new BagOfWords()
    const rig = await new SearchRig(vault, bag).finish()
    const { length } = bag.passages
    expect(length).toBeGreaterThan(12)
    vault.write('long.md', sections(12, 5))
    await rig.finish()
    const again = bag.passages.slice(length)
    expect(again.length).toBeGreaterThan(0)
    expect(again.length).toBeLessThanOrEqual(3)
    for (const text of again) expect(text).toContain('changed of part 5')
  })

  test('embeds nothing after a restart', async () => {
    const bag = new BagOfWords()
    const rig = await new SearchRig(new MemoryVault(GARDEN), bag).finish()
    const { length } = bag.passages
    await rig.restart()
    await rig.finish()
    expect(bag.passages).toHaveLength(length)
  })

  test('embeds nothing again after a pause, and keeps reporting its progress', async () => {
    const vault = new MemoryVault(GARDEN)
    const bag = new BagOfWords()
    const rig = await new SearchRig(vault, bag).finish()
    const before = rig.search.progress()
    rig.search.releaseMemory()
    expect(rig.search.progress()).toEqual(before)
    bag.passages.length = 0
    vault.write('b.md', 'Blueberries.')
    vault.remove('c.md')
    await rig.finish()
    expect(bag.passages).toEqual([expect.stringContaining('Blueberries')])
    expect(rig.search.progress()).toMatchObject({ words: { done: 2, total: 2 }, vectors: { done: 2, total: 2 } })
    expect(await hits(rig, 'blueberries cherries')).toEqual(['b.md'])
  })

  test('reads only the row of a note that is edited after a pause', async () => {
    const vault = new MemoryVault(GARDEN)
    const rig = await new SearchRig(vault, new BagOfWords()).finish()
    await rig.steps(Number.POSITIVE_INFINITY)
    rig.search.releaseMemory()
    rig.rowsRead = 0
    vault.write('b.md', 'Blueberries.')
    await rig.finish()
    expect(rig.rowsRead).toBe(1)
    expect(await hits(rig, 'blueberries')).toEqual(['b.md'])
  })

  test('notices after a pause what another process changed', async () => {
    const vault = new MemoryVault(GARDEN)
    const rig = await new SearchRig(vault, new BagOfWords()).finish()
    await rig.steps(Number.POSITIVE_INFINITY)
    rig.search.releaseMemory()
    const other = new SearchRig(vault, new BagOfWords(), dirname(rig.searchFile))
    vault.write('b.md', 'Blueberries.')
    vault.remove('c.md')
    await other.finish()
    await rig.finish()
    expect(rig.search.progress()).toMatchObject({ words: { done: 2, total: 2 }, vectors: { done: 2, total: 2 } })
    expect(await hits(rig, 'blueberries cherries bananas')).toEqual(['b.md'])
  })

  test('resumes unfinished work after a pause', async () => {
    const rig = new SearchRig(new MemoryVault(GARDEN), new BagOfWords())
    await rig.reconcile()
    await rig.steps(1)
    rig.search.releaseMemory()
    await rig.steps(Number.POSITIVE_INFINITY)
    expect(rig.search.progress()).toMatchObject({ words: { done: 3, total: 3 }, vectors: { done: 3, total: 3 } })
  })

  test('embeds only the new alias of a note', async () => {
    const vault = new MemoryVault({ 'a.md': '---\naliases: [One]\n---\nText.' })
    const bag = new BagOfWords()
    const rig = await new SearchRig(vault, bag).finish()
    bag.passages.length = 0
    vault.write('a.md', '---\naliases: [One, Two]\n---\nText.')
    await rig.finish()
    expect(bag.passages).toEqual(['Two'])
  })
})
