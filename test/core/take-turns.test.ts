import { describe, expect, test } from 'vitest'
import { resolveNodes } from '../../src/app/resolve-nodes.ts'
import { searchByTags } from '../../src/app/search-by-tags.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'

/** A vault in which each look-up takes a while, and how many there were. */
function slowVault() {
  const store = fakeStore({ 'a.md': { properties: { tags: ['x'] } } })
  let lookUps = 0
  const slow = <Args extends unknown[], Result>(ask: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      lookUps += 1
      for (const since = performance.now(); performance.now() - since < 2; );
      return ask(...args)
    }
  }
  return { core: fakeCore({ ...store, named: slow(store.named), tags: slow(store.tags) }), lookUps: () => lookUps }
}

const MANY = Array.from({ length: 1_000 }, (_, at) => `none ${at}`)

describe('a question about many things', () => {
  test.each<[string, (core: ReturnType<typeof fakeCore>, signal: AbortSignal) => Promise<unknown>]>([
    ['names', (core, signal) => resolveNodes(core, { names: MANY, strategy: 'exact', threshold: 0 }, { signal })],
    ['tags', (core, signal) => searchByTags(core, { tags: MANY, mode: 'any', limit: 1 }, { signal })],
  ])('about %s lets others have their turn, and is given up when nobody waits', async (_, ask) => {
    const { core, lookUps } = slowVault()
    const caller = new AbortController()
    setTimeout(() => caller.abort(new Error('gone')), 20)
    await expect(ask(core, caller.signal)).rejects.toThrow('gone')
    expect(lookUps()).toBeLessThan(MANY.length)
  })
})

test('of many unknown tags the first are named, and the others counted', async () => {
  const core = fakeCore(fakeStore({ 'a.md': { properties: { tags: ['x'] } } }))
  const { warnings } = await searchByTags(core, { tags: MANY, mode: 'any', limit: 1 })
  expect(warnings).toHaveLength(21)
  expect(warnings[0]?.message).toBe('No note has the tag "#none 0".')
  expect(warnings[20]?.message).toBe('No note has 980 more of the tags.')
})
