import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { examineIndex } from '../../../src/store/embedded/examine.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { openIndexer } from '../../support/indexers.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

/** A closed index of a few files, one of which is gone, on disk. */
async function written(): Promise<string> {
  const path = join(temporaryFolder(), 'index.db')
  const writer = openIndexWriter({ kind: 'file', path })
  const vault = new MemoryVault({ 'a.md': '[[b]] [[gone]]', 'b.md': '# B', 'c.md': '[[a]]', 'p.png': '' })
  const indexer = openIndexer(vault, writer)
  await indexer.reconcile({ all: true })
  vault.remove('c.md')
  await indexer.reconcile({ all: true })
  await writer.close()
  return path
}

const examine = (path: string) => examineIndex({ kind: 'file', path })

function change(path: string, sql: string): void {
  const database = openSqlite(path)
  database.exec(sql)
  database.close()
}

test('none, and a sound one, which stays as it is', async () => {
  expect(examine('/nowhere/index.db')).toEqual({ state: 'absent' })
  const path = await written()
  const before = readFileSync(path)
  expect(examine(path)).toEqual({ state: 'present' })
  expect(readFileSync(path).equals(before)).toBe(true)
})

describe('what is wrong', () => {
  test.each([
    ['another program', 'PRAGMA application_id = 7', 'foreign'],
    ['a newer version', 'PRAGMA user_version = 999', 'newer'],
    ['an older version', 'PRAGMA user_version = 1', 'older'],
    ['what the last commit left was changed', "UPDATE meta SET value = replace(value, '[', '{')", 'damaged'],
    ['a row that was changed', "UPDATE file SET hot = replace(hot, 'b.md', 'x.md')", 'damaged'],
    ['a row that is elsewhere', "UPDATE file SET key = 9 WHERE stat LIKE '%b.md%'", 'damaged'],
    ['a row that is gone', "DELETE FROM file WHERE stat LIKE '%p.png%'", 'damaged'],
    ['a stat that was changed', "UPDATE file SET stat = replace(stat, 'b.md', 'x.md')", 'damaged'],
    ['mentions that were changed', "UPDATE file SET mentions = replace(mentions, 'gone', 'good')", 'damaged'],
    ['what is known of a note was changed', "UPDATE info SET data = replace(data, 'B', 'C')", 'damaged'],
    ['what is known of a note is gone', 'DELETE FROM info', 'damaged'],
    ['links that were changed', "UPDATE links SET data = replace(data, 'gone', 'good')", 'damaged'],
    ['links of another note', 'UPDATE links SET key = key + 1', 'damaged'],
    ['links that are gone', 'DELETE FROM links', 'damaged'],
  ])('%s', async (_, sql, state) => {
    const path = await written()
    change(path, sql)
    expect(examine(path).state).toBe(state)
  })

  test('no database at all', async () => {
    const path = await written()
    writeFileSync(path, 'not a database, but long enough to be looked at as one'.repeat(100))
    expect(examine(path)).toMatchObject({ state: 'damaged', message: expect.any(String) })
  })
})
