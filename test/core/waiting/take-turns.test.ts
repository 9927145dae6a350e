import { expect, test } from 'vitest'
import { searchByTags } from '../../../src/app/find/list-nodes.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

const MANY = Array.from({ length: 1_000 }, (_, at) => `none ${at}`)

test('a search for very many names yields to other work and stops when its caller cancels', async () => {
  const { store } = await new IndexedVault(new MemoryVault({ 'a.md': '', 'b.md': '' })).index()
  const caller = new AbortController()
  setImmediate(() => caller.abort(new Error('gone')))
  const names = Array.from({ length: 300_000 }, (_, at) => `name ${at}`)
  const search = store.read((snapshot) => snapshot.names(names, 'similar', {}, { limit: 1, minimum: 0.5 }), caller.signal)
  await expect(search).rejects.toThrow('gone')
  await store.close()
})

test('names the first unknown tags and counts the others', async () => {
  const core = fakeCore(fakeStore({ 'a.md': { properties: { tags: ['x'] } } }))
  const { warnings } = await searchByTags(core, { tags: MANY, mode: 'any', limit: 1 })
  expect(warnings).toHaveLength(21)
  expect(warnings[0]?.message).toBe('No note has the tag "#none 0".')
  expect(warnings[20]?.message).toBe('980 more of the tags are unknown.')
})
