import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { LONG } from '../support/long.ts'
import { SHARED, serversIn, sharedWorld, stateOf } from './shared-support.ts'
import type { Server, World } from './support.ts'

test('assistants share a server, and get the same bytes as from a server of their own', async () => {
  const world = sharedWorld()
  // On a busy machine, the first search would otherwise warn that notes are still being embedded.
  await world.roux(['index', world.vault])
  const dialog = async (env: Readonly<Record<string, string>>) => {
    const server = world.serve(undefined, { env })
    await server.initialize()
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await server.request('tools/list')
    server.send('{"broken')
    await server.call('search', { query: 'dense bread' })
    await server.call('get_node', { id: 'a' })
    await server.call('update_node', { id: 'a', append: 'x' })
    const { code } = await server.end()
    return { code, lines: [...server.lines].filter((line) => !line.includes('"notifications/')) }
  }
  const alone = await dialog({})
  const first = await dialog(SHARED)
  const second = await dialog(SHARED)
  expect(first).toEqual(alone)
  expect(second).toEqual(alone)
  expect(serversIn(world)).toHaveLength(1)
})

test('a client that only lists tools starts no server and leaves nothing behind', async () => {
  const world = sharedWorld()
  const server = world.serve(undefined, { env: SHARED })
  await server.initialize()
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  for (const list of ['tools', 'prompts', 'resources', 'resources/templates'])
    expect((await server.request(`${list}/list`)).result).toBeDefined()
  expect(await server.end()).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(join(world.root, 'run'))).toEqual([])
  expect(readdirSync(world.root).sort()).toEqual(['home', 'run', 'vault'])
})

test('a startup warning is printed once, although two servers answer the client', async () => {
  const world = sharedWorld()
  const dialog = async (env: Readonly<Record<string, string>>) => {
    const server = world.serve([join(world.root, 'none')], { env })
    await server.initialize()
    expect(await server.call('get_hubs')).toMatchObject({ isError: true })
    return (await server.end()).err
  }
  const alone = await dialog({})
  expect(alone).toContain('VAULT_NOT_FOUND')
  expect(await dialog(SHARED)).toBe(alone)
  expect(serversIn(world)).toHaveLength(1)
})

test('every assistant learns that a vault is missing, even if another one opened it', async () => {
  const world = sharedWorld()
  for (const _assistant of ['first', 'second']) {
    const server = world.serve([join(world.root, 'none')], { env: SHARED })
    await server.initialize()
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await server.call('get_hubs')
    await server.sees((lines) => lines.some((line) => line.includes('The vault is missing')))
    await server.end()
  }
  expect(serversIn(world)).toHaveLength(1)
})

test('a stream is acknowledged once, and continues when another server takes over', async () => {
  const world = sharedWorld()
  const server = world.serve(undefined, { env: SHARED })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const count = (method: string) => server.lines.filter((line) => line.includes(`"notifications/${method}"`)).length
  const listen = { _meta, notifications: { resourceSubscriptions: ['roux://node/a'] } }
  server.send({ jsonrpc: '2.0', id: 'stream', method: 'subscriptions/listen', params: listen })
  await eventually(async () => expect(count('subscriptions/acknowledged')).toBe(1))
  for (const text of ['# A\n\nFirst.\n', '# A\n\nSecond.\n']) {
    // The first call starts the server, and the second one a successor.
    expect((await server.request('tools/call', { _meta, name: 'get_hubs', arguments: {} })).result).toBeDefined()
    const before = count('resources/updated')
    world.write('a.md', text)
    await eventually(async () => expect(count('resources/updated')).toBeGreaterThan(before))
    const [killed] = serversIn(world)
    world.killServers()
    await eventually(async () => expect(serversIn(world).filter((pid) => pid !== killed)).toHaveLength(1))
  }
  expect(count('subscriptions/acknowledged')).toBe(1)
  await server.end()
})

test('relays that start together share one server, which ends on request', async () => {
  const world = sharedWorld()
  const servers = Array.from({ length: LONG ? 40 : 12 }, () => world.serve(undefined, { env: SHARED }))
  await Promise.all(servers.map((server) => server.initialize()))
  for (const server of servers) expect(await server.ask('get_hubs')).not.toEqual([])
  expect(serversIn(world)).toHaveLength(1)
  const connections = servers.length
  expect((await stateOf(world)).running).toMatchObject({ connections, vaults: [{ vault: world.vault, connections }] })
  const stopped = await world.roux(['stop'])
  expect(stopped).toMatchObject({ code: 0, err: expect.stringContaining('has ended') })
  expect(serversIn(world)).toEqual([])
  // The next call starts it again.
  expect(await servers[0]?.ask('get_hubs')).not.toEqual([])
  expect(serversIn(world)).toHaveLength(1)
  await Promise.all(servers.map((server) => server.end()))
})

test('relays wait for a busy server as long as its process lives', async () => {
  const world = sharedWorld()
  const first = world.serve(undefined, { env: SHARED })
  await first.initialize()
  await first.ask('get_hubs')
  const [pid = 0] = serversIn(world)
  process.kill(pid, 'SIGSTOP')
  const second = world.serve(undefined, { env: SHARED })
  // The relay no longer waits for the server, and answers by itself.
  await second.initialize()
  process.kill(pid, 'SIGCONT')
  expect(await second.ask('get_hubs')).not.toEqual([])
  // On a busy machine, the server needs longer to catch up than `status` waits.
  await eventually(async () => expect((await stateOf(world)).running).toMatchObject({ process: pid, connections: 2 }))
  expect((await second.end()).err).toBe('')
  await first.end()
})

test('each connection has its own permissions', async () => {
  const world = sharedWorld()
  const [reader, writer] = [world.serve(undefined, { env: SHARED }), world.serve([world.vault, '--write'], { env: SHARED })]
  await Promise.all([reader.initialize(), writer.initialize()])
  const change = { id: 'b', append: 'written' }
  expect(await reader.call('update_node', change)).toMatchObject({ isError: true })
  expect(await writer.call('update_node', change)).not.toHaveProperty('isError')
  expect(JSON.stringify(await reader.ask('get_node', { id: 'b' }))).toContain('written')
  expect(serversIn(world)).toHaveLength(1)
  await Promise.all([reader.end(), writer.end()])
})

const ALONE = { ROUX_SERVE_SHARED: 'off' }

test('commands use a running server and print the same as alone', async () => {
  const world = sharedWorld()
  const started = await world.roux(['serve', world.vault, '--background'], { env: SHARED })
  expect(started).toMatchObject({ code: 0, err: expect.stringContaining('The shared server runs') })
  for (const args of [['search', 'dense bread'], ['get-hubs'], ['get-node', 'none'], ['call', 'get_node', '{"id":"a"}']]) {
    const command = [...args, '--vault', world.vault]
    expect(await world.roux(command, { env: SHARED })).toEqual(await world.roux(command, { env: ALONE }))
  }
  for (const words of [['bash', '--', 'roux get-node a'], ['zsh', '--', 'roux', 'get-hubs', '--help', '--vault', ''], ['fish']]) {
    const completion = ['completion', ...words]
    const shared = await world.roux(completion, { env: { ...SHARED, ROUX_VAULT: world.vault } })
    expect(shared).toEqual(await world.roux(completion, { env: { ...ALONE, ROUX_VAULT: world.vault } }))
    expect(shared.out).not.toBe('none\n')
  }
  world.write('c.md', '# Crumb\n\nA porous crumb.\n')
  expect((await world.roux(['search', 'porous crumb', '--vault', world.vault], { env: SHARED })).out).toContain('c.md')
  expect((await stateOf(world)).running.vaults).toEqual([{ vault: world.vault, connections: 0 }])
})

/** Lets relays write while their server is disturbed, and checks that nothing is lost and nothing is doubled. */
async function checkWrites(relayCount: number, times: number, disturb: (world: World) => Promise<void>): Promise<void> {
  const world = sharedWorld()
  const relays = Array.from({ length: relayCount }, () => world.serve([world.vault, '--write'], { env: SHARED }))
  await Promise.all(relays.map((relay) => relay.initialize()))
  const [done, unknown]: [string[], string[]] = [[], []]
  const doneBy = relays.map(() => 0)
  let isOver = false
  const writing = relays.map(async (relay, number) => {
    for (let at = 0; !isOver; at++) {
      const mark = `mark-${number}-${at}-end`
      const { isError } = await relay.call('update_node', { id: 'b', append: mark })
      ;(isError === true ? unknown : done).push(mark)
      if (isError !== true) doneBy[number] = at
    }
  })
  for (let time = 0; time < times; time++) {
    await eventually(async () => expect(serversIn(world)).toHaveLength(1))
    // A relay gives up after several servers have ended before it could connect. So each round waits for all relays.
    const before = [...doneBy]
    await eventually(async () => expect(doneBy.every((last, number) => last > (before[number] ?? 0))).toBe(true))
    await disturb(world)
  }
  // No relay has given up.
  await eventually(async () => expect((await stateOf(world)).running).toMatchObject({ connections: relayCount }))
  isOver = true
  await Promise.all(writing)
  const text = readFileSync(join(world.vault, 'b.md'), 'utf8')
  const countOf = (mark: string): number => text.split(mark).length - 1
  expect(done.filter((mark) => countOf(mark) !== 1)).toEqual([])
  expect(unknown.filter((mark) => countOf(mark) > 1)).toEqual([])
  await Promise.all(relays.map((relay) => relay.end()))
}

test('a server that is killed repeatedly while relays write loses and repeats nothing', async () => {
  await checkWrites(4, LONG ? 25 : 3, async (world) => {
    world.killServers()
    // The successor may not have announced itself yet.
    await eventually(async () => expect(serversIn(world)).toHaveLength(1))
    world.killServers()
  })
})

test.runIf(LONG)('a server that is stopped repeatedly while sixteen relays write loses and repeats nothing', async () => {
  await checkWrites(16, 4, async (world) => expect(await world.roux(['stop'])).toMatchObject({ code: 0 }))
})

test.runIf(LONG)('a hundred concurrent searches print the same, even if they start the server of a new user', async () => {
  const world = sharedWorld()
  const background = world.roux(['serve', world.vault, '--background'], { env: SHARED })
  const search = () => world.roux(['search', 'dense bread', '--json', '--vault', world.vault], { env: SHARED })
  const [first, ...others] = await Promise.all(Array.from({ length: 100 }, search))
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringContaining('a.md') })
  for (const other of others) expect(other).toEqual(first)
  expect(await background).toMatchObject({ code: 0 })
  expect(serversIn(world)).toHaveLength(1)
})

const isLinux = process.platform === 'linux'

/** The number of bytes that a process has written so far. */
function writtenBy({ child }: Server): number {
  return isLinux ? Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]) : 0
}

test('after the server is killed during a write, the error points to list_changes, and reads may be repeated', async () => {
  const world = sharedWorld()
  const relay = world.serve([world.vault, '--write'], { env: SHARED })
  await relay.initialize()
  await relay.ask('get_hubs')
  const [pid = 0] = serversIn(world)
  process.kill(pid, 'SIGSTOP')
  const [before, given] = [writtenBy(relay), relay.child.stdin as Socket]
  const least = before - given.bytesWritten
  const [write, read] = [relay.call('update_node', { id: 'b', append: 'x' }), relay.call('get_node', { id: 'a' })]
  // Both messages are in the socket's buffer when the server dies.
  if (isLinux) await eventually(() => expect(writtenBy(relay)).toBeGreaterThanOrEqual(least + given.bytesWritten))
  else await new Promise((resolve) => setTimeout(resolve, 300))
  process.kill(pid, 'SIGKILL')
  expect((await write).content[0].text).toContain('list_changes')
  expect((await read).content[0].text).toContain('Ask again')
  expect(await relay.ask('get_hubs')).not.toEqual([])
  await relay.end()
})

test('a server that does not belong to the user is not used, and each process works alone', async () => {
  const world = sharedWorld()
  const folder = join(world.root, 'run', 'roux')
  const call = async () => {
    const server = world.serve(undefined, { env: SHARED })
    await server.initialize()
    expect(await server.ask('get_hubs')).not.toEqual([])
    return (await server.end()).code
  }
  // The first call creates the files, so their names can be found out.
  await call()
  await world.roux(['stop'])
  const name =
    readdirSync(folder)
      .find((one) => one.endsWith('.log'))
      ?.replace('.log', '') ?? ''
  const [socket, announcement] = [join(folder, `${name}.sock`), join(folder, `${name}.server`)]
  // This is a stale socket, as left by a killed server.
  await call()
  for (const pid of serversIn(world)) process.kill(pid, 'SIGKILL')
  await eventually(async () => expect(serversIn(world)).toEqual([]))
  expect(existsSync(socket)).toBe(true)
  expect(await call()).toBe(0)
  expect(serversIn(world)).toHaveLength(1)
  await world.roux(['stop'])
  // A socket that accepts and stays silent.
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  onTestFinished(() => void silent.close())
  writeFileSync(announcement, '99999999 secret', { mode: 0o600 })
  expect(await call()).toBe(0)
  expect(serversIn(world)).toEqual([])
  // Other users can read the secret.
  chmodSync(announcement, 0o644)
  expect(await call()).toBe(0)
  expect(serversIn(world)).toEqual([])
  // A folder that others can open.
  rmSync(announcement)
  silent.close()
  chmodSync(folder, 0o777)
  writeFileSync(announcement, '99999999 secret', { mode: 0o600 })
  expect(await call()).toBe(0)
  expect(serversIn(world)).toEqual([])
})

test('a wrong token, an incomplete line and silence do not disturb other clients', async () => {
  const world = sharedWorld()
  const server = world.serve(undefined, { env: SHARED })
  await server.initialize()
  await server.ask('get_hubs')
  const folder = join(world.root, 'run', 'roux')
  const socket = join(folder, readdirSync(folder).find((one) => one.endsWith('.sock')) ?? '')
  const { connect } = await import('node:net')
  const wrong = connect(socket)
  let answer = ''
  wrong.on('data', (chunk) => {
    answer += String(chunk)
  })
  wrong.write('{"protocol":1,"token":"wrong","kind":"stop"}\n')
  await new Promise((resolve) => wrong.on('end', resolve))
  wrong.destroy()
  expect(answer).toContain('its token is wrong')
  const half = connect(socket)
  half.write('{"protocol":1,"tok')
  const many = Array.from({ length: 1_000 }, () => connect(socket).on('error', () => {}))
  expect(await server.ask('get_hubs')).not.toEqual([])
  for (const one of [half, ...many]) one.destroy()
  expect(await server.ask('get_hubs')).not.toEqual([])
  expect(serversIn(world)).toHaveLength(1)
  await server.end()
})

test('secrets, --alone and serve.shared: off keep a process alone, and status gives the reason', async () => {
  const world = sharedWorld()
  for (const [env, reason] of [
    [{ ...SHARED, ROUX_AI_API_KEY: 'key' }, 'ROUX_AI_API_KEY is set'],
    [{ ...SHARED, ROUX_SERVE_SHARED: 'off' }, undefined],
  ] as const) {
    const server = world.serve(undefined, { env })
    await server.initialize()
    await server.ask('get_hubs')
    const { out } = await world.roux(['status', '--vault', world.vault], { env })
    expect(JSON.parse(out).shared_server?.alone).toBe(reason)
    await server.end()
  }
  const alone = world.serve([world.vault, '--alone'], { env: SHARED })
  await alone.initialize()
  await alone.ask('get_hubs')
  await alone.end()
  expect(serversIn(world)).toEqual([])
})

test.runIf(LONG)('assistants never have to work alone, even if they come and go while servers end at once', async () => {
  const world = sharedWorld()
  const visit = async () => {
    const server = world.serve(undefined, { env: { ...SHARED, ROUX_SERVE_KEEP_MINUTES: '0' } })
    await server.initialize()
    expect(await server.ask('get_hubs')).not.toEqual([])
    expect(await server.end()).toMatchObject({ code: 0, err: '' })
  }
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let time = 0; time < 8; time++) await visit()
    }),
  )
})

test('the server ends after the last connection', async () => {
  const world = sharedWorld()
  const server = world.serve(undefined, { env: { ...SHARED, ROUX_SERVE_KEEP_MINUTES: '0' } })
  await server.initialize()
  await server.ask('get_hubs')
  expect(serversIn(world)).toHaveLength(1)
  await server.end()
  await eventually(async () => expect(serversIn(world)).toEqual([]))
})
