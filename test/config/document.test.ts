import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingsDocument, settingsTable } from '../../src/config/document.ts'
import { readSettings } from '../../src/config/load.ts'
import { toSettings } from '../../src/config/settings.ts'
import { SECTIONS, SETTINGS } from '../../src/config/settings-schema.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'

const tools = TOOLS.map((tool) => tool.definition())

test("the repository's settings file is the generated one (vitest --update writes it)", async () => {
  await expect(settingsDocument(tools)).toMatchFileSnapshot('../../roux.config.yaml')
})

test('sets every key to its default', async () => {
  expect(parse(settingsDocument([]))).toEqual({ ...toSettings(), vaults: null })
  expect(parse(settingsDocument([{ name: 'get_hubs', title: 'Hubs' }])).tools).toEqual({
    write: false,
    attach: false,
    insight: true,
    profile: 'full',
    get_hubs: true,
  })
})

test.each([false, true])('the settings document can be read as settings (inactive: %s)', async (inactive) => {
  const folder = mkdtempSync(join(tmpdir(), 'roux-document-'))
  try {
    const config = join(folder, 'given.yaml')
    writeFileSync(config, settingsDocument(tools, { inactive }))
    const { problems, settings, origins } = await readSettings({
      cwd: folder,
      env: { XDG_CONFIG_HOME: folder },
      config,
      toolNames: async () => TOOLS.map(({ name }) => name),
    })
    expect(problems).toEqual([])
    expect(settings.vault.mode).toBe('auto')
    expect(origins.size > 0).toBe(!inactive)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an inactive document comments out every key', () => {
  const text = settingsDocument(tools, { inactive: true, without: ['vault.path'] })
  expect(parse(text)).toEqual(Object.fromEntries(Object.keys(SECTIONS).map((name) => [name, null])))
  expect(text).not.toContain('path: ""\n  # What kind')
})

test('the table lists every setting in order', () => {
  const rows = settingsTable().match(/^\| `[^`]+`/gm) ?? []
  const keys = SETTINGS.map(({ key }) => key.replace('tools.*', 'tools.<tool>').replace('vaults.*', 'vaults.<name>'))
  expect(rows).toEqual(keys.map((key) => `| \`${key}\``))
})
