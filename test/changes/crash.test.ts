import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileChange } from '../../src/core/changes.ts'
import { RouxError } from '../../src/core/errors.ts'
import { ended, killProcesses, startWriter, writeTogether } from '../crash/processes.ts'
import { simulateKills } from '../crash/simulated-kills.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedDatabase, fatedFiles, makeWorld, sha, snapshot } from './rig.ts'

// These tests do not measure time; the limit only ends a test that hangs on a busy machine.
let program = ''

beforeAll(() => {
  const script = `import { bundle } from './test/crash/bundle.mjs'; console.log(await bundle('writers'))`
  program = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.trim()
})

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

describe('a process that dies', () => {
  test('a process that dies at any call leaves every file entirely old or entirely new', async () => {
    const { kills, killsInRecovery, losses } = await simulateKills(temporaryFolder(), { notes: 40, kills: 100, seed: 11 })
    expect(losses).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(100)
    expect(killsInRecovery).toBeGreaterThan(10)
  })

  test('a process that dies during a rotation of names leaves all notes as before or as requested', async () => {
    const files = { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' }
    // a → b → c → d.md, with rotated contents.
    const row: readonly FileChange[] = [
      { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('C') },
      { kind: 'move', from: 'a.md', to: 'd.md', before: sha('A') },
      { kind: 'replace', path: 'b.md', before: sha('B'), bytes: bytes('A') },
      { kind: 'replace', path: 'c.md', before: sha('C'), bytes: bytes('B') },
    ]
    const after = { 'b.md': 'A', 'c.md': 'B', 'd.md': 'C' }
    const ends = new Set<string>()
    for (let at = 0; ; at++) {
      const world = makeWorld(temporaryFolder(), files)
      const fate = new Fate(at)
      const dying = world.open({ fs: fatedFiles(fate), openDatabase: fatedDatabase(fate) })
      await dying.apply(row, { title: 'exchange' }).catch(() => {})
      dying.close()
      const next = world.open()
      await next.recover()
      next.close()
      ends.add(JSON.stringify(snapshot(world.root)))
      if (fate.calls <= at) break
    }
    expect([...ends].sort()).toEqual([JSON.stringify(files), JSON.stringify(after)].sort())
  })

  test('a process that dies during an undo leaves the change entirely applied or entirely undone', async () => {
    const files = { 'a.md': 'A', 'b.md': 'B' }
    const changes: readonly FileChange[] = [
      { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('A2') },
      { kind: 'create', path: 'f/c.md', bytes: bytes('C') },
      { kind: 'move', from: 'b.md', to: 'f/b.md', before: sha('B') },
    ]
    const done = { 'a.md': 'A2', 'f/': '', 'f/b.md': 'B', 'f/c.md': 'C' }
    const ends = new Set<string>()
    for (let at = 0; ; at++) {
      const world = makeWorld(temporaryFolder(), files)
      const writer = world.open()
      const { id } = await writer.apply(changes, { title: 'change' })
      const fate = new Fate(at)
      const dying = world.open({ fs: fatedFiles(fate), openDatabase: fatedDatabase(fate) })
      await dying.undo(id).catch(() => {})
      dying.close()
      await writer.recover()
      writer.close()
      ends.add(JSON.stringify(snapshot(world.root)))
      if (fate.calls <= at) break
    }
    expect([...ends].sort()).toEqual([JSON.stringify(files), JSON.stringify(done)].sort())
  })

  test('SIGKILL leaves all files of a change in the same version', async () => {
    const { losses, versions } = await killProcesses(temporaryFolder(), { program, kills: 4, seed: 12 })
    expect(losses).toEqual([])
    expect(versions).toBeGreaterThan(0)
  })
})

describe('concurrent writers', () => {
  test.each([false, true])('concurrent writers lose nothing (with a user editing files: %s)', async (human) => {
    const { losses, operations } = await writeTogether(temporaryFolder(), { program, operations: 100, human, seed: 13 })
    expect(losses).toEqual([])
    expect(operations).toBe(100)
  })

  test.runIf(process.platform !== 'win32')(
    'writers time out on a stopped writer and name it; its death releases the lock',
    async () => {
      const folder = temporaryFolder()
      const world = makeWorld(folder, { 'a.md': 'A' })
      const task = { root: world.root, state: world.state, name: 'h', operations: 0, seed: 1, log: join(folder, 'log') }
      const holder = startWriter(program, 'hold', task)
      await new Promise((resolve) => holder.stdout?.once('data', resolve))
      holder.kill('SIGSTOP')
      const writer = world.open({ lockTimeout: 150 })
      const change = [{ kind: 'create', path: 'b.md', bytes: bytes('B') }] as const
      const error = await writer.apply(change, { title: 'b' }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(RouxError)
      expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining(`process ${holder.pid}`) })
      holder.kill('SIGKILL')
      await ended(holder)
      await writer.apply(change, { title: 'b' })
      writer.close()
      expect(snapshot(world.root)).toEqual({ 'a.md': 'A', 'b.md': 'B' })
      expect(existsSync(join(world.root, 'held.md'))).toBe(false)
    },
  )
})
