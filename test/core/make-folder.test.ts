import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/core/make-folder.ts'
import { temporaryFolder } from '../support/temporary.ts'

const NODE = { mkdirSync, dirname }

test('a folder is made with those above it, readable by its owner only, and stays when it is there', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c')
  makeFolder(folder, NODE)
  makeFolder(folder, NODE)
  expect(statSync(folder).isDirectory()).toBe(true)
  if (process.platform !== 'win32') expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700)
})

test('below a file nothing is made', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(join(file, 'a', 'b'), NODE)).toThrow(/ENOTDIR|ENOENT|EEXIST/)
})

test('where a folder that is there says that what is made in it is missing, that is thrown and not tried for ever', () => {
  const asked: string[] = []
  const refuse = (path: string): void => {
    asked.push(path)
    throw Object.assign(new Error(path), { code: path === '/proc' ? 'EEXIST' : 'ENOENT' })
  }
  expect(() => makeFolder('/proc/roux/cache', { mkdirSync: refuse, dirname })).toThrow(
    "EPERM: no folder can be made in /proc, mkdir '/proc/roux'",
  )
  expect(asked.length).toBeLessThan(10)
})
