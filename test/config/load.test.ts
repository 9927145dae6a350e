import { accessSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import type { FileVersion, TrustStore } from '../../src/config/config-file.ts'
import { loadSettings, readSettings, type SettingsInput } from '../../src/config/load.ts'
import { type Settings, toSettings } from '../../src/config/settings.ts'
import { RouxError } from '../../src/core/errors.ts'
import { temporaryFolder } from '../support/temporary.ts'

vi.mock(import('node:fs'), async (original) => {
  const fs = await original()
  return { ...fs, accessSync: vi.fn(fs.accessSync) }
})

let root: string
beforeEach(() => {
  root = temporaryFolder()
  vi.mocked(accessSync).mockReset()
})

const TOOLS = ['get_hubs', 'get_node', 'find_path']

/** Creates files under `root`. The program runs in `cwd`; the user's settings are in `home/roux`, the vault in `vault`. */
function input(files: Readonly<Record<string, string>>, more: Partial<SettingsInput> = {}): SettingsInput {
  for (const [path, text] of Object.entries({ 'cwd/.keep': '', 'vault/.keep': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const { env, ...rest } = more
  return {
    cwd: join(root, 'cwd'),
    env: { XDG_CONFIG_HOME: join(root, 'home'), XDG_STATE_HOME: join(root, 'state'), ...env },
    vault: join(root, 'vault'),
    toolNames: async () => TOOLS,
    ...rest,
  }
}

const OWN = 'home/roux/roux.config.yaml'
const IN_CWD = 'cwd/roux.config.yaml'
const IN_VAULT = 'vault/roux.config.yaml'

async function problemOf(loading: Promise<unknown>, expectedCode: string = 'INVALID_SETTINGS'): Promise<string> {
  try {
    await loading
  } catch (error) {
    expect(error).toBeInstanceOf(RouxError)
    const { code, message, hint } = error as RouxError
    expect(code).toBe(expectedCode)
    return [message, hint]
      .filter((part) => part !== undefined)
      .join(' | ')
      .replaceAll(root, '')
  }
  throw new Error('nothing was wrong')
}

test('without any source every setting has its default', async () => {
  const { settings, warnings, files } = await loadSettings(input({}))
  // docs/settings.md has a generated table of the defaults.
  expect(settings).toEqual({ ...toSettings(), vault: { ...toSettings().vault, path: join(root, 'vault') } })
  expect(warnings).toEqual([])
  expect(files).toEqual([])
})

test('the settings type follows from the schema', () => {
  expectTypeOf<Settings['vault']['watch']>().toEqualTypeOf<'auto' | 'polling' | 'off'>()
  expectTypeOf<Settings['vault']['ignore']>().toEqualTypeOf<readonly string[]>()
  expectTypeOf<Settings['tools']>().toEqualTypeOf<{
    readonly [name: string]: boolean | 'full' | 'core'
    readonly write: boolean
    readonly attach: boolean
    readonly insight: boolean
    readonly profile: 'full' | 'core'
  }>()
  expect(toSettings().links.comments).toBe(true)
})

describe('the first source wins for each key', () => {
  const modes = { [OWN]: 'foam', [IN_CWD]: 'logseq', [IN_VAULT]: 'docs', 'given.yaml': 'obsidian' }
  const files = Object.fromEntries(Object.entries(modes).map(([path, mode]) => [path, `vault:\n  mode: ${mode}\n`]))
  const without = (...paths: string[]) => Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)))

  test.each([
    ['--set', files, { set: ['vault.mode=auto'], config: '../given.yaml', env: { ROUX_VAULT_MODE: 'docs' } }, 'auto', '--set'],
    ['a variable', files, { config: '../given.yaml', env: { ROUX_VAULT_MODE: 'docs' } }, 'docs', 'ROUX_VAULT_MODE'],
    ['--config', files, { config: '../given.yaml' }, 'obsidian', 'given.yaml:2'],
    ["the user's own", files, {}, 'foam', `${OWN}:2`],
    ["the working directory's", without(OWN), {}, 'logseq', `${IN_CWD}:2`],
    ["the vault's", without(OWN, IN_CWD), {}, 'docs', `${IN_VAULT}:2`],
  ])('%s', async (_, given, more, mode, origin) => {
    const { settings, origins } = await loadSettings(input(given, more))
    expect(settings.vault.mode).toBe(mode)
    expect(origins.get('vault.mode')?.replace(`${root}/`, '')).toBe(origin)
  })

  test('merges keys of several sources', async () => {
    const { settings } = await loadSettings(
      input(
        { [OWN]: 'links:\n  comments: false', [IN_VAULT]: 'links: {profile: obsidian, comments: true}\nvault.ignore: [a]' },
        { env: { ROUX_VAULT_WATCH: 'off' } },
      ),
    )
    expect(settings.links).toEqual({ profile: 'obsidian', comments: false })
    expect(settings.vault).toMatchObject({ watch: 'off', ignore: ['a'] })
  })
})

describe('locating the vault', () => {
  const at = (path: string) => join(root, path)
  const own = { [OWN]: 'vault:\n  path: ../../of-the-user', 'vault/x.md': '' }

  test.each<[string, Partial<SettingsInput>, string]>([
    ['the command line', { vault: '../named', env: { ROUX_VAULT: '../of-env' } }, 'named'],
    ['ROUX_VAULT', { vault: '', env: { ROUX_VAULT: '../of-env' } }, 'of-env'],
    ['the settings, relative to their file', { vault: '' }, 'of-the-user'],
    ['ignores an empty variable', { vault: '', env: { ROUX_VAULT: '' } }, 'of-the-user'],
  ])('%s', async (_, more, expected) => {
    expect((await loadSettings(input(own, more))).settings.vault.path).toBe(at(expected))
  })

  test('defaults to the working directory', async () => {
    const { settings, vaultNamed } = await loadSettings(input({}, { vault: '' }))
    expect(settings.vault.path).toBe(at('cwd'))
    expect(vaultNamed).toBe(false)
  })

  test('expands ~/', async () => {
    expect((await loadSettings(input({}, { vault: '~/notes' }))).settings.vault.path).toBe(join(homedir(), 'notes'))
  })

  test("a vault's own file cannot move the vault", async () => {
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: 'vault:\n  path: /etc' }))
    expect(settings.vault.path).toBe(at('vault'))
    expect(warnings).toHaveLength(1)
  })

  test('reads a file once that is both in the working directory and in the vault', async () => {
    const both = input({ [IN_VAULT]: 'vault:\n  mode: docs\ntools:\n  get_hubs: false' })
    const { files, warnings } = await loadSettings({ ...both, cwd: at('vault') })
    expect(files).toHaveLength(1)
    expect(warnings).toHaveLength(1)
  })
})

describe('--set and variables', () => {
  test.each<[string, Partial<SettingsInput>, (settings: Settings) => unknown, unknown]>([
    ['a list with commas', { set: ['vault.ignore=a/**, b'] }, (s) => s.vault.ignore, ['a/**', 'b']],
    ['a list as JSON', { set: ['vault.ignore=["a,b"]'] }, (s) => s.vault.ignore, ['a,b']],
    ['an empty list', { set: ['vault.ignore='] }, (s) => s.vault.ignore, []],
    ['the last of two values', { set: ['links.comments=true', 'links.comments=no'] }, (s) => s.links.comments, false],
    [
      'a tool',
      { set: ['tools.get_hubs=off'] },
      (s) => s.tools,
      { write: false, attach: false, insight: true, profile: 'full', get_hubs: false },
    ],
    ['a tool by variable', { env: { ROUX_TOOLS_GET_HUBS: '0' } }, (s) => s.tools.get_hubs, false],
    [
      'writing by variable',
      { env: { ROUX_TOOLS_WRITE: '1' } },
      (s) => s.tools,
      { write: true, attach: false, insight: true, profile: 'full' },
    ],
    ['write.allow', { set: ['write.allow=inbox/**'] }, (s) => s.write.allow, ['inbox/**']],
    ['a key with underscores', { env: { ROUX_VAULT_LINK_ROOTS: '/a,/b' } }, (s) => s.vault.link_roots, ['/a', '/b']],
    ['a weight', { set: ['search.weight=.5'] }, (s) => s.search.weight, 0.5],
    ['an automatic weight', { env: { ROUX_SEARCH_WEIGHT: 'auto' } }, (s) => s.search.weight, 'auto'],
    ['an empty prefix', { set: ['embedder.query_prefix='] }, (s) => s.embedder.query_prefix, ''],
    ['a model id on the hub', { set: ['embedder.model=a/b'] }, (s) => s.embedder.model, 'a/b'],
    ['a model path with ~/', { env: { ROUX_EMBEDDER_MODEL: '~/m' } }, (s) => s.embedder.model, join(homedir(), 'm')],
    ['an API key, which is not a setting', { env: { ROUX_EMBEDDER_API_KEY: 'x' } }, (s) => s.embedder.kind, 'static'],
    ['a value with =', { set: ['vault.ignore=a=b'] }, (s) => s.vault.ignore, ['a=b']],
    ['a variable of another program', { env: { ROUX_ELEMENT: 'x', ROUXVAULT: 'y' } }, (s) => s.vault.mode, 'auto'],
  ])('%s', async (_, more, pick, expected) => {
    expect(pick((await loadSettings(input({}, more))).settings)).toEqual(expected)
  })

  test.each<[Partial<SettingsInput>, string]>([
    [{ set: ['vault.mode'] }, '--set: expected key=value; got "vault.mode". | For example: --set vault.mode=docs'],
    [{ set: ['vault.mdoe=docs'] }, '--set: there is no setting "vault.mdoe". | Did you mean "vault.mode"?'],
    [{ set: ['tools.profile=tiny'] }, '--set: tools.profile must be one of full, core; got the string "tiny".'],
    [{ set: ['profile=obsidian'] }, '--set: there is no setting "profile". | Did you mean "links.profile" or "tools.profile"?'],
    [{ set: ['quux=1'] }, '--set: there is no setting "quux". | "roux help settings" lists all settings.'],
    [{ set: ['__proto__.x=1'] }, '--set: there is no setting "__proto__.x". | "roux help settings" lists all settings.'],
    [{ set: ['links.comments=constructor'] }, '--set: links.comments must be true or false; got the string "constructor".'],
    [
      { set: ['vault.mode=obsidan'] },
      '--set: vault.mode must be one of auto, obsidian, foam, logseq, docs; got the string "obsidan". | Did you mean "obsidian"?',
    ],
    [{ set: ['vault.ignore=[1'] }, '--set: vault.ignore must be a list of strings, e.g. ["a", "b"]; got the string "[1".'],
    [{ set: ['tools.get_hub=true'] }, '--set: there is no setting "tools.get_hub". | Did you mean "tools.get_hubs"?'],
    [
      { env: { ROUX_VAULT_MOED: 'x' } },
      'The variable ROUX_VAULT_MOED does not match any setting. | Did you mean "ROUX_VAULT_MODE"?',
    ],
    [
      { env: { ROUX_VALT_MODE: 'x' } },
      'The variable ROUX_VALT_MODE does not match any setting. | Did you mean "ROUX_VAULT_MODE"?',
    ],
    [
      { env: { ROUX_LINKS_QUUX: 'x' } },
      'The variable ROUX_LINKS_QUUX does not match any setting. | "roux help settings" lists all settings.',
    ],
    [
      { env: { ROUX_EMBEDDER_APIKEY: 'secret' } },
      'The variable ROUX_EMBEDDER_APIKEY does not match any setting. | Did you mean "ROUX_EMBEDDER_API_KEY"?',
    ],
    [
      { set: ['embedder.api_key=secret'] },
      '--set: there is no setting "embedder.api_key". | API keys are read from the variable ROUX_EMBEDDER_API_KEY only.',
    ],
    [
      { set: ['store.neo4j.password=secret'] },
      '--set: there is no setting "store.neo4j.password". | The password is read from the variable ROUX_STORE_NEO4J_PASSWORD, or from the file set in store.neo4j.password_file.',
    ],
    [
      { set: ['store.type=neo4'] },
      '--set: store.type must be one of embedded, neo4j; got the string "neo4". | Did you mean "neo4j"?',
    ],
    [{ set: ['search.weight=2'] }, '--set: search.weight must be auto, or a number from 0 to 1; got the number 2.'],
    [
      { env: { ROUX_VAULT_WATCH: 'never' } },
      'ROUX_VAULT_WATCH: vault.watch must be one of auto, polling, off; got the string "never".',
    ],
    [{ config: 'nowhere.yaml' }, 'There is no file /cwd/nowhere.yaml. | Check the path after --config.'],
  ])('%j is an error', async (more, expected) => {
    expect(await problemOf(loadSettings(input({}, more)), more.set ? 'INVALID_PARAMS' : 'INVALID_SETTINGS')).toBe(expected)
  })
})

describe('files', () => {
  test.each<[string, string, string]>([
    ['an unknown key', 'vault:\n  mod: docs', ':2: there is no setting "vault.mod". | Did you mean "vault.mode"?'],
    ['an unknown section', '\nvalut:\n  mode: docs', ':2: there is no setting "valut". | Did you mean "vault"?'],
    ['a key without its section', 'mode: docs', ':1: there is no setting "mode". | Did you mean "vault.mode"?'],
    [
      'a text instead of a list',
      'vault:\n  ignore: drafts',
      ':2: vault.ignore must be a list of strings, e.g. ["a", "b"]; got the string "drafts".',
    ],
    [
      'a number in a list',
      'vault:\n  ignore: [a, 2]',
      ':2: vault.ignore must be a list of strings, e.g. ["a", "b"]; got an item that is the number 2.',
    ],
    ['a word instead of a flag', 'links:\n  comments: yes', ':2: links.comments must be true or false; got the string "yes".'],
    [
      'nothing',
      'vault:\n  mode:\n  watch: off',
      ':2: vault.mode must be one of auto, obsidian, foam, logseq, docs; got nothing.',
    ],
    [
      'a mapping instead of a value',
      'vault:\n  mode: {a: 1}',
      ':2: vault.mode must be one of auto, obsidian, foam, logseq, docs; got a mapping.',
    ],
    ['a value instead of a section', 'vault: docs', ':1: "vault" must contain settings, one per line below it.'],
    ['a list at the top', '- vault', ': expected settings, such as "vault:" with "  mode: docs" below it.'],
    ['endless nesting', `\n${'- '.repeat(8_000)}`, ':2: the settings are nested more than 64 levels deep.'],
    ['a key twice', 'vault:\n  mode: docs\n  mode: foam', ':3: Map keys must be unique. | The file is not valid YAML.'],
    [
      'broken YAML',
      'vault:\n  ignore: [a\nlinks: {}',
      ':3: Flow sequence in block collection must be sufficiently indented and end with a ]. | The file is not valid YAML.',
    ],
    [
      'two documents',
      'vault: {}\n---\nlinks: {}',
      ':2: a second YAML document starts here. | A settings file may contain only one document.',
    ],
  ])('%s is an error with its place', async (_, text, expected) => {
    expect(await problemOf(loadSettings(input({ [OWN]: text })))).toBe(`/${OWN}${expected}`)
  })

  test.each<[string, string]>([
    ['a byte order mark and CRLF', '\ufeffvault:\r\n  mode: docs\r\n'],
    ['a dotted key', 'vault.mode: docs'],
    ['flow style', '{vault: {mode: docs}}'],
    ['anchors', 'vault: &v {mode: docs}'],
    ['empty sections', 'links:\nvault:\n  mode: docs\ntools:\n'],
  ])('accepts %s', async (_, text) => {
    expect((await loadSettings(input({ [OWN]: text }))).settings.vault.mode).toBe('docs')
  })

  test.each(['', '# nothing yet\n', '---\n', 'null'])('%j sets nothing', async (text) => {
    expect((await loadSettings(input({ [IN_VAULT]: text }))).settings.vault.mode).toBe('auto')
  })

  test('rejects exponentially growing aliases quickly', async () => {
    const bomb = [
      'a: &a [x]',
      ...[...'bcdefghij'].map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[i]}`).join(',')}]`),
      'vault:\n  ignore: *j',
    ].join('\n')
    expect((await readSettings(input({ [OWN]: bomb }))).problems.length).toBeGreaterThan(0)
    expect((await readSettings(input({ [OWN]: 'vault: &v\n  ignore: *v' }))).problems).toHaveLength(1)
  })

  test('a folder with the name of a settings file is an error', async () => {
    const given = input({ [`${IN_VAULT}/x`]: '' })
    expect(await problemOf(loadSettings(given))).toBe(`/${IN_VAULT} cannot be read: not a file. | Fix or remove it.`)
  })

  test.each(['cwd', 'vault'])('a folder that may not be entered is not a settings problem: %s', async (folder) => {
    const given = input({ [`${folder}/roux.config.yaml`]: 'search:\n  limit: 5' })
    vi.mocked(accessSync).mockImplementation((path) => {
      if (path === join(root, folder)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    })
    expect((await loadSettings(given)).files).toEqual([])
  })

  test('collects all problems and reports one with the number of others', async () => {
    const given = input({ [OWN]: 'vault:\n  mode: x\n  watch: y' }, { set: ['z=1'] })
    const { problems, settings } = await readSettings(given)
    expect(problems).toHaveLength(3)
    expect(settings.vault.watch).toBe('auto')
    expect(await problemOf(loadSettings(given), 'INVALID_PARAMS')).toContain('"roux doctor" shows 2 more.')
  })
})

test('a model path is relative to its settings file', async () => {
  const { settings } = await loadSettings(input({ [OWN]: 'embedder:\n  model: ./models/mine' }))
  expect(settings.embedder.model).toBe(join(root, 'home/roux/models/mine'))
})

describe("the embedder's API key", () => {
  const env = { ROUX_EMBEDDER_API_KEY: 'secret' }
  const SERVER = 'embedder:\n  kind: openai\n  model: m\n  base_url: https://api.example/v1\n'
  const trust: TrustStore = { isTrusted: () => true, trust: () => {} }

  test.each<[string, Record<string, string>, Partial<SettingsInput>, string | undefined]>([
    ["the user's own file", { [OWN]: SERVER }, {}, 'secret'],
    ['the command line', {}, { set: ['embedder.kind=openai', 'embedder.base_url=https://a'] }, 'secret'],
    ['no one: it is this computer', { [IN_VAULT]: 'embedder: {kind: openai}' }, { trust }, 'secret'],
    ['the vault, even a trusted one', { [IN_VAULT]: SERVER }, { trust }, undefined],
    ['the working directory, even a trusted one', { [IN_CWD]: SERVER }, { trust }, undefined],
    ["the user's file, overriding the vault's", { [OWN]: SERVER, [IN_VAULT]: SERVER }, { trust }, 'secret'],
    ['no one: no server is used', {}, {}, undefined],
  ])('the server address is from %s', async (_, files, more, expected) => {
    const { apiKey, warnings } = await loadSettings(input(files, { ...more, env }))
    expect(apiKey).toBe(expected)
    const isWithheld = expected === undefined && Object.keys(files).length > 0
    expect(warnings.some((warning) => warning.includes('ROUX_EMBEDDER_API_KEY is not sent'))).toBe(isWithheld)
    expect(JSON.stringify(warnings)).not.toContain('secret')
  })
})

describe('the database password', () => {
  const env = { ROUX_STORE_NEO4J_PASSWORD: 'secret' }
  const trust: TrustStore = { isTrusted: () => true, trust: () => {} }
  const SERVER = 'store:\n  type: neo4j\n  neo4j:\n    url: bolt://db.example:7687\n'
  const url = (settings: Settings) => settings.store['neo4j.url']

  test.each<[string, Record<string, string>, Partial<SettingsInput>, string | undefined]>([
    ["the user's own file", { [OWN]: SERVER }, {}, 'secret'],
    ['the command line', {}, { set: ['store.type=neo4j', 'store.neo4j.url=bolt://db.example:7687'] }, 'secret'],
    ['the vault, even a trusted one', { [IN_VAULT]: SERVER }, { trust }, undefined],
    ["the user's file, overriding the vault's", { [OWN]: SERVER, [IN_VAULT]: SERVER }, { trust }, 'secret'],
  ])('the server address is from %s', async (_, files, more, expected) => {
    const { settings, storePassword, warnings } = await loadSettings(input(files, { ...more, env }))
    expect([url(settings), storePassword]).toEqual(['bolt://db.example:7687', expected])
    expect(warnings.some((warning) => warning.includes('is not sent'))).toBe(expected === undefined)
    expect(JSON.stringify([settings, warnings])).not.toContain('secret')
  })

  test('the database password is not read without a database; variables can set the address', async () => {
    expect((await loadSettings(input({}, { env }))).storePassword).toBeUndefined()
    const given = { ROUX_STORE_TYPE: 'neo4j', ROUX_STORE_NEO4J_URL: 'neo4j://cluster:7687', ROUX_STORE_NEO4J_DATABASE: 'notes' }
    const { settings } = await loadSettings(input({}, { env: given }))
    expect([settings.store.type, url(settings), settings.store['neo4j.database']]).toEqual([
      'neo4j',
      'neo4j://cluster:7687',
      'notes',
    ])
  })

  test.each<[string, string, string | undefined]>([
    ["the user's own file", OWN, 'from the file'],
    ['the vault, even a trusted one', IN_VAULT, undefined],
    ['the working directory, even a trusted one', IN_CWD, undefined],
  ])('the database password is read from the file named by %s', async (_, place, expected) => {
    const named = `store:\n  neo4j:\n    password_file: ${join(root, 'secret.txt')}\n`
    const own = place === OWN ? `${SERVER}${named.slice('store:\n  neo4j:\n'.length)}` : SERVER
    const files = { 'secret.txt': 'from the file\n', [OWN]: own, ...(place === OWN ? {} : { [place]: named }) }
    const { storePassword, warnings, settings } = await loadSettings(input(files, { trust }))
    expect([url(settings), storePassword]).toEqual(['bolt://db.example:7687', expected])
    expect(warnings.some((warning) => warning.includes('store.neo4j.password_file is ignored in this file'))).toBe(
      expected === undefined,
    )
  })

  test('a password file named only by a vault is not opened', async () => {
    const named = `${SERVER}    password_file: /nowhere/at/all\n`
    const { problems } = await readSettings(input({ [IN_VAULT]: named }, { trust }))
    expect(problems).toEqual([])
  })

  test('an untrusted vault cannot choose a database', async () => {
    const { settings, warnings } = await loadSettings(
      input({ [IN_VAULT]: SERVER }, { trust: { isTrusted: () => false, trust: () => {} } }),
    )
    expect(settings.store.type).toBe('embedded')
    expect(warnings.join()).toContain('store.type, store.neo4j.url')
  })
})

describe('trusting settings files', () => {
  const trusting = (...texts: string[]): TrustStore & { checks: FileVersion[] } => {
    const checks: FileVersion[] = []
    return {
      checks,
      isTrusted: (file) => checks.push(file) > 0 && texts.includes(file.realPath.replace(`${root}/`, '')),
      trust: () => {},
    }
  }
  const WIDE = 'vault:\n  mode: docs\n  link_roots: [/etc]\ntools:\n  get_hubs: false\ncache:\n  path: /tmp/x\n'

  test.each([IN_VAULT, IN_CWD])('%s needs trust only for settings that widen access', async (file) => {
    const { settings, warnings } = await loadSettings(input({ [file]: WIDE }, { trust: trusting() }))
    expect(settings).toMatchObject({ vault: { mode: 'docs', link_roots: [] }, tools: {}, cache: { path: '' } })
    expect(warnings.map((warning) => warning.replaceAll(root, ''))).toEqual([
      `/${file}: ignored until you run "roux trust /${dirname(file)}": vault.link_roots, tools.get_hubs, cache.path.`,
    ])
  })

  test.each([IN_VAULT, IN_CWD])('%s applies fully once it is trusted', async (file) => {
    const { settings, warnings } = await loadSettings(input({ [file]: WIDE }, { trust: trusting(file) }))
    expect(settings).toMatchObject({ vault: { link_roots: ['/etc'] }, tools: { get_hubs: false }, cache: { path: '/tmp/x' } })
    expect(warnings).toEqual([])
  })

  test("the user's file and the --config file need no trust", async () => {
    const trust = trusting()
    const { settings } = await loadSettings(
      input({ [OWN]: 'cache: {path: /c}', 'vault/x.yaml': 'tools: {get_hubs: false}' }, { trust, config: '../vault/x.yaml' }),
    )
    expect(settings).toMatchObject({ tools: { get_hubs: false }, cache: { path: '/c' } })
    expect(trust.checks).toEqual([])
  })

  test('an untrusted vault cannot enable writing', async () => {
    const text = 'tools: {write: true, attach: true}\nwrite: {allow: ["**"], deny: [], keep_days: 1}\nfiles: {case: preserve}\n'
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting() }))
    expect(settings).toMatchObject({ tools: { write: false, attach: false }, write: { allow: [], keep_days: 30 } })
    expect(settings.files.case).toBe('preserve')
    expect(warnings.map((warning) => warning.replaceAll(root, ''))).toEqual([
      '/vault/roux.config.yaml: ignored until you run "roux trust /vault": tools.write, tools.attach, write.allow, write.keep_days.',
    ])
    const trusted = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting(IN_VAULT) }))
    expect(trusted.settings.tools).toEqual({ write: true, attach: true, insight: true, profile: 'full' })
  })

  test('vault.path in the working directory needs trust', async () => {
    const given = input({ [IN_CWD]: 'vault:\n  path: ../elsewhere' }, { vault: '' })
    expect((await loadSettings({ ...given, trust: trusting() })).settings.vault.path).toBe(join(root, 'cwd'))
    expect((await loadSettings({ ...given, trust: trusting(IN_CWD) })).settings.vault.path).toBe(join(root, 'elsewhere'))
  })

  test('trust is checked for the real file behind a symbolic link', async () => {
    const trust = trusting('shared.yaml')
    const given = input({ 'shared.yaml': WIDE }, { trust })
    symlinkSync(join(root, 'shared.yaml'), join(root, IN_VAULT))
    expect((await loadSettings(given)).settings.tools).toMatchObject({ get_hubs: false })
  })

  test.each([
    ['none', 'none', 0],
    ['static', 'static', 0],
    ['transformers', 'static', 1],
    ['openai', 'static', 1],
  ])("embedder.kind: an untrusted vault's %s becomes %s", async (kind, taken, warned) => {
    const { settings, warnings } = await loadSettings(
      input({ [IN_VAULT]: `embedder:\n  kind: ${kind}\n` }, { trust: trusting() }),
    )
    expect(settings.embedder.kind).toBe(taken)
    expect(warnings).toHaveLength(warned)
  })

  test('an untrusted vault can set nothing else of the embedder', async () => {
    const text =
      'embedder:\n  kind: none\n  model: a/b\n  base_url: http://evil\n  download: true\n  query_prefix: x\n  batch: 1\n  dimensions: 8'
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting() }))
    expect(settings.embedder).toEqual({ ...toSettings().embedder, kind: 'none' })
    expect(warnings[0]).toMatch(/: embedder.model, embedder.base_url, embedder.download, .*, embedder.dimensions\.$/)
  })

  test.each([IN_VAULT, IN_CWD])('%s with only default values causes no warning', async (file) => {
    const { warnings } = await loadSettings(
      input({ [file]: 'vault:\n  path: ""\n  link_roots: []\ntools:\n  get_hubs: true\n' }, { trust: trusting() }),
    )
    expect(warnings).toEqual([])
  })

  test('trust is not checked when nothing widens access', async () => {
    const trust = trusting()
    await loadSettings(input({ [IN_VAULT]: 'vault:\n  mode: docs' }, { trust }))
    expect(trust.checks).toEqual([])
  })
})

describe('settings of the chat model', () => {
  const ON = 'ai:\n  enabled: true\n'
  const env = { ROUX_AI_API_KEY: 'sk-canary' }

  test("reads the key from the variable, and its source from the user's settings", async () => {
    const { aiKey } = await loadSettings(input({ [OWN]: `${ON}  key_file: key\n  key_command: [pass, roux]\n` }, { env }))
    expect(aiKey).toMatchObject({ value: 'sk-canary', command: ['pass', 'roux'] })
    expect(aiKey?.file).toMatch(/\/key$/)
  })

  test("does not use another program's key", async () => {
    const { aiKey } = await loadSettings(
      input({ [OWN]: ON }, { env: { OPENAI_API_KEY: 'sk-other', ANTHROPIC_API_KEY: 'sk-other' } }),
    )
    expect(aiKey).toBeUndefined()
  })

  test('a trusted vault can choose neither the key command nor the server that gets the key', async () => {
    const trust = { isTrusted: () => true, trust: () => {} }
    const files = { [OWN]: ON, [IN_VAULT]: 'ai:\n  key_command: [rm, -rf]\n  key_file: /etc/passwd\n' }
    const command = await loadSettings(input(files, { trust }))
    expect(command.aiKey).toBeUndefined()
    expect(command.warnings.join()).toMatch(/ai\.key_command is ignored/)
    const address = await loadSettings(
      input({ [OWN]: ON, [IN_VAULT]: 'ai:\n  base_url: https://evil.example\n' }, { trust, env }),
    )
    expect(address.aiKey).toBeUndefined()
    expect(address.warnings.join()).toMatch(/the chat model's key is not sent/)
  })

  test("a vault can exclude notes without trust, in addition to the user's settings", async () => {
    const files = {
      [OWN]: 'ai:\n  deny: [a]\n  allow: [b]\n',
      [IN_CWD]: 'ai:\n  deny: []\n',
      [IN_VAULT]: 'ai:\n  deny: [c]\n  allow: [d, e]\n',
    }
    const { settings, warnings } = await loadSettings(input(files, { set: ['ai.deny=f'] }))
    expect(settings.ai).toMatchObject({ deny: ['f', 'a', 'c'], allow: ['b', '', 'd', 'e'] })
    expect(warnings).toEqual([])
  })

  test('everything that allows access needs trust', async () => {
    const { settings, warnings } = await loadSettings(
      input({ [IN_VAULT]: 'ai:\n  enabled: true\n  allow_remote: true\n  provider: openai\n  deny: []\n  budget: 0\n' }),
    )
    expect(settings.ai).toMatchObject({ enabled: false, allow_remote: false, provider: 'none', budget: 'auto' })
    expect(warnings.join()).toMatch(/ai\.enabled, ai\.allow_remote, ai\.provider, ai\.budget/)
  })

  test.each([
    ['true', true],
    ['off', false],
    ['api.openai.com,10.0.0.7:8080', ['api.openai.com', '10.0.0.7:8080']],
    ['["[::1]"]', ['[::1]']],
  ])('ai.allow_remote=%s', async (text, value) => {
    expect((await loadSettings(input({}, { set: [`ai.allow_remote=${text}`] }))).settings.ai.allow_remote).toEqual(value)
  })

  test.each(['https://api.openai.com', '*', 'a b'])('ai.allow_remote=%s is not a host name', async (text) => {
    await expect(loadSettings(input({}, { set: [`ai.allow_remote=${text}`] }))).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    })
  })
})
