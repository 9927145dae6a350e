// Time by stage and memory by holder for generated vaults: `npm run bench:large -- [--notes 10000,100000] [--folder /tmp/large]`.
//
// Generates each vault in the folder unless it is there, ten links a note. Starts a server without an index, waits for each stage, calls
// tools, leaves it alone, and starts it again. Prints three tables: times and sizes; memory at the end of each stage, and who holds it:
// the heaps of the threads (`heap`), buffers (`external`), files in memory (`mapped`), and the rest, which SQLite and the allocator have.
// `--rest 150`: seconds of rest. `--calls 200`: calls per tool. `--node=…`: options of the server's Node. `--patience 30`: minutes until it
// gives a vault up. `--program` measures another build. Linux only.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, isDone, quantile, statusOf } from './client.mjs'
import { busyOf, cpuOf, peakOf, residentOf } from './process-tree.mjs'
import { callEverything } from './starts.mjs'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))
const { values: options } = parseArgs({
  options: {
    notes: { type: 'string', default: '10000,100000' },
    folder: { type: 'string', default: join(tmpdir(), 'roux-large') },
    rest: { type: 'string', default: '150' },
    calls: { type: 'string', default: '200' },
    patience: { type: 'string', default: '30' },
    node: { type: 'string', multiple: true, default: [] },
    program: { type: 'string', default: beside('../dist/cli/main.js') },
  },
})
const LINKS_PER_NOTE = 10
const EDITS = 100
/** The time over which the processor time at rest is measured, in seconds. */
const AT_REST = 60

const all = []
for (const notes of options.notes.split(',').map(Number)) {
  const vault = generated(notes)
  const figures = await measure(vault, notes)
  all.push(figures)
  console.error(JSON.stringify(figures))
}
print()

function generated(notes) {
  const vault = resolve(options.folder, `notes-${notes}`)
  if (!existsSync(vault)) {
    mkdirSync(vault, { recursive: true })
    const args = [beside('generate-vault.mjs'), vault, '--notes', String(notes), '--links', String(notes * LINKS_PER_NOTE)]
    if (spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) throw new Error('no vault')
  }
  return vault
}

async function measure(vault, notes) {
  const scratch = mkdtempSync(join(tmpdir(), 'roux-large-'))
  const end = performance.now() + Number(options.patience) * 60_000
  const figures = { notes, times: {}, memory: {}, calls: {} }
  try {
    const client = serve(vault, scratch)
    try {
      await cold(client, { vault, scratch, figures, end })
    } finally {
      const isAlive = client.process.exitCode === null
      if (!isAlive) figures.failure ??= `the server ended: ${client.errors.slice(-300)}`
      if (isAlive) await client.close()
    }
    if (figures.failure === undefined) await warm(serve(vault, scratch), figures)
  } catch (error) {
    figures.failure ??= error.message
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return figures
}

function serve(vault, scratch) {
  const args = ['--require', beside('memory-probe.cjs'), ...options.node, resolve(options.program), 'serve', vault]
  return new Client(process.execPath, args, {
    XDG_CACHE_HOME: join(scratch, 'cache'),
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
    MEMORY_PROBE: scratch,
  })
}

async function cold(client, { vault, scratch, figures, end }) {
  const { pid } = client.process
  const stage = async (name, work) => {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    await work()
    figures.times[name] = (performance.now() - client.started) / 1000
    const peak = peakOf(pid)
    // Every thread reports its memory once a second.
    await sleep(1_500)
    figures.memory[name] = { peak, ...holdersOf(pid, scratch) }
    console.error(`${figures.notes}: ${name}, ${figures.times[name].toFixed(1)} s, peak ${peak.toFixed(0)} MB`)
  }
  const until = async (isTrue) => {
    while (!isTrue(await statusOf(client))) {
      if (performance.now() > end) throw new Error(`not done after ${options.patience} minutes`)
      await sleep(figures.notes > 50_000 ? 1_000 : 100)
    }
  }
  await client.initialize()
  // The server may write only after the first real request.
  client.call('list_nodes', { limit: 1 }).catch(() => {})
  await stage('graph', () => until(({ phase }) => phase === 'idle'))
  await stage('words', () => until(({ search }) => isDone(search?.words)))
  await stage('vectors', () => until(({ search }) => isDone(search?.vectors)))
  figures.cpu = cpuOf(pid) / 1000
  figures.disk = sizeOf(join(scratch, 'cache')) / 2 ** 20
  await stage('tools', async () => {
    const [hub] = (await client.call('get_hubs', { limit: 1 })).value
    await callEverything(client, hub)
    figures.calls = await measureCalls(client)
    figures.edit = await measureEdits(client, vault)
  })
  await stage('at rest', () => sleep(Number(options.rest) * 1000))
  const before = busyOf(pid)
  await sleep(AT_REST * 1000)
  figures.idle = (busyOf(pid) - before) / (AT_REST * 1000)
}

async function warm(client, figures) {
  await client.initialize()
  const first = async (...call) => {
    for (;;) {
      const { arrived, warnings } = await client.call(...call)
      if (warnings.length === 0) return (arrived - client.started) / 1000
      await sleep(20)
    }
  }
  figures.times['graph, with an index'] = await first('get_hubs', { limit: 1 })
  figures.times['search, with an index'] = await first('search', { query: 'meeting notes', limit: 5 })
  await client.close()
}

async function measureCalls(client) {
  const { nodes } = (await client.call('list_nodes', { limit: 1000, max_tokens: 50_000 })).value
  const some = (at) => nodes[(at * 7919) % nodes.length]
  const kinds = {
    get_node: (at) => ['get_node', { id: some(at).id }],
    find_path: (at) => ['find_path', { source: some(at).id, target: some(at * 3 + 1).id }],
    get_hubs: () => ['get_hubs', {}],
    find_nodes: (at) => ['find_nodes', { query: some(at).title }],
    'search by words': (at) => ['search', { query: some(at).title, mode: 'keyword' }],
    search: (at) => ['search', { query: some(at).title }],
  }
  const figures = {}
  for (const [kind, make] of Object.entries(kinds)) {
    const taken = []
    for (let at = 0; at < Number(options.calls); at++) taken.push((await client.call(...make(at))).ms)
    figures[kind] = quantile(taken, 0.99)
  }
  return figures
}

/** Returns the time from a write to an answer that shows it, in milliseconds, as the 95th percentile. */
async function measureEdits(client, vault) {
  const name = 'Edited by a benchmark.md'
  const taken = []
  for (let edit = 0; edit < EDITS; edit++) {
    writeFileSync(join(vault, name), `[[Not there ${edit}]]\n`)
    const written = performance.now()
    const wanted = `not there ${edit}`
    for (let seen = false; !seen; ) {
      const answer = await client.call('get_neighbors', { id: name, direction: 'out', kinds: ['missing'] }).catch(() => undefined)
      seen = answer?.value?.some?.(({ id }) => id === wanted) === true
      if (!seen && performance.now() - written > 60_000) throw new Error('an edit was not noticed')
    }
    taken.push(performance.now() - written)
    await sleep(200)
  }
  rmSync(join(vault, name))
  return quantile(taken, 0.95)
}

/** Returns the current memory of a process by its kind, in MB. */
function holdersOf(pid, scratch) {
  // A thread that has ended leaves its file behind.
  const isFresh = (name) => Date.now() - statSync(join(scratch, name)).mtimeMs < 10_000
  const threads = readdirSync(scratch).filter((name) => name.startsWith(`${pid}-`) && name.endsWith('.json') && isFresh(name))
  const told = threads.map((name) => [name, JSON.parse(readFileSync(join(scratch, name), 'utf8'))])
  const sum = (field, isWanted = () => true) =>
    told.reduce((all, [name, memory]) => all + (isWanted(name) ? memory[field] : 0), 0) / 2 ** 20
  const isMain = (name) => name === `${pid}-0.json`
  const resident = residentOf(pid)
  const held = {
    'heap of main': sum('heapTotal', isMain),
    'of other threads': sum('heapTotal', (name) => !isMain(name)),
    external: sum('external'),
    mapped: mappedOf(pid),
  }
  return { resident, ...held, rest: resident - Object.values(held).reduce((all, one) => all + one, 0) }
}

/** Memory that is a copy of a file, such as the program or a database, in MB. */
function mappedOf(pid) {
  let isFile = false
  let kilobytes = 0
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    if (/^[0-9a-f]+-/.test(line)) isFile = / \//.test(line)
    else if (isFile && line.startsWith('Rss:')) kilobytes += Number(line.match(/\d+/)[0])
  }
  return kilobytes / 1024
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}

function print() {
  const number = (value, digits = 0) =>
    value === undefined ? '–' : value.toLocaleString('en', { maximumFractionDigits: digits })
  const row = (label, cell) => console.log(`| ${label} | ${all.map(cell).join(' | ')} |`)
  console.log(`Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()}\n`)
  console.log(`| | ${all.map(({ notes }) => `${number(notes)} notes`).join(' | ')} |\n|---|${'---|'.repeat(all.length)}`)
  for (const stage of ['graph', 'words', 'vectors', 'graph, with an index', 'search, with an index'])
    row(`${stage} (s)`, ({ times }) => number(times[stage], 1))
  row('processor time until then (s)', ({ cpu }) => number(cpu))
  for (const kind of Object.keys(all[0].calls)) row(`\`${kind}\`, p99 (ms)`, ({ calls }) => number(calls[kind]))
  row('edit → visible, p95 (ms)', ({ edit }) => number(edit))
  row('disk (MB; KB per note)', ({ disk, notes }) => `${number(disk)}; ${number((disk * 1024) / notes, 1)}`)
  row('processor at rest (% of a core)', ({ idle }) => number(idle === undefined ? undefined : idle * 100, 2))
  const holders = Object.keys(all[0].memory.graph ?? {})
  console.log(`\n| memory (MB) | ${holders.join(' | ')} |\n|---|${'---|'.repeat(holders.length)}`)
  for (const { notes, memory } of all) {
    for (const [stage, held] of Object.entries(memory))
      console.log(`| ${number(notes)}: ${stage} | ${holders.map((holder) => number(held[holder])).join(' | ')} |`)
  }
  for (const { notes, failure } of all) if (failure !== undefined) console.log(`\n${number(notes)} notes: ${failure}`)
}
