import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { acquireWriteLock } from '../../src/changes/write-lock.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { PATIENCE } from '../support/patience.ts'
import { temporaryFolder } from '../support/temporary.ts'

const options = { openDatabase: openSqlite, timeout: PATIENCE }

/** Starts to acquire the lock, and returns when the first attempts have failed. */
async function startWaiting(path: string) {
  const openDatabase = vi.fn(openSqlite)
  const lock = acquireWriteLock(path, { ...options, openDatabase })
  await vi.waitFor(() => expect(openDatabase.mock.calls.length).toBeGreaterThan(3), PATIENCE)
  return { lock }
}

test('a holder that wants the lock again lets the one who waits go first', async () => {
  const path = join(temporaryFolder(), 'vault.lock')
  const order: string[] = []
  const hold = async (name: string, lock: ReturnType<typeof acquireWriteLock>) => {
    const { release } = await lock
    order.push(name)
    await pause(20)
    release()
  }
  for (let round = 0; round < 3; round++) {
    const held = await acquireWriteLock(path, options)
    const { lock: waiting } = await startWaiting(path)
    held.release()
    await Promise.all([hold('retaken', acquireWriteLock(path, options)), hold('waited', waiting)])
  }
  expect(order).toEqual(Array.from({ length: 3 }, () => ['waited', 'retaken']).flat())
  expect(readdirSync(dirname(path)).sort()).toEqual(['vault.lock', 'vault.lock.holder'])
})

test('a process that died while it waited delays nobody', async () => {
  const path = join(temporaryFolder(), 'vault.lock')
  writeFileSync(`${path}.next`, '')
  const openDatabase = vi.fn(openSqlite)
  const lock = await acquireWriteLock(path, { ...options, openDatabase })
  expect(openDatabase.mock.calls.map(([opened]) => opened)).toEqual([`${path}.next`, path])
  lock.release()
  expect(readdirSync(dirname(path))).not.toContain('vault.lock.next')
})

test('a process that is suspended while it waits delays one other process, and the lock excludes it when it continues', async () => {
  const path = join(temporaryFolder(), 'vault.lock')
  const suspended = await acquireWriteLock(`${path}.next`, options)
  const first = await acquireWriteLock(path, { ...options, timeout: 500 })
  first.release()
  const openDatabase = vi.fn(openSqlite)
  const second = await acquireWriteLock(path, { ...options, openDatabase })
  expect(openDatabase.mock.calls.map(([opened]) => opened)).toEqual([path])
  suspended.release()
  await expect(acquireWriteLock(path, { ...options, timeout: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  second.release()
})

test('a damaged file of the next in line does not block the lock, and is removed', async () => {
  const path = join(temporaryFolder(), 'vault.lock')
  writeFileSync(`${path}.next`, 'no database at all, but long enough to be looked at. '.repeat(100))
  const lock = await acquireWriteLock(path, { ...options, timeout: 500 })
  lock.release()
  expect(existsSync(`${path}.next`)).toBe(false)
})
