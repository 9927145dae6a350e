import { expect, test } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import { ask } from '../../support/ask.ts'
import { BagOfWords } from '../../support/bag-of-words.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { answersOf, SearchRig } from './search/search-rig.ts'

test('a store that dropped its caches gives the same answers', async () => {
  const links = Array.from({ length: 150 }, (_, at) => `[[${at}]] is a note.`).join('\n')
  const vault = new MemoryVault({ 'hub.md': links, 'a.md': 'Apples and [[hub]].', 'b.md': 'Bananas.' })
  const bag = new BagOfWords()
  const rig = await new SearchRig(vault, bag).finish()
  const answers = async () => ({
    found: await answersOf(rig.store, bag.id, ['apples', 'note']),
    links: await ask(rig.store).occurrences([['hub.md' as NodeId, '149' as NodeId]]),
  })
  const before = await answers()
  expect(before.links[0]).toHaveLength(1)
  rig.store.releaseMemory()
  expect(await answers()).toEqual(before)
})
