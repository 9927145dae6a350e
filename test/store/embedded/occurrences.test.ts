import { expect, onTestFinished, test, vi } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import { Graph } from '../../../src/graph/graph.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

test('scans the links of a note once for any number of targets', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `Missing ${at}`)
  const indexed = await new IndexedVault(new MemoryVault({ 'List.md': names.map((name) => `- [[${name}]]`).join('\n') })).index()
  onTestFinished(() => indexed.store.close())
  const pairs = names.map((name) => ['list.md', name.toLowerCase()] as unknown as readonly [NodeId, NodeId])
  const looked = vi.spyOn(Graph.prototype, 'findMissing')
  onTestFinished(() => looked.mockRestore())
  const found = await indexed.store.read((snapshot) => snapshot.occurrences([...pairs, ...pairs.slice(0, 1)]))
  expect(found.map((places) => places.map(({ line }) => line))).toEqual([...names.map((_, at) => [at + 1]), [1]])
  expect(looked.mock.calls.length).toBeLessThanOrEqual(3 * names.length)
})
