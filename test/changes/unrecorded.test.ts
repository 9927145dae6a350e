import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OpenDatabase } from '../../src/changes/record/state-database.ts'
import type { FileChange } from '../../src/core/changes.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedFiles, makeWorld, quickFiles, sha, snapshot } from './rig.ts'

const FILES = { 'a.md': 'A', 'b.md': 'B' }
const CHANGES: readonly FileChange[] = [
  { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('A2') },
  { kind: 'replace', path: 'b.md', before: sha('B'), bytes: bytes('B2') },
  { kind: 'create', path: 'c.md', bytes: bytes('C') },
]
const DONE = { 'a.md': 'A2', 'b.md': 'B2', 'c.md': 'C' }

/** Databases that cannot record the end of a change while the disk is full. */
function fillingDisk() {
  const disk = { isFull: true }
  const open: OpenDatabase = (path) => {
    const database = openSqlite(path)
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        if (disk.isFull && sql.startsWith('UPDATE changes')) throw new Error('database or disk is full')
        return database.prepare(sql)
      },
      close: () => database.close(),
    }
  }
  return { disk, open }
}

test('a change whose end cannot be recorded is completed, and the caller is told', async () => {
  const world = makeWorld(temporaryFolder(), FILES)
  const { disk, open } = fillingDisk()
  const writer = world.open({ openDatabase: open })
  const applied = await writer.apply(CHANGES, { title: 'full' })
  expect(applied.notes).toEqual([expect.stringContaining('no space for the change history')])
  expect(snapshot(world.root)).toEqual(DONE)
  // While the disk is full, no other change is made, because it could not be undone.
  await expect(writer.apply([{ kind: 'create', path: 'd.md', bytes: bytes('D') }], { title: 'next' })).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
  })
  disk.isFull = false
  const next = await writer.apply([{ kind: 'create', path: 'd.md', bytes: bytes('D') }], { title: 'next' })
  expect(next.notes).toEqual([])
  expect(snapshot(world.root)).toEqual({ ...DONE, 'd.md': 'D' })
  expect(writer.list(9).map(({ state }) => state)).toEqual(['done', 'done'])
  await writer.undo(next.id)
  await writer.undo(applied.id)
  writer.close()
  expect(snapshot(world.root)).toEqual(FILES)
})

test.each(['the same process', 'another one', 'one after its death'])(
  'recovery by %s keeps a completed change with later edits',
  async (who) => {
    const world = makeWorld(temporaryFolder(), FILES)
    const { disk, open } = fillingDisk()
    const writer = world.open({ openDatabase: open })
    const { id } = await writer.apply(CHANGES, { title: 'full' })
    // This is the state after a change that was applied only in part, followed by an edit.
    writeFileSync(join(world.root, 'a.md'), 'A')
    writeFileSync(join(world.root, 'b.md'), 'by hand')
    rmSync(join(world.root, 'c.md'))
    const edited = snapshot(world.root)
    if (who === 'one after its death') writer.close()
    const next = who === 'the same process' ? writer : world.open()
    disk.isFull = false
    expect(await next.recover()).toMatchObject([{ id, state: 'done', kept: [] }])
    expect(snapshot(world.root)).toEqual(edited)
    expect(next.list(1)).toMatchObject([{ id, state: 'done' }])
    expect(await next.recover()).toEqual([])
    next.close()
    writer.close()
  },
)

test('a rolled-back change reports its cause, even if that cannot be recorded', async () => {
  const world = makeWorld(temporaryFolder(), FILES)
  const { disk, open } = fillingDisk()
  const writer = world.open({ openDatabase: open, fs: fatedFiles(new Fate('rename', 'EACCES'), quickFiles) })
  await expect(writer.apply(CHANGES, { title: 'denied' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(snapshot(world.root)).toEqual(FILES)
  // Later edits by hand do not belong to the change.
  writeFileSync(join(world.root, 'c.md'), 'C')
  disk.isFull = false
  await writer.recover()
  expect(writer.list(1).map(({ state }) => state)).toEqual(['rolled_back'])
  writer.close()
  expect(snapshot(world.root)).toEqual({ ...FILES, 'c.md': 'C' })
})

test('an undo whose end cannot be recorded is completed, and is not repeated', async () => {
  const world = makeWorld(temporaryFolder(), FILES)
  const { disk, open } = fillingDisk()
  disk.isFull = false
  const writer = world.open({ openDatabase: open })
  const { id } = await writer.apply(CHANGES, { title: 'change' })
  disk.isFull = true
  const undone = await writer.undo(id)
  expect(undone.notes).toHaveLength(1)
  expect(snapshot(world.root)).toEqual(FILES)
  disk.isFull = false
  await expect(writer.undo(id)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(writer.list(2).map(({ state }) => state)).toEqual(['done', 'undone'])
  writer.close()
})

/** Files that store the end of changes that the journal could not record. */
const markers = (state: string) => readdirSync(join(state, 'locks')).filter((name) => /\.(?:done|rolled_back)$/.test(name))

test('a change whose journal was removed is completed, and the caller learns that it cannot be undone', async () => {
  const world = makeWorld(temporaryFolder(), FILES)
  const writer = world.open()
  const { notes } = await writer.apply(CHANGES, {
    title: 'emptied',
    onBegun: () => {
      for (const ending of ['', '-wal', '-shm']) rmSync(join(world.state, `state.db${ending}`), { force: true })
    },
  })
  expect(notes).toEqual(['The change was made; do not repeat it. However, its record has been removed, so it cannot be undone.'])
  expect(snapshot(world.root)).toEqual(DONE)
  expect(markers(world.state)).toEqual([])
  expect(writer.list(9)).toEqual([])
  writer.close()
})

test('removes outcome files once the journal contains their outcomes, and keeps those of other vaults', async () => {
  const folder = temporaryFolder()
  const world = makeWorld(folder, FILES)
  const other = makeWorld(join(folder, 'other'))
  const { disk, open } = fillingDisk()
  const writer = world.open({ openDatabase: open })
  const { id } = await writer.apply(CHANGES, { title: 'full' })
  writer.close()
  disk.isFull = false
  writeFileSync(join(world.state, 'locks', '000000001-abc.rolled_back'), '')
  expect(markers(world.state)).toEqual(['000000001-abc.rolled_back', `${id}.done`].sort())
  const next = other.open({ stateFolder: world.state })
  await next.apply([{ kind: 'create', path: 'd.md', bytes: bytes('D') }], { title: 'elsewhere' })
  next.close()
  expect(markers(world.state)).toEqual([`${id}.done`])
  const last = world.open()
  expect(await last.recover()).toMatchObject([{ id, state: 'done' }])
  last.close()
  expect(markers(world.state)).toEqual([])
})
