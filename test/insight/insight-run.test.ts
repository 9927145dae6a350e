import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Insight } from '../../src/core/insight/insight.ts'
import { InsightClient } from '../../src/workers/insight-client.ts'
import { memoryCache, runsHere } from '../support/insights.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

/** Stores no communities. They depend on the previous ones, so everything else is compared. */
const FORGETFUL = { communities: () => undefined, keepCommunities: () => {} }

const NAMES = ['Bees.md', 'Hive.md', 'beds/Roses.md', 'beds/Shears.md', 'Day.md', 'Bees 2.md']
const LINES = [
  'Bees make honey',
  'Roses need [[Shears]]',
  'Kind: plant',
  'See [[Bees]]',
  '# Links',
  'The hive is full',
  '知识管理',
]
const name = fc.constantFrom(...NAMES)
const text = fc.array(fc.constantFrom(...LINES), { maxLength: 5 }).map((lines) => lines.join('\n'))
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name, text }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), name, to: name }),
)

function apply(vault: MemoryVault, files: Map<string, string>, one: typeof edit extends fc.Arbitrary<infer T> ? T : never): void {
  const before = files.get(one.name)
  if (one.kind !== 'write' && before === undefined) return
  if (one.kind !== 'write') {
    files.delete(one.name)
    vault.remove(one.name)
  }
  if (one.kind === 'remove') return
  const [path, content] = one.kind === 'write' ? [one.name, one.text] : [one.to, before ?? '']
  files.set(path, content)
  vault.write(path, content)
}

function clientOf({ store, texts }: IndexedVault, cache = memoryCache()): InsightClient {
  return new InsightClient({
    kind: 'whole',
    store,
    texts,
    runs: runsHere(cache),
    file: 'unused',
    state: FORGETFUL,
    isIgnored: () => false,
  })
}

async function newest(client: InsightClient): Promise<Omit<Insight, 'generation'>> {
  for (;;) {
    const found = await client.follow({ wait: 10_000 })
    if (found?.isCurrent !== true) {
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    const { generation, ...rest } = found.insight
    return rest
  }
}

test('after any sequence of edits, reusing kept records gives the same insight as starting fresh', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
      const files = new Map<string, string>()
      const vault = new MemoryVault()
      const indexed = await new IndexedVault(vault).index()
      const following = clientOf(indexed)
      for (const edits of rounds) {
        for (const one of edits) apply(vault, files, one)
        await indexed.indexer.reconcile({ all: true })
        const fresh = await new IndexedVault(new MemoryVault(Object.fromEntries(files))).index()
        expect(await newest(following)).toEqual(await newest(clientOf(fresh)))
      }
    }),
    { numRuns: 100 },
  )
})

test('a stored result belongs to the same notes after they have been removed and restored', async () => {
  const files = { 'Bees.md': 'Bees make honey', 'beds/Roses.md': 'Roses', 'beds/Shears.md': 'See [[Bees]]' }
  const vault = new MemoryVault(files)
  const indexed = await new IndexedVault(vault).index()
  const client = clientOf(indexed)
  const before = await newest(client)
  // The notes exchange their keys.
  for (const path of Object.keys(files)) {
    vault.remove(path)
    await indexed.indexer.reconcile({ all: true })
  }
  for (const [path, content] of Object.entries(files)) {
    vault.write(path, content)
    await indexed.indexer.reconcile({ all: true })
  }
  expect(await newest(client)).toEqual(before)
})
