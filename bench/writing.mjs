// Measures writing: `node bench/writing.mjs <vault> [--rounds 100] [--skip-move]`.
//
// The built server works on a copy of the vault, over stdio, with fsync on. Creates and small updates take turns; after each, the next
// call, to a different read tool each time, must show the new text, or it counts as an error. Then the most linked note is moved: measures
// its dry run, the move itself, and the latency of other calls meanwhile (`get_node` every 20 ms). Prints tables (ms).
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, median, quantile } from './client.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '100' },
    'skip-move': { type: 'boolean' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: node bench/writing.mjs <vault>')
  process.exit(2)
}
const rounds = Number(options.rounds)
const source = resolve(positionals[0])
const scratch = mkdtempSync(join(tmpdir(), 'roux-writing-'))
const vault = join(scratch, 'vault')
cpSync(source, vault, { recursive: true, filter: (path) => path.slice(source.length) !== '/.git' })
makeWritable()
const client = new Client(process.execPath, [resolve(options.program), 'serve', vault, '--write'], {
  XDG_CACHE_HOME: scratch,
  XDG_STATE_HOME: scratch,
  XDG_CONFIG_HOME: scratch,
})
await client.initialize()
await settled()
console.log(
  `${source.split('/').at(-1)} · ${rounds} rounds · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()}`,
)
const unseen = await measureSmall()
if (options['skip-move'] !== true) await measureMove()
await client.close()
rmSync(scratch, { recursive: true, force: true })
process.exit(unseen === 0 ? 0 : 1)

/** Waits for the complete index, including the data for search. */
async function settled() {
  for (;;) {
    const { warnings } = await client.call('find_nodes', { query: 'settled' })
    const { warnings: others } = await client.call('search', { query: 'settled' })
    if (![...warnings, ...others].some(({ code }) => code === 'INDEX_BUILDING' || code === 'EMBEDDING')) return
    await sleep(250)
  }
}

/** A copy of a read-only file is read-only too. */
function makeWritable() {
  for (const entry of readdirSync(vault, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}

/** Every tool that can show a note `id` with the written word, tag and link, and a check of its answer. */
function reads(id, { word, tag, target }) {
  const has = (nodes) => nodes.some((node) => node.id === id)
  return {
    get_node: [{ id }, (node) => node.content.includes(word) && node.tags.includes(tag)],
    get_neighbors: [{ id: target, direction: 'in', limit: 50 }, has],
    find_path: [{ source: id, target }, (path) => path?.length === 1],
    find_nodes: [{ query: word }, has],
    search: [{ query: word, mode: 'keyword' }, has],
    search_by_tags: [{ tags: [tag] }, has],
    list_nodes: [{ path: 'written', limit: 1000 }, ({ nodes }) => has(nodes)],
    list_tags: [{ prefix: tag }, (tags) => tags.some((item) => item.tag === tag)],
    nodes_exist: [{ ids: [id] }, (exist) => exist[id] === true],
    resolve_nodes: [{ names: [id.slice(id.indexOf('/') + 1, -3)] }, ([found]) => found.match === id],
  }
}

async function measureSmall() {
  const targets = await chooseTargets()
  const times = {
    create_node: [],
    'update_node append': [],
    'update_node replace_text': [],
    'update_node properties': [],
    manage_tags: [],
  }
  const seen = new Map()
  const failures = new Map()
  for (let n = 0; n < rounds; n++) {
    const id = `written/measured ${n}.md`
    const target = targets[n % targets.length]
    const words = (step) => `zq${n}x${step}`
    const link = `[[${target.replace(/\.md$/, '')}]]`
    const steps = {
      create_node: { id, content: `The word is ${words(0)}. ${link}\n`, tags: [`t${n}x0`] },
      'update_node append': { id, append: `Another word is ${words(1)}. #t${n}x1` },
      'update_node replace_text': { id, replace_text: { find: words(1), replace: words(2) } },
      'update_node properties': { id, properties: { state: words(3) } },
      manage_tags: { id, add: [`t${n}x4`] },
    }
    for (const [at, [step, args]] of Object.entries(steps).entries()) {
      const { ms } = await client.call(step.split(' ')[0], args)
      times[step].push(ms)
      const told = {
        word: words([0, 1, 2, 2, 2][at]),
        tag: `t${n}x${[0, 1, 1, 1, 4][at]}`,
        target,
      }
      const all = Object.entries(reads(id, told))
      const [tool, [question, shows]] = all[(n + at) % all.length]
      const { value } = await client.call(tool, question)
      const list = shows(value) ? seen : failures
      list.set(tool, (list.get(tool) ?? 0) + 1)
      await sleep(10)
    }
  }
  console.log('\n| write, with fsync | p50 | p99 | longest |\n|---|---|---|---|')
  for (const [step, list] of Object.entries(times))
    console.log(`| ${step} | ${ms(median(list))} | ${ms(quantile(list, 0.99))} | ${ms(Math.max(...list))} |`)
  console.log('\n| seen in the very next call of | yes | no |\n|---|---|---|')
  for (const tool of Object.keys(reads('/', {}))) console.log(`| ${tool} | ${seen.get(tool) ?? 0} | ${failures.get(tool) ?? 0} |`)
  return [...failures.values()].reduce((sum, count) => sum + count, 0)
}

/** These notes have few backlinks, so lists of their neighbors have room for another one. */
async function chooseTargets() {
  const { value: hubs } = await client.call('get_hubs', { limit: 50 })
  const { value } = await client.call('list_nodes', { limit: 1000 })
  return value.nodes.map(({ id }) => id).filter((id) => !hubs.some((hub) => hub.id === id))
}

async function measureMove() {
  const { value: hubs } = await client.call('get_hubs', { limit: 1 })
  const [{ id }] = hubs
  const name = id.slice(id.lastIndexOf('/') + 1)
  const to = `moved here/renamed ${name}`
  console.log(
    `\nThe most linked note, ${id}, to another folder and name\n\n| call | ms | files | get_node meanwhile: calls | p50 | longest |\n|---|---|---|---|---|---|`,
  )
  await timed('dry run', () => client.call('move_node', { id, to, dry_run: true }))
  const moved = await timed('move_node', () => client.call('move_node', { id, to }))
  const { value: now } = await client.call('get_hubs', { limit: 1 })
  if (now[0].id !== moved.new_id || now[0].score !== hubs[0].score)
    throw new Error(`Links were lost: ${JSON.stringify([hubs, now])}`)
  await timed('undo', () => client.call('undo', { change_id: moved.change_id }))
}

/** Makes a call, and then further calls every 20 ms until it is answered. */
async function timed(name, call) {
  const others = []
  const asked = []
  const ask = async () => {
    others.push((await client.call('get_node', { id: 'written/measured 0.md' })).ms)
  }
  const timer = setInterval(() => asked.push(ask()), 20)
  const { ms: took, value } = await call()
  clearInterval(timer)
  await Promise.all(asked)
  const files = value.files.length + (value.omitted?.files ?? 0)
  console.log(`| ${name} | ${ms(took)} | ${files} | ${others.length} | ${ms(median(others))} | ${ms(Math.max(...others))} |`)
  return value
}

function ms(value) {
  return value === undefined ? '' : value.toFixed(value < 100 ? 1 : 0)
}
