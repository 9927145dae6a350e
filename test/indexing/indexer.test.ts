import { expect, test, vi } from 'vitest'
import { toNodeId } from '../../src/core/ids.ts'
import { ask } from '../support/ask.ts'
import { embeddedEngine, FedVault, IndexedVault, MemoryVault } from '../support/memory-vault.ts'

vi.mock('../../src/markdown/parse-note.ts', async (original) => {
  const actual = await original<typeof import('../../src/markdown/parse-note.ts')>()
  const parseNote: typeof actual.parseNote = (text, flavor) => {
    if (text.includes('unforeseen')) throw new RangeError('Maximum call stack size exceeded')
    return actual.parseNote(text, flavor)
  }
  return { ...actual, parseNote }
})

test('a note that a bug prevents from being read is reported, and all others are indexed', async () => {
  const { store, vault, indexer } = await new IndexedVault(
    new MemoryVault({ 'a.md': 'unforeseen [[b]]', 'b.md': '[[a]] #x' }),
  ).index()
  const problems = async () => (await ask(store).problems({}, { offset: 0, limit: 10 })).items
  expect(await problems()).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('A bug in Roux prevents it from reading this file') }),
  )
  expect((await ask(store).neighbors(toNodeId('a.md'), { direction: 'in' }, { offset: 0, limit: 10 })).items).toEqual(['b.md'])
  // Nothing has changed, so nothing is read again.
  const { generation } = await ask(store).state()
  await indexer.reconcile({ all: true })
  expect((await ask(store).state()).generation).toBe(generation)
  vault.write('a.md', 'foreseen [[b]]')
  await indexer.reconcile({ all: true })
  expect(await problems()).toEqual([])
})

/** A writer that records the names of the methods called. */
function counted<T extends object>(side: T, calls: string[]): T {
  return new Proxy(side, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        const answer: unknown = member.apply(target, args)
        return name === 'begin' ? Promise.resolve(answer).then((open) => counted(open as object, calls)) : answer
      }
    },
  })
}

test('an edit that changes a name needs as few writer calls in a large vault as in a small one', async () => {
  const callsIn = async (notes: number): Promise<readonly string[]> => {
    const links = Array.from({ length: notes }, (_, at) => [`Note ${at}.md`, `[[Note ${(at + 1) % notes}]] [[Hub]]`] as const)
    const vault = new MemoryVault(Object.fromEntries(links))
    const calls: string[] = []
    const engine = embeddedEngine()
    const fed = await new FedVault(vault, { ...engine, index: counted(engine.index, calls) }).index()
    await fed.indexer.loadAhead()
    calls.length = 0
    vault.write('Hub.md', 'Every note links here.')
    await fed.indexer.reconcile({ all: false, folders: [], files: ['Hub.md'] })
    return calls
  }
  const few = await callsIn(5)
  expect(few).toContain('commit')
  expect(few.length, few.join(' ')).toBeLessThanOrEqual(12)
  expect(await callsIn(200)).toEqual(few)
})
