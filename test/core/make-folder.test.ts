import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/core/make-folder.ts'
import { temporaryFolder } from '../support/temporary.ts'

const NODE = { mkdirSync, dirname }

test('creates a folder and its parents, readable only by the owner; an existing folder stays', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c')
  makeFolder(folder, NODE)
  makeFolder(folder, NODE)
  expect(statSync(folder).isDirectory()).toBe(true)
  if (process.platform !== 'win32') expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700)
})

test('creates nothing below a file', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(join(file, 'a', 'b'), NODE)).toThrow(/ENOTDIR|ENOENT|EEXIST/)
})

test('throws instead of retrying forever when an existing folder rejects new ones with ENOENT', () => {
  const tried: string[] = []
  const refuse = (path: string): void => {
    tried.push(path)
    throw Object.assign(new Error(path), { code: path === '/proc' ? 'EEXIST' : 'ENOENT' })
  }
  expect(() => makeFolder('/proc/roux/cache', { mkdirSync: refuse, dirname })).toThrow(
    "EPERM: cannot create a folder in /proc, mkdir '/proc/roux'",
  )
  expect(tried.length).toBeLessThan(10)
})
