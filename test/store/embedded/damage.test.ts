import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../src/core/errors.ts'
import { DamagedIndex, isDamage, isUnwritable, openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../../support/temporary.ts'

/** The error that an action throws. */
function thrown(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('damage', () => {
  test("includes SQLite's errors for a damaged file or foreign schema, and our own checks", () => {
    const file = join(temporaryFolder(), 'index.db')
    writeFileSync(file, 'This is no database.\n'.repeat(500))
    const memory = openSqlite(':memory:')
    expect(isDamage(thrown(() => openSqlite(file).prepare('SELECT * FROM meta').all()))).toBe(true)
    expect(isDamage(thrown(() => memory.prepare('SELECT * FROM meta')))).toBe(true)
    const large = memory.prepare('SELECT 4049358609331597878 AS key')
    expect([isDamage(thrown(() => large.all())), isDamage(thrown(() => large.get()))]).toEqual([true, true])
    expect(isDamage(new DamagedIndex('a row differs from what was written'))).toBe(true)
  })

  test("never includes a caller's text or a path", () => {
    const parts = ['malformed', 'corrupt', 'no such table', 'not a database']
    for (const words of parts) {
      expect(isDamage(new RouxError('INVALID_PARAMS', `The query ${words} ( does not parse.`))).toBe(false)
      expect(isDamage(Object.assign(new Error(`ENOENT: no such file, open '/${words}/a.md'`), { code: 'ENOENT' }))).toBe(false)
      expect(isDamage(new Error(`the embedder answered: ${words}`))).toBe(false)
    }
  })
})

describe('unwritable places', () => {
  test("include SQLite's and the file system's errors", () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const memory = openSqlite(':memory:')
    memory.exec('CREATE TABLE a (x); PRAGMA max_page_count = 2')
    expect(isUnwritable(thrown(() => memory.exec(`INSERT INTO a VALUES ('${'x'.repeat(20_000)}')`)))).toBe(true)
    memory.exec('PRAGMA query_only = 1')
    expect(isUnwritable(thrown(() => memory.exec('INSERT INTO a VALUES (1)')))).toBe(true)
    expect(isUnwritable(thrown(() => openSqlite(folder)))).toBe(true)
    expect(isUnwritable(thrown(() => mkdirSync(join(folder, 'file', 'cache'))))).toBe(true)
  })

  test("never include a path's name", () => {
    const named = Object.assign(new Error(`ENOENT: no such file, open '/read-only/EACCES/a.md'`), { code: 'ENOENT' })
    expect(isUnwritable(named)).toBe(false)
    expect(isUnwritable(new Error('the embedder is read-only'))).toBe(false)
  })
})
