import { expect, test } from 'vitest'
import { Rankings } from '../../../src/app/links/rankings.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

async function opened(isKeptElsewhere: () => boolean) {
  const vault = new MemoryVault({ 'a.md': '[[b]]', 'b.md': '' })
  const { store, indexer } = await new IndexedVault(vault).index()
  const runs: string[] = []
  const rankings = new Rankings(
    store,
    {
      run: async (metric, { targets }) => {
        runs.push(`${metric} of ${targets.length} links`)
        return { scores: new Float64Array(3) }
      },
    },
    isKeptElsewhere,
  )
  const edit = async () => {
    vault.write('c.md', '[[a]]')
    await indexer.reconcile({ all: true })
  }
  return { rankings, runs, edit }
}

test('computes scores that belong to another process only when there are none', async () => {
  const { rankings, runs, edit } = await opened(() => true)
  await rankings.follow('pagerank', { wait: 10_000 })
  await edit()
  await rankings.follow('pagerank', { wait: 10_000 })
  expect(runs).toEqual(['pagerank of 1 links'])
})

test('updates scores once per generation', async () => {
  const { rankings, runs, edit } = await opened(() => false)
  await rankings.update('pagerank')
  await rankings.update('pagerank')
  await edit()
  await rankings.update('pagerank')
  expect(runs).toEqual(['pagerank of 1 links', 'pagerank of 2 links'])
})
