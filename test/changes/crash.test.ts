import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RouxError } from '../../src/core/errors.ts'
import { ended, killProcesses, startWriter, writeTogether } from '../crash/processes.ts'
import { simulateKills } from '../crash/simulated-kills.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, makeWorld, snapshot } from './rig.ts'

let program = ''

beforeAll(() => {
  const script = `import { bundle } from './test/crash/bundle.mjs'; console.log(await bundle('writers'))`
  program = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.trim()
})

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

describe('a process that dies', () => {
  test('at any call leaves every file wholly old or wholly new', async () => {
    const { kills, killsInRecovery, losses } = await simulateKills(temporaryFolder(), { notes: 40, kills: 100, seed: 11 })
    expect(losses).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(100)
    expect(killsInRecovery).toBeGreaterThan(10)
  })

  test('by SIGKILL leaves all files of a change of one version', async () => {
    const { losses, versions } = await killProcesses(temporaryFolder(), { program, kills: 4, seed: 12 })
    expect(losses).toEqual([])
    expect(versions).toBeGreaterThan(0)
  })
})

describe('writers at once', () => {
  test.each([false, true])('lose nothing (with a human: %s)', async (human) => {
    const { losses, operations } = await writeTogether(temporaryFolder(), { program, operations: 100, human, seed: 13 })
    expect(losses).toEqual([])
    expect(operations).toBe(100)
  })

  test.runIf(process.platform !== 'win32')('wait for one that is stopped, and say who it is; its death lets go', async () => {
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
  })
})
