import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openWorld, type Server, type Wire, type World } from './support.ts'

const EMPTY = { nodes: [], total: 0 }

async function open(world: World, args?: readonly string[]): Promise<Server> {
  const server = world.serve(args)
  await server.initialize()
  return server
}

/** Returns all problems of one kind as `id: text`. */
async function problemsOf(server: Server, kind: string): Promise<readonly string[]> {
  const { problems } = await server.ask('get_problems', { kind, limit: 100 })
  return problems.map(({ id, text }: Wire) => `${id}: ${text}`)
}

describe('a vault that is', () => {
  test('missing: the server stays up, says so to every call, and recovers when the folder appears', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const away = join(world.root, 'away')
    renameSync(world.vault, away)
    const server = await open(world)
    const calls = [
      ['get_node', { id: 'readme' }],
      ['get_hubs', {}],
      ['list_nodes', {}],
      ['find_path', { source: 'a', target: 'b' }],
      ['get_problems', {}],
    ] as const
    for (const [tool, args] of calls) {
      const { isError, structuredContent } = await server.call(tool, args)
      expect([tool, isError, structuredContent.error.code]).toEqual([tool, true, 'VAULT_NOT_FOUND'])
      expect(structuredContent.error.number).toBe(-32002)
    }
    expect((await server.request('tools/list')).result.tools.length).toBeGreaterThan(10)
    renameSync(away, world.vault)
    await eventually(async () => expect((await server.ask('get_node', { id: 'readme' })).title).toBe('Proofer manual'))
    renameSync(world.vault, away)
    await eventually(async () => expect((await server.call('list_tags')).structuredContent.error?.code).toBe('VAULT_NOT_FOUND'))
    renameSync(away, world.vault)
    world.write('guide/upgrade.md', 'Written meanwhile.\n')
    await eventually(async () => expect((await server.ask('list_nodes')).total).toBe(6))
    expect((await server.end()).code).toBe(0)
  })

  test.runIf(process.platform === 'linux')(
    'partly unreadable: doctor names the files that are missing from answers',
    async () => {
      const world = openWorld({ fixture: 'docs-folder' })
      writeFileSync(Buffer.from(`${world.vault}/bad\xff.md`, 'latin1'), 'text')
      const { code, out } = await world.roux(['doctor', world.vault, '--set', 'http.port=0'])
      const { checks } = JSON.parse(out)
      expect([code, checks.find(({ check }: Wire) => check === 'files')]).toEqual([
        0,
        {
          check: 'files',
          state: 'warn',
          message: 'not every file or folder can be read: "bad\ufffd.md" (its name is not valid UTF-8)',
          hint: 'Notes there are missing from all answers. Check permissions and names.',
        },
      ])
    },
  )

  test.each<[string, (world: World) => string, RegExp]>([
    ['missing', ({ root }) => join(root, 'nowhere'), /^error: There is no folder .*nowhere\.\n/],
    [
      'a file',
      ({ vault }) => {
        writeFileSync(join(vault, 'a.md'), 'text')
        return join(vault, 'a.md')
      },
      /^error: .*a\.md is not a folder\.\n/,
    ],
  ])('%s: commands say so and fail', async (_, prepare, message) => {
    const world = openWorld()
    const vault = prepare(world)
    const commands = ['status', 'index', 'export', 'get-hubs']
    for (const { code, out, err } of await Promise.all(commands.map((command) => world.roux([command, '--vault', vault])))) {
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(message)
    }
    const doctor = await world.roux(['doctor', vault])
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.out).checks).toContainEqual(expect.objectContaining({ check: 'vault', state: 'fail' }))
  })

  test('a file: the server stays up and says so', async () => {
    const world = openWorld()
    world.write('a.md', 'text')
    const server = await open(world, [join(world.vault, 'a.md')])
    expect((await server.call('list_tags')).structuredContent.error.code).toBe('VAULT_NOT_FOUND')
    rmSync(join(world.vault, 'a.md'))
    mkdirSync(join(world.vault, 'a.md'))
    writeFileSync(join(world.vault, 'a.md/b.md'), '#tagged')
    await eventually(async () => expect(await server.ask('list_tags')).toEqual([{ tag: 'tagged', count: 1 }]))
  })

  // root can read everything.
  test.skipIf(process.getuid?.() === 0)('unreadable: the server says so, and answers once it is readable', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    chmodSync(world.vault, 0o000)
    try {
      const server = await open(world)
      expect((await server.call('list_tags')).structuredContent.error.code).toBe('VAULT_NOT_FOUND')
      expect((await world.roux(['status', world.vault])).code).toBe(1)
      chmodSync(world.vault, 0o700)
      await eventually(async () => expect((await server.ask('list_nodes')).total).toBe(5))
    } finally {
      chmodSync(world.vault, 0o700)
    }
  })

  test('empty: every tool answers with nothing', async () => {
    const world = openWorld()
    const server = await open(world)
    expect(await server.ask('list_nodes')).toEqual(EMPTY)
    expect(await server.ask('get_hubs')).toEqual([])
    expect(await server.ask('get_hubs', { metric: 'betweenness' })).toEqual([])
    expect(await server.ask('random_node')).toBeNull()
    expect(await server.ask('get_node', { id: 'a' })).toBeNull()
    expect(await server.ask('find_path', { source: 'a', target: 'b' })).toBeNull()
    expect(await server.ask('get_neighbors', { id: 'a' })).toEqual([])
    expect(await server.ask('resolve_nodes', { names: ['a'] })).toMatchObject([{ query: 'a', match: null }])
    expect(await server.ask('get_tree')).toMatchObject({ note_count: 0, folders: [], notes: [] })
    expect(await server.ask('get_problems')).toEqual({ problems: [], total: 0 })
    expect(JSON.parse((await world.roux(['export', world.vault])).out)).toEqual({ nodes: [], edges: [], unresolved: [] })
  })

  test('inside another vault: links stay inside, and the doctor reports its location', async () => {
    const world = openWorld()
    world.write('.obsidian/app.json', '{}')
    world.write('outer.md', 'text')
    world.write('inner/a.md', '[[outer]] [out](../outer.md)')
    const inner = join(world.vault, 'inner')
    const server = await open(world, [inner])
    expect((await server.ask('list_nodes')).nodes).toEqual([{ id: 'a.md', title: 'a' }])
    expect(await problemsOf(server, 'broken_link')).toEqual(['a.md: [[outer]]', 'a.md: ../outer.md'])
    const { checks } = JSON.parse((await world.roux(['doctor', inner])).out)
    expect(checks).toContainEqual(
      expect.objectContaining({ check: 'vault', state: 'warn', message: expect.stringContaining(world.vault) }),
    )
  })
})

/** An alias bomb: nine levels of nine would be 387 million items. */
const YAML_BOMB = `a0: &a0 [x, x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]\n`).join('')}`

const BAD_NOTES: Readonly<Record<string, string | Uint8Array>> = {
  'invalid utf-8.md': Buffer.concat([
    Buffer.from('before [[fine]] '),
    Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
    Buffer.from(' after\n'),
  ]),
  'utf-16.md': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('[[fine]]\n', 'utf16le')]),
  'nul.md': 'a\0b [[fine]]\0\n',
  'no end of frontmatter.md': '---\ntitle: never closed\n\n[[fine]]\n',
  'bomb.md': `---\n${YAML_BOMB}---\n[[fine]]\n`,
  'script.md': '---js\n{ title: require("node:fs").writeFileSync("HACKED", "") }\n---\n[[fine]]\n',
  'twice.md': '---\ntitle: one\ntitle: two\n---\n[[fine]]\n',
  'tabs.md': '---\na:\n\tb: c\n---\n[[fine]]\n',
  'deep.md': `---\na: ${'['.repeat(5000)}${']'.repeat(5000)}\n---\n[[fine]]\n`,
  ...Object.fromEntries([8_000, 16_000, 4_000, 32_000].map((k) => [`depth ${k}.md`, `---\n${'- '.repeat(k)}\n---\n[[fine]]\n`])),
  'spaces in frontmatter.md': `---\n@\ntags: [a${' '.repeat(500_000)}b\n---\n[[fine]]\n`,
  'spaces in a heading.md': `a${' '.repeat(500_000)}b\nc\n===\n[[fine]]\n`,
  'blank lines.md': `${'\n'.repeat(5_000_000)}[[fine]]\n`,
  'quotes between paragraphs.md': `${'> a <!--\n> b <!--\n\nc <!--\n\n'.repeat(40_000)}[[fine]]\n`,
  'proto.md': '---\n__proto__: {polluted: true}\nconstructor: x\n---\n[[fine]]\n',
  'brackets.md': `${'['.repeat(20_000)} [[fine]]\n`,
  'quotes.md': `${'> '.repeat(5000)}[[fine]]\n`,
  'long line.md': `${'word '.repeat(1_000_000)}[[fine]]\n`,
  'twenty megabytes.md': `${'A sentence with a [[link]] in it.\n'.repeat(600_000)}[[fine]]\n`,
  'empty.md': '',
  'no line break.md': '[[fine]]',
  'carriage returns.md': 'a\r[[fine]]\r\n',
  'broken.canvas': '{"nodes": [',
}

describe('notes', () => {
  test('with every kind of error are read as far as possible, and reported', async () => {
    const world = openWorld()
    world.write('fine.md', '#fine')
    for (const [name, text] of Object.entries(BAD_NOTES)) world.write(name, text)
    const server = await open(world)
    await eventually(async () => expect((await server.ask('list_nodes')).total).toBe(Object.keys(BAD_NOTES).length))
    const sources = (await server.ask('get_neighbors', { id: 'fine', direction: 'in', limit: 50 })).map(({ id }: Wire) => id)
    const silent = ['empty.md', 'utf-16.md', 'broken.canvas']
    expect(Object.keys(BAD_NOTES).filter((name) => !silent.includes(name) && !sources.includes(name))).toEqual([])
    const malformed = await problemsOf(server, 'malformed')
    for (const name of [
      'invalid utf-8.md',
      'utf-16.md',
      'no end of frontmatter.md',
      'bomb.md',
      'twice.md',
      'tabs.md',
      'depth 8000.md',
      'spaces in frontmatter.md',
      'broken.canvas',
    ]) {
      expect(
        malformed.filter((problem) => problem.startsWith(`${name}: `)),
        name,
      ).not.toEqual([])
    }
    for (const name of Object.keys(BAD_NOTES)) {
      const node = await server.ask('get_node', { id: name })
      expect(node, name).not.toBeNull()
      expect(node.content.length, name).toBeLessThanOrEqual(10_000)
      expect(node.properties).not.toHaveProperty('polluted')
    }
    const { structuredContent } = await server.call('get_node', { id: 'twice' })
    expect(structuredContent._warnings).toContainEqual(expect.objectContaining({ code: 'MALFORMED' }))
    const { err, code } = await server.end()
    expect([code, err]).toEqual([0, ''])
    // The code in the notes must never have run.
    for (const folder of [world.vault, world.root]) expect(existsSync(join(folder, 'HACKED'))).toBe(false)
  })

  test('with all kinds of names are found', async () => {
    const world = openWorld()
    const longest = `${'x'.repeat(252)}.md`
    const names = [
      '🍞 Brot.md',
      'two\nlines.md',
      'cafe\u0301.md',
      longest,
      '-rf.md',
      '--help.md',
      'a[b]#c^d|e.md',
      ' spaces .md',
      'con.md',
      'it\'s "quoted".md',
    ]
    for (const name of names) world.write(name, `text of ${name}`)
    const server = await open(world)
    const { nodes, total } = await server.ask('list_nodes')
    expect(total).toBe(names.length)
    for (const { id } of nodes) expect((await server.ask('get_node', { id })).content).toMatch(/^text of /)
    for (const name of names) {
      // Typed names may be composed even if the file's name is not.
      for (const id of [name, name.normalize('NFC'), name.toUpperCase()]) {
        expect((await server.ask('get_node', { id }))?.content, id).toBe(`text of ${name}`)
      }
    }
    const dashed = await world.roux(['get-node', '--vault', world.vault, '--', '--help.md'])
    expect(JSON.parse(dashed.out).content).toBe('text of --help.md')
    const { out } = await world.roux(['export', '--format', 'csv', world.vault])
    expect(out).toBe('source,target,count,kinds\n')
  })

  test('behind symbolic links: links inside the vault are skipped, links outside are reported', async () => {
    const world = openWorld()
    world.write('folder/a.md', '[[b]]')
    world.write('b.md', 'text')
    writeFileSync(join(world.root, 'secret.md'), 'secret #secret')
    mkdirSync(join(world.root, 'secrets'))
    writeFileSync(join(world.root, 'secrets/more.md'), 'secret #secret')
    const link = (target: string, path: string) => symlinkSync(target, join(world.vault, path))
    link('nowhere.md', 'dangling.md')
    link('circle.md', 'circle.md')
    link('..', 'folder/up')
    link('.', 'itself')
    link(join(world.root, 'secret.md'), 'out.md')
    link(join(world.root, 'secrets'), 'out')
    const server = await open(world)
    const ids = (await server.ask('list_nodes')).nodes.map(({ id }: Wire) => id)
    expect(ids).toEqual(['b.md', 'folder/a.md'])
    expect((await problemsOf(server, 'outside_link')).map((problem) => problem.split(':')[0]).sort()).toEqual(['out', 'out.md'])
    expect(await server.ask('list_tags')).toEqual([])
    for (const id of ['out.md', 'out/more.md', '../secret.md', `${world.root}/secret.md`, 'folder/up/b.md', 'a/../b.md']) {
      expect(await server.ask('get_node', { id }), id).toBeNull()
    }
    const allowed = await open(world, [world.vault, '--set', `vault.link_roots=${join(world.root, 'secrets')}`])
    expect(await allowed.ask('list_tags')).toEqual([{ tag: 'secret', count: 1 }])
    expect((await problemsOf(allowed, 'outside_link')).map((problem) => problem.split(':')[0])).toEqual(['out.md'])
  })

  test('that appear and disappear while being read do not affect the others', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    for (let i = 0; i < 300; i++) world.write(`many/${i}.md`, `[[${i + 1}]] #many\n`)
    let stop = false
    onTestFinished(() => {
      stop = true
    })
    const churn = (async () => {
      for (let i = 0; !stop; i = (i + 1) % 300) {
        const path = join(world.vault, `many/${i}.md`)
        rmSync(path, { force: true })
        if (i % 3 === 0) mkdirSync(path, { recursive: true })
        if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
        rmSync(path, { force: true, recursive: true })
        writeFileSync(path, `[[${i + 1}]] #many\n`)
      }
    })()
    const server = await open(world)
    for (let i = 0; i < 40; i++) {
      expect((await server.ask('get_node', { id: 'readme' })).content).toMatch(/^# Proofer manual/)
      const { isError } = await server.call('search_by_tags', { tags: ['many'], limit: 100 })
      expect(isError ?? false).toBe(false)
      await server.call('get_node', { id: `many/${i}` })
    }
    stop = true
    await churn
    await eventually(async () => expect(await server.ask('list_tags')).toEqual([{ tag: 'many', count: 300 }]))
    expect(await server.end()).toMatchObject({ code: 0, err: '' })
  })
})

test('wrong settings are reported before anything is served', async () => {
  const world = openWorld({ fixture: 'docs-folder' })
  world.write('roux.config.yaml', 'vault:\n  gitignore: maybe\n')
  const [serve, status, doctor] = await Promise.all(
    ['serve', 'status', 'doctor'].map((command) => world.roux([command, world.vault])),
  )
  for (const outcome of [serve, status]) {
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome?.err).toMatch(/roux\.config\.yaml:2: vault\.gitignore must be true or false; got the string "maybe"/)
  }
  expect(doctor?.code).toBe(1)
})

describe('requests', () => {
  test('with malicious arguments do no harm', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const server = await open(world)
    const long = 'x'.repeat(1_000_000)
    for (const id of [
      '',
      '.',
      '..',
      '/',
      '../../etc/passwd',
      '/etc/passwd',
      'a\0b',
      '\\\\host\\share',
      '.obsidian/app.json',
      '%2e%2e/x',
      long,
    ]) {
      const { content, isError } = await server.call('get_node', { id })
      expect([id.slice(0, 30), isError ?? false, JSON.parse(content[0].text)]).toEqual([id.slice(0, 30), false, null])
    }
    expect((await server.ask('resolve_nodes', { names: [long, ''] })).map(({ match }: Wire) => match)).toEqual([null, null])
    expect(await server.ask('get_neighbors', { id: '__proto__' })).toEqual([])
    expect(await server.ask('nodes_exist', { ids: ['__proto__', 'constructor'] })).toMatchObject({ constructor: false })
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const answer = server.answerTo('deep')
    server.send(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"get_node","arguments":${deep}}}`)
    const { result, error } = await answer
    expect(error ?? result.isError).toBeTruthy()
    expect((await server.ask('list_nodes')).total).toBe(5)
  })
})

test.skipIf(process.platform !== 'linux')(
  'if cache and state folders cannot be created, a command answers from memory',
  async () => {
    const world = openWorld({ fixture: 'demo' })
    const env = { XDG_CACHE_HOME: '/proc/none/cache', XDG_STATE_HOME: '/proc/none/state', XDG_CONFIG_HOME: '/proc/none/config' }
    const { code, out } = await world.roux(['find-path', 'Rye', 'Hydration', '--vault', world.vault], { env })
    expect([code, JSON.parse(out).path.length > 1]).toEqual([0, true])
  },
)
