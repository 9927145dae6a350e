import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { loadSettings, readSettings, type SettingsInput } from '../../src/config/load.ts'
import { type Settings, toSettings } from '../../src/config/settings.ts'
import type { FileVersion, TrustStore } from '../../src/config/trust.ts'
import { RouxError } from '../../src/core/errors.ts'
import { temporaryFolder } from '../support/temporary.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

const TOOLS = ['get_hubs', 'get_node', 'find_path']

/** Files by path under `root`; the program runs in `cwd`, the user's settings are in `home/roux`, the vault is `vault`. */
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

async function problemOf(loading: Promise<unknown>): Promise<string> {
  try {
    await loading
  } catch (error) {
    expect(error).toBeInstanceOf(RouxError)
    const { code, message, hint } = error as RouxError
    expect(code).toBe('INVALID_SETTINGS')
    return [message, hint]
      .filter((part) => part !== undefined)
      .join(' | ')
      .replaceAll(root, '')
  }
  throw new Error('nothing was wrong')
}

test('without any source every setting has its default', async () => {
  const { settings, warnings, files } = await loadSettings(input({}))
  // The generated table of docs/settings.md holds the defaults.
  expect(settings).toEqual({ ...toSettings(), vault: { ...toSettings().vault, path: join(root, 'vault') } })
  expect(warnings).toEqual([])
  expect(files).toEqual([])
})

test('the type of the settings follows from the schema', () => {
  expectTypeOf<Settings['vault']['watch']>().toEqualTypeOf<'auto' | 'polling' | 'off'>()
  expectTypeOf<Settings['vault']['ignore']>().toEqualTypeOf<readonly string[]>()
  expectTypeOf<Settings['tools']>().toEqualTypeOf<{
    readonly [name: string]: boolean
    readonly write: boolean
    readonly attach: boolean
    readonly insight: boolean
  }>()
  expect(toSettings().links.comments).toBe(true)
})

describe('the first source wins, key by key', () => {
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

  test('keys of several sources come together', async () => {
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

describe('where the vault is', () => {
  const at = (path: string) => join(root, path)
  const own = { [OWN]: 'vault:\n  path: ../../of-the-user', 'vault/x.md': '' }

  test.each<[string, Partial<SettingsInput>, string]>([
    ['the command line', { vault: '../named', env: { ROUX_VAULT: '../of-env' } }, 'named'],
    ['ROUX_VAULT', { vault: '', env: { ROUX_VAULT: '../of-env' } }, 'of-env'],
    ['the settings, relative to their file', { vault: '' }, 'of-the-user'],
    ['an empty variable is none', { vault: '', env: { ROUX_VAULT: '' } }, 'of-the-user'],
  ])('%s', async (_, more, expected) => {
    expect((await loadSettings(input(own, more))).settings.vault.path).toBe(at(expected))
  })

  test('the working directory, when nothing names it', async () => {
    const { settings, vaultNamed } = await loadSettings(input({}, { vault: '' }))
    expect(settings.vault.path).toBe(at('cwd'))
    expect(vaultNamed).toBe(false)
  })

  test('~/ is understood', async () => {
    expect((await loadSettings(input({}, { vault: '~/notes' }))).settings.vault.path).toBe(join(homedir(), 'notes'))
  })

  test("a vault's own file cannot move it", async () => {
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: 'vault:\n  path: /etc' }))
    expect(settings.vault.path).toBe(at('vault'))
    expect(warnings).toHaveLength(1)
  })

  test('one file that is both in the working directory and in the vault is read once', async () => {
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
    ['the last of two', { set: ['links.comments=true', 'links.comments=no'] }, (s) => s.links.comments, false],
    ['a tool', { set: ['tools.get_hubs=off'] }, (s) => s.tools, { write: false, attach: false, insight: true, get_hubs: false }],
    ['a tool by variable', { env: { ROUX_TOOLS_GET_HUBS: '0' } }, (s) => s.tools.get_hubs, false],
    ['writing by variable', { env: { ROUX_TOOLS_WRITE: '1' } }, (s) => s.tools, { write: true, attach: false, insight: true }],
    ['where may be written', { set: ['write.allow=inbox/**'] }, (s) => s.write.allow, ['inbox/**']],
    ['a name with _', { env: { ROUX_VAULT_LINK_ROOTS: '/a,/b' } }, (s) => s.vault.link_roots, ['/a', '/b']],
    ['a weight', { set: ['search.weight=.5'] }, (s) => s.search.weight, 0.5],
    ['a weight that is left to the model', { env: { ROUX_SEARCH_WEIGHT: 'auto' } }, (s) => s.search.weight, 'auto'],
    ['no prefix at all', { set: ['embedder.query_prefix='] }, (s) => s.embedder.query_prefix, ''],
    ['a model of the hub', { set: ['embedder.model=a/b'] }, (s) => s.embedder.model, 'a/b'],
    ['a model at home', { env: { ROUX_EMBEDDER_MODEL: '~/m' } }, (s) => s.embedder.model, join(homedir(), 'm')],
    ['a key, which is no setting', { env: { ROUX_EMBEDDER_API_KEY: 'x' } }, (s) => s.embedder.kind, 'static'],
    ['a value with =', { set: ['vault.ignore=a=b'] }, (s) => s.vault.ignore, ['a=b']],
    ['a variable of another program', { env: { ROUX_ELEMENT: 'x', ROUXVAULT: 'y' } }, (s) => s.vault.mode, 'auto'],
  ])('%s', async (_, more, pick, expected) => {
    expect(pick((await loadSettings(input({}, more))).settings)).toEqual(expected)
  })

  test.each<[Partial<SettingsInput>, string]>([
    [{ set: ['vault.mode'] }, '--set vault.mode: expected key=value. | For example: --set vault.mode=docs'],
    [{ set: ['vault.mdoe=docs'] }, '--set: there is no setting "vault.mdoe". | Did you mean "vault.mode"?'],
    [{ set: ['profile=obsidian'] }, '--set: there is no setting "profile". | Did you mean "links.profile"?'],
    [{ set: ['quux=1'] }, '--set: there is no setting "quux". | See "roux help settings" for the settings there are.'],
    [
      { set: ['__proto__.x=1'] },
      '--set: there is no setting "__proto__.x". | See "roux help settings" for the settings there are.',
    ],
    [{ set: ['links.comments=constructor'] }, '--set: links.comments must be true or false; got the text "constructor".'],
    [
      { set: ['vault.mode=obsidan'] },
      '--set: vault.mode must be one of auto, obsidian, foam, logseq, docs; got the text "obsidan". | Did you mean "obsidian"?',
    ],
    [{ set: ['vault.ignore=[1'] }, '--set: vault.ignore must be a list of texts, e.g. ["a", "b"]; got the text "[1".'],
    [{ set: ['tools.get_hub=true'] }, '--set: there is no setting "tools.get_hub". | Did you mean "tools.get_hubs"?'],
    [{ env: { ROUX_VAULT_MOED: 'x' } }, 'The variable ROUX_VAULT_MOED names no setting. | Did you mean "ROUX_VAULT_MODE"?'],
    [{ env: { ROUX_VALT_MODE: 'x' } }, 'The variable ROUX_VALT_MODE names no setting. | Did you mean "ROUX_VAULT_MODE"?'],
    [
      { env: { ROUX_LINKS_QUUX: 'x' } },
      'The variable ROUX_LINKS_QUUX names no setting. | See "roux help settings" for the settings there are.',
    ],
    [
      { env: { ROUX_EMBEDDER_APIKEY: 'secret' } },
      'The variable ROUX_EMBEDDER_APIKEY names no setting. | Did you mean "ROUX_EMBEDDER_API_KEY"?',
    ],
    [
      { set: ['embedder.api_key=secret'] },
      '--set: there is no setting "embedder.api_key". | A key is read from the variable ROUX_EMBEDDER_API_KEY only.',
    ],
    [
      { set: ['store.neo4j.password=secret'] },
      '--set: there is no setting "store.neo4j.password". | A password is read from the variable ROUX_STORE_NEO4J_PASSWORD, or from the file that store.neo4j.password_file names.',
    ],
    [
      { set: ['store.type=neo4'] },
      '--set: store.type must be one of embedded, neo4j; got the text "neo4". | Did you mean "neo4j"?',
    ],
    [{ set: ['search.weight=2'] }, '--set: search.weight must be auto, or a number from 0 to 1; got the number 2.'],
    [
      { env: { ROUX_VAULT_WATCH: 'never' } },
      'ROUX_VAULT_WATCH: vault.watch must be one of auto, polling, off; got the text "never".',
    ],
    [{ config: 'nowhere.yaml' }, 'There is no file /cwd/nowhere.yaml. | Check what --config names.'],
  ])('%j is an error', async (more, expected) => {
    expect(await problemOf(loadSettings(input({}, more)))).toBe(expected)
  })
})

describe('files', () => {
  test.each<[string, string, string]>([
    ['an unknown key', 'vault:\n  mod: docs', ':2: there is no setting "vault.mod". | Did you mean "vault.mode"?'],
    ['an unknown section', '\nvalut:\n  mode: docs', ':2: there is no setting "valut". | Did you mean "vault"?'],
    ['a key without its section', 'mode: docs', ':1: there is no setting "mode". | Did you mean "vault.mode"?'],
    [
      'a text for a list',
      'vault:\n  ignore: drafts',
      ':2: vault.ignore must be a list of texts, e.g. ["a", "b"]; got the text "drafts".',
    ],
    [
      'a number in a list',
      'vault:\n  ignore: [a, 2]',
      ':2: vault.ignore must be a list of texts, e.g. ["a", "b"]; got an item that is the number 2.',
    ],
    ['a word for a flag', 'links:\n  comments: yes', ':2: links.comments must be true or false; got the text "yes".'],
    [
      'nothing',
      'vault:\n  mode:\n  watch: off',
      ':2: vault.mode must be one of auto, obsidian, foam, logseq, docs; got nothing.',
    ],
    [
      'a mapping for a value',
      'vault:\n  mode: {a: 1}',
      ':2: vault.mode must be one of auto, obsidian, foam, logseq, docs; got a mapping.',
    ],
    ['a value for a section', 'vault: docs', ':1: "vault" must hold settings, one a line below it.'],
    ['a list at the top', '- vault', ': expected settings, as "vault:" with "  mode: docs" below it.'],
    ['depth without end', `\n${'- '.repeat(8_000)}`, ':2: the settings are nested more than 64 deep.'],
    ['a key twice', 'vault:\n  mode: docs\n  mode: foam', ':3: Map keys must be unique. | The file is not valid YAML.'],
    [
      'broken YAML',
      'vault:\n  ignore: [a\nlinks: {}',
      ':3: Flow sequence in block collection must be sufficiently indented and end with a ]. | The file is not valid YAML.',
    ],
    ['two documents', 'vault: {}\n---\nlinks: {}', ':2: a second document begins here. | Settings are one document.'],
  ])('%s is an error that says where', async (_, text, expected) => {
    expect(await problemOf(loadSettings(input({ [OWN]: text })))).toBe(`/${OWN}${expected}`)
  })

  test.each<[string, string]>([
    ['a byte order mark and CRLF', '\ufeffvault:\r\n  mode: docs\r\n'],
    ['a dotted key', 'vault.mode: docs'],
    ['flow style', '{vault: {mode: docs}}'],
    ['anchors', 'vault: &v {mode: docs}'],
    ['empty sections', 'links:\nvault:\n  mode: docs\ntools:\n'],
  ])('%s is understood', async (_, text) => {
    expect((await loadSettings(input({ [OWN]: text }))).settings.vault.mode).toBe('docs')
  })

  test.each(['', '# nothing yet\n', '---\n', 'null'])('%j sets nothing', async (text) => {
    expect((await loadSettings(input({ [IN_VAULT]: text }))).settings.vault.mode).toBe('auto')
  })

  test('aliases that grow without end are an error, and soon', async () => {
    const bomb = [
      'a: &a [x]',
      ...[...'bcdefghij'].map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[i]}`).join(',')}]`),
      'vault:\n  ignore: *j',
    ].join('\n')
    expect((await readSettings(input({ [OWN]: bomb }))).problems.length).toBeGreaterThan(0)
    expect((await readSettings(input({ [OWN]: 'vault: &v\n  ignore: *v' }))).problems).toHaveLength(1)
  })

  test('a folder of that name is an error', async () => {
    const given = input({ [`${IN_VAULT}/x`]: '' })
    expect(await problemOf(loadSettings(given))).toBe(`/${IN_VAULT} cannot be read: it is not a file. | Correct or remove it.`)
  })

  test('all that is wrong is collected, and one is told', async () => {
    const given = input({ [OWN]: 'vault:\n  mode: x\n  watch: y' }, { set: ['z=1'] })
    const { problems, settings } = await readSettings(given)
    expect(problems).toHaveLength(3)
    expect(settings.vault.watch).toBe('auto')
    expect(await problemOf(loadSettings(given))).toContain('"roux doctor" shows 2 more.')
  })
})

test('a model in a folder is looked for where its file says', async () => {
  const { settings } = await loadSettings(input({ [OWN]: 'embedder:\n  model: ./models/mine' }))
  expect(settings.embedder.model).toBe(join(root, 'home/roux/models/mine'))
})

describe('an API key', () => {
  const env = { ROUX_EMBEDDER_API_KEY: 'secret' }
  const SERVER = 'embedder:\n  kind: openai\n  model: m\n  base_url: https://api.example/v1\n'
  const trust: TrustStore = { isTrusted: () => true, trust: () => {} }

  test.each<[string, Record<string, string>, Partial<SettingsInput>, string | undefined]>([
    ["the user's own file", { [OWN]: SERVER }, {}, 'secret'],
    ['the command line', {}, { set: ['embedder.kind=openai', 'embedder.base_url=https://a'] }, 'secret'],
    ['no one: it is this computer', { [IN_VAULT]: 'embedder: {kind: openai}' }, { trust }, 'secret'],
    ['the vault, even a trusted one', { [IN_VAULT]: SERVER }, { trust }, undefined],
    ['the working directory, even a trusted one', { [IN_CWD]: SERVER }, { trust }, undefined],
    ['the user, whatever the vault says', { [OWN]: SERVER, [IN_VAULT]: SERVER }, { trust }, 'secret'],
    ['no one, as no server is asked', {}, {}, undefined],
  ])('the address is from %s', async (_, files, more, expected) => {
    const { apiKey, warnings } = await loadSettings(input(files, { ...more, env }))
    expect(apiKey).toBe(expected)
    const isWithheld = expected === undefined && Object.keys(files).length > 0
    expect(warnings.some((warning) => warning.includes('ROUX_EMBEDDER_API_KEY is not sent'))).toBe(isWithheld)
    expect(JSON.stringify(warnings)).not.toContain('secret')
  })
})

describe('the password of a database', () => {
  const env = { ROUX_STORE_NEO4J_PASSWORD: 'secret' }
  const trust: TrustStore = { isTrusted: () => true, trust: () => {} }
  const SERVER = 'store:\n  type: neo4j\n  neo4j:\n    url: bolt://db.example:7687\n'
  const url = (settings: Settings) => settings.store['neo4j.url']

  test.each<[string, Record<string, string>, Partial<SettingsInput>, string | undefined]>([
    ["the user's own file", { [OWN]: SERVER }, {}, 'secret'],
    ['the command line', {}, { set: ['store.type=neo4j', 'store.neo4j.url=bolt://db.example:7687'] }, 'secret'],
    ['the vault, even a trusted one', { [IN_VAULT]: SERVER }, { trust }, undefined],
    ['the user, whatever the vault says', { [OWN]: SERVER, [IN_VAULT]: SERVER }, { trust }, 'secret'],
  ])('the address is from %s', async (_, files, more, expected) => {
    const { settings, storePassword, warnings } = await loadSettings(input(files, { ...more, env }))
    expect([url(settings), storePassword]).toEqual(['bolt://db.example:7687', expected])
    expect(warnings.some((warning) => warning.includes('is not sent'))).toBe(expected === undefined)
    expect(JSON.stringify([settings, warnings])).not.toContain('secret')
  })

  test('is not read where no database is used, and a variable names the address', async () => {
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
  ])('is read from the file that is named by %s', async (_, place, expected) => {
    const named = `store:\n  neo4j:\n    password_file: ${join(root, 'secret.txt')}\n`
    const own = place === OWN ? `${SERVER}${named.slice('store:\n  neo4j:\n'.length)}` : SERVER
    const files = { 'secret.txt': 'from the file\n', [OWN]: own, ...(place === OWN ? {} : { [place]: named }) }
    const { storePassword, warnings, settings } = await loadSettings(input(files, { trust }))
    expect([url(settings), storePassword]).toEqual(['bolt://db.example:7687', expected])
    expect(warnings.some((warning) => warning.includes('store.neo4j.password_file is ignored in this file'))).toBe(
      expected === undefined,
    )
  })

  test('a file that only a vault names is not even looked for', async () => {
    const named = `${SERVER}    password_file: /nowhere/at/all\n`
    const { problems } = await readSettings(input({ [IN_VAULT]: named }, { trust }))
    expect(problems).toEqual([])
  })

  test('a vault that was not trusted chooses no database', async () => {
    const { settings, warnings } = await loadSettings(
      input({ [IN_VAULT]: SERVER }, { trust: { isTrusted: () => false, trust: () => {} } }),
    )
    expect(settings.store.type).toBe('embedded')
    expect(warnings.join()).toContain('store.type, store.neo4j.url')
  })
})

describe('trust', () => {
  const trusting = (...texts: string[]): TrustStore & { asked: FileVersion[] } => {
    const asked: FileVersion[] = []
    return {
      asked,
      isTrusted: (file) => asked.push(file) > 0 && texts.includes(file.realPath.replace(`${root}/`, '')),
      trust: () => {},
    }
  }
  const WIDE = 'vault:\n  mode: docs\n  link_roots: [/etc]\ntools:\n  get_hubs: false\ncache:\n  path: /tmp/x\n'

  test.each([IN_VAULT, IN_CWD])('%s waits for it with what widens trust, and only with that', async (file) => {
    const { settings, warnings } = await loadSettings(input({ [file]: WIDE }, { trust: trusting() }))
    expect(settings).toMatchObject({ vault: { mode: 'docs', link_roots: [] }, tools: {}, cache: { path: '' } })
    expect(warnings.map((warning) => warning.replaceAll(root, ''))).toEqual([
      `/${file}: ignored until "roux trust /${dirname(file)}" is said: vault.link_roots, tools.get_hubs, cache.path.`,
    ])
  })

  test.each([IN_VAULT, IN_CWD])('%s has it once it was said', async (file) => {
    const { settings, warnings } = await loadSettings(input({ [file]: WIDE }, { trust: trusting(file) }))
    expect(settings).toMatchObject({ vault: { link_roots: ['/etc'] }, tools: { get_hubs: false }, cache: { path: '/tmp/x' } })
    expect(warnings).toEqual([])
  })

  test("the user's own file and the one of --config have it", async () => {
    const trust = trusting()
    const { settings } = await loadSettings(
      input({ [OWN]: 'cache: {path: /c}', 'vault/x.yaml': 'tools: {get_hubs: false}' }, { trust, config: '../vault/x.yaml' }),
    )
    expect(settings).toMatchObject({ tools: { get_hubs: false }, cache: { path: '/c' } })
    expect(trust.asked).toEqual([])
  })

  test('a vault cannot have itself written to', async () => {
    const text = 'tools: {write: true, attach: true}\nwrite: {allow: ["**"], deny: [], keep_days: 1}\nfiles: {case: preserve}\n'
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting() }))
    expect(settings).toMatchObject({ tools: { write: false, attach: false }, write: { allow: [], keep_days: 30 } })
    expect(settings.files.case).toBe('preserve')
    expect(warnings.map((warning) => warning.replaceAll(root, ''))).toEqual([
      '/vault/roux.config.yaml: ignored until "roux trust /vault" is said: tools.write, tools.attach, write.allow, write.keep_days.',
    ])
    const trusted = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting(IN_VAULT) }))
    expect(trusted.settings.tools).toEqual({ write: true, attach: true, insight: true })
  })

  test('a vault.path in the working directory needs it', async () => {
    const given = input({ [IN_CWD]: 'vault:\n  path: ../elsewhere' }, { vault: '' })
    expect((await loadSettings({ ...given, trust: trusting() })).settings.vault.path).toBe(join(root, 'cwd'))
    expect((await loadSettings({ ...given, trust: trusting(IN_CWD) })).settings.vault.path).toBe(join(root, 'elsewhere'))
  })

  test('it is asked for the file itself, not for a symbolic link to it', async () => {
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
  ])('embedder.kind: %s from a vault is %s', async (kind, taken, warned) => {
    const { settings, warnings } = await loadSettings(
      input({ [IN_VAULT]: `embedder:\n  kind: ${kind}\n` }, { trust: trusting() }),
    )
    expect(settings.embedder.kind).toBe(taken)
    expect(warnings).toHaveLength(warned)
  })

  test('nothing else of an embedder is taken from a vault', async () => {
    const text =
      'embedder:\n  kind: none\n  model: a/b\n  base_url: http://evil\n  download: true\n  query_prefix: x\n  batch: 1\n  dimensions: 8'
    const { settings, warnings } = await loadSettings(input({ [IN_VAULT]: text }, { trust: trusting() }))
    expect(settings.embedder).toEqual({ ...toSettings().embedder, kind: 'none' })
    expect(warnings[0]).toMatch(/: embedder.model, embedder.base_url, embedder.download, .*, embedder.dimensions\.$/)
  })

  test.each([IN_VAULT, IN_CWD])('%s with nothing but defaults is not warned of', async (file) => {
    const { warnings } = await loadSettings(
      input({ [file]: 'vault:\n  path: ""\n  link_roots: []\ntools:\n  get_hubs: true\n' }, { trust: trusting() }),
    )
    expect(warnings).toEqual([])
  })

  test('it is not asked where nothing widens', async () => {
    const trust = trusting()
    await loadSettings(input({ [IN_VAULT]: 'vault:\n  mode: docs' }, { trust }))
    expect(trust.asked).toEqual([])
  })
})

describe('the chat model', () => {
  const ON = 'ai:\n  enabled: true\n'
  const env = { ROUX_AI_API_KEY: 'sk-canary' }

  test('its key is taken from the variable, and from where the own settings say', async () => {
    const { aiKey } = await loadSettings(input({ [OWN]: `${ON}  key_file: key\n  key_command: [pass, roux]\n` }, { env }))
    expect(aiKey).toMatchObject({ value: 'sk-canary', command: ['pass', 'roux'] })
    expect(aiKey?.file).toMatch(/\/key$/)
  })

  test('a key of another program is not taken', async () => {
    const { aiKey } = await loadSettings(
      input({ [OWN]: ON }, { env: { OPENAI_API_KEY: 'sk-other', ANTHROPIC_API_KEY: 'sk-other' } }),
    )
    expect(aiKey).toBeUndefined()
  })

  test('a trusted file of the vault says neither which program runs nor where a key is sent', async () => {
    const trust = { isTrusted: () => true, trust: () => {} }
    const files = { [OWN]: ON, [IN_VAULT]: 'ai:\n  key_command: [rm, -rf]\n  key_file: /etc/passwd\n' }
    const command = await loadSettings(input(files, { trust }))
    expect(command.aiKey).toBeUndefined()
    expect(command.warnings.join()).toMatch(/ai\.key_command is ignored/)
    const address = await loadSettings(
      input({ [OWN]: ON, [IN_VAULT]: 'ai:\n  base_url: https://evil.example\n' }, { trust, env }),
    )
    expect(address.aiKey).toBeUndefined()
    expect(address.warnings.join()).toMatch(/the key of the chat model is not sent/)
  })

  test('a file of the vault keeps notes back without trust, and adds to the own settings', async () => {
    const files = {
      [OWN]: 'ai:\n  deny: [a]\n  allow: [b]\n',
      [IN_CWD]: 'ai:\n  deny: []\n',
      [IN_VAULT]: 'ai:\n  deny: [c]\n  allow: [d, e]\n',
    }
    const { settings, warnings } = await loadSettings(input(files, { set: ['ai.deny=f'] }))
    expect(settings.ai).toMatchObject({ deny: ['f', 'a', 'c'], allow: ['b', '', 'd', 'e'] })
    expect(warnings).toEqual([])
  })

  test('every one of its settings that allows something waits for trust', async () => {
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

  test.each(['https://api.openai.com', '*', 'a b'])('ai.allow_remote=%s is no name of a computer', async (text) => {
    await expect(loadSettings(input({}, { set: [`ai.allow_remote=${text}`] }))).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})
