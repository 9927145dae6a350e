import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changedKeys, type LiveSettings, liveSettings } from '../../../src/cli/serving/live-settings.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { toSettings } from '../../../src/config/settings.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary.ts'

let live: LiveSettings
let own: string
let vault: string
const messages: string[] = []
const changed: (readonly string[])[] = []

beforeEach(async () => {
  const root = temporaryFolder()
  vault = join(root, 'vault')
  mkdirSync(vault)
  own = join(root, 'config', 'roux', 'roux.config.yaml')
  messages.length = 0
  changed.length = 0
  const env = { XDG_CONFIG_HOME: join(root, 'config'), XDG_STATE_HOME: join(root, 'state') }
  const load = () => loadSettings({ cwd: root, env, vault, toolNames: async () => ['get_hubs'] })
  live = liveSettings(await load(), {
    overHttp: true,
    interval: 20,
    load,
    say: (line) => messages.push(line),
    onChange: (before, now) => changed.push(changedKeys(before, now)),
  })
  live.watch()
})
afterEach(() => live.stop())

const writeOwn = (text: string) => {
  mkdirSync(join(own, '..'), { recursive: true })
  writeFileSync(own, text)
}

test('a settings file created after the start takes effect', async () => {
  writeOwn('tools:\n  write: true\nmcp:\n  prompts_folder: Prompts\n')
  await eventually(() => expect(live.current.settings.tools.write).toBe(true))
  expect(live.current.settings.mcp.prompts_folder).toBe('Prompts')
  expect(changed).toEqual([['mcp.prompts_folder', 'tools.write']])
  rmSync(own)
  await eventually(() => expect(live.current.settings.tools.write).toBe(false))
  expect(messages).toEqual([])
})

test('answers.max_tokens and ai.enabled take effect at once', async () => {
  writeOwn('answers:\n  max_tokens: 500\nai:\n  enabled: true\n  model: small\n')
  await eventually(() => expect(live.current.settings.answers.max_tokens).toBe(500))
  expect(live.current.settings.ai).toMatchObject({ enabled: true, model: '' })
  expect(changed).toEqual([['ai.enabled', 'answers.max_tokens']])
  expect(messages).toEqual(['ai.model takes effect at the next start.'])
  rmSync(own)
  await eventually(() => expect(live.current.settings.answers.max_tokens).toBe('auto'))
})

test('reports once that a setting needs a restart', async () => {
  writeOwn('vault:\n  mode: docs\ntools:\n  get_hubs: false\n')
  await eventually(() => expect(live.current.settings.tools.get_hubs).toBe(false))
  expect(live.current.settings.vault.mode).toBe('auto')
  writeOwn('vault:\n  mode: docs\n')
  await eventually(() => expect(live.current.settings.tools.get_hubs).toBe(undefined))
  expect(messages).toEqual(['vault.mode takes effect at the next start.'])
})

test('an invalid file changes nothing and is reported', async () => {
  writeOwn('tools:\n  write: true\n')
  await eventually(() => expect(live.current.settings.tools.write).toBe(true))
  writeOwn('tools:\n  wriet: true\n')
  await eventually(() => expect(messages).toHaveLength(1))
  expect(messages[0]).toMatch(/The settings could not be reloaded: .*wriet.*previous settings remain/)
  expect(live.current.settings.tools.write).toBe(true)
})

test('an untrusted file in the vault enables nothing', async () => {
  writeFileSync(join(vault, 'roux.config.yaml'), 'tools:\n  write: true\n')
  await eventually(() => expect(messages).toHaveLength(1))
  expect(messages[0]).toContain('ignored until')
  expect(live.current.settings.tools.write).toBe(false)
})

test('lists keys with different values', () => {
  const set = (values: Record<string, unknown>) => toSettings(new Map(Object.entries(values)))
  expect(changedKeys(set({}), set({ 'tools.get_hubs': false, 'vault.ignore': ['a'] }))).toEqual([
    'vault.ignore',
    'tools.get_hubs',
  ])
  expect(changedKeys(set({ 'vault.ignore': ['a'] }), set({ 'vault.ignore': ['a'] }))).toEqual([])
})

test('settings can disable what --http enabled, and enable it again', async () => {
  const isOn = () => live.current.settings.http.enabled
  expect(isOn()).toBe(true)
  writeOwn('http:\n  enabled: false\n')
  await eventually(() => expect(isOn()).toBe(false))
  writeOwn('http:\n  enabled: true\n')
  await eventually(() => expect(isOn()).toBe(true))
  writeOwn('http:\n  enabled: false\ntools:\n  get_hubs: false\n')
  await eventually(() => expect(isOn()).toBe(false))
  writeOwn('tools:\n  get_hubs: false\n')
  await eventually(() => expect(isOn()).toBe(true))
  expect(messages).toEqual([])
})
