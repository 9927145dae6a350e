import { accessSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { checkCacheFolder, checkFileCase, checkNode, checkVault, checkWatching } from '../../../src/cli/doctor/checks.ts'
import { temporaryFolder } from '../../support/temporary.ts'

vi.mock(import('node:fs'), async (original) => {
  const fs = await original()
  return { ...fs, accessSync: vi.fn(fs.accessSync) }
})

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

test.each([
  ['18.20.0', 'fail'],
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
])('Node %s: %s', (version, state) => {
  expect(checkNode(version).state).toBe(state)
})

test('checks a vault that exists, is missing, is a file, is too wide, or is inside another vault', () => {
  const vault = join(root, 'vault')
  const check = (path: string, facts = { isUnlikely: false, named: false }) =>
    checkVault(path, facts).map(({ state, message }) => `${state} ${message.replaceAll(root, '')}`)
  mkdirSync(join(vault, 'inner'), { recursive: true })
  writeFileSync(join(root, 'file'), '')
  expect(check(vault)).toEqual(['ok /vault'])
  expect(check(join(root, 'none'))).toEqual(['fail There is no folder /none.'])
  expect(check(join(root, 'file'))).toEqual(['fail /file is not a folder.'])
  expect(check(vault, { isUnlikely: true, named: false })).toEqual([
    'fail /vault contains a home folder or a whole disk, so it is probably not a vault',
  ])
  expect(check(vault, { isUnlikely: true, named: true })).toEqual([
    'warn /vault contains a home folder or a whole disk, so it is probably not a vault',
  ])
  mkdirSync(join(vault, '.obsidian'))
  expect(check(vault)).toEqual(['ok /vault'])
  expect(check(join(vault, 'inner'))).toEqual(['warn /vault/inner is inside the vault /vault'])
})

test.each([
  ['EACCES', 'Give this user or application permission to read it.'],
  ['EPERM', 'Give this user or application permission to read it.'],
  ['ELOOP', 'Give the folder that contains the notes: --vault <folder>, ROUX_VAULT or the setting vault.path.'],
])('a vault that cannot be entered because of %s: %s', (code, hint) => {
  vi.mocked(accessSync).mockImplementationOnce(() => {
    throw Object.assign(new Error(code), { code })
  })
  expect(checkVault(root, { isUnlikely: false, named: true })).toEqual([
    { check: 'vault', state: 'fail', message: `${root} cannot be read (${code}).`, hint },
  ])
})

test('warns about lower-case names in a vault whose application keeps the spelling', () => {
  const where = '/vault/roux.config.yaml'
  expect(checkFileCase(root, 'lower', where)).toEqual([])
  mkdirSync(join(root, '.foam'))
  expect(checkFileCase(root, 'lower', where)).toMatchObject([
    { state: 'warn', message: expect.stringContaining(where), hint: expect.stringContaining('files.case to auto') },
  ])
  expect(checkFileCase(root, 'auto', undefined)).toEqual([])
  expect(checkFileCase(root, 'preserve', where)).toEqual([])
})

test('a missing cache folder is ok if it can be created', () => {
  expect(checkCacheFolder(join(root, 'a', 'b')).state).toBe('ok')
  writeFileSync(join(root, 'file'), '')
  chmodSync(join(root, 'file'), 0o755)
  expect(checkCacheFolder(join(root, 'file', 'b')).state).toBe('warn')
})

test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('reports a cache folder without write permission', () => {
  chmodSync(root, 0o500)
  expect(checkCacheFolder(join(root, 'a')).state).toBe('warn')
  chmodSync(root, 0o700)
})

test('describes how the vault is watched', () => {
  expect(checkWatching(root, 'off').state).toBe('warn')
  expect(checkWatching(root, 'polling').message).toBe('polling')
  expect(checkWatching(root, 'auto', 'darwin').message).toBe('events of the file system')
  if (process.platform === 'linux')
    expect(checkWatching(root, 'auto').message).toMatch(/: 1 folder, fs.inotify.max_user_watches is \d+$/)
})
