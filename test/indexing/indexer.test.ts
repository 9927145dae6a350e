import { expect, test, vi } from 'vitest'
import { toNodeId } from '../../src/core/ids.ts'
import { ask } from '../support/ask.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

vi.mock('../../src/markdown/parse-note.ts', async (original) => {
  const actual = await original<typeof import('../../src/markdown/parse-note.ts')>()
  const parseNote: typeof actual.parseNote = (text, flavour) => {
    if (text.includes('unforeseen')) throw new RangeError('Maximum call stack size exceeded')
    return actual.parseNote(text, flavour)
  }
  return { ...actual, parseNote }
})

test('a note that cannot be read by a defect is told of, and keeps no other from being indexed', async () => {
  const { store, vault, indexer } = await new IndexedVault(
    new MemoryVault({ 'a.md': 'unforeseen [[b]]', 'b.md': '[[a]] #x' }),
  ).index()
  const problems = async () => (await ask(store).problems({}, { offset: 0, limit: 10 })).items
  expect(await problems()).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('A defect of Roux keeps it from reading this file') }),
  )
  expect((await ask(store).neighbors(toNodeId('a.md'), { direction: 'in' }, { offset: 0, limit: 10 })).items).toEqual(['b.md'])
  // Nothing changed: it is not read again.
  const { generation } = await ask(store).state()
  await indexer.reconcile({ all: true })
  expect((await ask(store).state()).generation).toBe(generation)
  vault.write('a.md', 'foreseen [[b]]')
  await indexer.reconcile({ all: true })
  expect(await problems()).toEqual([])
})
