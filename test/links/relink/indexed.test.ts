import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toVaultPath } from '../../../src/core/ids.ts'
import { exported, IndexedVault, MemoryVault } from '../../support/memory-vault.ts'
import { FLAVOURS, moves, possible, vault } from './random-vaults.ts'
import { applyPlan, TextVault } from './rig.ts'

type Moves = Readonly<Record<string, string>>

/** The graph as paths, with the names that the files will have. */
async function graphOf(indexed: IndexedVault, moved: Moves = {}): Promise<readonly string[]> {
  const rows = await exported(indexed.store)
  const paths = new Map<string, string>()
  for (const row of rows) if (row.kind === 'node') paths.set(row.id, moved[row.path] ?? row.path)
  const named = (id: string) => paths.get(id) ?? id
  return rows
    .flatMap((row) => {
      if (row.kind === 'edge') return [`${named(row.source)} ${row.count}x ${row.kinds} ${named(row.target)}`]
      return row.kind === 'unresolved' ? [`${named(row.source)} ${row.count}x missing ${row.target}`] : []
    })
    .sort()
}

describe.each(FLAVOURS)('$profile, $mode', (flavour) => {
  test('the graph stays the same but for the moved files, indexed on or from scratch', async () => {
    await fc.assert(
      fc.asyncProperty(vault, moves, async (files, wanted) => {
        const moved = possible(files, wanted)
        const { plan } = new TextVault(files, flavour).move(moved)
        fc.pre(plan.lost.length + plan.gained.length === 0)
        const memory = new MemoryVault(files)
        const indexed = await new IndexedVault(memory, flavour).index()
        const before = await graphOf(indexed, moved)
        for (const [path, text] of Object.entries(applyPlan(files, plan))) memory.write(path, text)
        for (const [from, to] of Object.entries(moved)) {
          memory.write(to, memory.read(toVaultPath(from)) ?? '')
          memory.remove(from)
        }
        await indexed.index()
        expect(await graphOf(indexed)).toEqual(before)
        expect(await graphOf(await new IndexedVault(memory, flavour).index())).toEqual(before)
      }),
      { numRuns: 25 },
    )
  })
})
