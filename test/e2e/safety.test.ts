import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quietly } from '../../src/core/quietly.ts'
import { eventually } from '../support/eventually.ts'
import { PATIENCE } from '../support/patience.ts'
import { changedLimits, factsOf, openWorld, PROGRAM, type Server, SHARES, type Wire, type World } from './support.ts'

/** Every file and folder, with everything that would reveal a change. */
function listing(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .concat('.')
    .sort()
    .map((path) => {
      const stat = lstatSync(join(root, path))
      const hash = stat.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(root, path)))
            .digest('hex')
        : 'folder'
      return `${path} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${hash}`
    })
}

const EVERYTHING: readonly (readonly [tool: string, args: object])[] = [
  ['get_node', { id: 'home', depth: 1 }],
  ['get_node', { id: 'concepts/gluten' }],
  ['get_neighbors', { id: 'concepts/gluten', limit: 50, include_content: true }],
  ['find_path', { source: 'breads/borodinsky', target: 'people/louis pasteur', count: 5 }],
  ['get_hubs', { limit: 50 }],
  ['get_hubs', { metric: 'pagerank' }],
  ['get_hubs', { metric: 'betweenness' }],
  ['search_by_tags', { tags: ['bread'] }],
  ['random_node', { tags: ['milestone'] }],
  ['list_nodes', { kinds: ['note', 'attachment', 'canvas', 'missing'], limit: 1000 }],
  ['resolve_nodes', { names: ['levain', 'glutn'] }],
  ['nodes_exist', { ids: ['home', 'nowhere'] }],
  ['get_problems', { limit: 100 }],
  ['get_problems', { kind: 'missing_note' }],
  ['get_neighbors', { id: 'concepts/gluten', evidence: true }],
  ['list_tags', {}],
  ['list_properties', { limit: 1000 }],
  ['get_tree', { include_archived: true, limit: 1000 }],
]

async function askEverything(server: Server): Promise<readonly Wire[]> {
  return Promise.all(EVERYTHING.map(async ([tool, args]) => factsOf(await server.call(tool, args))))
}

async function open(world: World, args?: readonly string[]): Promise<Server> {
  const server = world.serve(args)
  await server.initialize()
  return server
}

/** A zombie process counts as ended. */
function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] !== 'Z'
}

/** Returns the answers of a server with an empty cache, which must be correct. */
async function truth(world: World): Promise<readonly Wire[]> {
  const server = world.serve([world.vault, '--set', `cache.path=${join(world.root, `cache-${Math.random()}`)}`])
  await server.initialize()
  const answers = await askEverything(server)
  expect((await server.end()).code).toBe(0)
  return answers
}

const status = async (world: World, args: readonly string[] = []) =>
  JSON.parse((await world.roux(['status', '--vault', world.vault, ...args])).out)

const indexFiles = (world: World) =>
  readdirSync(join(world.root, 'cache/roux'))
    .filter((name) => /^index-\w+\.db$/.test(name))
    .map((name) => join(world.root, 'cache/roux', name))

test('two servers and commands on one vault agree after any edits', async () => {
  const world = openWorld({ fixture: 'demo' })
  const [one, two] = await Promise.all([open(world), open(world)])
  for (let round = 0; round < 4; round++) {
    world.write(
      `Inbox/Round ${round}.md`,
      `---\naliases: [Ring ${round}]\n---\n#round/${round} [[Ring ${round + 1}]] [[Gluten]]\n`,
    )
    world.write('Concepts/Staling.md', `Round ${round}: [[Ring ${round}]]\n`)
    if (round > 1) rmSync(join(world.vault, `Inbox/Round ${round - 2}.md`))
    const [problems] = await Promise.all([
      world.roux(['get-problems', '--limit', '100', '--vault', world.vault]),
      world.roux(['index', '--vault', world.vault]),
    ])
    expect(problems.code).toBe(0)
    const tags = await eventually(async () => {
      const [first, second] = await Promise.all([one.ask('list_tags'), two.ask('list_tags')])
      expect(first).toContainEqual({ tag: `round/${round}`, count: 1 })
      expect(second).toEqual(first)
      return first
    })
    expect(tags).toContainEqual({ tag: 'round', count: round === 0 ? 1 : 2 })
    await eventually(async () => {
      expect(await one.ask('get_problems', { limit: 100 })).toEqual(JSON.parse(problems.out))
      expect(await two.ask('get_problems', { limit: 100 })).toEqual(JSON.parse(problems.out))
    })
  }
  const expected = await truth(world)
  await eventually(async () => {
    expect(await askEverything(one)).toEqual(expected)
    expect(await askEverything(two)).toEqual(expected)
  })
  expect((await Promise.all([one.end(), two.end()])).map(({ code }) => code)).toEqual([0, 0])
  expect(indexFiles(world)).toHaveLength(1)
})

test('many concurrent commands create one index', async () => {
  const world = openWorld({ fixture: 'demo' })
  const runs = await Promise.all(Array.from({ length: 5 }, () => world.roux(['status', '--vault', world.vault])))
  for (const { code, err, out } of runs)
    expect({ code, err, ...JSON.parse(out) }).toMatchObject({ code: 0, err: '', notes: 65, files: 69 })
  expect(
    readdirSync(join(world.root, 'cache/roux')).filter((name) => !/^(index|search-\d)-\w+\.db(-wal|-shm)?$/.test(name)),
  ).toEqual([])
})

test('nothing is written into the vault, and everything else is private to its owner', async () => {
  const world = openWorld({ fixture: 'demo' })
  const before = listing(world.vault)
  const server = await open(world)
  await askEverything(server)
  expect((await server.end()).code).toBe(0)
  for (const command of ['status', 'doctor', 'index', 'export']) await world.roux([command, world.vault])
  expect(listing(world.vault)).toEqual(before)
  // The log of graph changes is in the user's state folder.
  expect(readdirSync(world.root).sort()).toEqual(['cache', 'home', ...(SHARES ? ['run'] : []), 'state', 'vault'])
  expect(statSync(join(world.root, 'state/roux')).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(join(world.root, 'state/roux')))
    expect(statSync(join(world.root, 'state/roux', name)).mode & 0o077, name).toBe(0)
  expect(readdirSync(join(world.root, 'home'))).toEqual([])
  expect(statSync(join(world.root, 'cache/roux')).mode & 0o777).toBe(0o700)
})

test.each<[string, string | undefined]>([
  ['initialize and the lists', '2025-11-25'],
  ['only initialize, in the oldest version', '2024-11-05'],
  ['nothing at all', undefined],
])('a probe (%s) leaves no trace', async (_, version) => {
  const world = openWorld({ fixture: 'demo' })
  const server = world.serve()
  if (version !== undefined) {
    await server.initialize(version)
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await server.request('tools/list')
  }
  expect(await server.end()).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(world.root).sort()).toEqual(['home', 'vault'])
})

describe('a cache folder that cannot be used', () => {
  test.each([
    ['a file in its place', (world: World) => writeFileSync(join(world.root, 'cache'), 'no folder')],
    [
      'a file in place of its subfolder',
      (world: World) => {
        mkdirSync(join(world.root, 'cache'))
        writeFileSync(join(world.root, 'cache/roux'), 'no folder')
      },
    ],
  ])('%s: everything works in memory, with a notice', async (_, prepare) => {
    const world = openWorld({ fixture: 'demo' })
    prepare(world)
    const server = await open(world)
    expect(await askEverything(server)).toEqual(await truth(world))
    world.write('Inbox/New.md', 'Fresh.\n')
    await eventually(async () => expect((await server.ask('get_node', { id: 'inbox/new' }))?.content).toBe('Fresh.\n'))
    expect(await server.end()).toMatchObject({ code: 0, err: '' })
    const facts = await status(world)
    expect(facts).toMatchObject({ cache: 'memory', index: null, notes: 66, phase: 'idle' })
    expect(facts.message).toMatch(/kept in memory/)
    const doctor = JSON.parse((await world.roux(['doctor', world.vault])).out)
    expect(doctor.checks).toContainEqual(expect.objectContaining({ check: 'cache', state: 'warn' }))
  })

  test('an index that is a folder', async () => {
    const world = openWorld({ fixture: 'demo' })
    const { index } = await status(world)
    rmSync(index)
    mkdirSync(index)
    expect(await status(world)).toMatchObject({ notes: 65 })
  })
})

describe('a cache that is damaged between two starts', () => {
  const overwrite = (path: string, change: (bytes: Buffer) => void) => {
    const bytes = readFileSync(path)
    change(bytes)
    writeFileSync(path, bytes)
  }
  const DAMAGES: readonly (readonly [what: string, damage: (path: string) => void])[] = [
    ['is empty', (path) => truncateSync(path, 0)],
    ['is cut in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['is cut within its header', (path) => truncateSync(path, 50)],
    ['is no database', (path) => writeFileSync(path, 'Dear diary')],
    [
      'has noise in every page',
      (path) =>
        overwrite(path, (bytes) => {
          for (let at = 200; at < bytes.length; at += 997) bytes[at] = (bytes[at] ?? 0) ^ 0x55
        }),
    ],
    ['has its second half overwritten', (path) => overwrite(path, (bytes) => bytes.fill(0xff, bytes.length / 2))],
    ['has another format number', (path) => overwrite(path, (bytes) => bytes.writeUInt32BE(99_999, 60))],
    ["bears another program's id", (path) => overwrite(path, (bytes) => bytes.writeUInt32BE(0x1234, 68))],
    [
      'lost a title to another text of the same length',
      (path) =>
        overwrite(path, (bytes) => {
          for (let at = bytes.indexOf('Bread notebook'); at !== -1; at = bytes.indexOf('Bread notebook', at + 1))
            bytes.write('Broad', at)
        }),
    ],
  ]

  test('is rebuilt after any damage, and never gives a wrong answer', async () => {
    const world = openWorld({ fixture: 'demo' })
    const expected = await truth(world)
    const whole = await status(world)
    const tryDamage = async ([what, damage]: (typeof DAMAGES)[number], at: number): Promise<void> => {
      const folder = join(world.root, `cache-${at}`)
      cpSync(dirname(whole.index), folder, { recursive: true })
      const cache = ['--set', `cache.path=${folder}`]
      const index = join(folder, basename(whole.index))
      const ruin = () => {
        for (const beside of ['-wal', '-shm']) rmSync(`${index}${beside}`, { force: true })
        damage(index)
      }
      ruin()
      const server = await open(world, [world.vault, ...cache])
      expect(await askEverything(server), what).toEqual(expected)
      expect(await server.end(), what).toMatchObject({ code: 0, err: '' })
      ruin()
      expect(await status(world, cache), what).toMatchObject({ index, notes: 65, files: 69, problems: 5, phase: 'idle' })
    }
    // If more servers ran at once, answers would be late on a busy machine.
    const waiting = [...DAMAGES.entries()]
    const tryAll = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await tryDamage(next[1], next[0])
    }
    await Promise.all([tryAll(), tryAll()])
  })

  test('is deleted under a running server', async () => {
    const world = openWorld({ fixture: 'demo' })
    const server = await open(world)
    const answers = await askEverything(server)
    // The server may write to the folder meanwhile, so a folder can fill again while it is being deleted.
    await eventually(() => rmSync(join(world.root, 'cache'), { recursive: true, force: true }))
    // The server may notice the damage at once. Until everything has been read again, its answers say that they may be
    // incomplete.
    const results = await Promise.all(EVERYTHING.map(([tool, args]) => server.call(tool, args)))
    for (const [at, result] of results.entries()) {
      const codes: readonly string[] = (result.structuredContent._warnings ?? []).map(({ code }: Wire) => code)
      if (!codes.includes('INDEX_BUILDING') && !codes.includes('STALE')) expect(factsOf(result)).toEqual(answers[at])
    }
    await eventually(async () => expect(await askEverything(server)).toEqual(answers))
    world.write('Inbox/New.md', 'Fresh.\n')
    await eventually(async () => expect((await server.ask('get_node', { id: 'inbox/new' }))?.content).toBe('Fresh.\n'))
    const expected = await truth(world)
    // Until slow results are ready, the previous ones are returned with a warning.
    await eventually(async () => expect(await askEverything(server)).toEqual(expected))
    expect((await server.end()).code).toBe(0)
  })
})

describe('shutdown', () => {
  const CALL = { name: 'get_hubs', arguments: { metric: 'betweenness' } }
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: CALL })

  /** Opens a server that waits for its last answers and its threads as long as a busy machine needs. */
  async function openPatient(): Promise<Server> {
    const world = openWorld({ fixture: 'demo' })
    const env = changedLimits(world, `(ms) => (ms > 1_000 && ms < 5_000 ? ${PATIENCE} : ms)`)
    const server = world.serve([world.vault], { env })
    await server.initialize()
    return server
  }

  test.each<[string, (server: Server) => void]>([
    ['the end of input', (server) => server.child.stdin.end()],
    ['exit', (server) => server.send({ jsonrpc: '2.0', method: 'exit' })],
    ['notifications/exit', (server) => server.send({ jsonrpc: '2.0', method: 'notifications/exit' })],
  ])('%s answers running calls and exits with 0', async (_, end) => {
    const server = await openPatient()
    const answers = Promise.all([1, 2, 3].map((id) => server.answerTo(id)))
    for (const id of [1, 2, 3]) server.send(call(id))
    end(server)
    for (const { result } of await answers) expect(result).toBeDefined()
    expect(await server.ended).toMatchObject({ code: 0, signal: null, err: '' })
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s answers running calls and exits with 0', async (signal) => {
    const server = await openPatient()
    // Lines are read in order: when the second is answered, the first was read.
    const answer = server.answerTo(1)
    server.send(call(1))
    await server.request('ping')
    server.child.kill(signal)
    expect((await answer).result.structuredContent.results).toHaveLength(10)
    expect(await server.ended).toMatchObject({ code: 0, signal: null, err: '' })
  })

  test('no process is left running', async () => {
    const world = openWorld({ fixture: 'demo' })
    const server = await open(world)
    await server.ask('get_hubs', { metric: 'pagerank' })
    const { pid } = server.child
    // A thread may end before its file is read.
    const childrenOf = (task: string) => quietly(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? ''
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      childrenOf(task)
        .split(' ')
        .filter((child) => child !== ''),
    )
    await server.end()
    expect(existsSync(`/proc/${pid}`)).toBe(false)
    // The only child is the shared server, which ends after its last connection.
    expect(children).toHaveLength(SHARES ? 1 : 0)
    await eventually(async () => expect(children.filter(isRunning)).toEqual([]))
  })

  test('a client that closes our output ends the server quietly', async () => {
    const world = openWorld({ fixture: 'demo' })
    const server = await open(world)
    await server.ask('list_tags')
    server.child.stdout.destroy()
    // The input stays open, so the server notices only by writing that nobody reads its output.
    const ended = new Promise<number | null>((resolve) => server.child.on('exit', resolve))
    for (let id = 0; id < 3; id++) server.send(call(id))
    expect(await ended).toBe(0)
  })

  test('killing the client ends the server', async () => {
    const world = openWorld({ fixture: 'demo' })
    // A client that starts its own server, prints its process id, and is killed.
    const script = `
      const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(PROGRAM)}, 'serve', ${JSON.stringify(world.vault)}])
      child.stdin.write(${JSON.stringify(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } } })}\n${JSON.stringify(call(2))}\n`)})
      let lines = 0
      child.stdout.on('data', (chunk) => {
        lines += String(chunk).split('\\n').length - 1
        if (lines === 2) console.log(child.pid)
      })
      setInterval(() => {}, 1000)`
    const client = spawn(process.execPath, ['-e', script], { env: { ...world.env }, stdio: ['ignore', 'pipe', 'ignore'] })
    const pid = await new Promise<string>((resolve) => client.stdout.on('data', (chunk) => resolve(String(chunk).trim())))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    client.kill('SIGKILL')
    await eventually(async () => expect(isRunning(pid)).toBe(false))
  })
})
