import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Projection } from '../../../src/store/embedded/projection.ts'
import { acceptor, inScope, keysInScope } from '../../../src/store/embedded/scope.ts'
import { openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { openIndexer } from '../../support/indexers.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

async function opened(files: Readonly<Record<string, string>>) {
  const location = { kind: 'file', path: join(temporaryFolder(), 'index.db') } as const
  const vault = new MemoryVault(files)
  const writer = openIndexWriter(location)
  const indexer = openIndexer(vault, writer)
  const projection = new Projection(location)
  onTestFinished(async () => {
    projection.file.close()
    await writer.close()
  })
  return { vault, indexer, projection }
}

test('the notes of the whole vault are listed once per generation, others for each call', async () => {
  const { vault, indexer, projection } = await opened({ 'a.md': 'A.', 'folder/b.md': 'B.', 'c.png': '' })
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

test('a scope accepts the same files however often it is asked', async () => {
  const archived = '---\ntags: [archived]\n---\n'
  const { indexer, projection } = await opened({ 'a.md': 'A.', 'f/old.md': archived, 'c.png': '', 'd.canvas': '{}' })
  await indexer.reconcile({ all: true })
  projection.refresh()
  const kinds = ['note', 'canvas', 'attachment'] as const
  for (const scope of [{}, { kinds }, { kinds, withoutArchived: true }, { folder: 'f' }, { kinds: ['attachment'] as const }]) {
    const accept = acceptor(projection, scope)
    const files = new Set(inScope(projection, scope))
    for (let time = 0; time < 3_000; time++) expect(accept(time % 5)).toBe(files.has(time % 5))
  }
})
