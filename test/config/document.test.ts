import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingsDocument, settingsTable } from '../../src/config/document.ts'
import { readSettings } from '../../src/config/load.ts'
import { toSettings } from '../../src/config/settings.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'

const tools = TOOLS.map((tool) => tool.definition())

test("the repository's own settings file is the generated one (vitest -u writes it)", async () => {
  await expect(settingsDocument(tools)).toMatchFileSnapshot('../../roux.config.yaml')
})

test('it sets every key to its default', async () => {
  expect(parse(settingsDocument([]))).toEqual({ ...toSettings(), tools: null })
  expect(parse(settingsDocument([{ name: 'get_hubs', title: 'Hubs' }])).tools).toEqual({ get_hubs: true })
})

test.each([false, true])('it can be read as settings (inactive: %s)', async (inactive) => {
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

test('an inactive one has every key behind a mark', () => {
  const text = settingsDocument(tools, { inactive: true, without: ['vault.path'] })
  expect(parse(text)).toEqual({ vault: null, links: null, cache: null, tools: null })
  expect(text).not.toContain('path: ""\n  # What kind')
})

test('the table has a row a setting', () => {
  expect(settingsTable()).toMatchInlineSnapshot(`
    "| key | value | default | variable | meaning |
    | --- | --- | --- | --- | --- |
    | \`vault.path\` ¹ | the path of a folder | \`""\` | \`ROUX_VAULT\` | The folder with the notes; empty for the working directory. |
    | \`vault.mode\` | one of auto, obsidian, foam, logseq, docs | \`auto\` | \`ROUX_VAULT_MODE\` | What kind of vault it is; \`auto\` goes by its marker folder, and without one by how its notes link. |
    | \`vault.watch\` | one of auto, polling, off | \`auto\` | \`ROUX_VAULT_WATCH\` | How a server notices changes: \`auto\` by events of the file system, \`polling\` for network drives, \`off\` not at all. |
    | \`vault.ignore\` | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_VAULT_IGNORE\` | Files and folders to leave out, as glob patterns relative to the vault, besides names that begin with a dot and \`node_modules\`. |
    | \`vault.gitignore\` | true or false | \`false\` | \`ROUX_VAULT_GITIGNORE\` | Leave out what \`.gitignore\` files leave out. |
    | \`vault.link_roots\` ¹ | a list of folders, e.g. ["~/shared"] | \`[]\` | \`ROUX_VAULT_LINK_ROOTS\` | Folders outside the vault that symbolic links in it may lead to. |
    | \`links.profile\` | one of lenient, obsidian | \`lenient\` | \`ROUX_LINKS_PROFILE\` | How links find their notes: \`obsidian\` to the letter of that application, \`lenient\` also by aliases and folders. |
    | \`links.comments\` | true or false | \`true\` | \`ROUX_LINKS_COMMENTS\` | Count links and tags inside \`%% comments %%\`. |
    | \`cache.path\` ¹ | the path of a folder | \`""\` | \`ROUX_CACHE_PATH\` | Folder of the index, which can always be rebuilt; empty for the user's own cache folder. |
    | \`tools.<tool>\` ¹ | true or false | \`true\` | \`ROUX_TOOLS_<TOOL>\` | Offer this tool. |

    ¹ From a file in the vault or the working directory only after \`roux trust\` was said for it.
    "
  `)
})
