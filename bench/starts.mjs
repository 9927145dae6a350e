// Measures starts, in time and resources: Roux and any other servers take turns in the same rounds.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, median } from './client.mjs'
import { busyOf, cpuOf, peakOf, residentOf } from './process-tree.mjs'

const readFloor = fileURLToPath(new URL('read-floor.mjs', import.meta.url))
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
/** A peer has finished starting when it has used less CPU time than this within a second, in milliseconds. */
const QUIET_CPU = 30
/** The time over which the CPU time of a server at rest is measured, in milliseconds. */
const AT_REST = 60_000
/** What a search index lacks, according to its answers. */
export const MISSING = ['INDEX_BUILDING', 'EMBEDDING', 'FALLBACK']

/** Start time of bare Node in milliseconds. */
function time(args) {
  const started = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed`)
  return performance.now() - started
}

/**
 * Measures `rounds` rounds: the floors, then a cold and a warm start of Roux and of each peer.
 * `after`: measure memory again after this many seconds in the first round; 0: never.
 * @returns the medians of each figure by server, and of the floors.
 */
export async function measureStarts({ program, vault, scratch, rounds, peers, after }) {
  const taken = { floors: {}, roux: {} }
  for (const { name } of peers) taken[name] = {}
  const add = (server, figures) => {
    for (const [figure, value] of Object.entries(figures)) taken[server][figure] = [...(taken[server][figure] ?? []), value]
  }
  const question = await chooseQuestion({ program, vault, scratch })
  for (let round = 0; round < rounds; round++) {
    add('floors', { bare: time(['-e', '0']), read: time([readFloor, vault]) })
    add('roux', await startRoux({ program, vault, scratch, question, after: round === 0 ? after : 0 }))
    for (const peer of peers) add(peer.name, await startPeer({ peer, vault, scratch }))
  }
  const middle = (figures) => Object.fromEntries(Object.entries(figures).map(([figure, values]) => [figure, median(values)]))
  return Object.fromEntries(Object.entries(taken).map(([server, figures]) => [server, middle(figures)]))
}

function rouxIn({ program, vault, scratch }, cache) {
  return new Client(process.execPath, [program, 'serve', vault], {
    XDG_CACHE_HOME: cache,
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
}

/** The biggest hub and its title, which every vault has. */
export async function chooseQuestion(parts) {
  const cache = mkdtempSync(join(parts.scratch, 'cache-'))
  const client = rouxIn(parts, cache)
  await client.initialize()
  const [{ value: hub }] = [await untilRight(client, 'get_hubs', { limit: 1 }, ['INDEX_BUILDING'])]
  await client.close()
  rmSync(cache, { recursive: true })
  return hub[0]
}

/** Repeats a call until nothing relevant is missing, because answers during indexing are not final. */
export async function untilRight(client, tool, args, missing, pause = 5) {
  for (;;) {
    const answer = await client.call(tool, args)
    if (!answer.warnings.some(({ code }) => missing.includes(code))) return answer
    await sleep(pause)
  }
}

async function startRoux({ question, after, ...parts }) {
  const cache = mkdtempSync(join(parts.scratch, 'cache-'))
  const backlinks = ['get_neighbors', { id: question.id, direction: 'in', limit: 50 }, ['INDEX_BUILDING']]
  const search = ['search', { query: question.title, limit: 5 }, MISSING]
  const figures = {}

  const cold = rouxIn(parts, cache)
  const { pid } = cold.process
  figures.initialize = await cold.initialize()
  const first = await untilRight(cold, ...backlinks)
  figures.coldBacklinks = first.arrived - cold.started
  figures.coldBacklinksPeak = peakOf(pid)
  // Polling is rare, because the server answers clients first, which slows its start down.
  figures.findable = (await untilRight(cold, ...search, 1_000)).arrived - cold.started
  figures.findableCpu = cpuOf(pid)
  figures.coldPeak = peakOf(pid)
  await callEverything(cold, question)
  figures.allPeak = peakOf(pid)
  if (after > 0) {
    await sleep(after * 1000)
    figures.laterResident = residentOf(pid)
    const before = busyOf(pid)
    await sleep(AT_REST)
    figures.laterCpu = ((busyOf(pid) - before) / AT_REST) * 100
  }
  await cold.close()

  const warm = rouxIn(parts, cache)
  figures.initializeWarm = await warm.initialize()
  const again = await untilRight(warm, ...backlinks)
  figures.warmBacklinks = again.arrived - warm.started
  if (JSON.stringify(again.value) !== JSON.stringify(first.value))
    throw new Error(`another answer: ${JSON.stringify(again.value)}`)
  await warm.close()

  const searching = rouxIn(parts, cache)
  await searching.initialize()
  figures.warmSearch = (await untilRight(searching, ...search)).arrived - searching.started
  figures.warmCpu = cpuOf(searching.process.pid)
  figures.warmPeak = peakOf(searching.process.pid)
  await searching.close()
  rmSync(cache, { recursive: true })
  return figures
}

/** The tools that only read. */
export async function callEverything(client, { id, title }) {
  const { value: nodes } = await client.call('list_nodes', { limit: 1000 })
  const other = nodes.nodes?.at(-1)?.id ?? id
  const calls = [
    ['get_hubs', { metric: 'pagerank' }],
    ['get_hubs', { metric: 'betweenness' }],
    ['get_node', { id, depth: 1 }],
    ['get_neighbors', { id, limit: 50, include_content: true }],
    ['find_path', { source: other, target: id, count: 3 }],
    ['search_by_tags', { tags: ['a'] }],
    ['random_node', {}],
    ['resolve_nodes', { names: [title, `${title.slice(0, 3)}x${title.slice(4)}`] }],
    ['nodes_exist', { ids: [id] }],
    ['list_tags', {}],
    ['get_tree', {}],
    ['get_problems', { limit: 20 }],
    ['find_nodes', { query: title.split(/\W+/, 1)[0] || title }],
    ['similar_nodes', { id }],
    ['search', { query: title }],
    ['search', { query: title, mode: 'semantic' }],
  ]
  for (const [tool, args] of calls) await client.call(tool, args)
}

/** Each peer works on its own copy, which it may write to. */
async function startPeer({ peer, vault, scratch }) {
  const home = mkdtempSync(join(scratch, 'peer-'))
  const folder = join(home, 'vault')
  mkdirSync(folder)
  cpSync(vault, folder, { recursive: true, filter: (path) => !path.includes('/.git') })
  const figures = {}
  for (const kind of ['cold', 'warm']) {
    const [command, ...args] = peer.command.map((word) => word.replaceAll('{vault}', folder))
    const client = new Client(command, args, { XDG_CACHE_HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }, folder)
    const { pid } = client.process
    const initialize = await client.initialize()
    figures[kind === 'cold' ? 'initialize' : 'initializeWarm'] = initialize
    for (const { figure, tool, args: given } of peer.asks) {
      const { message, arrived } = await client.request('tools/call', { name: tool, arguments: given })
      if (message.error || message.result.isError) throw new Error(`${peer.name}: ${JSON.stringify(message).slice(0, 500)}`)
      figures[`${kind}${figure}`] = arrived - client.started
    }
    if (kind === 'cold') {
      figures.coldBacklinksPeak = peakOf(pid)
      figures.findableCpu = await untilQuiet(pid)
      figures.coldPeak = peakOf(pid)
    }
    client.process.kill()
    await client.exited
  }
  rmSync(home, { recursive: true })
  return figures
}

/** @returns the CPU time of a start, once it stops rising */
async function untilQuiet(pid) {
  for (let before = cpuOf(pid); ; ) {
    await sleep(1_000)
    const now = cpuOf(pid)
    if (now - before < QUIET_CPU) return now
    before = now
  }
}

/** The figures as table rows: name, Roux, ratio, peers, target. */
export function startRows({ floors, roux, ...peers }) {
  const ms = (value) => (value === undefined ? '' : `${value.toFixed(0)} ms`)
  const percent = (value) => (value === undefined ? '' : `${value.toFixed(3)} %`)
  const mb = (value) => (value === undefined ? '' : `${value.toFixed(0)} MB`)
  const row = (label, figure, { unit = ms, floor, wanted }) => {
    const ratio = floor === undefined ? '' : `${(roux[figure] / floors[floor]).toFixed(1)} × ${FLOORS[floor]}`
    return [label, unit(roux[figure]), ratio, ...Object.values(peers).map((peer) => unit(peer[figure])), wanted]
  }
  return [
    ['bare `node -e 0`', ms(floors.bare), '', ...Object.keys(peers).map(() => ''), ''],
    ['reading every note', ms(floors.read), '', ...Object.keys(peers).map(() => ''), ''],
    row('start → `initialize`', 'initialize', { floor: 'bare', wanted: '≤ 2 × bare Node' }),
    row('start → first right backlinks, nothing cached', 'coldBacklinks', { floor: 'read', wanted: '≤ 5 × reading' }),
    row('start → first right backlinks, cache present', 'warmBacklinks', { floor: 'bare', wanted: '≤ 4 × bare Node' }),
    row('start → first right `search`, cache present', 'warmSearch', { floor: 'bare', wanted: '≤ 8 × bare Node' }),
    row('start → everything searchable, nothing cached', 'findable', { wanted: '' }),
    row('processor time until then', 'findableCpu', { wanted: '≤ 4 s' }),
    row('processor time until the first search, cache present', 'warmCpu', { wanted: '' }),
    row('peak memory at the first backlinks, nothing cached', 'coldBacklinksPeak', { unit: mb, wanted: '' }),
    row('peak memory when everything is searchable', 'coldPeak', { unit: mb, wanted: '≤ 160 MB' }),
    row('peak memory after every tool was called', 'allPeak', { unit: mb, wanted: '≤ 220 MB' }),
    row('memory some time later', 'laterResident', { unit: mb, wanted: '≤ 130 MB' }),
    row('share of a core then', 'laterCpu', { unit: percent, wanted: '≤ .05 %' }),
    row('peak memory after a first search, cache present', 'warmPeak', { unit: mb, wanted: '' }),
  ]
}

const FLOORS = { bare: 'bare Node', read: 'reading' }

/** The servers from the command line: `name=command`, and their calls, `name.figure=tool {json}`. */
export function parsePeers(peers, asks) {
  const figures = { backlinks: 'Backlinks', search: 'Search' }
  return peers.map((text) => {
    const [name, command] = split(text, '=')
    const own = asks.flatMap((ask) => {
      const [key, call] = split(ask, '=')
      const [peer, figure] = split(key, '.')
      if (peer !== name) return []
      const [tool, args] = split(call, ' ')
      return [{ figure: figures[figure], tool, args: JSON.parse(args || '{}') }]
    })
    return { name, command: command.trim().split(/\s+/), asks: own }
  })
}

function split(text, mark) {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}
