import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandLine, type World } from '../support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
  mkdirSync(join(line.root, 'home', '.cursor'), { recursive: true })
})
afterEach(() => line.clean())

const roux = (args: string, world?: World) => line.roux(args.split(' '), world)
const cursorFile = () => join(line.root, 'home/.cursor/mcp.json')
const backups = () => readdirSync(dirname(cursorFile())).filter((name) => name.startsWith('mcp.json.roux-backup-'))
const FORMER = '{\r\n  // mine\r\n  "mcpServers": {\r\n    "other": { "command": "x" },\r\n  },\r\n}\r\n'
const stdio = (vault: string, ...more: readonly string[]) => ({
  command: '/opt/node/bin/node',
  args: ['/opt/roux/dist/cli/main.js', 'serve', join(line.root, vault), ...more],
})

test('install writes an entry that needs neither a shell nor PATH, and reports what and where', async () => {
  const { code, out, err } = await roux('install cursor', { tty: true })
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(readFileSync(cursorFile(), 'utf8'))).toEqual({ mcpServers: { roux: stdio('vault') } })
  expect(statSync(cursorFile()).mode & 0o777).toBe(0o600)
  expect(out).toContain('+++ /home/.cursor/mcp.json')
  expect(out).toContain('+    "roux": {')
  expect(out).toContain('Cursor now has Roux, as "roux".')
})

test('install keeps the previous file with its mode, and uninstall restores it byte for byte', async () => {
  writeFileSync(cursorFile(), FORMER, { mode: 0o640 })
  const { out } = await roux('install cursor')
  const [backup = ''] = backups()
  expect(JSON.parse(out)).toMatchObject({ client: 'cursor', name: 'roux', changed: true, backup: `/home/.cursor/${backup}` })
  expect(readFileSync(join(dirname(cursorFile()), backup), 'utf8')).toBe(FORMER)
  expect([cursorFile(), join(dirname(cursorFile()), backup)].map((file) => statSync(file).mode & 0o777)).toEqual([0o640, 0o640])
  expect(JSON.parse((await roux('uninstall cursor')).out)).toMatchObject({ changed: true })
  expect(readFileSync(cursorFile(), 'utf8')).toBe(FORMER)
  expect(backups()).toHaveLength(2)
})

test.each(['', '{}', '{\n}\n', '// nothing yet\n'])(
  'uninstall also restores a file without servers byte for byte: %j',
  async (former) => {
    writeFileSync(cursorFile(), former)
    await roux('install cursor')
    await roux('uninstall cursor')
    expect(readFileSync(cursorFile(), 'utf8')).toBe(former)
  },
)

test('suggests the short tool list to a client with many servers, unless it is already chosen', async () => {
  const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`other${at}`, { command: 'x' }]))
  const advice = 'tools.profile=core'
  const installed = async (count: number, more = '') => {
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: others(count) }))
    return (await roux(`install cursor${more}`, { tty: true })).out.split('\n').at(-2)
  }
  expect(await installed(3)).not.toContain(advice)
  expect(await installed(4)).toContain(`It has 4 other servers`)
  expect(await installed(4)).toContain(advice)
  expect(await installed(4, ' --set tools.profile=core')).not.toContain('other servers')
})

test('a second install or uninstall writes nothing', async () => {
  await roux('install cursor')
  const before = readFileSync(cursorFile(), 'utf8')
  const { code, out } = await roux('install cursor', { tty: true })
  expect([code, out]).toEqual([0, 'Cursor already has this entry; nothing was written.\n'])
  expect(readFileSync(cursorFile(), 'utf8')).toBe(before)
  expect(backups()).toEqual([])
  await roux('uninstall cursor')
  expect((await roux('uninstall cursor', { tty: true })).out).toBe(
    '/home/.cursor/mcp.json has no server "roux": nothing was written.\n',
  )
})

test.each(['claude-desktop', 'claude-code', 'cursor', 'vscode', 'zed'])(
  'uninstall %s says when the server stops, not where it is available',
  async (client) => {
    await roux(`install ${client} --create`)
    const { out } = await roux(`uninstall ${client}`, { tty: true })
    expect(out).toMatch(/no longer has "roux"\.\n/)
    expect(out).toMatch(/start .* again|gone from new sessions/)
    expect(out).not.toMatch(/available in new|and starts it|starts it automatically/)
  },
)

test('--dry-run shows the change and writes nothing', async () => {
  writeFileSync(cursorFile(), FORMER)
  const { out } = await roux('install cursor --dry-run', { tty: true })
  expect(out).toContain('+    "roux": {')
  expect(out).toContain('This is a dry run; nothing was written.')
  expect(JSON.parse((await roux('install cursor --dry-run')).out)).toMatchObject({ changed: false, dry_run: true })
  expect([readFileSync(cursorFile(), 'utf8'), backups()]).toEqual([FORMER, []])
})

test('installs several vaults under several names, with options for the server', async () => {
  line.write('work/a.md', '')
  await roux('install cursor')
  line.write('c.yaml', '')
  await roux('install cursor --name roux-work --vault ../work --write --config ../c.yaml --set vault.mode=docs')
  expect(JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers).toEqual({
    roux: stdio('vault'),
    'roux-work': stdio('work', '--config', join(line.root, 'c.yaml'), '--set', 'vault.mode=docs', '--write'),
  })
  await roux('uninstall cursor')
  expect(Object.keys(JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers)).toEqual(['roux-work'])
})

describe('several vaults', () => {
  const BOTH = 'vaults:\n  home: ../home-notes\n  work: ../work\n'
  const argsWritten = () => JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers.roux.args.slice(1)
  beforeEach(() => {
    for (const name of ['home-notes', 'work']) line.write(`${name}/a.md`, '')
  })

  test("vaults from the user's settings are found by every server", async () => {
    line.write('config/roux/roux.config.yaml', `vaults:\n  home: ${line.root}/home-notes\n  work: ${line.root}/work\n`)
    await roux('install cursor')
    expect(argsWritten()).toEqual(['serve'])
    await roux('install cursor --vault work')
    expect(argsWritten()).toEqual(['serve', 'work'])
  })

  test('vaults from a file in the working directory need --config, and a single one its folder', async () => {
    line.write('vault/roux.config.yaml', BOTH)
    expect((await roux('trust')).code).toBe(0)
    await roux('install cursor')
    expect(argsWritten()).toEqual(['serve', '--config', join(line.root, 'vault/roux.config.yaml')])
    await roux('install cursor --vault work')
    expect(argsWritten()).toEqual(['serve', join(line.root, 'work')])
  })

  test('vaults that no server would find are rejected', async () => {
    const env = { ROUX_VAULTS_HOME: join(line.root, 'home-notes'), ROUX_VAULTS_WORK: join(line.root, 'work') }
    const { code, err } = await roux('install cursor', { env })
    expect([code, err]).toEqual([1, expect.stringContaining('defined in ROUX_VAULTS_HOME and ROUX_VAULTS_WORK')])
    expect(existsSync(cursorFile())).toBe(false)
  })
})

test("another vault replaces the previous one, and the user's additions stay", async () => {
  const servers = { roux: { command: 'roux', args: ['serve', '/old'], disabled: true } }
  writeFileSync(cursorFile(), JSON.stringify({ mcpServers: servers }))
  await roux('install cursor')
  expect(JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers.roux).toEqual({ ...stdio('vault'), disabled: true })
})

test('changes the target of a symbolic link and keeps the link', async () => {
  line.write('dotfiles/mcp.json', FORMER)
  symlinkSync(join(line.root, 'dotfiles/mcp.json'), cursorFile())
  await roux('install cursor')
  expect(readFileSync(join(line.root, 'dotfiles/mcp.json'), 'utf8')).toContain('"roux"')
  expect(readFileSync(cursorFile(), 'utf8')).toContain('"roux"')
  expect(readdirSync(join(line.root, 'dotfiles')).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

describe('a refusal changes nothing', () => {
  const refused = async (args: string, world?: World): Promise<string> => {
    const before = existsSync(cursorFile()) ? readFileSync(cursorFile()) : undefined
    const { code, err, out } = await roux(args, world)
    expect([code > 0, out]).toEqual([true, ''])
    if (before) expect(readFileSync(cursorFile())).toEqual(before)
    expect(backups()).toEqual([])
    return err
  }

  test('invalid JSON, with its place', async () => {
    writeFileSync(cursorFile(), '{\n  "mcpServers": {\n')
    for (const command of ['install', 'uninstall'])
      expect(await refused(`${command} cursor`)).toContain(
        '/home/.cursor/mcp.json is not valid JSON: line 3, column 1: missing }.',
      )
  })

  test('bytes that are not UTF-8, and a path that is not a file', async () => {
    writeFileSync(cursorFile(), Buffer.from([0xff, 0xfe, 0x7b, 0x00]))
    expect(await refused('install cursor')).toContain('it is not UTF-8')
    rmSync(cursorFile())
    symlinkSync('/nowhere/at/all', cursorFile())
    expect(await refused('install cursor')).toContain('a broken symbolic link')
    rmSync(cursorFile())
    mkdirSync(cursorFile())
    expect((await roux('install cursor')).err).toContain('it is not a file')
  })

  test("another program's server of this name, unless --force is given", async () => {
    writeFileSync(cursorFile(), '{"mcpServers":{"roux":{"command":"other"}}}')
    expect(await refused('install cursor')).toContain('has a server "roux" that is not Roux.')
    expect(await refused('uninstall cursor')).toContain('--force')
    expect((await roux('install cursor --force')).code).toBe(0)
    expect((await roux('uninstall cursor')).code).toBe(0)
  })

  test('a client that is not installed, unless --create is given', async () => {
    const err = await refused('install zed')
    expect(err).toContain('Zed was not found: there is neither /config/zed/settings.json nor /config/zed.')
    expect(err).toContain('--create')
    expect((await roux('install zed --create')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(line.root, 'config/zed/settings.json'), 'utf8'))).toEqual({
      context_servers: { roux: { ...stdio('vault'), env: {} } },
    })
  })

  test('unknown clients, names and folders', async () => {
    expect(await refused('install')).toContain('roux install claude-desktop|claude-code|cursor|vscode|zed')
    expect(await refused('install cursr')).toContain('Did you mean "cursor"?')
    expect(await refused('install emacs')).toContain('Known programs:')
    expect(await refused('install cursor --name a/b')).toContain('is not a valid server name')
    expect(await refused('install cursor --vault ../none')).toContain('There is no folder /none.')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a folder
    const strange = 'a${HOME}'
    line.write(`${strange}/n.md`, '')
    expect(await refused(`install cursor --vault ../${strange}`)).toContain('interpret as a variable')
  })

  test.skipIf(process.getuid?.() === 0)('a file without write permission', async () => {
    writeFileSync(cursorFile(), FORMER, { mode: 0o444 })
    expect(await refused('install cursor')).toContain('cannot be written')
    chmodSync(cursorFile(), 0o644)
  })
})

describe('over HTTP', () => {
  const token = `roux_${'x'.repeat(43)}`
  beforeEach(() =>
    line.write(
      'state/roux/tokens.json',
      JSON.stringify({ tokens: [{ name: 'default', secret: token, scopes: ['read'], vaults: '*' }] }),
    ),
  )

  test('writes the address and the token, and does not show the token', async () => {
    const { out, err } = await roux('install cursor --http', { tty: true })
    expect(out + err).not.toContain(token)
    const { roux: entry } = JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers
    expect(entry).toEqual({ url: 'http://127.0.0.1:7583/mcp', headers: { Authorization: `Bearer ${token}` } })
    const other = `roux_${'y'.repeat(43)}`
    line.write(
      'state/roux/tokens.json',
      JSON.stringify({ tokens: [{ name: 'default', secret: other, scopes: ['read'], vaults: '*' }] }),
    )
    const again = await roux('install cursor --http', { tty: true })
    expect(again.out).toContain('-        "Authorization": "Bearer roux_xxxx…"')
    expect(again.out).toContain('+        "Authorization": "Bearer roux_yyyy…"')
    expect(again.out + (await roux('uninstall cursor', { tty: true })).out).not.toMatch(/x{5}|y{5}/)
  })

  test('warns about a file that others can read', async () => {
    writeFileSync(cursorFile(), '{}', { mode: 0o644 })
    chmodSync(cursorFile(), 0o644)
    expect((await roux('install cursor --http')).err).toContain('chmod 600')
  })

  test('creates a missing token', async () => {
    rmSync(join(line.root, 'state'), { recursive: true })
    await roux('install cursor --http')
    const file = join(line.root, 'state/roux/tokens.json')
    const [made] = JSON.parse(readFileSync(file, 'utf8')).tokens
    expect(readFileSync(cursorFile(), 'utf8')).toContain(`Bearer ${made.secret}`)
  })

  test('HTTP is refused for clients without support, and with options that belong to the server', async () => {
    expect((await roux('install claude-desktop --http')).err).toContain('does not accept HTTP servers')
    expect((await roux('install cursor --http --write')).err).toContain('Pass it to "roux serve --http"')
    expect((await roux('install cursor --http --set http.port=0')).err).toContain('port changes on every start')
  })
})

describe('the path of Node', () => {
  const installed = async (world: World): Promise<{ readonly command: string; readonly err: string }> => {
    const { err } = await roux('install cursor', world)
    return { command: JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers.roux.command, err }
  }

  test('prefers a link in PATH that survives updates, but not one that ends with the shell', async () => {
    line.write('Cellar/node/22.1.0/bin/node', '')
    const node = join(line.root, 'Cellar/node/22.1.0/bin/node')
    for (const folder of ['fnm_multishells/1_2/bin', 'stable/bin']) {
      mkdirSync(join(line.root, folder), { recursive: true })
      symlinkSync(node, join(line.root, folder, 'node'))
    }
    const program = { node, script: '/opt/roux/dist/cli/main.js' }
    const path = (...folders: readonly string[]) => ({ PATH: folders.map((folder) => join(line.root, folder)).join(':') })
    expect(await installed({ program, env: path('fnm_multishells/1_2/bin', 'stable/bin') })).toEqual({
      command: join(line.root, 'stable/bin/node'),
      err: '',
    })
    const { command, err } = await installed({ program, env: path('fnm_multishells/1_2/bin') })
    expect(command).toBe(node)
    expect(err).toContain('belongs to one version of Node')
  })

  test('warns about a copy that npx runs', async () => {
    const program = { node: '/opt/node/bin/node', script: '/home/ada/.npm/_npx/1/node_modules/roux/dist/cli/main.js' }
    expect((await installed({ program })).err).toContain('npm install -g')
  })
})

describe('the doctor', () => {
  const clients = async (): Promise<readonly { state: string; message: string; hint?: string }[]> => {
    const { out } = await roux('doctor')
    return JSON.parse(out).checks.filter(({ check }: { check: string }) => check === 'clients')
  }

  test('reports nothing if no client has Roux', async () => {
    writeFileSync(cursorFile(), FORMER)
    expect(await clients()).toEqual([])
  })

  test('reports missing parts of an entry, with the command that repairs it', async () => {
    line.write('n/node', '')
    line.write('r/dist/cli/main.js', '')
    const [node, script, vault] = ['n/node', 'r/dist/cli/main.js', 'vault'].map((path) => join(line.root, path))
    const entry = (...args: readonly (string | undefined)[]) => ({ command: args[0], args: [args[1], 'serve', args[2]] })
    const servers = {
      ok: entry(node, script, vault),
      roux: entry('/gone/node', script, vault),
      old: entry(node, script, '/gone'),
    }
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: servers }))
    expect(await clients()).toEqual([
      { check: 'clients', state: 'ok', message: 'Cursor has "ok": /vault' },
      {
        check: 'clients',
        state: 'warn',
        message: 'Cursor has "roux", but /gone/node, which it needs, no longer exists',
        hint: '"roux install cursor --vault /vault" corrects it, "roux uninstall cursor" removes it.',
      },
      {
        check: 'clients',
        state: 'warn',
        message: 'Cursor has "old", but /gone, which it needs, no longer exists',
        hint: '"roux install cursor --name old --vault <folder>" corrects it, "roux uninstall cursor --name old" removes it.',
      },
    ])
  })

  test("the repair command keeps the entry's other options", async () => {
    line.write('n/node', '')
    line.write('r/dist/cli/main.js', '')
    line.write('c.yaml', '')
    const [node, script, config] = ['n/node', 'r/dist/cli/main.js', 'c.yaml'].map((path) => join(line.root, path))
    const entry = (...args: readonly string[]) => ({ command: node, args: [script, 'serve', ...args] })
    const servers = {
      ok: entry('--config', config ?? ''),
      'no config': entry('work', '--config', '/gone.yaml', '--set', 'vault.mode=docs', '--write'),
      all: { command: '/gone/node', args: [script, 'serve', '--set=tools.undo=false'] },
    }
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: servers }))
    expect((await clients()).map(({ state, message, hint }) => [state, message, hint?.split('"')[1]])).toEqual([
      ['ok', 'Cursor has "ok": the vaults of /c.yaml', undefined],
      [
        'warn',
        'Cursor has "no config", but /gone.yaml, which it needs, no longer exists',
        "roux install cursor --name 'no config' --vault work --config <file> --set 'vault.mode=docs' --write",
      ],
      [
        'warn',
        'Cursor has "all", but /gone/node, which it needs, no longer exists',
        "roux install cursor --name all --set 'tools.undo=false'",
      ],
    ])
  })

  test("compares local addresses and tokens with the server's", async () => {
    const secret = `roux_${'x'.repeat(43)}`
    line.write('state/roux/tokens.json', JSON.stringify({ tokens: [{ name: 'a', secret, scopes: ['read'], vaults: '*' }] }))
    const entry = (url: string, token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } })
    const servers = {
      ok: entry('http://localhost:7583/mcp', secret),
      port: entry('http://127.0.0.1:7000/mcp', secret),
      token: entry('http://127.0.0.1:7583/mcp', `roux_${'y'.repeat(43)}`),
      elsewhere: entry('https://notes.example.com/mcp', `roux_${'y'.repeat(43)}`),
    }
    writeFileSync(cursorFile(), JSON.stringify({ mcpServers: servers }))
    expect((await clients()).map(({ state, message, hint }) => [state, message, hint?.split('"')[1]])).toEqual([
      ['ok', 'Cursor has "ok": http://localhost:7583/mcp', undefined],
      ['warn', 'Cursor has "port", which uses 127.0.0.1:7000, but http.port is 7583', 'roux install cursor --name port --http'],
      ['warn', 'Cursor has "token", with an invalid token', 'roux install cursor --name token --http'],
      ['ok', 'Cursor has "elsewhere": https://notes.example.com/mcp', undefined],
    ])
  })

  test('reports an unreadable settings file', async () => {
    writeFileSync(cursorFile(), '{')
    expect(await clients()).toMatchObject([{ state: 'warn', message: expect.stringContaining('line 1, column 2') }])
  })
})
