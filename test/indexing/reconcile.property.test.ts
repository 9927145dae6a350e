import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { ask } from '../support/ask.ts'
import { exported, IndexedVault, MemoryVault } from '../support/memory-vault.ts'
import { operation, perform } from './vault-operations.ts'

/** The whole graph and its problems, without state that depends on history. */
async function factsOf(indexed: { readonly store: Store }) {
  const problems = await ask(indexed.store).problems({}, { offset: 0, limit: 10_000 })
  const tags = await ask(indexed.store).tags()
  const hubs = (await ask(indexed.store).hubs('in_degree', {}, 50))?.items
  const { items } = await ask(indexed.store).select(
    { kinds: ['note', 'attachment', 'canvas', 'missing'] },
    { offset: 0, limit: 1_000 },
  )
  const names = await ask(indexed.store).named('other', {}, 'similar', { limit: 50, minimum: 0.2 })
  const neighbors = await Promise.all(
    items.map(({ id }) =>
      ask(indexed.store).neighbors(id, { direction: 'both', kinds: ['note', 'missing'] }, { offset: 0, limit: 100 }),
    ),
  )
  return { rows: sorted(await exported(indexed.store)), problems, tags, hubs, items, names, neighbors }
}

function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

describe.each([
  { profile: 'lenient', mode: 'obsidian' },
  { profile: 'obsidian', mode: 'obsidian' },
  { profile: 'lenient', mode: 'docs' },
  { profile: 'lenient', mode: 'foam' },
  { profile: 'lenient', mode: 'logseq' },
  { profile: 'lenient', mode: 'auto' },
] as const)('$profile, $mode', (flavor) => {
  test('after any sequence of changes, the index equals one built from scratch', async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom('files', 'folders', 'trees'), async (steps, reported) => {
        const vault = new MemoryVault({ 'start.md': '[[a]] [[f/b]] [[Alias]]' })
        const indexed = await new IndexedVault(vault, flavor).index()
        await factsOf(indexed)
        for (const batch of steps) {
          const touched = batch.flatMap((step) => perform(vault, step))
          // A watcher may report files, folders, or folders with everything below.
          await indexed.indexer.reconcile(
            reported === 'files'
              ? { all: false, folders: [], files: touched }
              : {
                  all: false,
                  folders: touched.map((path) => ({
                    path: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
                    recursive: reported === 'trees',
                  })),
                  files: [],
                },
          )
        }
        const fresh = await new IndexedVault(vault, flavor).index()
        expect(await factsOf(indexed)).toEqual(await factsOf(fresh))
        // A full comparison changes nothing, because nothing is left to do.
        const { generation } = await ask(indexed.store).state()
        await indexed.indexer.reconcile({ all: true })
        expect((await ask(indexed.store).state()).generation).toBe(generation)
      }),
      { numRuns: 75 },
    )
  })
})
