import { expect, test } from 'vitest'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import { openThrough } from '../contract/open-engine.ts'
import { testStore } from '../contract/store.ts'
import { memoryEngine } from '../support/memory-engine/open.ts'
import { FedVault, MemoryVault } from '../support/memory-vault.ts'

testStore('in memory, slow,', openThrough(memoryEngine), { isShared: true })

/** What is asked of a writer, by the names of its methods. */
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

test('an edit that changes a name costs as few round trips in a large vault as in a small one', async () => {
  const callsIn = async (notes: number): Promise<readonly string[]> => {
    const links = Array.from({ length: notes }, (_, at) => [`Note ${at}.md`, `[[Note ${(at + 1) % notes}]] [[Hub]]`] as const)
    const vault = new MemoryVault(Object.fromEntries(links))
    const calls: string[] = []
    const engine = memoryEngine()
    const fed = await new FedVault(vault, { ...engine, index: counted<IndexWriter>(engine.index, calls) }).index()
    await fed.indexer.warm()
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
