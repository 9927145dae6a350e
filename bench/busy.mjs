// Measures the read tools while notes are being written: `node bench/busy.mjs <vault> [--rounds 60] [--notes 20] [--every 200] [--pause
// 40]`.
//
// Talks to the built server over stdio, like a client, on a copy of the vault. Every `--every` milliseconds it writes `--notes` notes: it
// edits most, adds one, and deletes one that it added before. Meanwhile it calls each read tool in turn, `--rounds` times, with `--pause`
// milliseconds between calls, so that many calls are the first to see a new state. Prints a table with p50, p99 and the maximum per tool
// (ms), and the server's peak memory (MB): after indexing, after a warm start, before and after the writing.
// `--program` measures another build, `--node` passes options to its Node (`--node=--cpu-prof`), `--notes 0` writes nothing, `--only
// get_tree` runs only the tools whose name starts with this.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, median, quantile } from './client.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '60' },
    notes: { type: 'string', default: '20' },
    every: { type: 'string', default: '200' },
    pause: { type: 'string', default: '40' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
    only: { type: 'string', default: '' },
    node: { type: 'string', multiple: true, default: [] },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: node bench/busy.mjs <vault>')
  process.exit(2)
}
const rounds = Number(options.rounds)
const notesAtOnce = Number(options.notes)
const scratch = mkdtempSync(join(tmpdir(), 'roux-busy-'))
const vault = join(scratch, 'vault')
cpSync(resolve(positionals[0]), vault, { recursive: true, filter: (path) => !path.includes('/.git') })

const client = serve()
await client.initialize()
const coldPeak = await indexed(client)
await client.close()
const warm = serve()
await warm.initialize()
const warmPeak = await indexed(warm)
const calls = await prepareCalls(warm)
for (const make of Object.values(calls)) for (let at = 0; at < 3; at++) await warm.call(...make(at))
const calledPeak = warm.peak()
const writer = startWriting()
const figures = await measure(warm, calls)
const written = writer.stop()
const busyPeak = warm.peak()
await warm.close()
print()
rmSync(scratch, { recursive: true, force: true })

function serve() {
  return new Client(process.execPath, [...options.node, resolve(options.program), 'serve', vault], {
    XDG_CACHE_HOME: join(scratch, 'cache'),
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
}

/** Waits for the complete index. @returns the peak memory so far (MB). */
async function indexed(server) {
  let answer = await server.call('list_nodes', { limit: 1 })
  while (answer.warnings.some(({ code }) => code === 'INDEX_BUILDING')) {
    await sleep(200)
    answer = await server.call('list_nodes', { limit: 1 })
  }
  return server.peak()
}

async function prepareCalls(server) {
  const { value: hubs } = await server.call('get_hubs', { limit: 1 })
  const notes = []
  for (let offset = 0, total = 1; offset < Math.min(total, 20_000); offset += 1000) {
    const { value } = await server.call('list_nodes', { limit: 1000, offset })
    notes.push(...value.nodes)
    total = value.total
  }
  const { value: tags } = await server.call('list_tags')
  const some = (at) => notes[(at * 7919) % notes.length]
  const ten = (at, show) => Array.from({ length: 10 }, (_, i) => show(some(at * 10 + i)))
  const ends = (at) => ({ source: some(at).id, target: some(at * 3 + 1).id })
  const all = {
    get_hubs: () => ['get_hubs', {}],
    get_node: (at) => ['get_node', { id: some(at).id }],
    'get_node, depth 1, biggest hub': () => ['get_node', { id: hubs[0].id, depth: 1 }],
    'get_neighbors, biggest hub': () => ['get_neighbors', { id: hubs[0].id, limit: 50 }],
    find_path: (at) => ['find_path', ends(at)],
    'find_path, count 3': (at) => ['find_path', { ...ends(at), count: 3 }],
    'find_path, avoid_hubs': (at) => ['find_path', { ...ends(at), avoid_hubs: true }],
    search_by_tags: (at) => ['search_by_tags', { tags: [0, 1, 2].map((i) => tags[(at + i) % tags.length].tag) }],
    random_node: () => ['random_node', {}],
    'resolve_nodes, 10 fuzzy': (at) => ['resolve_nodes', { names: ten(at, ({ title }) => misspell(title)) }],
    'nodes_exist, 10 ids': (at) => ['nodes_exist', { ids: ten(at, ({ id }) => id) }],
    'list_nodes of 100': () => ['list_nodes', { limit: 100 }],
    'list_nodes of 1,000': () => ['list_nodes', { limit: 1000 }],
    list_tags: () => ['list_tags', {}],
    get_tree: () => ['get_tree', {}],
    get_problems: (at) => ['get_problems', { limit: 20, offset: (at * 20) % 1000 }],
  }
  return Object.fromEntries(Object.entries(all).filter(([kind]) => kind.startsWith(options.only)))
}

/** A title with one typo. */
function misspell(title) {
  const at = title.length >> 1
  return `${title.slice(0, at)}x${title.slice(at + 1)}`
}

/** Keeps editing notes across the vault, adding one and deleting one. `stop` returns how many files were written. */
function startWriting() {
  const paths = readdirSync(vault, { recursive: true }).filter((path) => path.endsWith('.md'))
  const originals = new Map()
  let batch = 0
  const write = () => {
    for (let i = 0; i < notesAtOnce - 2; i++) edit(paths[(batch * 31 + i * 104_729) % paths.length], i)
    if (notesAtOnce > 0) writeFileSync(newNote(batch), `# New ${batch}\n\n[[${titleOf(paths[0])}]]\n`)
    if (notesAtOnce > 1 && batch > 0) unlinkSync(newNote(batch - 1))
    batch++
  }
  const edit = (path, i) => {
    const file = join(vault, path)
    if (!originals.has(path)) originals.set(path, readFileSync(file, 'utf8'))
    const other = titleOf(paths[(batch * 17 + i) % paths.length])
    writeFileSync(file, `${originals.get(path)}\nEdit ${batch}: [[${other}]] [[Nowhere ${batch % 50}]] #edit/${batch % 5}\n`)
  }
  const timer = setInterval(write, Number(options.every))
  return {
    stop() {
      clearInterval(timer)
      return batch * notesAtOnce
    },
  }
}

function newNote(batch) {
  return join(vault, `Written while asked ${batch}.md`)
}

function titleOf(path) {
  return path.slice(path.lastIndexOf('/') + 1, -3)
}

async function measure(server, calls) {
  const taken = Object.fromEntries(Object.keys(calls).map((kind) => [kind, []]))
  for (let at = 0; at < rounds; at++) {
    for (const [kind, make] of Object.entries(calls)) {
      await sleep(Number(options.pause))
      taken[kind].push((await server.call(...make(at))).ms)
    }
  }
  return taken
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms))
}

function print() {
  const ms = (value) => value.toFixed(value < 10 ? 2 : 0)
  const name = resolve(positionals[0]).split('/').at(-1)
  const machine = `Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()}`
  console.log(`${name} · ${written} notes written, ${notesAtOnce} every ${options.every} ms · ${rounds} rounds · ${machine}\n`)
  console.log('| call | p50 ms | p99 ms | longest ms |\n|---|---|---|---|')
  for (const [kind, times] of Object.entries(figures)) {
    console.log(`| ${kind} | ${ms(median(times))} | ${ms(quantile(times, 0.99))} | ${ms(Math.max(...times))} |`)
  }
  const peaks = {
    'indexed, nothing cached': coldPeak,
    'indexed, warm': warmPeak,
    'every tool called': calledPeak,
    'while written': busyPeak,
  }
  console.log('\n| peak memory | MB |\n|---|---|')
  for (const [when, peak] of Object.entries(peaks)) console.log(`| ${when} | ${peak.toFixed(0)} |`)
}
