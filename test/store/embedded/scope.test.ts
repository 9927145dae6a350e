import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Projection } from '../../../src/store/embedded/projection.ts'
import { inScope, keysInScope } from '../../../src/store/embedded/scope.ts'
import { openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { openIndexer } from '../../support/indexers.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

test('the notes of the whole vault are listed once per generation, others for each call', async () => {
  const location = { kind: 'file', path: join(temporaryFolder(), 'index.db') } as const
  const vault = new MemoryVault({ 'a.md': 'A.', 'folder/b.md': 'B.', 'c.png': '' })
  const writer = openIndexWriter(location)
  const indexer = openIndexer(vault, writer)
  const projection = new Projection(location)
  onTestFinished(async () => {
    projection.file.close()
    await writer.close()
  })
  const idsIn = (scope: Parameters<typeof inScope>[1]) => inScope(projection, scope).map((node) => projection.graph.id(node))
  await indexer.reconcile({ all: true })
  projection.refresh()
  const listed = inScope(projection, {})
  expect(idsIn({})).toEqual(['a.md', 'folder/b.md'])
  expect(inScope(projection, {})).toBe(listed)
  expect(keysInScope(projection, {})).toBe(keysInScope(projection, {}))
  expect(idsIn({ kinds: ['attachment'] })).toEqual(['c.png'])
  expect(idsIn({ folder: 'folder' })).toEqual(['folder/b.md'])
  expect(inScope(projection, { folder: 'folder' })).not.toBe(inScope(projection, { folder: 'folder' }))

  vault.write('d.md', 'D.')
  await indexer.reconcile({ all: true })
  projection.refresh()
  expect(idsIn({})).toEqual(['a.md', 'd.md', 'folder/b.md'])
  expect([...keysInScope(projection, {})]).toHaveLength(3)
})
