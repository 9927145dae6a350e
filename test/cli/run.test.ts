import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Embedding } from '../../src/app/graph-core.ts'
import type { Composition } from '../../src/cli/host.ts'
import type { AiDesk } from '../../src/compose/index.ts'
import { type ErrorDetails, RouxError } from '../../src/core/errors.ts'
import { toNodeId, toVaultPath } from '../../src/core/ids.ts'
import type { SearchProgress, VectorState } from '../../src/core/search.ts'
import type { ExportRow, Problem, Store } from '../../src/core/store.ts'
import { listNodesTool } from '../../src/mcp/tools/read.ts'
import { searchCore } from '../app/search-core.ts'
import { fakeCore, fakeStore, withSnapshot } from '../support/fake-store.ts'
import { commandLine, SOUND, type World } from './support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

const roux = (args: string, world?: World) =>
  line.roux(
    args.split(' ').filter((word) => word !== ''),
    world,
  )
const FILES = {
  'Hub.md': { body: 'x' },
  'a.md': { body: '[[Hub]] [[Gone]]', properties: { aliases: ['First', 'Same'] } },
  'b.md': { body: '[[Hub]]', properties: { title: 'Second', aliases: ['Same'] } },
  'deep/Gone note.md': { body: '', properties: { aliases: ['Gone'] } },
}

/** A core with this search progress. */
function searching(
  search: SearchProgress,
  { waits = [], store = fakeStore(FILES) }: { readonly waits?: [string, number][]; readonly store?: Store } = {},
): ReturnType<typeof fakeCore> {
  const core = fakeCore(store, { search })
  const embedding: Embedding = { open: () => Promise.reject(new Error('not here')), openFormer: async () => undefined }
  const awaitFindable: typeof core.indexing.awaitFindable = async (by, timeout) => waits.push([by, timeout]) > 0
  return { ...core, embedding, indexing: { ...core.indexing, awaitFindable } }
}

describe('command line', () => {
  test('roux without arguments shows the commands', async () => {
    const { code, out, err } = await roux('')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('roux serve [vault]')
  })

  test.each(['--version', '-V', 'status --version', 'get-hubs --version'])('%s', async (args) => {
    expect((await roux(args)).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.each([
    'help',
    '--help',
    '-h',
    'help help',
    'help serve',
    'serve --help',
    'get-node --help',
    'get_node -h',
    'help get-node',
    'help settings',
  ])('%s shows help', async (args) => {
    const { code, out, err } = await roux(args)
    expect([code, err]).toEqual([0, ''])
    expect(out.length).toBeGreaterThan(100)
  })

  test.each(['doctor', 'serve', 'open', 'token', 'usage', 'get-hubs'])(
    '"roux %s help" shows its help, even next to a vault of that name',
    async (command) => {
      line.write('vault/help/a.md', '# A')
      expect(await roux(`${command} help`)).toEqual(await roux(`help ${command}`))
    },
  )

  test('"help" is text where text is expected, and a vault after --vault', async () => {
    line.write('vault/help/a.md', '# A')
    expect(JSON.parse((await roux('search help')).out)).toMatchObject({ query: 'help' })
    expect(JSON.parse((await roux('get-node help')).out)).toMatchObject({ id: 'help' })
    expect((await roux('status --vault help')).out).toContain('/vault/help')
  })

  test.each(
    ['', 'help', 'help get-node', 'help serve', 'help settings'].flatMap((args) =>
      [40, 60].map((columns) => [args, columns] as const),
    ),
  )('"roux %s" fits a terminal of %i columns', async (args, columns) => {
    const { out } = await roux(args, { tty: true, columns })
    const isOneWord = (line: string) =>
      !line
        .trim()
        .replace(/^\S+( \S+)* {2,}/, '')
        .includes(' ')
    expect(out.split('\n').filter((line) => line.length > columns && !isOneWord(line))).toEqual([])
    expect(out.replace(/\s+/g, ' ')).toBe((await roux(args)).out.replace(/\s+/g, ' '))
  })

  test('roux usage fits 80 columns with one line per row, without constant or empty columns', async () => {
    const row = { provider: 'api.example.com', model: 'a-model-with-a-long-name-2026', feature: 'embed', location: 'remote' }
    const counts = { requests: 12_345, input: 1_234_567, output: 234_567, estimated: 0, failed: 0, reserved: 0 }
    const rows = [1, 2].map((at) => ({ ...row, ...counts, day: `2026-01-0${at}` }))
    const desk = { usage: () => rows, budget: async () => undefined, close: () => {} } as unknown as AiDesk
    const composition = { openAiDesk: async () => desk }
    const { out, err } = await roux('usage', { tty: true, columns: 80, composition })
    expect(
      out
        .split('\n')
        .map((line) => line.length)
        .filter((length) => length > 80),
    ).toEqual([])
    expect(out.trimEnd().split('\n')).toHaveLength(3)
    expect(err).toBe('api.example.com: remote.\n')
    expect(JSON.parse((await roux('usage', { composition })).out).rows).toEqual(rows)
  })

  test('the settings help shows the placeholder of variable keys', async () => {
    const { out } = await roux('help settings')
    expect(out).toMatch(/^tools\.<tool>: .*?ROUX_TOOLS_<TOOL>\.$/ms)
    expect(out).toMatch(/^vaults\.<name>: .*?ROUX_VAULTS_<NAME>\.$/ms)
  })

  test('the help of a tool is generated from its schema', async () => {
    expect((await roux('help get-node')).out).toBe(`roux get-node <id> [options]

Reads one note.

  --id <text>        Note.
  --depth <integer>  How far.
  --include-content  Show the content. (true)
  --vault <text>     The folder with the notes, or the name of a vault in the setting vaults.
  --config <text>    A settings file.
  --set <text>…      A setting, as key=value.
  --json             Print JSON, even to a terminal.
  --alone            Do not use the shared server in this run.
  -h, --help         Show what a command does.
  -V, --version      Show the version.
`)
  })

  test.each<[string, string]>([
    ['serv', 'error: There is no command "serv".\n  Did you mean "serve"?\n'],
    ['get-hub', 'error: There is no command "get-hub".\n  Did you mean "get-hubs"?\n'],
    ['frobnicate', 'error: There is no command "frobnicate".\n  "roux help" lists all of them.\n'],
    ['help frobnicate', 'error: There is no command "frobnicate".\n  "roux help" lists all of them.\n'],
    ['call frobnicate', 'error: There is no tool "frobnicate".\n  "roux help" lists the tools.\n'],
    ['call', 'error: Which tool?\n  Run: roux call <tool> [json|-]\n'],
    ['call get_hubs [1]', `error: The arguments are not a JSON object.\n  For example: roux call get_hubs '{"limit": 5}'\n`],
    ['status a b', 'error: Unexpected argument "b".\n  Run: roux status [vault]\n'],
    ['stop a', 'error: Unexpected argument "a".\n  Run: roux stop\n'],
    ['status a --vault b', 'error: Two vaults were specified: "b" and "a".\n  Name only one of them.\n'],
    ['status --jsno', 'error: There is no option --jsno.\n  Did you mean "--json"?\n'],
    ['status --set quux=1', 'error: --set: there is no setting "quux".\n  "roux help settings" lists all settings.\n'],
    ['--limit=5', 'error: There is no option --limit.\n  See --help; words that begin with a dash go after "--".\n'],
    ['get-node', 'error: <id> is missing.\n  It is the word after the command, or --id.\n'],
    [
      'get-hubs --limit 500',
      'error: Invalid arguments for get_hubs: limit: expected an integer from 1 to 50, got 500.\n  get_hubs takes metric, limit.\n',
    ],
  ])('%s is a usage error', async (args, expected) => {
    expect(await roux(args)).toEqual({ code: 2, out: '', err: expected })
  })
})

describe('tools', () => {
  test('a pipe gets exactly the JSON answer', async () => {
    const { code, out, err } = await roux('get-hubs --limit 1', { files: FILES })
    expect({ code, out, err }).toEqual({ code: 0, out: '[{"id":"hub.md","path":"Hub.md","title":"Hub","score":2}]\n', err: '' })
  })

  test('a terminal shows how to continue a list', async () => {
    const world = { files: FILES, tools: [listNodesTool], tty: true, columns: 80 }
    expect((await roux('list-nodes --limit 1', world)).err).toBe('Showing 1 of 4; for more, use --offset 1.\n')
    expect((await roux('list-nodes --limit 1 --offset 3', world)).err).toBe('')
    expect((await roux('list-nodes --limit 1', { ...world, tty: false })).err).toBe('')
  })

  test('a narrow terminal gets warnings and errors in whole words', async () => {
    const { err } = await roux('get-node none', { tty: true, columns: 24 })
    expect(err).toBe('warning: There is no\n  "none".\n')
    expect((await roux('status --jsno', { tty: true, columns: 24 })).err).toBe(
      'error: There is no\n  option --jsno.\n  Did you mean "--json"?\n',
    )
  })

  test('a terminal gets a table, or JSON on request', async () => {
    const world = { files: FILES, tty: true, columns: 80 }
    expect((await roux('get_hubs --limit 1', world)).out).toBe('id      title  score\nhub.md  Hub        2\n')
    expect((await roux('get-hubs --limit 1 --json', world)).out).toBe(
      '[{"id":"hub.md","path":"Hub.md","title":"Hub","score":2}]\n',
    )
  })

  test('only terminals get colors, unless NO_COLOR is set', async () => {
    expect((await roux('get-hubs', { files: FILES, tty: true, env: { NO_COLOR: '' } })).out).toContain('\u001b[1mid')
    expect((await roux('get-hubs', { files: FILES, tty: true })).out).not.toContain('\u001b')
  })

  test.each<[string, readonly string[], string]>([
    ['an exact id wins over a title', ['a'], 'a'],
    ['a title', ['second'], 'b.md'],
    ['an alias', ['FIRST'], 'a.md'],
    ['an alias rather than a missing target of that name', ['gone'], 'deep/gone note.md'],
    ['an unknown name stays as it is', ['nobody'], 'nobody'],
  ])('%s', async (_, args, id) => {
    const { out } = await line.roux(['get-node', ...args], { files: FILES })
    expect(JSON.parse(out).id).toBe(id)
  })

  test('resolves both ends of a path, also with call', async () => {
    expect(JSON.parse((await roux('find-path First Second', { files: FILES })).out)).toEqual({
      source: 'a.md',
      target: 'b.md',
      count: 1,
    })
    const { out } = await line.roux(['call', 'find-path', '-'], { files: FILES, stdin: '{"source":"First","target":"Hub"}' })
    expect(JSON.parse(out)).toMatchObject({ source: 'a.md', target: 'Hub' })
  })

  test('an ambiguous name is an error with the ids', async () => {
    expect(await roux('get-node same', { files: FILES })).toEqual({
      code: 1,
      out: '',
      err: 'error: 2 notes are called "same".\n  Give the id of one of them.\n  a.md\n  b.md\n',
    })
  })

  test('an error lists its candidates unless its hint already has them', async () => {
    const candidates = [
      { path: ['Setup'], line: 3 },
      { path: ['Setup', 'Tools\u001b[2J'], line: 9 },
      '^block',
      { line: 10 },
      { id: '0mx4-1', title: 'delete_node a.md' },
      ...Array.from({ length: 28 }, (_, at) => ({ path: [`More ${at}`], line: 12 + at })),
    ]
    const failing = (details: ErrorDetails): World => ({
      files: FILES,
      snapshot: {
        hubs: async () => {
          throw new RouxError('SECTION_NOT_FOUND', 'There is no section "Set".', details)
        },
      },
    })
    const { err } = await roux('get-hubs', failing({ hint: 'See the candidates.', candidates }))
    expect(err.split('\n').slice(0, 7)).toEqual([
      'error: There is no section "Set".',
      '  See the candidates.',
      '  line 3: Setup',
      '  line 9: Setup#Tools[2J',
      '  ^block',
      '  line 10',
      '  0mx4-1  delete_node a.md',
    ])
    expect(err).toMatch(/\n {2}line 26: More 14\n {2}and 13 more\n$/)
    const known = await roux('get-hubs', failing({ hint: 'Write "a.md".', candidates: ['a.md'] }))
    expect(known.err).toBe('error: There is no section "Set".\n  Write "a.md".\n')
  })

  test.each([
    ['--path nope', 1],
    ['nope', 1],
    ['--path b', 0],
    ['', 0],
  ])('"list-nodes %s" exits with %i', async (args, code) => {
    expect((await roux(`list-nodes ${args}`.trim(), { files: FILES, tools: [listNodesTool] })).code).toBe(code)
  })

  test('prints warnings to stderr; an unknown note exits with 1', async () => {
    const { code, out, err } = await roux('get-node none')
    expect([code, err]).toEqual([1, 'warning: There is no "none".\n'])
    expect(JSON.parse(out).id).toBe('none')
  })

  test('a disabled tool says how to enable it', async () => {
    const { code, err } = await roux('get-hubs --set tools.get_hubs=false')
    expect([code, err]).toEqual([1, 'error: The tool get_hubs is switched off.\n  Set tools.get_hubs to true to turn it on.\n'])
  })

  test.each([
    ['search --query x', 'search', 'embedder.kind to static'],
    ['call search {"query":"a"}', 'search', 'embedder.kind to static'],
    ['search --query x --set tools.search=no', 'search', 'tools.search to true'],
  ])('without an embedder, %s names the setting that helps', async (args, tool, setting) => {
    expect(await roux(`${args} --set embedder.kind=none`)).toEqual({
      code: 1,
      out: '',
      err: `error: The tool ${tool} is switched off.\n  Set ${setting} to turn it on.\n`,
    })
  })

  test('find is short for find-nodes and needs no embedder', async () => {
    const { code, out } = await roux('find oven --set embedder.kind=none')
    expect([code, JSON.parse(out)]).toEqual([0, { query: 'oven', limit: 10 }])
    expect((await roux('help find')).out).toContain('"roux find" is its short form.')
    expect((await roux('help')).out).toContain('  find <query>')
    expect((await roux('fnd x')).err).toContain('Did you mean "find"?')
  })

  test('waits for what an answer needs, as long as the built-in model takes', async () => {
    const waited = async (args: string) => {
      const waits: [string, number][] = []
      await roux(args, { core: () => searching({ words: { done: 4, total: 4 } }, { waits }) })
      return waits.map(([by]) => by)
    }
    expect(await waited('search x')).toEqual(['words', 'meaning'])
    expect(await waited('search x --mode keyword')).toEqual(['words'])
    expect(await waited('find x')).toEqual(['words'])
    expect(await waited('similar-nodes a')).toEqual(['words', 'meaning'])
    expect(await waited('get-hubs')).toEqual([])
    // Slow embedders may take hours, so the tool itself decides how long to wait.
    expect(await waited('search x --set embedder.kind=openai')).toEqual(['words'])
  })

  test('says how to embed the remaining notes', async () => {
    const vectors = { done: 1, total: 4, embedder: 'openai:m:64:1', remaining: 400_000 }
    const core = searching({ words: { done: 4, total: 4 }, vectors })
    const { err } = await roux('search x --set embedder.kind=openai', { core: () => core })
    expect(err).toBe('"roux index" embeds the rest: 3 notes, about 7 min. Finished work is kept.\n')
  })

  test('shows the position of an error in a query', async () => {
    const hubs = () => Promise.reject(new RouxError('INVALID_PARAMS', 'It ends at column 4.\n(a OR\n    ^'))
    expect((await roux('get-hubs', { snapshot: { hubs } })).err).toBe('error: It ends at column 4.\n  (a OR\n      ^\n')
  })

  test('passes the API key to the core, unless the vault chose the server', async () => {
    const keys: (string | undefined)[] = []
    const openCore: Composition['openCore'] = async (_, { apiKey }) => {
      keys.push(apiKey)
      return fakeCore(fakeStore(FILES))
    }
    const world = { composition: { openCore }, env: { ROUX_EMBEDDER_API_KEY: 'secret' } }
    await roux('get-hubs --set embedder.kind=openai', world)
    line.write('vault/roux.config.yaml', 'embedder:\n  kind: openai\n  base_url: https://evil.example/v1\n')
    await roux('trust', world)
    const { err } = await roux('get-hubs', world)
    expect(keys).toEqual(['secret', undefined])
    expect(err).toContain('ROUX_EMBEDDER_API_KEY is not sent')
    expect(err).not.toContain('secret')
  })

  test('an internal error shows a stack and is not a usage error', async () => {
    const { code, err } = await roux('get-hubs', { snapshot: { hubs: () => Promise.reject(new TypeError('x is no y')) } })
    expect(code).toBe(1)
    expect(err).toMatch(
      /^error: Internal error: a bug in Roux\.\n {2}Please report it with the lines below\.\nTypeError: x is no y\n/,
    )
  })
})

describe('the vault', () => {
  test('a missing vault ends every command', async () => {
    expect(await roux('get-hubs --vault ../nowhere')).toEqual({
      code: 1,
      out: '',
      err: 'error: There is no folder /nowhere.\n  Give the folder that contains the notes: roux … --vault <folder>\n',
    })
  })

  test('a missing vault is an error with the names of the configured ones', async () => {
    const { code, err } = await roux('get-hubs --vault ../nowhere --set vaults.work=/work --set vaults.home=/notes')
    expect(code).toBe(1)
    expect(err).toBe(
      'error: There is no folder /nowhere.\n  Name one of your vaults (work, home) or the folder with the notes: roux … --vault <name or folder>\n',
    )
  })

  test('a home folder must be named explicitly', async () => {
    mkdirSync(join(line.root, 'home'))
    const ROUX_VAULT = join(line.root, 'home')
    const { code, err } = await roux('status', { env: { ROUX_VAULT } })
    expect([code, err]).toEqual([
      1,
      'error: /home contains a home folder or a whole disk, so it is probably not a vault.\n  Give the folder that contains the notes, or accept this one: --vault /home\n',
    ])
    expect((await roux('status ../home')).code).toBe(0)
    expect((await roux('status --vault ../home')).code).toBe(0)
  })

  test('a home folder must be named explicitly, also as one of several vaults', async () => {
    mkdirSync(join(line.root, 'home'))
    const several = `--set vaults.a=${join(line.root, 'vault')} --set vaults.h=${join(line.root, 'home')}`
    expect(await roux(`status ${several}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('/home contains a home folder'),
    })
    expect((await roux(`status h ${several}`)).code).toBe(0)
  })

  test.each(['status', 'index'])('%s covers the other vaults while one is missing', async (command) => {
    const at = (...names: readonly string[]) =>
      names.map((name) => `--set vaults.${name}=${join(line.root, name === 'a' ? 'vault' : name)}`).join(' ')
    const { code, out, err } = await roux(`${command} ${at('gone', 'a')}`)
    expect([code, err]).toEqual([1, 'warning: gone: There is no folder /gone.\n'])
    expect(JSON.parse(out).map(({ name }: { readonly name: string }) => name)).toEqual(['a'])
    expect(await roux(`${command} ${at('gone', 'lost')}`)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('error: There is no folder /gone.'),
    })
  })

  test('warns about ignored settings', async () => {
    line.write('vault/roux.config.yaml', 'tools:\n  get_hubs: false\n')
    const { code, err } = await roux('get-hubs')
    expect([code, err]).toEqual([
      0,
      'warning: /vault/roux.config.yaml: ignored until you run "roux trust /vault": tools.get_hubs.\n',
    ])
  })

  test('failed indexing is an error', async () => {
    const { code, err } = await roux('get-hubs', {
      core: () => fakeCore(fakeStore({}), { phase: 'failed', message: 'disk full' }),
    })
    expect([code, err]).toEqual([1, 'error: The vault cannot be indexed: disk full.\n  Run "roux doctor".\n'])
  })
})

describe('an index that turns out to be damaged during reading', () => {
  const PIECE = 64_000
  const rows = [1, 2, 3].map(
    (at): ExportRow => ({
      kind: 'node',
      id: toNodeId(`${at}.md`),
      path: toVaultPath(`${at}.md`),
      title: 'x'.repeat(PIECE),
      nodeKind: 'note',
      tags: [],
      aliases: [],
      excluded: false,
    }),
  )

  /** A store whose export fails at row `at`, once. */
  function damagedAt(at: number): Partial<Store> {
    const lost = () => new RouxError('STORE_UNAVAILABLE', 'The index was damaged and is being built again.')
    let state: 'hidden' | 'found' | 'mended' = 'hidden'
    return {
      condition() {
        if (state !== 'found') return 'ready'
        state = 'mended'
        return 'rebuilding'
      },
      async *export() {
        for (const [index, row] of rows.entries()) {
          if (index === at && state === 'hidden') {
            state = 'found'
            throw lost()
          }
          yield row
        }
      },
    }
  }

  test('a damaged index is read again without the user noticing', async () => {
    const { code, out, err } = await roux('export', { store: damagedAt(0) })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out).nodes).toHaveLength(3)
    const file = await roux('export -o ../graph.json', { store: damagedAt(2) })
    expect(file).toEqual({ code: 0, out: '', err: expect.stringMatching(/^Wrote the graph as JSON to [^\n]+\n$/) })
    expect(JSON.parse(readFileSync(join(line.root, 'graph.json'), 'utf8')).nodes).toHaveLength(3)
  })

  test('a damaged index is an error if part of the answer is already printed', async () => {
    const { code, err } = await roux('export', { store: damagedAt(2) })
    expect(code).toBe(1)
    expect(err).toMatch(/error: The index was damaged.*\n.*incomplete/)
  })
})

describe('status and index', () => {
  test('a command in a subfolder of a vault says that it uses only this folder', async () => {
    line.write('.obsidian/app.json', '{}')
    // The path of the outer vault is removed from the output.
    expect((await roux('status', { files: FILES })).err).toBe(
      'warning: Only this folder is used. It is in the vault : --vault  uses all of it.\n',
    )
    expect((await roux('status --vault .', { files: FILES })).err).toBe('')
    line.write('vault/.obsidian/app.json', '{}')
    expect((await roux('status', { files: FILES })).err).toBe('')
  })

  test('status shows the state of the index', async () => {
    expect(JSON.parse((await roux('status', { files: FILES })).out)).toEqual({
      vault: '/vault',
      mode: 'obsidian',
      notes: 4,
      files: 4,
      problems: 0,
      generation: 1,
      phase: 'idle',
      cache: 'disk',
      index: '/index.db',
      settings: [],
      embedder: 'static',
      words: { done: 0, total: 0 },
      bytes: { index: 123_456, search: 4_200_000 },
    })
    expect((await roux('status', { files: FILES, tty: true })).out).toMatch(/^vault +\/vault\nmode +obsidian\nnotes +4\n/)
  })

  test('status shows search progress and waits only a few seconds for it', async () => {
    const waits: [string, number][] = []
    const vectors = { done: 3, total: 4, embedder: 'openai:m:64:1', remaining: 7_000_000 }
    const core = searching({ words: { done: 4, total: 4 }, vectors }, { waits })
    const { out } = await roux('status', { core: () => core })
    expect(JSON.parse(out)).toMatchObject({
      embedder: 'openai:m:64:1',
      words: { done: 4, total: 4 },
      vectors: { done: 3, total: 4, remaining_seconds: 7_000 },
    })
    expect(waits.map(([by]) => by)).toEqual(['words', 'meaning'])
    expect(Math.max(...waits.map(([, timeout]) => timeout))).toBeLessThanOrEqual(3_000)
    expect((await roux('status', { core: () => core, tty: true })).out).toMatch(
      /\nembedder +openai:m:64:1\nby words +4 of 4 notes\nby meaning +3 of 4 notes; 1 to embed, about 2 h\non disk +124 kB links, 4\.2 MB search\n$/,
    )
  })

  test('status shows the stored vectors of an embedder that cannot be opened', async () => {
    const stored: readonly VectorState[] = [
      { embedder: 'static:m:256', notes: 4, index: 'exact' },
      { embedder: 'openai:big-model:64:1', notes: 3, index: 'exact', reason: 'no addon' },
    ]
    const status = { words: { done: 4, total: 4 }, vectors: { done: 0, total: 4 }, message: 'it is down' }
    const core = searching(status, { store: withSnapshot(fakeStore({}), { vectorStates: async () => stored }) })
    const { out } = await roux('status --set embedder.kind=openai --set embedder.model=big-model', { core: () => core })
    expect(JSON.parse(out)).toMatchObject({
      embedder: 'openai:big-model:64:1',
      vectors: { done: 3, total: 4, index: 'exact', index_reason: 'no addon' },
      search_message: 'it is down',
    })
  })

  test('index waits for words and meaning', async () => {
    const waits: [string, number][] = []
    const vectors = { done: 4, total: 4, embedder: 'static:m:256' }
    const core = searching({ words: { done: 4, total: 4 }, vectors }, { waits })
    const { code, out } = await roux('index', { core: () => core })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ embedder: 'static:m:256', vectors: { done: 4, total: 4 } })
    expect(waits.map(([by]) => by)).toEqual(['words', 'meaning'])
  })

  test('index fails if vectors are missing, and says why', async () => {
    const core = searching({ words: { done: 4, total: 4 }, vectors: { done: 1, total: 4 }, message: 'No model.' })
    const { code, err } = await roux('index', { core: () => core })
    expect([code, err]).toEqual([1, 'warning: Not all notes can be found: No model. "roux doctor" explains what to do.\n'])
  })

  test('index --download downloads a model and shows its size', async () => {
    const downloads: boolean[] = []
    const openCore: Composition['openCore'] = async ({ embedder }, { onDownload }) => {
      downloads.push(embedder.download)
      for (const loaded of [0, 5_000_000, 5_100_000, 23_000_000]) onDownload?.({ loaded, total: 23_000_000 })
      return fakeCore(fakeStore(FILES))
    }
    const args = 'index --set embedder.kind=transformers'
    const { err } = await roux(`${args} --download`, { composition: { openCore } })
    await roux(args, { composition: { openCore } })
    expect(downloads).toEqual([true, false])
    expect(err.split('\n')).toEqual([
      'Downloading the model, 23.0 MB, from the Hugging Face hub.',
      'Downloading the model: 0 kB of 23.0 MB',
      'Downloading the model: 5.0 MB of 23.0 MB',
      'Downloading the model: 23.0 MB of 23.0 MB',
      '',
    ])
    expect((await roux('index --download')).err).toContain('nothing to download: embedder.kind is static')
  })

  test('index stops on a signal and keeps finished work', async () => {
    let closed = false
    let stop = () => {}
    const core = searching({ words: { done: 1, total: 4 } })
    const indexing: typeof core.indexing = {
      ...core.indexing,
      awaitFindable: (_by, _timeout, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          stop()
        }),
    }
    const close = async () => {
      closed = true
    }
    const { code, out, err } = await roux('index', {
      core: () => ({ ...core, indexing, close }),
      onSignal: (listener) => {
        stop = listener
      },
    })
    expect({ code, out, closed }).toEqual({ code: 130, out: '', closed: true })
    expect(err).toBe('Stopped. Finished work is kept; "roux index" does the rest.\n')
  })

  test('index shows its progress', async () => {
    const core = fakeCore(fakeStore(FILES))
    const indexing: typeof core.indexing = {
      ...core.indexing,
      onStatus(listener) {
        for (const done of [0, 1, 50, 100]) listener({ ...core.indexing.status(), phase: 'building', done, total: 100 })
        return () => {}
      },
    }
    const { code, out, err } = await roux('index', { core: () => ({ ...core, indexing }) })
    expect([code, err]).toEqual([0, 'Reading 0 of 100 files\nReading 50 of 100 files\nReading 100 of 100 files\n'])
    expect(JSON.parse(out)).toMatchObject({ vault: '/vault', files: 4, generation: 1 })
  })
})

describe('init and trust', () => {
  const FILE = 'vault/roux.config.yaml'
  const read = () => readFileSync(join(line.root, FILE), 'utf8')

  test('init writes a trusted file that changes nothing', async () => {
    expect(await roux('init')).toEqual({ code: 0, out: '{"path":"/vault/roux.config.yaml","trusted":true}\n', err: '' })
    expect(read()).toContain('  # mode: auto\n')
    expect(read()).toContain('  # get_hubs: true\n')
    expect(read()).not.toMatch(/^ *path:/m)
    expect(Object.keys(JSON.parse(readFileSync(join(line.root, 'state/roux/trust.json'), 'utf8')).files)).toEqual([
      join(line.root, FILE),
    ])
    expect((await roux('status')).err).toBe('')
  })

  test('init writes the file even if trust in it cannot be saved, and says so', async () => {
    line.write('state', '')
    const { code, out, err } = await roux('init')
    expect([code, out]).toEqual([0, '{"path":"/vault/roux.config.yaml","trusted":false}\n'])
    expect(err).toMatch(/^warning: The trusted folder could not be saved to \/state\/roux\/trust\.json: /)
    expect(read()).toContain('  # mode: auto\n')
  })

  test('init never overwrites a file', async () => {
    line.write(FILE, 'links: {}\n')
    expect(await roux('init')).toMatchObject({
      code: 1,
      err: 'error: /vault/roux.config.yaml already exists.\n  Edit it; "roux help settings" explains the settings.\n',
    })
    expect(read()).toBe('links: {}\n')
    expect(existsSync(join(line.root, 'state'))).toBe(false)
  })

  test('init takes the folder as its argument', async () => {
    mkdirSync(join(line.root, 'other'))
    await roux('init ../other')
    expect(readdirSync(join(line.root, 'other'))).toEqual(['roux.config.yaml'])
    expect(await roux('init ../nowhere')).toMatchObject({ code: 1 })
  })

  test('trust applies to a file until it changes', async () => {
    line.write(FILE, 'tools:\n  get_hubs: false\n')
    expect((await roux('get-hubs')).code).toBe(0)
    const { code, out, err } = await roux('trust')
    expect([code, err, out]).toEqual([
      0,
      '',
      '{"path":"/vault/roux.config.yaml","trusted":true,"settings":[{"key":"tools.get_hubs","value":false}]}\n',
    ])
    expect((await roux('get-hubs')).err).toContain('switched off')
    line.write(FILE, 'tools:\n  get_hubs: false\n  get_node: false\n')
    expect((await roux('get-hubs')).err).toContain('ignored until')
  })

  test('trust accepts the name of a vault', async () => {
    line.write('vault/roux.config.yaml', 'tools:\n  get_hubs: false\n')
    const named = ['--set', `vaults.notes=${join(line.root, 'vault')}`].join(' ')
    for (const command of ['trust notes', 'trust --vault notes'])
      expect(await roux(`${command} ${named}`)).toMatchObject({
        code: 0,
        out: expect.stringContaining('/vault/roux.config.yaml'),
      })
  })

  test('trust needs an existing, valid file', async () => {
    expect(await roux('trust ..')).toMatchObject({
      code: 1,
      err: 'error: There is no file /roux.config.yaml.\n  Create it with "roux init", or trust another folder: "roux trust <folder>".\n',
    })
    line.write(FILE, 'tools: [')
    expect((await roux('trust')).code).toBe(1)
    expect(existsSync(join(line.root, 'state'))).toBe(false)
  })
})

describe('export', () => {
  const rows: readonly ExportRow[] = [
    { kind: 'edge', source: toNodeId('a.md'), target: toNodeId('b.md'), count: 1, kinds: ['link'] },
    { kind: 'edge', source: toNodeId('b.md'), target: toNodeId('a.md'), count: 2, kinds: ['embed', 'link'] },
  ]

  test('writes to stdout, as JSON by default', async () => {
    expect(JSON.parse((await roux('export', { rows })).out).edges).toHaveLength(2)
    expect((await roux('export --format csv', { rows })).out).toBe(
      'source,target,count,kinds\na.md,b.md,1,link\nb.md,a.md,2,embed|link\n',
    )
  })

  test('includes similar pairs of the exported notes', async () => {
    const rye = 'Rye dough ferments slowly in a cold kitchen.'
    const core = await searchCore({ 'a.md': rye, 'b.md': `${rye} Sourdough.`, 'c.md': 'Nails and boards.' })
    const similar = async () => JSON.parse((await roux('export --semantic', { core: () => core })).out).similar
    expect(await similar()).toEqual([{ source: 'a.md', target: 'b.md', score: expect.closeTo(0.9, 0) }])
    core.vault.remove('b.md')
    await core.indexed.index()
    expect(await similar()).toEqual([])
    expect(JSON.parse((await roux('export', { core: () => core })).out)).not.toHaveProperty('similar')
  })

  test('writes a file completely or not at all', async () => {
    expect(await roux('export -f csv -o ../out/links.csv', { rows })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error: \/out\/links\.csv cannot be written: ENOENT: no such file or directory\.\n/),
    })
    expect(await roux('export -f csv -o ../links.csv', { rows })).toEqual({
      code: 0,
      out: '',
      err: 'Wrote the graph as CSV to ../links.csv (1 kB).\n',
    })
    expect(readFileSync(join(line.root, 'links.csv'), 'utf8')).toContain('a.md,b.md')
    for (const before of [[], rows]) {
      const broken = {
        async *export(): AsyncGenerator<ExportRow> {
          yield* before
          throw new Error('no more')
        },
      }
      expect((await roux('export -f dot -o ../graph.dot', { store: broken })).code).toBe(1)
      expect(readdirSync(line.root).sort()).toEqual(['links.csv', 'vault'])
    }
  })
})

describe('doctor', () => {
  test('a healthy vault passes', async () => {
    const { code, out } = await roux('doctor --set http.port=0', {
      files: FILES,
      composition: { diagnose: async () => SOUND },
    })
    const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { check: string; state: string }[] }
    expect([code, ok]).toEqual([0, true])
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'node ok',
      'settings ok',
      'vault ok',
      'cache ok',
      'sqlite ok',
      'index ok',
      'search ok',
      'embedder ok',
      'watch ok',
      'mode ok',
      'notes ok',
      'indexing ok',
      'problems ok',
      'http ok',
      'tokens ok',
    ])
  })

  test('fits a narrow terminal', async () => {
    const given = { files: FILES, composition: { diagnose: async () => SOUND }, tty: true, columns: 40 }
    const { out } = await roux('doctor --set http.port=0', given)
    expect(out.split('\n').filter((line) => line.length > 40 && line.slice(16).trim().includes(' '))).toEqual([])
  })

  test('ends with a summary in a terminal', async () => {
    const given = { files: FILES, composition: { diagnose: async () => SOUND }, tty: true }
    const { out } = await roux('doctor --set http.port=0', given)
    expect(out).toMatch(/\n\nEverything is in order\.\n$/)
  })

  const ORPHAN: Problem = { id: toNodeId('a.md'), line: 0, kind: 'orphan' }
  const IN_COMMENT: Problem = {
    id: toNodeId('a.md'),
    line: 3,
    kind: 'broken_link',
    link: { form: 'wikilink', target: 'gone', inComment: true },
    name: 'gone',
  }

  test('reports each of several vaults by name, with the command that lists its problems', async () => {
    const vaults = ['notes', 'work'].map((name) => ['--set', `vaults.${name}=${line.root}/${name}`])
    for (const name of ['notes', 'work']) line.write(`${name}/a.md`, '')
    const { out } = await line.roux(['doctor', '--set', 'http.port=0', ...vaults.flat()], {
      files: FILES,
      snapshot: { problems: async () => ({ items: [ORPHAN, IN_COMMENT], total: 2 }) },
      composition: { diagnose: async () => SOUND },
    })
    const { checks } = JSON.parse(out) as { checks: { check: string; message: string; hint?: string }[] }
    const problems = checks.filter(({ check }) => check === 'problems')
    expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
      ['notes: 1 in the notes, and 1 in comments', '"roux get-problems --vault notes" lists them.'],
      ['work: 1 in the notes, and 1 in comments', '"roux get-problems --vault work" lists them.'],
    ])
  })

  test('reports invalid settings of one vault and still checks the others', async () => {
    for (const name of ['notes', 'work']) line.write(`${name}/a.md`, '')
    line.write('work/roux.config.yaml', 'vault:\n  mode: x\n')
    const folders = { notes: 'notes', again: 'notes', work: 'work' }
    const vaults = Object.entries(folders).map(([name, folder]) => ['--set', `vaults.${name}=${line.root}/${folder}`])
    const { code, out } = await line.roux(['doctor', '--set', 'http.port=0', ...vaults.flat()], {
      files: FILES,
      composition: { diagnose: async () => SOUND },
    })
    expect(code).toBe(1)
    const { checks } = JSON.parse(out) as { checks: { check: string; state: string; message: string }[] }
    const report = checks.map(({ check, state, message }) => `${check} ${state}: ${message}`).join('\n')
    expect(report).toMatch(/^settings fail: vaults\.again and vaults\.notes are the same folder/m)
    expect(report).toMatch(/^settings fail: work: .*roux\.config\.yaml:2: vault\.mode must be one of/m)
    expect(checks.filter(({ check }) => check === 'notes').map(({ message }) => message.split(':')[0])).toEqual(['notes', 'work'])
    expect(checks.filter(({ check, state }) => check === 'settings' && state !== 'ok')).toHaveLength(2)
  })

  test('reports what is broken with what to do, and fails', async () => {
    line.write('vault/roux.config.yaml', 'vault:\n  mode: x\n  watch: y\n')
    const { code, out } = await roux('doctor ../vault', {
      tty: true,
      composition: {
        diagnose: async () => ({
          ...SOUND,
          sqlite: { message: 'SQLite cannot be loaded: no binary.', hint: 'Install again.' },
          index: { file: '/i', state: 'newer' },
        }),
      },
    })
    expect(code).toBe(1)
    expect(out).toContain('fail  settings  /vault/roux.config.yaml:2: vault.mode must be one of')
    expect(out).toContain('fail  settings  /vault/roux.config.yaml:3: vault.watch must be one of')
    expect(out).toContain('fail  sqlite    SQLite cannot be loaded: no binary.\n                Install again.')
    expect(out).toContain('warn  index     /i was written by a newer version of Roux\n')
    expect(out).toContain('warn  notes     the vault has no notes\n')
    expect(out).toMatch(/\n\n\d failures and \d warnings; the rest is in order\.\n$/)
  })

  test('a missing vault fails, and the remaining checks still run', async () => {
    const { code, out } = await roux('doctor ../nowhere --set http.port=0')
    expect(code).toBe(1)
    expect((JSON.parse(out) as { checks: { check: string }[] }).checks.map(({ check }) => check)).toEqual([
      'node',
      'settings',
      'vault',
      'cache',
      'sqlite',
      'index',
      'search',
      'embedder',
      'watch',
      'http',
      'tokens',
    ])
  })
})
