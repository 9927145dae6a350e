// Measures an index in Neo4j from outside, with the built program: npm run bench:neo4j -- <vault> [--seconds 60] [--servers 3] [--clients
// 16]
// `--program` measures another build; `--seconds 0` skips the parts with several servers and with edits.
// Uses the server in ROUX_STORE_NEO4J_URL, or starts one as npm run test:neo4j does.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const STARTER = resolve('../shared/tools/neo4j-dev.sh')
/** Calls per tool to measure, after as many to warm up: a database runs for weeks, and a Java process is slow in its first minutes. */
const ROUNDS = 200

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    servers: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    program: { type: 'string', default: 'dist/cli/main.js' },
  },
})
const PROGRAM = resolve(values.program)
const [seconds, servers, clients] = [values.seconds, values.servers, values.clients].map(Number)
const home = mkdtempSync(join(tmpdir(), 'roux-bench-neo4j-'))
const name = `bench-${process.pid}`
const vault = join(home, name)
cpSync(resolve(positionals[0] ?? 'fixtures/demo'), vault, { recursive: true })
const database =
  process.env.ROUX_STORE_NEO4J_URL === undefined ? startDatabase() : { url: process.env.ROUX_STORE_NEO4J_URL, stop() {} }
const env = {
  PATH: process.env.PATH,
  HOME: home,
  XDG_CACHE_HOME: join(home, 'cache'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
  ROUX_STORE_NEO4J_URL: database.url,
  ...(process.env.ROUX_STORE_NEO4J_PASSWORD === undefined
    ? {}
    : { ROUX_STORE_NEO4J_PASSWORD: process.env.ROUX_STORE_NEO4J_PASSWORD }),
}

try {
  await measure()
} finally {
  roux(['feed', '--remove', name])
  database.stop()
  rmSync(home, { recursive: true, force: true })
}

async function measure() {
  const began = performance.now()
  const fed = roux(['index', vault, '--store', 'neo4j', '--json'])
  if (fed.status !== 0) throw new Error(fed.stderr)
  const { files } = JSON.parse(fed.stdout.trim().split('\n').at(-1))
  const load1 = loadavg()[0]?.toFixed(1)
  console.log(`load ${load1}, ${cpus().length} processors\n\n| what | measured |\n|---|---|`)
  console.log(`| first feed, ${files} files | ${seconds1(performance.now() - began)} s |`)
  const client = await connect()
  const calls = await callsOf(client)
  const early = await timesOf(client, calls)
  const late = await timesOf(client, calls)
  for (const [tool] of calls) {
    console.log(`| \`${tool}\`, p50 / p99 | ${spread(late.get(tool))}; right after the first feed ${spread(early.get(tool))} |`)
  }
  if (seconds > 0) {
    console.log(`| an edit seen by a reader, p50 / p99 of 10 | ${spread(await edits(client))} |`)
    console.log(`| ${servers} servers × ${clients} clients, ${seconds} s | ${await load(calls)} |`)
  }
  await client.close()
}

/** Times sequential calls, in ms. The tools take turns, so that no tool makes all its calls on a cold database. */
async function timesOf(client, calls) {
  const times = new Map(calls.map(([tool]) => [tool, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [tool, all] of calls) {
      const start = performance.now()
      await client.callTool({ name: tool, arguments: all[round % all.length] })
      times.get(tool).push(performance.now() - start)
    }
  }
  return times
}

/** Calls of each tool, spread over the vault. */
async function callsOf(client) {
  const { facts } = await ask(client, 'list_nodes', { limit: 1_000, max_tokens: 50_000 })
  const pick = (at) => facts.nodes[(at * 37) % facts.nodes.length]
  const many = Array.from({ length: 30 }, (_, at) => at)
  return [
    ['get_node', many.map((at) => ({ id: pick(at).id }))],
    ['get_neighbors', many.map((at) => ({ id: pick(at).id }))],
    ['find_path', many.map((at) => ({ source: pick(at).id, target: pick(at + 7).id }))],
    ['get_hubs', [{ metric: 'pagerank' }, { metric: 'in_degree' }]],
    ['search', many.map((at) => ({ query: pick(at).title }))],
    ['find_nodes', many.map((at) => ({ query: pick(at).title.split(/\W+/)[0] || 'note' }))],
    ['get_tree', [{ depth: 2 }]],
    ['list_tags', [{}]],
  ]
}

async function edits(client) {
  const feeder = spawn(process.execPath, [PROGRAM, 'feed', vault], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise((done) => feeder.stderr.on('data', (text) => String(text).includes('up to date') && done()))
  await new Promise((done) => setTimeout(done, 3_000))
  const times = []
  for (let round = 0; round < 10; round++) {
    const start = performance.now()
    writeFileSync(join(vault, `edited ${round}.md`), `Round ${round}.`)
    while (!JSON.stringify(await ask(client, 'nodes_exist', { ids: [`edited ${round}.md`] })).includes('true')) {}
    times.push(performance.now() - start)
  }
  const ended = new Promise((done) => feeder.once('exit', done))
  feeder.kill('SIGTERM')
  await ended
  return times
}

/** Sends the same calls to several servers at once; every answer must equal that of a single server. */
async function load(calls) {
  const all = calls.flatMap(([tool, args]) => args.map((one) => [tool, one]))
  const connected = await Promise.all(Array.from({ length: servers }, () => connect()))
  const right = new Map()
  for (const [tool, args] of all)
    right.set(JSON.stringify([tool, args]), JSON.stringify((await ask(connected[0], tool, args)).facts))
  const until = performance.now() + seconds * 1_000
  const times = []
  let wrong = 0
  let partial = 0
  const one = async (client, from) => {
    for (let at = from; performance.now() < until; at++) {
      const [tool, args] = all[(at * 7) % all.length]
      const start = performance.now()
      const { facts, isPartial } = await ask(client, tool, args)
      times.push(performance.now() - start)
      if (JSON.stringify(facts) === right.get(JSON.stringify([tool, args]))) continue
      if (isPartial) partial++
      else wrong++
    }
  }
  await Promise.all(
    connected.flatMap((client, server) => Array.from({ length: clients }, (_, at) => one(client, server * 100 + at))),
  )
  await Promise.all(connected.map((client) => client.close()))
  return `${times.length} answers, ${wrong} wrong, ${partial} by words only, ${spread(times)}`
}

async function connect() {
  const client = new Client({ name: 'bench', version: '1' })
  const args = [PROGRAM, 'serve', '--set', 'store.type=neo4j', '--set', `store.neo4j.vaults=${JSON.stringify([name])}`]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home, stderr: 'ignore' }))
  return client
}

async function ask(client, tool, args) {
  const { structuredContent, isError, content } = await client.callTool({ name: tool, arguments: args })
  if (isError) throw new Error(`${tool}: ${content[0]?.text}`)
  // The time since the feeder's last sign of life is ignored.
  const { _warnings = [], ...facts } = structuredContent
  return { facts, isPartial: _warnings.some(({ code }) => code === 'FALLBACK') }
}

function roux(args) {
  return spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8', cwd: home })
}

function startDatabase() {
  if (!existsSync(STARTER)) throw new Error(`${STARTER} is missing, and ROUX_STORE_NEO4J_URL is not set.`)
  const own = { ...process.env, NEO4J_DATA: join(home, 'neo4j'), NEO4J_PORT: '7794', NEO4J_HEAP: process.env.NEO4J_HEAP ?? '1g' }
  const run = (command) => spawnSync(STARTER, [command], { env: own, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return { url: run('start').stdout.trim(), stop: () => run('stop') }
}

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  return `${at(0.5)} / ${at(0.99)} ms`
}

function seconds1(ms) {
  return (ms / 1_000).toFixed(1)
}
