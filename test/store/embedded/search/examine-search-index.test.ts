import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyseNote } from '../../../../src/search/words/scan.ts'
import { stemOf } from '../../../../src/search/words/stem.ts'
import { examineSearchIndex } from '../../../../src/store/embedded/examine.ts'
import { openSearchWriter } from '../../../../src/store/embedded/search/search-writer.ts'
import { openSqlite } from '../../../../src/store/embedded/sqlite.ts'
import { bagOf } from '../../../support/bag-of-words.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

/** A closed index of a few notes, on disk. */
async function written(): Promise<string> {
  const path = join(temporaryFolder(), 'search.db')
  const writer = openSearchWriter({ kind: 'file', path })
  const batch = await writer.beginWords(stemOf)
  const rest = { headings: [], tags: [], properties: [] }
  for (let key = 0; key < 20; key++) {
    const words = analyseNote({ ...rest, title: [`n${key}`], body: `common word${key}` })
    await batch.put([{ key, path: `n${key}.md`, version: 1, ...words }])
  }
  await batch.commit()
  const text = { hash: '00'.repeat(16), vector: bagOf('common', 8) }
  const chunks = [{ ...text, start: 0, end: 1, startLine: 1, endLine: 1 }]
  await writer.putVectors('m:8', [{ key: 0, path: 'n0.md', version: 1, content: '00'.repeat(32), chunks, names: [text] }])
  await writer.close()
  return path
}

const examine = (path: string) => examineSearchIndex({ kind: 'file', path })

function change(path: string, sql: string): void {
  const database = openSqlite(path)
  database.exec(sql)
  database.close()
}

test('none, and a sound one, which stays as it is', async () => {
  expect(examine('/nowhere/search.db')).toEqual({ state: 'absent' })
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
    ['a page of words that was changed', 'UPDATE page SET data = zeroblob(40)', 'damaged'],
    ['a page that is another', 'UPDATE page SET segment = segment + 1', 'damaged'],
    ['a header that was changed', 'UPDATE segment SET rank = rank + 1', 'damaged'],
    ['vectors that were changed', 'UPDATE vector SET data = zeroblob(40)', 'damaged'],
    ['parts that were changed', 'UPDATE coarse SET data = zeroblob(40)', 'damaged'],
    ['vectors of another note', 'UPDATE vector SET key = key + 1', 'damaged'],
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
