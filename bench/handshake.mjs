// Measures how fast a server greets a client over stdio: `node bench/handshake.mjs [vault] [--rounds 25] [--write]`, after `npm run build`.
//
// Each round measures a bare `node -e 0`; a server from start to the answer to `initialize`; the same for a copy of `dist/` without V8's
// code cache; and `initialize` and `tools/list`, once and ten more times, on a server that has been running for a while. Prints a table
// with the machine's load before and after, and exits with 1 if a median exceeds its limit. On a busy machine, the fastest round says more
// about the program than the median.
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bareNode, Client, median, quantile } from './client.mjs'

/**
 * This limit is longer than the slowest start on a busy machine. If a server needs even longer, the measurement includes the rest
 * of its start.
 */
const SETTLED_MS = 700
const WARM_LISTS = 10

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '25' }, write: { type: 'boolean', default: false } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const vault = resolve(positionals[0] ?? join(root, 'fixtures/demo'))
const rounds = Number(options.rounds)
const scratch = mkdtempSync(join(tmpdir(), 'roux-handshake-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
const program = join(root, 'dist/cli/main.js')
const uncached = withoutCodeCache()

const taken = { bare: [], cached: [], uncached: [], running: [], first: [], warm: [] }
let listed
const before = load()
for (let round = 0; round < rounds; round++) {
  taken.bare.push(bareNode())
  taken.cached.push(await startTime(program))
  taken.uncached.push(await startTime(uncached))
  await askRunning()
}
print()

/** Copies the program without its code cache, so V8 must compile the scripts, as after a Node update. */
function withoutCodeCache() {
  cpSync(join(root, 'dist'), join(scratch, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.cache') })
  for (const name of ['node_modules', 'assets', 'package.json']) symlinkSync(join(root, name), join(scratch, name))
  return join(scratch, 'dist/cli/main.js')
}

function serve(script) {
  const args = [script, 'serve', vault, ...(options.write ? ['--write'] : [])]
  return new Client(process.execPath, args, { XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch })
}

async function startTime(script) {
  const client = serve(script)
  const time = await client.initialize()
  await client.close()
  return time
}

async function askRunning() {
  const client = serve(program)
  await sleep(SETTLED_MS)
  const asked = performance.now()
  taken.running.push((await client.initialize()) - (asked - client.started))
  taken.first.push(await listTime(client))
  for (let time = 0; time < WARM_LISTS; time++) taken.warm.push(await listTime(client))
  await client.close()
}

async function listTime(client) {
  const asked = performance.now()
  const { message, arrived, bytes } = await client.request('tools/list', {})
  listed = `${message.result.tools.length} tools, ${Math.round(bytes / 1000)} kB`
  return arrived - asked
}

function print() {
  const rows = [
    ['bare `node -e 0`', taken.bare],
    ['start → `initialize`', taken.cached, { factor: 2 }],
    ["the same without V8's code cache", taken.uncached, { factor: 2.5 }],
    ['`initialize` on a running process', taken.running, { ms: 100 }],
    [`\`tools/list\` for the first time (${listed})`, taken.first],
    ['`tools/list` afterwards', taken.warm, { ms: 5 }],
  ]
  console.log(
    `Medians of ${rounds} rounds · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · load ${before} before, ${load()} after\n`,
  )
  console.log('| figure | median | p90 | quickest | limit | |\n|---|---|---|---|---|---|')
  for (const [name, times, limit] of rows) console.log(row(name, times, limit))
}

/** Shows both start times also as multiples of the time that Node needs alone. */
function row(name, times, limit) {
  const isStart = limit?.factor !== undefined
  const ratio = (of) => (isStart ? ` (${(of(times) / of(taken.bare)).toFixed(2)} ×)` : '')
  const isMet = limit === undefined || median(times) <= (limit.ms ?? limit.factor * median(taken.bare))
  if (!isMet) process.exitCode = 1
  const bound = limit === undefined ? '' : isStart ? `≤ ${limit.factor} × bare Node` : `≤ ${limit.ms} ms`
  const cells = [
    ms(median(times)) + ratio(median),
    ms(quantile(times, 0.9)),
    ms(Math.min(...times)) + ratio((all) => Math.min(...all)),
  ]
  return `| ${[name, ...cells, bound, limit === undefined ? '' : isMet ? 'met' : 'missed'].join(' | ')} |`
}

function load() {
  return loadavg()[0].toFixed(1)
}

function ms(value) {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}
