import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { analyzeNote } from '../../../src/search/words/scan.ts'
import { stemOf } from '../../../src/search/words/stem.ts'
import { examineIndex, examineSearchIndex } from '../../../src/store/embedded/examine.ts'
import { openSearchWriter } from '../../../src/store/embedded/search/search-writer.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { openIndexWriter } from '../../../src/store/embedded/writer.ts'
import { bagOf } from '../../support/bag-of-words.ts'
import { openIndexer } from '../../support/indexers.ts'
import { MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

type Harm = readonly [what: string, sql: string]

/** A closed index of a few files on disk, one of them deleted. */
async function writtenIndex(): Promise<string> {
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

/** A closed search index of a few notes, on disk. */
async function writtenSearchIndex(): Promise<string> {
  const path = join(temporaryFolder(), 'search.db')
  const writer = openSearchWriter({ kind: 'file', path })
  const batch = await writer.beginWords(stemOf)
  const rest = { headings: [], tags: [], properties: [] }
  for (let key = 0; key < 20; key++) {
    const words = analyzeNote({ ...rest, title: [`n${key}`], body: `common word${key}` })
    await batch.put([{ key, path: `n${key}.md`, version: 1, ...words }])
  }
  await batch.commit()
  const text = { hash: '00'.repeat(16), vector: bagOf('common', 8) }
  const chunks = [{ ...text, start: 0, end: 1, startLine: 1, endLine: 1 }]
  await writer.putVectors('m:8', [{ key: 0, path: 'n0.md', version: 1, content: '00'.repeat(32), chunks, names: [text] }])
  await writer.close()
  return path
}

const BOTH: readonly (readonly [...Harm, state: string])[] = [
  ['another program', 'PRAGMA application_id = 7', 'foreign'],
  ['a newer version', 'PRAGMA user_version = 999', 'newer'],
  ['an older version', 'PRAGMA user_version = 1', 'older'],
]
const OF_INDEX: readonly Harm[] = [
  ['what the last commit left was changed', "UPDATE meta SET value = replace(value, '[', '{')"],
  ['a row that was changed', "UPDATE file SET hot = replace(hot, 'b.md', 'x.md')"],
  ['a row that is elsewhere', "UPDATE file SET key = 9 WHERE stat LIKE '%b.md%'"],
  ['a row that is gone', "DELETE FROM file WHERE stat LIKE '%p.png%'"],
  ['a stat that was changed', "UPDATE file SET stat = replace(stat, 'b.md', 'x.md')"],
  ['mentions that were changed', "UPDATE file SET mentions = replace(mentions, 'gone', 'good')"],
  ['what is known of a note was changed', "UPDATE info SET data = replace(data, 'B', 'C')"],
  ['what is known of a note is gone', 'DELETE FROM info'],
  ['links that were changed', "UPDATE links SET data = replace(data, 'gone', 'good')"],
  ['links of another note', 'UPDATE links SET key = key + 1'],
  ['links that are gone', 'DELETE FROM links'],
]
const OF_SEARCH: readonly Harm[] = [
  ['a page of words that was changed', 'UPDATE page SET data = zeroblob(40)'],
  ['a page that is another', 'UPDATE page SET segment = segment + 1'],
  ['a header that was changed', 'UPDATE segment SET rank = rank + 1'],
  ['vectors that were changed', 'UPDATE vector SET data = zeroblob(40)'],
  ['parts that were changed', 'UPDATE coarse SET data = zeroblob(40)'],
  ['vectors of another note', 'UPDATE vector SET key = key + 1'],
]

describe.each([
  { name: 'an index', written: writtenIndex, look: examineIndex, harms: OF_INDEX },
  { name: 'a search index', written: writtenSearchIndex, look: examineSearchIndex, harms: OF_SEARCH },
])('$name', ({ written, look, harms }) => {
  const examine = (path: string) => look({ kind: 'file', path })

  test('can be missing, or sound and unchanged', async () => {
    expect(examine('/nowhere/index.db')).toEqual({ state: 'absent' })
    const path = await written()
    const before = readFileSync(path)
    expect(examine(path)).toEqual({ state: 'present' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test.each([...BOTH, ...harms.map(([what, sql]) => [what, sql, 'damaged'] as const)])('%s', async (_, sql, state) => {
    const path = await written()
    const database = openSqlite(path)
    database.exec(sql)
    database.close()
    expect(examine(path).state).toBe(state)
  })

  test('is damaged if it is not a database', async () => {
    const path = await written()
    writeFileSync(path, 'not a database, but long enough to be looked at as one'.repeat(100))
    expect(examine(path)).toMatchObject({ state: 'damaged', message: expect.any(String) })
  })
})
