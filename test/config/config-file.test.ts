import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { fileTrust } from '../../src/config/config-file.ts'
import { temporaryFolder } from '../support/temporary.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

const FILE = { realPath: '/v/roux.config.yaml', sha256: 'a' }

test('trust is stored per path and content', () => {
  const state = join(root, 'state', 'roux')
  expect(fileTrust(state).isTrusted(FILE)).toBe(false)
  fileTrust(state).trust(FILE)
  fileTrust(state).trust({ realPath: '/w/roux.config.yaml', sha256: 'b' })
  expect(fileTrust(state).isTrusted(FILE)).toBe(true)
  expect(fileTrust(state).isTrusted({ ...FILE, sha256: 'b' })).toBe(false)
  expect(fileTrust(state).isTrusted({ ...FILE, realPath: '/x/roux.config.yaml' })).toBe(false)
})

test('checking trust creates no folder', () => {
  fileTrust(join(root, 'state')).isTrusted(FILE)
  expect(readdirSync(root)).toEqual([])
})

test.skipIf(process.platform === 'win32')('only the user can read it', () => {
  fileTrust(join(root, 'state')).trust(FILE)
  expect(statSync(join(root, 'state')).mode & 0o777).toBe(0o700)
  expect(statSync(join(root, 'state', 'trust.json')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(root, 'state'))).toEqual(['trust.json'])
})

test.each(['', '{', '[]', '{"files": 1}', '{"files": {"/v/roux.config.yaml": {}}}'])(
  'a damaged file (%j) trusts nothing and is repaired',
  (text) => {
    writeFileSync(join(root, 'trust.json'), text)
    expect(fileTrust(root).isTrusted(FILE)).toBe(false)
    fileTrust(root).trust(FILE)
    expect(fileTrust(root).isTrusted(FILE)).toBe(true)
    expect(JSON.parse(readFileSync(join(root, 'trust.json'), 'utf8')).files['/v/roux.config.yaml']).toBe('a')
  },
)

test('fails with a clear error if trust cannot be stored', () => {
  writeFileSync(join(root, 'state'), '')
  expect(() => fileTrust(join(root, 'state')).trust(FILE)).toThrow(/could not be saved/)
})
