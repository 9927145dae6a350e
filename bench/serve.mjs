// Measures the built server from a client's view, compared with two floors in the same run: `npm run bench -- <vault> [--rounds 9] [--json
// file]`.
//
// To compare other servers that speak MCP over stdio, each with a copy of the vault as its working directory:
// --peer 'name=command {vault}' its command
// --ask 'name.backlinks=tool {"key":"…"}' its first call (`backlinks`, `search`), if any
// `--only starts` skips calls and edits; `--after 120` measures memory again that many seconds after every tool was called; `--program`
// measures another build. `--only warm` measures the shared server, with 60 seconds of load (`--seconds`).
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, median, quantile } from './client.mjs'
import { measureStarts, parsePeers, startRows } from './starts.mjs'
import { measureWarm } from './warm.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    calls: { type: 'string', default: '300' },
    json: { type: 'string' },
    only: { type: 'string', default: 'starts,calls,edits' },
    peer: { type: 'string', multiple: true, default: [] },
    ask: { type: 'string', multiple: true, default: [] },
    after: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '60' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
const vault = resolve(positionals[0] ?? fileURLToPath(new URL('../fixtures/demo', import.meta.url)))
const rounds = Number(options.rounds)
const calls = Number(options.calls)
const program = resolve(options.program)
const parts = options.only.split(',')
const peers = parsePeers(options.peer, options.ask)
const scratch = mkdtempSync(join(tmpdir(), 'roux-bench-'))
const HOUR = 3_600_000

function serve(cache, folder = vault) {
  return new Client(process.execPath, [program, 'serve', folder], {
    XDG_CACHE_HOME: cache,
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
}

async function measureCalls() {
  const client = serve(join(scratch, 'calls'))
  await client.initialize()
  const [hub] = (await client.call('get_hubs', { limit: 1 })).value
  const { nodes } = (await client.call('list_nodes', { limit: 1000 })).value
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
    // The first calls build caches and warm up the compiler.
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
  await client.close()
  return figures
}

/** A title with one typo. */
function misspell(title) {
  const at = title.length >> 1
  return `${title.slice(0, at)}x${title.slice(at + 1)}`
}

/** The time from the end of the write to the end of the first answer that shows it. */
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
    // The benchmark asks for the graph, because `get_node` would read the file again.
    const wanted = `note that is not there ${edit}`
    for (;;) {
      const { value, arrived } = await client.call('get_neighbors', { id: name, direction: 'out', kinds: ['missing'] })
      if (value.some(({ id }) => id === wanted)) {
        taken.push(arrived - written)
        break
      }
      if (performance.now() - written > HOUR / 360) throw new Error(`the server did not notice edit ${edit} of ${name}`)
    }
    await new Promise((done) => setTimeout(done, 60))
  }
  await client.close()
  return taken
}

const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
console.log(
  `roux ${version} · ${vault.split('/').at(-1)} · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${new Date().toISOString().slice(0, 10)} · medians of ${rounds} · load ${loadavg()[0].toFixed(1)}\n`,
)
const measured = {}
if (parts.includes('starts')) {
  measured.starts = await measureStarts({ program, vault, scratch, rounds, peers, after: Number(options.after) })
  printTable(['figure', 'Roux', '', ...peers.map(({ name }) => name), 'wanted'], startRows(measured.starts))
}
if (parts.includes('warm')) {
  const measuring = { program, vault, scratch, rounds, seconds: Number(options.seconds) }
  printTable(['figure', 'alone', 'shared', 'wanted'], await measureWarm(measuring))
}
const rows = []
if (parts.includes('edits')) {
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
if (parts.includes('calls')) {
  measured.calls = await measureCalls()
  for (const [kind, { p50, p99, bytes }] of Object.entries(measured.calls)) {
    rows.push([kind, `p50 ${ms(p50)}`, `p99 ${ms(p99)}`, `${(bytes / 1024).toFixed(0)} KB`])
  }
}
if (rows.length > 0) printTable(['figure', 'value', '', 'limit or size'], rows)
if (options.json) writeFileSync(options.json, JSON.stringify(measured, null, 1))
rmSync(scratch, { recursive: true, force: true })

function printTable(head, rows) {
  console.log(`| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
  console.log()
}
