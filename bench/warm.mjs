// Measures the shared server beside processes that work alone, and beside Node alone, in the same rounds: `npm run bench --
// <vault> --only warm`.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Client, median, quantile } from './client.mjs'
import { httpClient, serveHttp } from './http-client.mjs'
import { residentOf } from './process-tree.mjs'
import { chooseQuestion, MISSING, untilRight } from './starts.mjs'

/** The number of additional assistants for measuring memory. */
const MORE = 4
/** The number of clients that call at the same time. */
const CLIENTS = 16
/** The number of calls that warm up the compiler. */
const WARM_UP = 40

/** Returns the figures as table rows: name, alone, shared, wanted. */
export async function measureWarm({ program, vault, scratch, rounds, seconds }) {
  const question = await chooseQuestion({ program, vault, scratch })
  const calls = {
    backlinks: ['get_neighbors', { id: question.id, direction: 'in', limit: 50 }, ['INDEX_BUILDING']],
    search: ['search', { query: question.title, limit: 5 }, MISSING],
  }
  const at = { program, vault, calls }
  const user = freshUser(scratch)
  run(at, ['serve', vault, '--background'], user.shared)
  const warming = serve(at, user.shared)
  await warming.initialize()
  await untilRight(warming, ...calls.search, 1_000)
  for (let call = 0; call < WARM_UP; call++) for (const [tool, args] of Object.values(calls)) await warming.call(tool, args)
  const taken = { bare: [], alone: {}, shared: {} }
  for (let round = 0; round < rounds; round++) {
    taken.bare.push(run(at, undefined, {}))
    for (const way of ['alone', 'shared']) {
      const figures = {
        ...(await measureStart(at, user[way])),
        hubs: run(at, ['get-hubs', '--vault', vault], user[way]),
        shellSearch: run(at, ['search', question.title, '--vault', vault], user[way]),
        completion: run(at, ['completion', 'bash', '--', `roux get-node ${question.title[0]}`], {
          ...user[way],
          ROUX_VAULT: vault,
        }),
        ...(await measureFirstStart(at, freshUser(scratch)[way])),
      }
      for (const [name, value] of Object.entries(figures)) taken[way][name] = [...(taken[way][name] ?? []), value]
    }
  }
  await warming.close()
  const memory = { alone: await measureMemory(at, user.alone), shared: await measureMemory(at, user.shared) }
  const load = await measureLoad(at, user, seconds)
  run(at, ['stop'], user.shared)
  return rowsOf(taken, memory, load)
}

/**
 * The environment variables of a user who has never started the program, for processes that work alone and for those that share a
 * server.
 */
function freshUser(scratch) {
  const root = mkdtempSync(join(scratch, 'user-'))
  const runtime = join(root, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const folders = { XDG_CACHE_HOME: root, XDG_STATE_HOME: root, XDG_CONFIG_HOME: root, XDG_RUNTIME_DIR: runtime }
  return { alone: { ...folders, ROUX_SERVE_SHARED: 'off' }, shared: { ...folders, ROUX_SERVE_SHARED: 'auto' } }
}

function serve({ program, vault }, env) {
  return new Client(process.execPath, [program, 'serve', vault], env)
}

/** Runs a command, or Node alone. Returns the time in milliseconds. */
function run({ program }, args, env) {
  const started = performance.now()
  const all = args === undefined ? ['-e', '0'] : [program, ...args]
  const { status, stderr } = spawnSync(process.execPath, all, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${all.join(' ')}: ${stderr}`)
  return performance.now() - started
}

async function measureStart(at, env) {
  const figures = {}
  for (const [name, call] of Object.entries(at.calls)) {
    const client = serve(at, env)
    figures.initialize = await client.initialize()
    figures[name] = (await untilRight(client, ...call)).arrived - client.started
    await client.close()
  }
  return figures
}

async function measureFirstStart(at, env) {
  const client = serve(at, env)
  const veryFirst = await client.initialize()
  const { arrived } = await untilRight(client, ...at.calls.backlinks)
  await client.close()
  run(at, ['stop'], env)
  return { veryFirst, veryFirstBacklinks: arrived - client.started }
}

/** Returns the megabytes for each additional assistant: its own process and, with a shared server, the growth of that server. */
async function measureMemory(at, env) {
  const clients = []
  const memory = []
  for (let count = 0; count <= MORE; count++) {
    const client = serve(at, env)
    clients.push(client)
    await client.initialize()
    for (const call of Object.values(at.calls)) await untilRight(client, ...call)
    const server = sharedServer(at, env)
    const pids = [...clients.map((one) => one.process.pid), ...(server === undefined ? [] : [server])]
    memory.push(pids.reduce((sum, pid) => sum + residentOf(pid), 0))
  }
  for (const client of clients) await client.close()
  return (memory[MORE] - memory[0]) / MORE
}

function sharedServer({ program, vault }, env) {
  const args = [program, 'status', '--json', '--vault', vault]
  const { stdout } = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  return JSON.parse(stdout).shared_server?.running?.process
}

/**
 * Makes various calls of many clients for some seconds, through relays and over HTTP. Each answer must equal that of a single
 * server.
 */
async function measureLoad(at, user, seconds) {
  const alone = serve(at, user.alone)
  await alone.initialize()
  await untilRight(alone, ...at.calls.search)
  const { nodes } = (await alone.call('list_nodes', { limit: 1000 })).value
  const some = (number) => nodes[(number * 7919) % nodes.length].id
  const probes = []
  for (let number = 0; number < 60; number++) {
    const [id, other] = [some(number), some(number * 3 + 1)]
    const given = [
      ['get_node', { id, depth: 1 }],
      ['get_neighbors', { id, limit: 20 }],
      ['find_path', { source: id, target: other }],
      ['nodes_exist', { ids: [id, 'no such note'] }],
      ['search', { query: id.replace(/\.md$|[/-]/g, ' '), limit: 5 }],
    ]
    for (const [tool, args] of given) probes.push([tool, args, JSON.stringify((await alone.call(tool, args)).value)])
  }
  await alone.close()
  const relays = Array.from({ length: CLIENTS }, () => serve(at, user.shared))
  for (const relay of relays) await relay.initialize()
  const shared = await callAtOnce(relays, probes, seconds)
  for (const relay of relays) await relay.close()
  const server = await serveHttp({ program: at.program, vault: at.vault, env: user.alone })
  const posting = Array.from({ length: CLIENTS }, () => httpClient(server))
  await untilRight(posting[0], ...at.calls.search)
  const http = await callAtOnce(posting, probes, seconds)
  for (const one of posting) one.close()
  server.process.kill('SIGTERM')
  await once(server.process, 'exit')
  return { shared, http }
}

async function callAtOnce(clients, probes, seconds) {
  const taken = []
  let wrong = 0
  const end = performance.now() + seconds * 1000
  const calling = clients.map(async (client, number) => {
    for (let next = number * 31; performance.now() < end; next++) {
      const [tool, args, expected] = probes[next % probes.length]
      const { value, ms } = await client.call(tool, args)
      taken.push(ms)
      if (JSON.stringify(value) !== expected) wrong++
    }
  })
  await Promise.all(calling)
  return { calls: taken.length, p50: median(taken), p99: quantile(taken, 0.99), wrong }
}

function rowsOf({ bare, alone, shared }, memory, { shared: relayed, http }) {
  const floor = median(bare)
  const figure = (values) => `${median(values).toFixed(0)} ms (${(median(values) / floor).toFixed(1)} ×)`
  const row = (label, name, wanted) => [label, figure(alone[name]), figure(shared[name]), wanted]
  const load = ({ calls, p50, p99, wrong }) => `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(0)} ms; ${wrong} of ${calls} wrong`
  return [
    ['bare `node -e 0`', `${floor.toFixed(0)} ms`, '', ''],
    row('start → `initialize`', 'initialize', '≤ 1.4 ×'),
    row('start → first right backlinks', 'backlinks', '≤ 1.8 ×'),
    row('start → first right `search`', 'search', '≤ 2.2 ×'),
    row('`roux get-hubs`', 'hubs', '≤ 2.5 ×'),
    row('`roux search`', 'shellSearch', '≤ 2.5 ×'),
    row('completion of an id or title', 'completion', '≤ 100 ms'),
    row('very first start → `initialize`', 'veryFirst', '≤ 1.1 × alone'),
    row('very first start → backlinks', 'veryFirstBacklinks', '≤ 1.1 × alone'),
    ['memory for each further assistant', `${memory.alone.toFixed(0)} MB`, `${memory.shared.toFixed(0)} MB`, '≤ 50 MB'],
    [`${CLIENTS} clients: over HTTP; through relays`, load(http), load(relayed), 'as over HTTP, none wrong'],
  ]
}
