import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { changeStateFile } from '../../src/config/state-file.ts'
import { temporaryFolder } from '../support/temporary.ts'

let folder: string
let file: string
let lock: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'x.json')
  lock = `${file}.lock`
})

const heldBy = (pid: number | undefined, host = hostname()) => writeFileSync(lock, JSON.stringify({ pid, host }))
const minutesOld = () => utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60)

test('a change that returns nothing keeps the file', () => {
  changeStateFile(file, () => 'a')
  changeStateFile(file, () => undefined)
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['a', ['x.json']])
})

test('a change that throws keeps the file and leaves no lock', () => {
  changeStateFile(file, () => 'a')
  expect(() =>
    changeStateFile(file, () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['a', ['x.json']])
})

test('removes the lock of a dead process', () => {
  heldBy(spawnSync(process.execPath, ['-e', '']).pid)
  changeStateFile(file, () => 'a')
  expect(readdirSync(folder)).toEqual(['x.json'])
})

test('removes an expired lock of any process', () => {
  heldBy(1, 'elsewhere.example')
  minutesOld()
  changeStateFile(file, () => 'a')
  expect(readdirSync(folder)).toEqual(['x.json'])
})

test.skipIf(process.platform === 'win32')('waits for the lock of a running process', () => {
  heldBy(process.pid)
  spawn('sh', ['-c', 'sleep 0.3; echo released > "$1/released"; rm "$1/x.json.lock"', 'sh', folder])
  changeStateFile(file, () => String(existsSync(join(folder, 'released'))))
  expect(readFileSync(file, 'utf8')).toBe('true')
})

test('a process that was suspended while another took its lock writes nothing', () => {
  const change = () => {
    heldBy(process.pid, 'elsewhere.example')
    return 'late'
  }
  expect(() => changeStateFile(file, change)).toThrow('Nothing was written')
  expect([existsSync(file), existsSync(lock)]).toEqual([false, true])
})
