// Measures the built server over HTTP: `node bench/http.mjs <vault> [--seconds 60] [--clients 64] [--calls 2000] [--writers 4]`.
//
// Serves a copy of the vault with `--http` and `--write`. First one client reads notes, `--calls` times per way of connecting: posts
// without a session, a session, and the 2026-07-28 revision. Then `--clients` clients call without pause for `--seconds`: reads whose
// answers must equal earlier ones, searches, which must succeed, and, on `--writers` of the clients, changes, each of which must be visible
// to the next read. Prints a table, and exits with 1 if an answer is an error or wrong.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { quantile } from './client.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '64' },
    calls: { type: 'string', default: '2000' },
    writers: { type: 'string', default: '4' },
    node: { type: 'string', multiple: true, default: [] },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: node bench/http.mjs <vault>')
  process.exit(2)
}
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'roux-http-bench-'))
const vault = join(scratch, 'vault')
cpSync(resolve(positionals[0]), vault, { recursive: true, filter: (path) => !path.includes('/.git') })
const env = { ...process.env, XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }

const server = spawn(process.execPath, [...options.node, program, 'serve', vault, '--http', '0', '--write'], {
  stdio: ['ignore', 'inherit', 'pipe'],
  env,
})
const url = new URL(await listening())
const token = (await run(['token', 'show'])).trim()
const main = openClient()
await indexed()
const ids = await allIds()
const single = {}
for (const way of ['post', 'session', 'modern']) single[way] = await measureOne(way)
const probes = await answersNow()
const load = await measureMany()
server.kill('SIGTERM')
const [code] = await once(server, 'exit')
rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
print()
process.exitCode = load.errors + load.wrong + code === 0 ? 0 : 1

/** One client with one connection. `head` and `meta` are the additions of its way of connecting. */
function openClient({ head = {}, meta } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post = async (body) => {
    const text = JSON.stringify(body)
    const sent = performance.now()
    const asked = request(url, {
      agent,
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Content-Length': Buffer.byteLength(text),
        ...head,
        ...(meta === undefined ? {} : { 'Mcp-Method': body.method, 'Mcp-Name': body.params.name }),
      },
    })
    asked.end(text)
    const [response] = await once(asked, 'response')
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    const ms = performance.now() - sent
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString(), ms }
  }
  // Calls are sequential, so ids can be reused, and equal answers have equal texts.
  const ask = async (name, args) => {
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
    const { status, text, ms } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 200)}`)
    return { text, ms }
  }
  return {
    post,
    ask,
    close: () => agent.destroy(),
    async call(name, args) {
      const { text, ms } = await ask(name, args)
      const { error, result } = JSON.parse(text)
      if (error || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result.content).slice(0, 300)}`)
      return { value: JSON.parse(result.content[0].text), warnings: result.structuredContent._warnings ?? [], ms }
    },
  }
}

async function openWay(way) {
  if (way === 'post') return openClient()
  if (way === 'modern') {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return openClient({ head: { 'MCP-Protocol-Version': '2026-07-28' }, meta })
  }
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opener = openClient()
  const { headers } = await opener.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  opener.close()
  return openClient({ head: { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': '2025-11-25' } })
}

async function measureOne(way) {
  const client = await openWay(way)
  const times = []
  for (let at = -200; at < Number(options.calls); at++) {
    const { ms } = await client.ask('get_node', { id: some(at + 200) })
    if (at >= 0) times.push(ms)
  }
  client.close()
  return times
}

/** Calls whose answers do not depend on the writers. */
async function answersNow() {
  const calls = []
  for (let at = 0; at < 60; at++) {
    const [id, other] = [some(at * 7919), some(at * 104729 + 1)]
    calls.push(
      ['get_node', { id }],
      ['get_node', { id, depth: 1 }],
      ['get_neighbors', { id, limit: 20 }],
      ['find_path', { source: id, target: other }],
      ['nodes_exist', { ids: [id, other, 'no such note'] }],
    )
  }
  calls.push(['get_hubs', {}], ['get_hubs', { metric: 'out_degree' }], ['get_problems', { kind: 'broken_link' }])
  const answers = []
  for (const [name, args] of calls) {
    answers.push({ name, args, expected: JSON.stringify((await main.call(name, args)).value), texts: new Set() })
  }
  return answers
}

async function measureMany() {
  const figures = { reads: [], searches: [], writes: [], errors: 0, wrong: 0, memory: [] }
  const ways = ['post', 'session', 'modern']
  const opened = await Promise.all(
    Array.from({ length: Number(options.clients) }, (_, number) => openWay(ways[number % ways.length])),
  )
  // The clients connect before the measurement, because a process accepts one connection at a time.
  for (const client of opened) await client.call('nodes_exist', { ids: ['x'] })
  const end = performance.now() + Number(options.seconds) * 1000
  const before = processorTime()
  const clients = opened.map(async (client, number) => {
    for (let at = number * 31; performance.now() < end; at++) {
      try {
        if (number < Number(options.writers)) await write(client, number, at, figures)
        else await read(client, at, figures)
      } catch (error) {
        figures.errors++
        if (figures.errors < 10) console.error(error.message)
      }
    }
    client.close()
  })
  const remember = async () => {
    while (performance.now() < end) {
      await sleep(Math.min(10_000, end - performance.now()))
      figures.memory.push(resident())
    }
  }
  await Promise.all([...clients, remember()])
  figures.processor = processorTime() - before
  return figures
}

async function read(client, at, figures) {
  if (at % 20 === 0) {
    const { value, ms } = await client.call('search', { query: some(at * 13).replace(/\.md$|[/-]/g, ' '), limit: 5 })
    figures.searches.push(ms)
    if (value.length === 0) figures.wrong++
    return
  }
  const probe = probes[(at * 2654435761) % probes.length]
  const { name, args, expected } = probe
  const { text, ms } = await client.ask(name, args)
  figures.reads.push(ms)
  // Parsing an answer costs CPU that the server shares, so only unseen answers are parsed.
  if (probe.texts.has(text)) return
  const { result } = JSON.parse(text)
  if (result?.isError !== true && JSON.stringify(JSON.parse(result.content[0].text)) === expected) {
    probe.texts.add(text)
    return
  }
  figures.wrong++
  if (figures.wrong < 10) console.error(`unexpected answer: ${name} ${JSON.stringify(args)}`)
}

/** Each writer has its own note; the next read must show what it appended. */
async function write(client, number, at, figures) {
  const id = `bench-${number}.md`
  const content = `line ${at}`
  const exists = (await client.call('nodes_exist', { ids: [id] })).value[id]
  const { ms } = exists ? await client.call('update_node', { id, content }) : await client.call('create_node', { id, content })
  figures.writes.push(ms)
  if ((await client.call('get_node', { id })).value.content.trim() !== content) figures.wrong++
  await sleep(200)
}

function some(at) {
  return ids[Math.abs(at) % ids.length]
}

async function allIds() {
  const all = []
  for (;;) {
    const { nodes, total } = (await main.call('list_nodes', { limit: 1000, offset: all.length })).value
    all.push(...nodes.map(({ id }) => id))
    if (all.length >= total || nodes.length === 0) return all
  }
}

/** Waits until answers no longer change. */
async function indexed() {
  for (;;) {
    const { warnings } = await main.call('search', { query: 'notes' })
    if (!warnings.some(({ code }) => code === 'INDEX_BUILDING' || code === 'EMBEDDING')) return
    await sleep(200)
  }
}

function listening() {
  return new Promise((resolve, reject) => {
    let told = ''
    server.stderr.setEncoding('utf8').on('data', (chunk) => {
      told += chunk
      const found = /http:\/\/\S+\/mcp/.exec(told)
      if (found) resolve(found[0])
    })
    server.on('exit', () => reject(new Error(`the server ended: ${told}`)))
  })
}

async function run(args) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env })
  let out = ''
  for await (const chunk of child.stdout) out += chunk
  return out
}

/** CPU time of the server in milliseconds, on Linux; NaN elsewhere. */
function processorTime() {
  try {
    const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** Resident memory in MB, on Linux; NaN elsewhere. */
function resident() {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024
  } catch {
    return Number.NaN
  }
}

function print() {
  const ms = (times, share) => `${quantile(times, share).toFixed(2)} ms`
  const [model] = cpus()
  console.log(
    `Node ${process.versions.node} · ${cpus().length} × ${model?.model} · ${ids.length} notes · ${new Date().toISOString().slice(0, 10)}\n`,
  )
  console.log('| one client, get_node | p50 | p99 |\n|---|---|---|')
  for (const [way, times] of Object.entries(single)) console.log(`| ${way} | ${ms(times, 0.5)} | ${ms(times, 0.99)} |`)
  const { reads, searches, writes, errors, wrong, memory } = load
  console.log(`\n| ${options.clients} clients, ${options.seconds} s | calls | p50 | p99 | longest |\n|---|---|---|---|---|`)
  for (const [kind, times] of Object.entries({ reads, searches, writes }))
    if (times.length > 0) console.log(`| ${kind} | ${times.length} | ${ms(times, 0.5)} | ${ms(times, 0.99)} | ${ms(times, 1)} |`)
  const all = [...reads, ...searches, ...writes]
  console.log(`| all | ${all.length} | ${ms(all, 0.5)} | ${ms(all, 0.99)} | ${ms(all, 1)} |`)
  console.log(`\nThe server used ${(load.processor / all.length).toFixed(2)} ms of CPU per call, over all threads.`)
  console.log(
    `\n${errors} errors, ${wrong} wrong answers; memory every 10 s: ${memory.map((mb) => mb.toFixed(0)).join(', ')} MB; exit code ${code}`,
  )
}
