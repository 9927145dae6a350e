import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { SettingsInput } from '../../src/config/load.ts'
import { loadVaults, vaultFolder } from '../../src/config/load-vaults.ts'

const root = mkdtempSync(join(tmpdir(), 'roux-vaults-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
for (const folder of ['home', 'work', 'cwd']) mkdirSync(join(root, folder))
writeFileSync(join(root, 'work', 'roux.config.yaml'), 'vault:\n  mode: docs\ntools:\n  get_hubs: true\n')

const SEVERAL = [`vaults.home=${join(root, 'home')}`, `vaults.work=${join(root, 'work')}`]

function load(over: Partial<SettingsInput> = {}) {
  const env = { XDG_CONFIG_HOME: join(root, 'x'), XDG_STATE_HOME: join(root, 'x') }
  return loadVaults({ cwd: join(root, 'cwd'), env, set: SEVERAL, toolNames: async () => ['get_hubs'], ...over })
}
const shown = async (over: Partial<SettingsInput> = {}) =>
  (await load(over)).vaults.map(({ name, settings }) => [name, settings.vault.path.slice(root.length + 1), settings.vault.mode])

describe('choosing vaults', () => {
  test('uses all named vaults, each with its own settings file', async () => {
    expect(await shown()).toEqual([
      ['home', 'home', 'auto'],
      ['work', 'work', 'docs'],
    ])
  })

  test('a name selects one vault', async () => {
    expect(await shown({ vault: 'work' })).toEqual([['work', 'work', 'docs']])
  })

  test('a path selects a folder without a name', async () => {
    expect(await shown({ vault: join(root, 'home') })).toEqual([[undefined, 'home', 'auto']])
    expect(await shown({ set: [...SEVERAL, `vault.path=${join(root, 'home')}`] })).toEqual([[undefined, 'home', 'auto']])
  })

  test.each(['ROUX_VAULT', 'ROUX_VAULT_PATH'])('%s selects a folder', async (variable) => {
    const env = { XDG_CONFIG_HOME: join(root, 'x'), XDG_STATE_HOME: join(root, 'x'), [variable]: join(root, 'home') }
    expect(await shown({ env })).toEqual([[undefined, 'home', 'auto']])
  })

  test('defaults to the working directory', async () => {
    expect(await shown({ set: [] })).toEqual([[undefined, 'cwd', 'auto']])
  })

  test("all vaults use the server's tool settings, whatever their own files contain", async () => {
    const { vaults } = await load({ set: [...SEVERAL, 'tools.get_hubs=false'] })
    expect(vaults.map(({ settings }) => settings.tools.get_hubs)).toEqual([false, false])
  })
})

test.each([
  [['vaults.Work=a'], /"Work" is not a valid name for a vault/],
  [['vaults.a b=a'], /"a b" is not a valid name for a vault/],
  [['vaults.a='], /vaults\.a is empty/],
  [['vaults.a=x', 'vaults.b=./x'], /vaults\.b and vaults\.a are the same folder/],
])('rejects %j', async (set, message) => {
  await expect(load({ set })).rejects.toThrow(message)
})

test('rejects a folder with two names, one of them through a symbolic link', async () => {
  symlinkSync(join(root, 'home'), join(root, 'alias'), 'junction')
  const set = [`vaults.home=${join(root, 'home')}`, `vaults.alias=${join(root, 'alias')}`]
  await expect(load({ set })).rejects.toThrow(/vaults\.alias and vaults\.home are the same folder/)
})

test('a vault counts as named only if this run names it', async () => {
  expect((await load()).vaults.map(({ vaultNamed }) => vaultNamed)).toEqual([false, false])
  expect((await load({ vault: 'work' })).vaults.map(({ vaultNamed }) => vaultNamed)).toEqual([true])
})

test("folderMeant resolves a name or a path to one vault's folder", async () => {
  const env = { XDG_CONFIG_HOME: join(root, 'x'), XDG_STATE_HOME: join(root, 'x') }
  const input = { cwd: join(root, 'cwd'), env, set: SEVERAL, toolNames: async () => [] }
  expect(await vaultFolder({ ...input, vault: 'work' })).toBe(join(root, 'work'))
  expect(await vaultFolder({ ...input, vault: join(root, 'home') })).toBe(join(root, 'home'))
  expect(await vaultFolder(input)).toBe(join(root, 'cwd'))
})
