import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLogWriter } from '../../src/changes/graph-log.ts'
import { openChanges } from '../../src/changes/open-changes.ts'
import { forgetHistory, readHistory } from '../../src/changes/vault-history.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'

const openDatabase = (path: string) => openSqlite(path)

/** Writes a note in a folder and logs the commit. */
async function writeOnce(stateFolder: string, root: string, text: string): Promise<void> {
  const changes = openChanges({ root, stateFolder, openDatabase })
  const log = openLogWriter({ stateFolder, root, openDatabase, retention: { days: 30, bytes: 20_000_000 } })
  await changes.apply([{ kind: 'create', path: `${text}.md`, bytes: Buffer.from(`${text} in the text`) }], { title: text })
  const file = { kind: 'note', title: text, hash: '00' } as const
  log.append({
    lineage: text,
    base: 1,
    generation: 2,
    changes: { files: [{ to: `${text}.md`, after: file, time: 0 }], links: [] },
  })
  changes.close()
  log.close()
}

test('forgetting a vault removes its history completely and touches nothing else', async () => {
  const stateFolder = temporaryFolder()
  const [mine, other] = [temporaryFolder(), temporaryFolder()]
  await writeOnce(stateFolder, mine, 'secret')
  await writeOnce(stateFolder, other, 'public')
  const options = { stateFolder, root: mine, openDatabase }
  expect(readHistory(options)).toEqual({ changes: 1, commits: 1, unfinished: 0 })
  expect(forgetHistory(options)).toEqual({ changes: 1, commits: 1, unfinished: 0 })
  expect(readHistory(options)).toEqual({ changes: 0, commits: 0, unfinished: 0 })
  expect(readHistory({ ...options, root: other })).toEqual({ changes: 1, commits: 1, unfinished: 0 })
  for (const name of ['state.db', 'graph-log.db']) {
    const bytes = readFileSync(join(stateFolder, name)).toString('latin1')
    expect([name, bytes.includes('secret'), bytes.includes('public')]).toEqual([name, false, true])
  }
})

test('a running server keeps logging after its vault was forgotten', async () => {
  const stateFolder = temporaryFolder()
  const log = openLogWriter({ stateFolder, root: '/notes', openDatabase, retention: { days: 30, bytes: 20_000_000 } })
  onTestFinished(() => log.close())
  const changes = { files: [], links: [] }
  log.append({ lineage: 'a', base: 1, generation: 2, changes })
  expect(forgetHistory({ stateFolder, root: '/notes', openDatabase }).commits).toBe(1)
  log.append({ lineage: 'a', base: 2, generation: 3, changes })
  expect(readHistory({ stateFolder, root: '/notes', openDatabase }).commits).toBe(1)
})

test('forgetting an unknown vault does nothing and creates no file', () => {
  const options = { stateFolder: join(temporaryFolder(), 'state'), root: '/notes', openDatabase }
  expect(forgetHistory(options)).toEqual({ changes: 0, commits: 0, unfinished: 0 })
  expect(() => readFileSync(join(options.stateFolder, 'state.db'))).toThrow('ENOENT')
})
