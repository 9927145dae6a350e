import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedDatabase, fatedFiles, makeWorld, sha, snapshot, type World } from './rig.ts'

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

describe('the record', () => {
  test('is readable by its owner only', async () => {
    const world = makeWorld(temporaryFolder())
    await edit(world, 1)
    expect(statSync(world.state).mode & 0o777).toBe(0o700)
    expect(statSync(join(world.state, 'state.db')).mode & 0o777).toBe(0o600)
  })

  test('has ids that sort by time, also when the clock goes back', async () => {
    const world = makeWorld(temporaryFolder())
    for (const [n, time] of [5000, 4000, 4000, 6000].entries()) await edit(world, n, { now: () => time })
    expect(titles(world)).toEqual(['3', '2', '1', '0'])
  })

  test('forgets what is old, but neither the newest nor what is unfinished', async () => {
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

  test('gives back the space of its log when nothing is to do', async () => {
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

  test('keeps to its size', async () => {
    const world = makeWorld(temporaryFolder())
    for (let n = 0; n < 60; n++) await edit(world, n, { size: 20_000, retention: { days: 30, bytes: 500_000 } })
    const found = titles(world)
    expect(found[0]).toBe('59')
    expect(found.length).toBeGreaterThan(4)
    expect(found.length).toBeLessThan(30)
    expect(statSync(join(world.state, 'state.db')).size).toBeLessThan(700_000)
  })

  test('of a newer version, damaged, or in a closed place refuses writes with what to do', async () => {
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

  test('of a drive that is not connected waits until it is', async () => {
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
