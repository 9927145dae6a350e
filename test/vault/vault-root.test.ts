import { symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, parse } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isUnlikelyVault, markerOf, requireVaultRoot } from '../../src/vault/vault-root.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type Files, memoryVault, writeFiles } from './support.ts'

describe('the root of a vault', () => {
  test('is a real, absolute path', () => {
    const folder = temporaryFolder()
    expect(requireVaultRoot(folder)).toBe(folder)
    expect(requireVaultRoot(`${folder}/./x/..`)).toBe(folder)
    expect(requireVaultRoot('~')).toBe(requireVaultRoot(homedir()))
  })

  test.each(['missing', 'file.md', 'file.md/x', '', 'a\0b', 'loop'])('%j is an error with a hint', (name) => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'file.md': '' })
    if (name === 'loop') symlinkSync('loop', join(folder, 'loop'))
    const call = () => requireVaultRoot(name === '' || name.includes('\0') ? name : join(folder, name))
    expect(call).toThrow(
      expect.objectContaining({ name: 'RouxError', code: 'VAULT_NOT_FOUND', hint: expect.stringMatching(/\.$/) }),
    )
  })

  test.each([
    ['read', 'readdirSync', /^\/vault$/],
    ['entered', 'statSync', /^\/vault\/./],
  ] as const)('a root that may not be %s is an error', (_, call, denied) => {
    const { fs } = memoryVault({ 'a.md': '' })
    const deny = (path: string, ...more: readonly unknown[]) => {
      if (denied.test(path)) throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES' })
      return (fs[call] as (...args: readonly unknown[]) => never)(path, ...more)
    }
    expect(() => requireVaultRoot('/vault', { ...fs, [call]: deny })).toThrow(
      expect.objectContaining({ code: 'VAULT_NOT_FOUND', message: expect.stringContaining('EACCES') }),
    )
  })
})

describe('too wide for a vault', () => {
  test.each(['/', '/home', '/home/someone', '/Users', '/Users/someone', '/root'])('%s is', (folder) => {
    expect(isUnlikelyVault(folder)).toBe(true)
  })

  test('are the home folder and its parents, but not folders inside it', () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'homes/me/notes/': '' })
    const home = join(folder, 'homes/me')
    expect(isUnlikelyVault(home, home)).toBe(true)
    expect(isUnlikelyVault(join(folder, 'homes'), home)).toBe(true)
    expect(isUnlikelyVault(parse(folder).root, home)).toBe(true)
    expect(isUnlikelyVault(join(home, 'notes'), home)).toBe(false)
    symlinkSync('homes/me', join(folder, 'alias'))
    expect(isUnlikelyVault(join(folder, 'alias'), home)).toBe(true)
    expect(isUnlikelyVault('/home/someone/notes', home)).toBe(false)
  })
})

describe('markers', () => {
  test.each<[Files, string | undefined]>([
    [{ 'a.md': '' }, undefined],
    [{ '.obsidian/app.json': '{}', '.foam/x': '', 'logseq/config.edn': '' }, 'obsidian'],
    [{ '.foam/templates/a.md': '' }, 'foam'],
    [{ '.vscode/extensions.json': '{"recommendations":["foam.foam-vscode"]}' }, 'foam'],
    [{ '.vscode/settings.json': '{ // comment\n"foam.edit.linkReferenceDefinitions": "off" }' }, 'foam'],
    [{ '.vscode/settings.json': '{"editor.wordWrap":"on"}' }, undefined],
    [{ 'logseq/config.edn': '{}' }, 'logseq'],
    [{ 'logseq/custom.css': '', 'journals/a.md': '' }, 'logseq'],
    [{ 'logseq/a.md': '' }, undefined],
    [{ '.obsidian': 'a file' }, undefined],
  ])('%j', (files, mode) => {
    const { fs, vault } = memoryVault(files)
    expect(markerOf('/vault', fs)).toBe(mode)
    expect(vault.marker).toBe(mode)
  })
})
