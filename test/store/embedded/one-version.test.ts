import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ExportRow } from '../../../src/core/store.ts'
import type { Location } from '../../../src/store/embedded/location.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const FILES = { 'a.md': '[[b]] [[c]]', 'b.md': 'b', 'c.md': '[[gone]]' }

async function exportable(where: 'memory' | 'file') {
  const vault = new MemoryVault(FILES)
  const location: Location | undefined =
    where === 'file' ? { kind: 'file', path: join(temporaryFolder(), 'index.db') } : undefined
  const indexed = await new IndexedVault(vault, location === undefined ? {} : { location }).index()
  const change = async () => {
    vault.remove('b.md')
    vault.write('gone.md', '[[new]]')
    vault.write('new.md', 'new')
    vault.write('a.md', '[[new]] [[gone]]')
    await indexed.indexer.reconcile({ all: true })
    indexed.store.refresh()
  }
  return { store: indexed.store, change, location }
}

async function rowsOf(rows: AsyncIterable<ExportRow>): Promise<readonly ExportRow[]> {
  const all: ExportRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe.each(['memory', 'file'] as const)('exports of an index in a %s', (where) => {
  test('show one generation, whenever a commit happens during them', async () => {
    const expected = await rowsOf((await exportable(where)).store.export())
    for (let stop = 0; stop < expected.length; stop++) {
      const { store, change } = await exportable(where)
      const rows: ExportRow[] = []
      for await (const row of store.export()) {
        if (rows.length === stop) await change()
        rows.push(row)
      }
      expect(rows, `a commit after row ${stop}`).toEqual(expected)
    }
  })

  test('that run concurrently each list the state at their start', async () => {
    const { store, change } = await exportable(where)
    const older = store.export()[Symbol.asyncIterator]()
    await older.next()
    await change()
    const newer = await rowsOf(store.export())
    const rest = await rowsOf({ [Symbol.asyncIterator]: () => older })
    expect(rest).toContainEqual(expect.objectContaining({ kind: 'edge', source: 'a.md', target: 'b.md' }))
    expect(newer).toContainEqual(expect.objectContaining({ kind: 'edge', source: 'a.md', target: 'new.md' }))
    expect(newer).not.toContainEqual(expect.objectContaining({ target: 'b.md' }))
  })

  test('that are stopped early do not hide later commits', async () => {
    const { store, change } = await exportable(where)
    for await (const _row of store.export()) break
    await change()
    expect(await rowsOf(store.export())).toContainEqual(expect.objectContaining({ kind: 'node', id: 'new.md' }))
  })
})

test('a finished or stopped export does not block writers', async () => {
  const { store, location } = await exportable('file')
  await rowsOf(store.export())
  for await (const _row of store.export()) break
  const database = openSqlite(location?.kind === 'file' ? location.path : '')
  database.exec('PRAGMA busy_timeout = 0')
  expect(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
  database.close()
})
