import { spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { PATIENCE } from '../support/patience.ts'
import { placeOf, SHARED, serversIn, sharedWorld, stateOf } from './shared-support.ts'
import { type Outcome, PROGRAM, type World } from './support.ts'

/** Asks a new process, which must answer whether it shares a server or not. */
async function askOnce(world: World, env: Readonly<Record<string, string>> = SHARED): Promise<Outcome> {
  const server = world.serve(undefined, { env })
  await server.initialize()
  expect(await server.ask('get_hubs')).not.toEqual([])
  return await server.end()
}

test.runIf(process.getuid?.() === 0)('a socket of another user is not used', async () => {
  const world = sharedWorld()
  await askOnce(world)
  chownSync(placeOf(world).file('sock'), 12_345, 12_345)
  expect(await askOnce(world)).toMatchObject({ code: 0 })
  expect((await stateOf(world)).alone).toContain('is not private to you')
})

const CAN_MOUNT = spawnSync('unshare', ['-m', 'true']).status === 0

test.runIf(CAN_MOUNT)('a container that shares the cache folder sees its own vault', async () => {
  const world = sharedWorld()
  await askOnce(world)
  const own = join(world.root, 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'own.md'), '# Own\n')
  const words = [process.execPath, PROGRAM, 'list-nodes', '--vault', world.vault]
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
  const args = ['-m', 'sh', '-c', script, 'sh', own, world.vault, ...words]
  const { stdout, stderr } = spawnSync('unshare', args, { env: { ...world.env, ...SHARED }, encoding: 'utf8' })
  expect(stdout, stderr).toContain('own.md')
})

test.runIf(CAN_MOUNT)('a process works alone on a full disk and does not wait', async () => {
  const world = sharedWorld()
  // The input stays open until the answer arrives, because a server does not wait long for its calls after its input ends.
  const script = `mount -t tmpfs -o size=4k none "$1" && head -c 4096 /dev/zero > "$1/full"; run=$1; out=$2; shift 2
    { cat; for _ in $(seq ${PATIENCE / 100}); do grep -q '"id":2' "$out" && break; sleep 0.1; done; } | "$@" > "$out"
    cat "$out"; ls "$run/roux" >&2`
  const words = [join(world.root, 'run'), join(world.root, 'out'), process.execPath, PROGRAM, 'serve', world.vault]
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
    },
    { id: 2, method: 'tools/call', params: { name: 'get_hubs', arguments: {} } },
  ]
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
  const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...words], {
    env: { ...world.env, ...SHARED },
    encoding: 'utf8',
    input,
  })
  expect(stdout, stderr).toContain('"id":2')
  expect(stdout).not.toContain('"isError":true')
  // If the announcement were not removed, every other process would have to wait.
  expect(stderr).not.toMatch(/\.server$/m)
})

test('each process works alone if the folder for sockets cannot be created', async () => {
  const world = sharedWorld()
  const file = join(world.root, 'file')
  writeFileSync(file, '')
  expect(await askOnce(world, { ...SHARED, XDG_RUNTIME_DIR: file })).toMatchObject({ code: 0, err: '' })
  expect(serversIn(world)).toEqual([])
})

test('each process works alone if a server cannot write its files', async () => {
  const world = sharedWorld()
  await askOnce(world)
  const { file } = placeOf(world)
  await world.roux(['stop'], { env: SHARED })
  // The announcement cannot be written where a folder is, as on a full or read-only disk.
  mkdirSync(join(file('server'), 'x'), { recursive: true, mode: 0o700 })
  expect(await askOnce(world)).toMatchObject({ code: 0 })
  expect(serversIn(world)).toEqual([])
})

test('a process without a home folder in the environment still answers', async () => {
  expect(await askOnce(sharedWorld(), { ...SHARED, HOME: '' })).toMatchObject({ code: 0, err: '' })
})

/** A user whom the system does not know. */
const NOBODY = { uid: 12_345, gid: 12_345, env: { PATH: process.env.PATH ?? '' } }

test.runIf(process.getuid?.() === 0)('a user without a name and a home folder can run the program', () => {
  const isReadable =
    spawnSync(process.execPath, ['-e', `require('fs').accessSync(${JSON.stringify(PROGRAM)})`], NOBODY).status === 0
  if (isReadable) expect(spawnSync(process.execPath, [PROGRAM, '--version'], NOBODY).status).toBe(0)
})

test('a start announced in the future or by a dead process delays nobody', async () => {
  const world = sharedWorld()
  await askOnce(world)
  const { file } = placeOf(world)
  await world.roux(['stop'], { env: SHARED })
  writeFileSync(file('server'), `${process.pid}`, { mode: 0o600 })
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(file('server'), later, later)
  expect(await askOnce(world)).toMatchObject({ code: 0, err: '' })
  expect(serversIn(world)).toHaveLength(1)
  await world.roux(['stop'], { env: SHARED })
  // No process has this id: it is above the limit of every system.
  writeFileSync(file('server'), '99999999', { mode: 0o600 })
  expect(await askOnce(world)).toMatchObject({ code: 0, err: '' })
  expect(serversIn(world)).toHaveLength(1)
})

test('a killed server whose process id was reused delays nobody', async () => {
  const world = sharedWorld()
  await askOnce(world)
  world.killServers()
  const { file } = placeOf(world)
  await eventually(async () => expect(serversIn(world)).toEqual([]))
  writeFileSync(file('server'), `${process.pid} secret`)
  const before = new Date(Date.now() - 3_600_000)
  utimesSync(file('server'), before, before)
  expect(await askOnce(world)).toMatchObject({ code: 0, err: '' })
  expect(serversIn(world)).toHaveLength(1)
})

test('the server survives a client that is killed with its process group', async () => {
  const world = sharedWorld()
  const client = world.serve(undefined, { env: SHARED, detached: true })
  await client.initialize()
  await client.ask('get_hubs')
  const servers = serversIn(world)
  process.kill(-(client.child.pid ?? 0), 'SIGKILL')
  await client.ended
  await eventually(async () => expect((await stateOf(world)).running.connections).toBe(0))
  expect(await askOnce(world)).toMatchObject({ code: 0, err: '' })
  expect(serversIn(world)).toEqual(servers)
})

test('a newer build gets its own server, and the older one ends with its last connection', async () => {
  const world = sharedWorld()
  const build = join(world.root, 'build')
  const program = join(build, 'dist', 'cli', 'main.js')
  cpSync(join(dirname(PROGRAM), '..'), join(build, 'dist'), { recursive: true })
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(build, 'node_modules'))
  cpSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(build, 'package.json'))
  const old = world.serve([world.vault, '--write'], { env: SHARED, program })
  await old.initialize()
  await old.ask('get_hubs')
  const [oldServer] = serversIn(world)
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(dirname(program), 'main.app.js'), later, later)
  const fresh = world.serve([world.vault, '--write'], { env: SHARED, program })
  await fresh.initialize()
  // Both processes write into one note at the same time.
  const marks = ['old', 'fresh'].flatMap((build) => Array.from({ length: 8 }, (_, at) => `${build}-${at}-end`))
  const writes = marks.map((append) => (append.startsWith('old') ? old : fresh).call('update_node', { id: 'b', append }))
  for (const result of await Promise.all(writes)) expect(result).not.toHaveProperty('isError')
  const text = readFileSync(join(world.vault, 'b.md'), 'utf8')
  expect(marks.map((mark) => text.split(mark).length - 1)).toEqual(marks.map(() => 1))
  expect(serversIn(world)).toHaveLength(2)
  await old.end()
  await eventually(async () => expect(serversIn(world)).not.toContain(oldServer))
  expect(await fresh.ask('get_hubs')).not.toEqual([])
  await fresh.end()
})

test('a vault whose folder disappears and returns is served again by the same server', async () => {
  const world = sharedWorld()
  const server = world.serve(undefined, { env: SHARED })
  await server.initialize()
  await server.ask('get_hubs')
  const servers = serversIn(world)
  renameSync(world.vault, `${world.vault}-away`)
  await eventually(async () =>
    expect(JSON.stringify(await server.call('get_node', { id: 'a' }))).toMatch(/VAULT_NOT_FOUND|STALE/),
  )
  renameSync(`${world.vault}-away`, world.vault)
  await eventually(async () =>
    expect(JSON.stringify(await server.call('get_node', { id: 'a' }))).not.toMatch(/VAULT_NOT_FOUND|STALE/),
  )
  expect(serversIn(world)).toEqual(servers)
  await server.end()
})
