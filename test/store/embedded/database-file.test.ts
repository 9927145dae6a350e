import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DatabaseFile } from '../../../src/store/embedded/database-file.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const KIND = { applicationId: 7, format: 1, schema: 'CREATE TABLE t (x BLOB);' }

/** A database whose log is as large as the data just written. */
function written(megabytes: number) {
  const path = join(temporaryFolder(), 'x.db')
  const file = new DatabaseFile({ kind: 'file', path }, KIND)
  onTestFinished(() => file.close())
  file.write((database) => database.prepare('INSERT INTO t VALUES (?)').run(new Uint8Array(megabytes * 1_000_000)))
  return { file, path, log: () => statSync(`${path}-wal`).size }
}

test('empties a large log when idle, and reuses a small one', () => {
  const large = written(6)
  expect(large.log()).toBeGreaterThan(6_000_000)
  large.file.tidy()
  expect(large.log()).toBe(0)
  const small = written(1)
  small.file.tidy()
  expect(small.log()).toBeGreaterThan(1_000_000)
})

test('gives the space of deleted rows back when idle', async () => {
  const { file, path } = written(6)
  file.tidy()
  const full = statSync(path).size
  file.write((database) => database.exec('DELETE FROM t'))
  expect(full).toBeGreaterThan(6_000_000)
  const sizeAfterTidying = (): number => {
    file.tidy()
    return statSync(path).size
  }
  // On a busy machine, one round does not get enough time.
  await expect.poll(sizeAfterTidying).toBeLessThan(100_000)
})

test('does not wait for readers, which continue undisturbed', () => {
  const { file, path, log } = written(6)
  const reader = openSqlite(path, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('BEGIN')
  const count = () => reader.prepare('SELECT count(*) AS n FROM t').get()
  expect(count()).toEqual({ n: 1 })
  file.write((database) => database.exec('DELETE FROM t'))
  file.tidy()
  expect(log()).toBeGreaterThan(0)
  expect(count()).toEqual({ n: 1 })
  reader.exec('COMMIT')
  file.tidy()
  expect(log()).toBe(0)
  expect(count()).toEqual({ n: 0 })
})
