// Serves vaults of unusual shapes: `npm run bench:odd -- [--only 'one name'] [--scale 0.1]`.
//
// - one folder: 200,000 notes in one folder
// - one name: 100,000 notes called "Note", each in a folder of its own
// - one target: 100,000 notes that link to one note
// - one source: one note that links to 100,000 notes
// - deep: 10,000 notes, each 30 folders deep
// - events: 1,000 changes a second for a minute, in a vault of 10,000 notes
//
// For each it starts a server without an index, waits until all notes can be found by their words, calls tools about the odd note, edits
// a note, and starts the server again. Prints a table: seconds until the graph is complete, until words are found, and with an index; the
// slowest call and the time until an edit is visible (ms); peak memory (MB). A call that fails, or a wrong answer, is printed, and the
// script ends with 1. `--scale` multiplies the counts, `--program` measures another build. Linux only.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, isDone, statusOf } from './client.mjs'
import { peakOf } from './process-tree.mjs'
import { nouns } from './words.mjs'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    scale: { type: 'string', default: '1' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
const scaled = (count) => Math.max(10, Math.round(count * Number(options.scale)))
/** An edit must be visible within this time, in milliseconds. */
const PATIENCE = 120_000
const EVENTS_PER_SECOND = 1_000

const DEEP = Array.from({ length: 30 }, (_, at) => `level ${at}`).join('/')
const textOf = (at) => `The ${nouns[at % nouns.length]} of ${nouns[(at * 7) % nouns.length]}, number ${at}.\n`
const notes = (count, path, text = textOf) => Array.from({ length: scaled(count) }, (_, at) => [path(at), text(at)])
/** The notes of each vault, its unusual note, and the number of links to or from it. */
const SHAPES = {
  'one folder': () => ({ odd: 'all/n0.md', files: notes(200_000, (at) => `all/n${at}.md`) }),
  'one name': () => ({ odd: '0/0/Note.md', files: notes(100_000, (at) => `${at % 100}/${at}/Note.md`) }),
  'one target': () => {
    const files = notes(
      100_000,
      (at) => `${at % 100}/n${at}.md`,
      (at) => `${textOf(at)}\n[[Odd]]\n`,
    )
    return { odd: 'Odd.md', in: files.length, files: [['Odd.md', 'Everything links to this.\n'], ...files] }
  },
  'one source': () => {
    const files = notes(100_000, (at) => `${at % 100}/n${at}.md`)
    const links = files.map((_, at) => `[[n${at}]]\n`).join('')
    return { odd: 'Odd.md', out: files.length, files: [['Odd.md', links], ...files] }
  },
  deep: () => ({ odd: `${DEEP}/n0.md`, files: notes(10_000, (at) => `${at % 50 === 0 ? '' : `${at % 50}/`}${DEEP}/n${at}.md`) }),
  events: () => ({
    odd: 'n0.md',
    files: notes(10_000, (at) => `n${at}.md`),
    eventSeconds: Math.ceil(60 * Number(options.scale)),
  }),
}

const rows = []
const faults = []
for (const [name, make] of Object.entries(SHAPES)) {
  if (options.only.length > 0 && !options.only.includes(name)) continue
  const scratch = mkdtempSync(join(tmpdir(), 'roux-odd-'))
  try {
    rows.push([name, await measure(name, make(), scratch)])
    console.error(name, JSON.stringify(rows.at(-1)[1]))
  } catch (error) {
    faults.push(`${name}: ${error.message}`)
    console.error(faults.at(-1))
  } finally {
    spawnSync('rm', ['-rf', scratch])
  }
}
print()
process.exit(faults.length > 0 ? 1 : 0)

async function measure(name, shape, scratch) {
  const vault = join(scratch, 'vault')
  write(vault, shape.files)
  const figures = { notes: shape.files.length }
  const client = serve(vault, scratch)
  const ended = client.exited.then((code) => {
    throw new Error(`the server ended with ${code}: ${client.errors.slice(-300)}`)
  })
  ended.catch(() => {})
  const secondsUntil = async (isTrue) => {
    while (!isTrue(await Promise.race([statusOf(client), ended]))) await sleep(100)
    return (performance.now() - client.started) / 1000
  }
  await client.initialize()
  client.call('list_nodes', { limit: 1 }).catch(() => {})
  figures.graph = await secondsUntil(({ phase }) => phase === 'idle')
  figures.words = await secondsUntil(({ search }) => isDone(search?.words))
  const meanwhile = shape.eventSeconds === undefined ? [] : [await changeMuch(client, vault, shape)]
  const called = await callAbout(client, name, shape)
  figures.slowest = [...meanwhile, ...called].sort((a, b) => b.ms - a.ms)[0]
  figures.edit = await edit(client, name, join(vault, 'Edited.md'))
  figures.peak = peakOf(client.process.pid)
  await client.close()
  if (client.process.exitCode !== 0) faults.push(`${name}: the server ended with ${client.process.exitCode}: ${client.errors}`)
  const again = serve(vault, scratch)
  await again.initialize()
  let answer = await again.call('get_hubs', { limit: 1 })
  while (answer.warnings.length > 0) answer = await again.call('get_hubs', { limit: 1 })
  figures.warm = (answer.arrived - again.started) / 1000
  await again.close()
  return figures
}

function write(vault, files) {
  const folders = new Set()
  for (const [path, text] of files) {
    const file = join(vault, path)
    const folder = resolve(file, '..')
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true })
    folders.add(folder)
    writeFileSync(file, text)
  }
}

function serve(vault, scratch) {
  const folders = { XDG_CACHE_HOME: join(scratch, 'cache'), XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
  return new Client(process.execPath, [resolve(options.program), 'serve', vault], folders)
}

/** Calls tools about the unusual note and checks the answers. Returns each tool with the milliseconds that its call took. */
async function callAbout(client, name, { odd, files, ...links }) {
  const id = odd.toLowerCase()
  const other = files.at(-1)[0]
  const times = []
  const ask = async (tool, args) => {
    const { value, ms } = await client.call(tool, args)
    times.push({ tool, ms })
    return value
  }
  const check = (isTrue, what) => !isTrue && faults.push(`${name}: ${what}`)
  check((await ask('get_node', { id: odd })).id === id, 'get_node finds another note')
  for (const [direction, count] of Object.entries(links).filter(([key]) => key === 'in' || key === 'out')) {
    const { value } = await client.call('get_neighbors', { id: odd, direction, limit: 50 })
    check(value.length === 50, `get_neighbors lists ${value.length} of ${count}`)
    const hubs = await ask('get_hubs', { metric: `${direction}_degree`, limit: 1 })
    check(hubs[0]?.id === id && hubs[0].score === count, `get_hubs says ${JSON.stringify(hubs[0])}`)
  }
  await ask('get_node', { id: odd, depth: 1 })
  await ask('find_path', { source: other, target: odd })
  await ask('list_nodes', { limit: 1000, offset: 5000 })
  await ask('get_tree', {})
  await ask('get_problems', {})
  await ask('resolve_nodes', { names: ['Note', 'n7', 'Odd'] })
  await ask('find_nodes', { query: 'title:note', order_by: 'title' })
  const found = await ask('search', { query: 'number', mode: 'keyword' })
  check(found.length > 0, 'search finds nothing')
  await ask('search', { query: textOf(5) })
  return times
}

/** Writes a note. Returns the milliseconds until its link is seen. */
async function edit(client, name, path) {
  const written = performance.now()
  writeFileSync(path, '[[Not there]]\n')
  while (performance.now() - written < PATIENCE) {
    const answer = await client
      .call('get_neighbors', { id: 'Edited', direction: 'out', kinds: ['missing'] })
      .catch(() => undefined)
    if (answer?.value.some?.(({ id }) => id === 'not there')) return performance.now() - written
  }
  faults.push(`${name}: an edit was not visible after ${PATIENCE / 1000} s`)
  return Number.NaN
}

/** Changes notes continuously. Returns the slowest call during this time, and checks that the last texts are found. */
async function changeMuch(client, vault, { files, eventSeconds }) {
  const started = performance.now()
  let written = 0
  let slowest = 0
  while (performance.now() - started < eventSeconds * 1000) {
    const due = ((performance.now() - started) / 1000) * EVENTS_PER_SECOND
    for (; written < due; written++)
      writeFileSync(join(vault, files[written % files.length][0]), `${textOf(written)}Change ${written}.\n`)
    const { ms } = await client.call('get_node', { id: files[(written * 31) % files.length][0] })
    slowest = Math.max(slowest, ms)
    await sleep(5)
  }
  console.error(`${written} changes in ${eventSeconds} s`)
  const isSeen = async () => {
    const { value } = await client.call('get_node', { id: files[(written - 1) % files.length][0] })
    return value.content.includes(`Change ${written - 1}.`)
  }
  const end = performance.now() + PATIENCE
  while (!(await isSeen()) && performance.now() < end) await sleep(100)
  if (!(await isSeen())) faults.push(`events: the last change was not visible after ${PATIENCE / 1000} s`)
  while ((await statusOf(client)).phase !== 'idle') await sleep(100)
  return { tool: 'get_node', ms: slowest }
}

function print() {
  const number = (value, digits = 0) => (value === undefined ? '–' : value.toFixed(digits))
  console.log(
    '| vault | notes | graph; words; with an index (s) | slowest call | edit → visible (ms) | peak (MB) |\n|---|---|---|---|---|---|',
  )
  for (const [name, { notes: count, graph, words, warm, slowest, edit: visible, peak }] of rows) {
    const times = [graph, words, warm].map((time) => number(time, 1)).join('; ')
    console.log(
      `| ${name} | ${count} | ${times} | ${slowest.tool} ${number(slowest.ms)} ms | ${number(visible)} | ${number(peak)} |`,
    )
  }
  for (const fault of faults) console.log(`\n${fault}`)
}
