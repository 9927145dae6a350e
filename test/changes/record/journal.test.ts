import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { bytes, Fate, fatedDatabase, fatedFiles, makeWorld, sha, snapshot, type World } from '../rig.ts'

const DAY = 86_400_000

async function edit(world: World, n: number, options: Parameters<World['open']>[0] & { size?: number } = {}): Promise<void> {
  const writer = world.open(options)
  await writer.apply([{ kind: 'create', path: `n/${n}.bin`, bytes: randomBytes(options.size ?? 10) }], { title: `${n}` })
  writer.close()
}

function titles(world: World): readonly string[] {
  const reader = world.open()
  const found = reader.list(100).map(({ title }) => title)
  reader.close()
  return found
}

describe('the journal', () => {
  test('the journal is readable only by its owner', async () => {
    const world = makeWorld(temporaryFolder())
    await edit(world, 1)
    expect(statSync(world.state).mode & 0o777).toBe(0o700)
    expect(statSync(join(world.state, 'state.db')).mode & 0o777).toBe(0o600)
  })

  test("the journal's ids are in order of time, even if the clock goes back", async () => {
    const world = makeWorld(temporaryFolder())
    for (const [n, time] of [5000, 4000, 4000, 6000].entries()) await edit(world, n, { now: () => time })
    expect(titles(world)).toEqual(['3', '2', '1', '0'])
  })

  test('drops old entries, except the newest and unfinished ones', async () => {
    const world = makeWorld(temporaryFolder())
    const fate = new Fate('link')
    const dying = world.open({ fs: fatedFiles(fate), openDatabase: fatedDatabase(fate), now: () => 0 })
    await dying.apply([{ kind: 'create', path: 'x.md', bytes: bytes('X') }], { title: 'unfinished' }).catch(() => {})
    expect(fate.isDead).toBe(true)
    dying.close()
    const elsewhere = { ...world, open: (o = {}) => world.open({ root: temporaryFolder(), ...o }) }
    for (const [n, day] of [1, 2, 40, 41].entries()) await edit(elsewhere, n, { now: () => day * DAY })
    const reader = world.open()
    expect(reader.list(9)).toMatchObject([{ title: 'unfinished', state: 'applying' }])
    expect(await reader.recover()).toMatchObject([{ state: 'rolled_back' }])
    reader.close()
    expect(snapshot(world.root)).toEqual({})
  })

  test('shrinks its write-ahead log when idle', async () => {
    const world = makeWorld(temporaryFolder())
    const writer = world.open()
    const log = () => statSync(join(world.state, 'state.db-wal')).size
    await writer.apply([{ kind: 'create', path: 'large.bin', bytes: randomBytes(6_000_000) }], { title: 'large' })
    expect(log()).toBeGreaterThan(5_000_000)
    writer.tidy()
    expect(log()).toBe(0)
    expect(writer.list(1)).toMatchObject([{ title: 'large' }])
    writer.close()
  })

  test('keeps to its size limit', async () => {
    const world = makeWorld(temporaryFolder())
    for (let n = 0; n < 60; n++) await edit(world, n, { size: 20_000, retention: { days: 30, bytes: 500_000 } })
    const found = titles(world)
    expect(found[0]).toBe('59')
    expect(found.length).toBeGreaterThan(4)
    expect(found.length).toBeLessThan(30)
    expect(statSync(join(world.state, 'state.db')).size).toBeLessThan(700_000)
  })

  /** A journal as version 1 wrote it, with one change that made `a.md`. Never change this: later versions must read it too. */
  function writeVersion1(state: string, root: string): void {
    mkdirSync(state, { recursive: true })
    const database = openSqlite(join(state, 'state.db'))
    database.exec(`
      CREATE TABLE changes (id TEXT PRIMARY KEY, vault TEXT NOT NULL, root_inode TEXT NOT NULL, time INTEGER NOT NULL,
        title TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('applying', 'done', 'undone', 'rolled_back')),
        undoes TEXT, owner TEXT NOT NULL) STRICT;
      CREATE INDEX changes_of_vault ON changes (vault, id);
      CREATE INDEX changes_applying ON changes (vault) WHERE state = 'applying';
      CREATE INDEX changes_by_time ON changes (time);
      CREATE TABLE entries (change TEXT NOT NULL REFERENCES changes (id) ON DELETE CASCADE, position INTEGER NOT NULL,
        kind TEXT NOT NULL, path TEXT NOT NULL, target TEXT, before TEXT, after TEXT, mode INTEGER,
        PRIMARY KEY (change, position)) STRICT, WITHOUT ROWID;
      CREATE INDEX entries_before ON entries (before) WHERE before IS NOT NULL;
      CREATE INDEX entries_after ON entries (after) WHERE after IS NOT NULL;
      CREATE TABLE contents (hash TEXT PRIMARY KEY, deflated INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
      PRAGMA application_id = ${0x526f7801}; PRAGMA user_version = 1`)
    const owner = '{"pid":1,"started":0,"host":"here"}'
    const row = database.prepare(
      `INSERT INTO changes VALUES ('0mb000000-000', ?, ?, 1735689600000, 'Replace a', 'done', NULL, ?)`,
    )
    row.run(root, String(statSync(root).ino), owner)
    const entry = database.prepare(`INSERT INTO entries VALUES ('0mb000000-000', 0, 'replace', 'a.md', NULL, ?, ?, 420)`)
    entry.run(sha('before'), sha('after'))
    const content = database.prepare('INSERT INTO contents VALUES (?, 0, ?)')
    for (const text of ['before', 'after']) content.run(sha(text), bytes(text))
    database.close()
  }

  test('a journal of version 1 is readable, and its changes can be undone', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'after' })
    writeVersion1(world.state, world.root)
    const writer = world.open()
    expect(writer.list(9)).toMatchObject([{ id: '0mb000000-000', title: 'Replace a', state: 'done' }])
    await writer.undo('0mb000000-000')
    expect(snapshot(world.root)).toEqual({ 'a.md': 'before' })
    expect(writer.list(9)).toMatchObject([{ title: 'Undo: Replace a' }, { state: 'undone' }])
    writer.close()
  })

  test('the journal refuses writes with a hint if it is newer, damaged or not writable', async () => {
    const world = makeWorld(temporaryFolder())
    await edit(world, 1)
    const path = join(world.state, 'state.db')
    const database = openSqlite(path)
    database.exec('PRAGMA user_version = 99')
    database.close()
    await expect(edit(world, 2)).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('another version'),
    })
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
    writeFileSync(path, 'no database at all, but long enough to be looked at. '.repeat(100))
    await expect(edit(world, 2)).rejects.toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('damaged') })
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await expect(
      edit({ ...world, open: (o) => world.open({ ...o, stateFolder: join(file, 'state') }) }, 3),
    ).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    })
  })

  test('waits to recover a disconnected vault until it is back', async () => {
    const folder = temporaryFolder()
    const world = makeWorld(folder, { 'a.md': 'A' })
    const fate = new Fate('rename')
    const dying = world.open({ fs: fatedFiles(fate), openDatabase: fatedDatabase(fate) })
    const changes = [{ kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('B') }] as const
    await dying.apply(changes, { title: 't' }).catch(() => {})
    expect(fate.isDead).toBe(true)
    dying.close()
    renameSync(world.root, `${world.root}-away`)
    const writer = world.open()
    await expect(writer.recover()).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
    mkdirSync(world.root)
    expect(await writer.recover()).toMatchObject([{ state: 'applying' }])
    renameSync(world.root, `${world.root}-empty`)
    renameSync(`${world.root}-away`, world.root)
    expect(await writer.recover()).toMatchObject([{ state: 'rolled_back' }])
    writer.close()
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A' })
  })
})
