// Measures the built server as a client would see it, beside two floors in the same run: `npm run bench -- <vault> [--rounds 9] [--json file]`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, median, quantile } from './client.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '300' },
    json: { type: 'string' },
    'skip-edits': { type: 'boolean' },
  },
})
const vault = resolve(positionals[0] ?? fileURLToPath(new URL('../fixtures/demo', import.meta.url)))
const rounds = Number(options.rounds)
const calls = Number(options.calls)
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const readFloor = fileURLToPath(new URL('read-floor.mjs', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'roux-bench-'))
const HOUR = 3_600_000

function time(args) {
  const started = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed`)
  return performance.now() - started
}

function serve(cache, folder = vault) {
  return new Client(process.execPath, [program, 'serve', folder], {
    XDG_CACHE_HOME: cache,
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
}

/** One start: to `initialize`, to the first right `get_hubs`; peak memory then. */
async function start(cache, expected) {
  const client = serve(cache)
  const initialize = await client.initialize()
  let answer = await client.call('get_hubs', { limit: 20 })
  // An answer given while the index is still being built is not the right one yet.
  while (answer.warnings.some(({ code }) => code === 'INDEX_BUILDING')) answer = await client.call('get_hubs', { limit: 20 })
  const hubs = answer.arrived - client.started
  const text = JSON.stringify(answer.value)
  if (expected !== undefined && text !== expected) throw new Error(`another answer: ${text}`)
  const peak = client.peak()
  await client.close()
  return { initialize, hubs, peak, text }
}

async function measureStarts() {
  const figures = { bare: [], read: [], initialize: [], cold: [], warm: [], coldPeak: [], warmPeak: [] }
  let expected
  for (let round = 0; round < rounds; round++) {
    const cache = mkdtempSync(join(scratch, 'cache-'))
    figures.bare.push(time(['-e', '0']))
    figures.read.push(time([readFloor, vault]))
    const cold = await start(cache, expected)
    expected = cold.text
    const warm = await start(cache, expected)
    figures.initialize.push(cold.initialize, warm.initialize)
    figures.cold.push(cold.hubs)
    figures.warm.push(warm.hubs)
    figures.coldPeak.push(cold.peak)
    figures.warmPeak.push(warm.peak)
    rmSync(cache, { recursive: true })
  }
  return figures
}

async function measureCalls() {
  const client = serve(join(scratch, 'calls'))
  await client.initialize()
  const [hub] = (await client.call('get_hubs', { limit: 1 })).value
  const { nodes, total } = (await client.call('list_nodes', { limit: 1000 })).value
  const some = (at) => nodes[(at * 7919) % nodes.length]
  const kinds = {
    'get_hubs in_degree': () => ['get_hubs', {}],
    'get_hubs pagerank': () => ['get_hubs', { metric: 'pagerank' }],
    'get_hubs betweenness': () => ['get_hubs', { metric: 'betweenness' }],
    get_node: (at) => ['get_node', { id: some(at).id }],
    'get_node depth 1 of the biggest hub': () => ['get_node', { id: hub.id, depth: 1 }],
    'get_neighbors of the biggest hub': () => ['get_neighbors', { id: hub.id, limit: 50 }],
    find_path: (at) => ['find_path', { source: some(at).id, target: some(at * 3 + 1).id }],
    'find_path, 3 alternatives': (at) => ['find_path', { source: some(at).id, target: some(at * 3 + 1).id, count: 3 }],
    'find_path around hubs': (at) => ['find_path', { source: some(at).id, target: some(at * 3 + 1).id, avoid_hubs: true }],
    search_by_tags: () => ['search_by_tags', { tags: ['a', 'obsidian', 'plugin', 'meeting'] }],
    random_node: () => ['random_node', {}],
    'resolve_nodes, 10 names': (at) => [
      'resolve_nodes',
      { names: Array.from({ length: 10 }, (_, i) => misspell(some(at * 10 + i).title)) },
    ],
    'nodes_exist, 10 ids': (at) => ['nodes_exist', { ids: Array.from({ length: 10 }, (_, i) => some(at + i).id) }],
    'list_nodes of 1,000': () => ['list_nodes', { limit: 1000 }],
    list_tags: () => ['list_tags', {}],
    get_tree: () => ['get_tree', {}],
    get_problems: () => ['get_problems', { limit: 20 }],
  }
  const figures = {}
  for (const [kind, make] of Object.entries(kinds)) {
    // The first calls build what is built once and let the compiler see the path.
    for (let at = 0; at < 20; at++) await client.call(...make(at))
    const taken = []
    let bytes = 0
    for (let at = 0; at < calls; at++) {
      const answer = await client.call(...make(at))
      taken.push(answer.ms)
      bytes = Math.max(bytes, answer.bytes)
    }
    figures[kind] = { p50: median(taken), p99: quantile(taken, 0.99), bytes }
  }
  const peak = client.peak()
  await client.close()
  return { figures, peak, total }
}

/** A title with one letter changed, as people type it. */
function misspell(title) {
  const at = title.length >> 1
  return `${title.slice(0, at)}x${title.slice(at + 1)}`
}

/** From the end of the write to the end of the first answer that shows it. */
async function measureEdits(through) {
  const copy = mkdtempSync(join(scratch, 'vault-'))
  cpSync(vault, copy, { recursive: true, filter: (path) => !path.includes('/.git') })
  const names = ['Edited Note.md', 'UPPER lower.md', '🗂️ emoji note.md', 'plain.md', 'Ünïcode ñame.md']
  for (const name of names) writeFileSync(join(copy, name), 'Start.\n')
  let folder = copy
  if (through === 'symlink') {
    folder = `${copy}-link`
    symlinkSync(copy, folder)
  }
  const client = serve(join(scratch, 'edits'), folder)
  await client.initialize()
  await client.call('get_hubs')
  await new Promise((done) => setTimeout(done, 1_500))
  const taken = []
  for (let edit = 0; edit < 60; edit++) {
    const name = names[edit % names.length]
    const file = join(copy, name)
    const text = `Edit ${edit}, linking to [[note that is not there ${edit}]].\n`
    if (edit % 2 === 0) writeFileSync(file, text)
    else {
      writeFileSync(`${file}.tmp`, text)
      renameSync(`${file}.tmp`, file)
    }
    const written = performance.now()
    // The graph is asked, not the file: `get_node` would read it anew.
    const wanted = `note that is not there ${edit}`
    for (;;) {
      const { value, arrived } = await client.call('get_neighbors', { id: name, direction: 'out', kinds: ['missing'] })
      if (value.some(({ id }) => id === wanted)) {
        taken.push(arrived - written)
        break
      }
      if (performance.now() - written > HOUR / 360) throw new Error(`edit ${edit} of ${name} is not seen`)
    }
    await new Promise((done) => setTimeout(done, 60))
  }
  await client.close()
  return taken
}

const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const ratio = (value, floor) => `${(value / floor).toFixed(2)} ×`

const starts = await measureStarts()
const { figures, peak, total } = await measureCalls()
const bare = median(starts.bare)
const read = median(starts.read)
const rows = [
  ['bare `node -e 0`', ms(bare), '', ''],
  ['reading every note', ms(read), '', ''],
  ['start → `initialize`', ms(median(starts.initialize)), ratio(median(starts.initialize), bare), '≤ 2.5 × bare Node'],
  ['start → first right `get_hubs`, nothing cached', ms(median(starts.cold)), ratio(median(starts.cold), read), '≤ 5 × reading'],
  ['start → first right `get_hubs`, cache present', ms(median(starts.warm)), ratio(median(starts.warm), bare), '≤ 4 × bare Node'],
  ['peak memory, cold', `${median(starts.coldPeak).toFixed(0)} MB`, '', '≤ 220 MB'],
  ['peak memory, warm', `${median(starts.warmPeak).toFixed(0)} MB`, '', '≤ 160 MB'],
  ['peak memory after all calls', `${peak.toFixed(0)} MB`, '', ''],
]
if (!options['skip-edits']) {
  for (const through of ['folder', 'symlink']) {
    const taken = await measureEdits(through)
    rows.push([
      `edit → visible, vault given as ${through}`,
      `p50 ${ms(median(taken))}`,
      `p95 ${ms(quantile(taken, 0.95))}`,
      'p95 ≤ 100 ms',
    ])
  }
}
for (const [kind, { p50, p99, bytes }] of Object.entries(figures)) {
  rows.push([kind, `p50 ${ms(p50)}`, `p99 ${ms(p99)}`, `${(bytes / 1024).toFixed(0)} KB`])
}
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
console.log(
  `roux ${version} · ${vault.split('/').at(-1)} (${total} notes) · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${new Date().toISOString().slice(0, 10)} · medians of ${rounds}\n`,
)
console.log('| figure | value | | limit or size |\n|---|---|---|---|')
for (const row of rows) console.log(`| ${row.join(' | ')} |`)
if (options.json) writeFileSync(options.json, JSON.stringify({ starts, figures }, null, 1))
rmSync(scratch, { recursive: true, force: true })
