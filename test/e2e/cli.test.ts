import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openWorld, PROGRAM, SHARES, type Wire, type World } from './support.ts'

const DEMO = () => openWorld({ fixture: 'demo' })

/** The output a person sees, with machine-specific parts replaced. */
async function transcript(world: World, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await world.roux(args)
  const text = `${err}${out}${code === 0 ? '' : `exit ${code}\n`}`
  return text
    .replaceAll(world.root, '~')
    .replace(/index-\w{24}\.db/g, 'index.db')
    .replace(/"seconds":[\d.]+/, '"seconds":0')
}

describe('transcripts over the demo vault', () => {
  const TRANSCRIPTS: readonly (readonly [command: string, expected: string])[] = [
    [
      'get-hubs --limit 3',
      '[{"id":"concepts/sourdough starter.md","path":"Concepts/Sourdough starter.md","title":"Sourdough starter","score":25},{"id":"concepts/gluten.md","path":"Concepts/Gluten.md","title":"Gluten","score":24},{"id":"concepts/hydration.md","path":"Concepts/Hydration.md","title":"Hydration","score":23}]\n',
    ],
    [
      'find-path Borodinsky Gluten',
      `{"path":["breads/borodinsky.md","concepts/acidity.md","concepts/gluten.md"],"paths":["Breads/Borodinsky.md","Concepts/Acidity.md","Concepts/Gluten.md"],"length":2,"hops":[${[
        '{"from":"breads/borodinsky.md","to":"concepts/acidity.md","type":"link","direction":"out","line":17,"text":"Then comes a rye sour, since without [[Acidity]] all those enzymes would ruin the crumb."}',
        '{"from":"concepts/acidity.md","to":"concepts/gluten.md","type":"link","direction":"out","line":18,"text":"It strengthens [[Gluten]] a little, then weakens it a lot."}',
      ].join()}],"alternatives":[]}\n`,
    ],
    ['find-path home.md levain --direction out', '{"path":["home.md",'],
    [
      'get-problems',
      `{"problems":[${[
        '{"kind":"broken_link","id":"faults/pale crust.md","path":"Faults/Pale crust.md","line":12,"text":"[[Maillard reacton]]","candidates":["Concepts/Maillard reaction.md"]}',
        '{"kind":"orphan","id":"inbox/oven light bulb.md","path":"Inbox/Oven light bulb.md","line":0,"text":"No other note links here, and this note links to no other note."}',
        '{"kind":"ambiguous_link","id":"journal/2025-03-08.md","path":"Journal/2025-03-08.md","line":10,"text":"[[Rye]] → breads/rye.md, by the shortest path","candidates":["Breads/Rye.md","Grains/Rye.md"]}',
        '{"kind":"malformed","id":"reading list.md","path":"Reading list.md","line":2,"text":"The frontmatter cannot be read: plain value cannot start with reserved character @."}',
        '{"kind":"broken_link","id":"techniques/baking with steam.md","path":"Techniques/Baking with steam.md","line":17,"text":"[[Steam generator comparison]]"}',
      ].join()}],"total":5}\n`,
    ],
    ['call nodes_exist {"ids":["home"]}', '{"home.md":true}\n'],
    [
      'call nodes-exist {}',
      'error: Invalid arguments for nodes_exist: ids: expected an array of strings, got nothing.\n  nodes_exist takes ids.\nexit 2\n',
    ],
    ['call get_node no-json', 'error: The arguments are not JSON: '],
    ['get-node nobody', 'warning: There is no node "nobody".'],
    ['get-node rye', '{"id":"grains/rye.md","path":"Grains/Rye.md","title":"Rye",'],
    [
      'resolve-nodes levain glutn --threshold 0.5',
      '[{"query":"levain","match":"concepts/sourdough starter.md","path":"Concepts/Sourdough starter.md","score":1',
    ],
    ['search-by-tags milestone --mode all', '[{"id":"journal/2025-'],
    ['nodes-exist home.md nowhere.md', '{"home.md":true,"nowhere.md":false}\n'],
    ['call get_hub', 'error: There is no tool "get_hub".\n  Did you mean "get-hubs"?\nexit 2\n'],
    ['get-hubs --limt 3', 'error: There is no option --limt.\n  Did you mean "--limit"?\nexit 2\n'],
    ['get-hubs --limit many', 'error: --limit must be a number; got "many".\nexit 2\n'],
    [
      'get-hubs --metric in_degre',
      'error: --metric must be one of in_degree, out_degree, pagerank, betweenness; got "in_degre".\n  Did you mean "in_degree"?\nexit 2\n',
    ],
    ['--version', `${JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version}\n`],
  ]

  test('commands keep their output', async () => {
    const world = DEMO()
    await world.roux(['index', world.vault])
    await Promise.all(
      TRANSCRIPTS.map(async ([command, expected]) => {
        const args = command.split(' ')
        const text = await transcript(world, ...args, ...(command.startsWith('--') ? [] : ['--vault', world.vault]))
        // If the expected text ends within a line, only the beginning of the output is compared.
        expect(expected.endsWith('\n') ? text : text.slice(0, expected.length), `roux ${command}`).toBe(expected)
      }),
    )
  })

  test('shows a canvas as it is, and an attachment by name', async () => {
    const world = DEMO()
    const canvas = JSON.parse((await world.roux(['get-node', 'maps/from flour to loaf.canvas', '--vault', world.vault])).out)
    expect(canvas).toMatchObject({ id: 'maps/from flour to loaf.canvas', kind: 'canvas' })
    expect(JSON.parse(canvas.content).nodes.length).toBeGreaterThan(0)
    const file = JSON.parse((await world.roux(['get-node', 'attachments/feeding-log.csv', '--vault', world.vault])).out)
    expect(file).toMatchObject({ kind: 'attachment', content: '' })
  })

  test('shows a note by title', async () => {
    const world = DEMO()
    const byTitle = JSON.parse((await world.roux(['get-node', 'Bread notebook', '--vault', world.vault])).out)
    expect(byTitle).toMatchObject({ id: 'home.md', title: 'Bread notebook' })
    expect(byTitle.content).toBe(readFileSync(join(world.vault, 'Home.md'), 'utf8').replace(/^---\n.*?\n---\n/s, ''))
    expect(byTitle.links).toContainEqual({ id: 'maps/science of dough.md', title: 'Science of dough' })
  })

  test('a state folder that cannot be created is an error with a hint, without a stack trace', async () => {
    const world = openWorld()
    world.write('a.md', 'text')
    writeFileSync(join(world.root, 'file'), '')
    const { code, err } = await world.roux(['create-node', 'b.md', 'text', '--write', '--vault', world.vault], {
      env: { XDG_STATE_HOME: join(world.root, 'file') },
    })
    expect(code).toBe(1)
    expect(err).toContain('Make its folder writable')
    expect(err).not.toMatch(/^\s+at /m)
  })

  test('status, index and doctor', async () => {
    const world = DEMO()
    const index = '~/cache/roux/index.db'
    const facts = { vault: '~/vault', mode: 'obsidian', files: 69, generation: 1, cache: 'disk', index }
    expect(JSON.parse(await transcript(world, 'status', '--json', world.vault))).toEqual({
      ...facts,
      notes: 65,
      problems: 5,
      phase: 'idle',
      settings: [],
      embedder: expect.stringMatching(/^static:all-minilm-l6-v2\+/),
      // The notes and a canvas.
      words: { done: 66, total: 66 },
      vectors: { done: 66, total: 66, index: 'exact' },
      bytes: { index: expect.any(Number), search: expect.any(Number) },
      ...(SHARES ? { shared_server: {} } : {}),
    })
    const { err, out } = await world.roux(['index', world.vault])
    expect(err).toMatch(/^((Reading|Comparing) \d+ of \d+ files\n|(Indexing|Embedding) .*\n)*$/)
    expect(JSON.parse(out)).toMatchObject({ files: 69, generation: 1, seconds: expect.any(Number) })
    const { ok, checks } = JSON.parse(await transcript(world, 'doctor', world.vault))
    const states = Object.fromEntries(checks.map(({ check, state }: Wire) => [check, state]))
    expect(ok).toBe(true)
    expect(states).toMatchObject({
      node: 'ok',
      settings: 'ok',
      vault: 'ok',
      cache: 'ok',
      mode: 'ok',
      notes: 'ok',
      indexing: 'ok',
    })
    expect(checks).toContainEqual({ check: 'notes', state: 'ok', message: '65' })
  })

  test('help lists and explains every command and tool', async () => {
    const world = DEMO()
    const { out } = await world.roux(['help'])
    const names = [...out.matchAll(/^ {2}([a-z][a-z-]+)[ <[]/gm)].map(([, name]) => name ?? '')
    expect(names).toEqual(expect.arrayContaining(['serve', 'doctor', 'get-hubs', 'list-tags']))
    const helps = await Promise.all(names.slice(0, 6).map((name) => world.roux(['help', name])))
    for (const [at, help] of helps.entries())
      expect([help.code, help.out.split(' ').slice(0, 2).join(' ')]).toEqual([0, `roux ${names[at]}`])
    const settings = (await world.roux(['help', 'settings'])).out
    for (const key of ['vault.path', 'vault.watch', 'links.profile', 'cache.path', 'tools.<tool>'])
      expect(settings).toContain(`${key}: `)
  })
})

describe('export', () => {
  const unquote = (text: string) => text.replace(/\\(.)/g, '$1')
  const unescapeXml = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
  const sorted = (edges: Iterable<readonly [string, string]>) => [...edges].map((edge) => edge.join(' → ')).sort()
  const matches = (text: string, pattern: RegExp, decode: (text: string) => string) =>
    [...text.matchAll(pattern)].map(([, ...groups]) => groups.map((group) => decode(group ?? '')))

  test('every format contains the same graph', async () => {
    const world = DEMO()
    // Names that every format must quote.
    world.write('Inbox/A "quoted" & <odd>, name; with \\ and 🍞.md', '[[Home]] and [[Gluten]]\n')
    const [json, graphml, dot, csv] = await Promise.all(
      ['json', 'graphml', 'dot', 'csv'].map(
        async (format) => (await world.roux(['export', world.vault, '--format', format])).out,
      ),
    )
    const graph = JSON.parse(json ?? '')
    const status = JSON.parse((await world.roux(['status', world.vault])).out)
    const nodes: string[] = graph.nodes.map(({ id }: Wire) => id).sort()
    const edges = sorted(graph.edges.map(({ source, target }: Wire) => [source, target]))
    expect(nodes).toHaveLength(status.files)
    expect(nodes).toContain('inbox/a "quoted" & <odd>, name; with \\ and 🍞.md')
    for (const { source, target } of graph.edges) expect(nodes).toEqual(expect.arrayContaining([source, target]))
    expect(graph.unresolved.map(({ target }: Wire) => target)).toEqual(['Maillard reacton', 'Steam generator comparison'])

    expect(
      matches(graphml ?? '', /<node id="([^"]*)">/g, unescapeXml)
        .flat()
        .sort(),
    ).toEqual(nodes)
    expect(
      sorted(matches(graphml ?? '', /<edge source="([^"]*)" target="([^"]*)">/g, unescapeXml) as [string, string][]),
    ).toEqual(edges)
    expect(graphml).toMatch(/^<\?xml [^>]*\?>\n<graphml .*<\/graphml>\n$/s)

    const quoted = '"((?:[^"\\\\]|\\\\.)*)"'
    expect(
      matches(dot ?? '', new RegExp(`^  ${quoted} \\[label=`, 'gm'), unquote)
        .flat()
        .sort(),
    ).toEqual(nodes)
    expect(
      sorted(
        matches(dot ?? '', new RegExp(`^  ${quoted} -> ${quoted} \\[weight=\\d+\\];$`, 'gm'), unquote) as [string, string][],
      ),
    ).toEqual(edges)

    const [head, ...rows] = (csv ?? '').trimEnd().split('\n')
    expect(head).toBe('source,target,count,kinds')
    const cell = '("(?:[^"]|"")*"|[^,"]*)'
    const read = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text)
    const row = new RegExp(`^${cell},${cell},(\\d+),([a-z|]+)$`)
    expect(sorted(rows.map((line) => (row.exec(line) ?? []).slice(1, 3).map(read) as [string, string]))).toEqual(edges)
    const count = (sum: number, text: string | undefined) => sum + Number(text)
    expect(rows.map((line) => row.exec(line)?.[3]).reduce(count, 0)).toBe(
      graph.edges.map(({ count: n }: Wire) => n).reduce(count, 0),
    )
  })

  test('a file gets the same content as stdout', async () => {
    const world = DEMO()
    const { out } = await world.roux(['export', world.vault, '-f', 'dot'])
    const { code, out: nothing } = await world.roux(['export', world.vault, '-f', 'dot', '-o', 'graph.dot'])
    expect([code, nothing]).toEqual([0, ''])
    expect(readFileSync(join(world.root, 'graph.dot'), 'utf8')).toBe(out)
    const nowhere = await world.roux(['export', world.vault, '-o', 'no/folder/graph.json'])
    expect([nowhere.code, nowhere.out]).toEqual([1, ''])
    expect(nowhere.err).toMatch(/^error: .*graph\.json cannot be written/)
  })
})

describe('settings', () => {
  const unresolved = async (world: World, args: readonly string[] = [], env = {}) =>
    JSON.parse((await world.roux(['export', '--vault', world.vault, ...args], { env })).out).unresolved.length

  test('the profile changes how links resolve, from every source of settings', async () => {
    const world = DEMO()
    expect(await unresolved(world)).toBe(2)
    expect(await unresolved(world, ['--set', 'links.profile=obsidian'])).toBe(4)
    expect(await unresolved(world, [], { ROUX_LINKS_PROFILE: 'obsidian' })).toBe(4)
    writeFileSync(join(world.root, 'own.yaml'), 'links:\n  profile: obsidian\n')
    expect(await unresolved(world, ['--config', 'own.yaml'])).toBe(4)
    expect(await unresolved(world, ['--config', 'own.yaml', '--set', 'links.profile=lenient'])).toBe(2)
    world.write('roux.config.yaml', 'links:\n  profile: obsidian\n')
    expect(await unresolved(world)).toBe(4)
    mkdirSync(join(world.root, 'config/roux'), { recursive: true })
    writeFileSync(join(world.root, 'config/roux/roux.config.yaml'), 'links:\n  profile: lenient\n')
    expect(await unresolved(world)).toBe(2)
  })

  test('the vault comes from the first of option, argument, variable, settings and working directory', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    const names = ['option', 'variable', 'setting', 'here']
    for (const name of names) {
      mkdirSync(join(world.root, name))
      writeFileSync(join(world.root, name, `${name}.md`), '')
    }
    const at = (name: string) => join(world.root, name)
    const own = join(world.root, 'own.yaml')
    writeFileSync(own, `vault:\n  path: ${at('setting')}\n`)
    const listed = async (args: readonly string[], env = {}) => {
      const { out } = await world.roux(['list-nodes', ...args], { cwd: at('here'), env })
      return JSON.parse(out).nodes.map(({ id }: Wire) => id)
    }
    const ROUX_VAULT = at('variable')
    expect(await listed(['--vault', '../option', '--config', own], { ROUX_VAULT })).toEqual(['option.md'])
    expect(await listed(['--config', own], { ROUX_VAULT })).toEqual(['variable.md'])
    expect(await listed(['--config', own])).toEqual(['setting.md'])
    expect(await listed([])).toEqual(['here.md'])
    expect(await listed([], { ROUX_VAULT: '' })).toEqual(['here.md'])
    const status = await world.roux(['status', '../option'], { cwd: at('here'), env: { ROUX_VAULT } })
    expect(JSON.parse(status.out).vault).toBe(at('option'))
  })

  test('init writes a trusted file; after an edit it waits for trust', async () => {
    const world = DEMO()
    const file = join(world.vault, 'roux.config.yaml')
    expect(await transcript(world, 'init', world.vault)).toBe('{"path":"~/vault/roux.config.yaml","trusted":true}\n')
    expect(await transcript(world, 'init', world.vault)).toMatch(/^error: ~\/vault\/roux\.config\.yaml already exists\.\n/)
    expect((await world.roux(['get-hubs', '--vault', world.vault])).err).toBe('')
    writeFileSync(file, readFileSync(file, 'utf8').replace('# get_hubs: true', 'get_hubs: false'))
    const ignored = await world.roux(['get-hubs', '--vault', world.vault])
    expect([ignored.code, ignored.err]).toEqual([
      0,
      `warning: ${file}: ignored until you run "roux trust ${world.vault}": tools.get_hubs.\n`,
    ])
    const trusted = JSON.parse((await world.roux(['trust', world.vault])).out)
    expect(trusted).toEqual({ path: file, trusted: true, settings: [{ key: 'tools.get_hubs', value: false }] })
    const off = await world.roux(['get-hubs', '--vault', world.vault])
    expect([off.code, off.out]).toEqual([1, ''])
    expect(off.err).toMatch(/^error: The tool get_hubs is switched off/)
    const server = world.serve()
    await server.initialize()
    expect((await server.call('get_hubs')).structuredContent.error.code).toBe('TOOL_DISABLED')
  })
})

describe('streams', () => {
  test('reads arguments from stdin on request', async () => {
    const world = DEMO()
    const { code, out } = await world.roux(['call', 'nodes_exist', '-', '--vault', world.vault], { stdin: '{"ids": ["home"]}' })
    expect([code, out]).toEqual([0, '{"home.md":true}\n'])
  })

  test('a reader that stops early (… | head) is not an error', async () => {
    const world = DEMO()
    for (let i = 0; i < 1500; i++) world.write(`many/${i}.md`, `[[${i + 1}]] [[Home]]\n`)
    await world.roux(['index', world.vault])
    const commands = ['export --format json', 'export --format csv', 'list-nodes --limit 1000', 'export --format dot']
    const outcomes = commands.map(async (command) => {
      const args = [PROGRAM, ...command.split(' '), '--vault', world.vault]
      const child = spawn(process.execPath, args, { env: { ...world.env } })
      let err = ''
      child.stderr.on('data', (chunk) => {
        err += chunk
      })
      child.stdout.once('data', () => child.stdout.destroy())
      return { command, code: await new Promise((resolve) => child.on('close', resolve)), err }
    })
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject({ code: 0, err: '' })
  })
})

test('without the SQLite binary, a command says what is missing and what to do', async () => {
  const world = DEMO()
  // No packages are installed beside this copy.
  cpSync(join(dirname(PROGRAM), '..'), join(world.root, 'roux/dist'), { recursive: true })
  cpSync(join(dirname(PROGRAM), '../../package.json'), join(world.root, 'roux/package.json'))
  const program = join(world.root, 'roux/dist/cli/main.js')
  const { code, err } = await world.roux(['get-hubs', '--vault', world.vault], { program })
  expect(code).toBe(1)
  expect(err).toMatch(/error: The vault cannot be indexed: SQLite cannot be loaded: .*\n {2}Reinstall Roux/)
  expect(err).not.toContain('    at ')
})
