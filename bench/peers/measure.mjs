import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { bareNode, median } from '../client.mjs'
import { readVault } from '../oracle/oracle.mjs'
import { peakOf } from '../process-tree.mjs'
import { foldPath, names, World } from './server.mjs'

/** The number of notes whose backlinks are compared, and of those whose answers are counted in tokens. */
const COMPARED = 40
const COUNTED = 5
/** The time within which a note must be found after a start and after an edit, in milliseconds. */
const FOUND = 30_000
const FRESH = 15_000
/** The number of notes that are edited. */
const EDITED = 3

/**
 * Measures all servers on a vault, in alternation.
 * @returns figures by server: times in ms with their ratios to bare Node of the same round, memory in MB, sizes in tokens
 */
export async function measureVault({ vault, path, servers, places, rounds }) {
  const sample = sampleOf(path)
  const taken = Object.fromEntries(servers.map(({ name }) => [name, { starts: [] }]))
  const worlds = servers.map((server) => new World(server, path, places))
  for (const world of worlds) taken[world.server.name].prepared = world.prepare()
  const ready = worlds.filter(({ server }) => typeof taken[server.name].prepared === 'number')
  for (let round = 0; round < rounds; round++) {
    const bare = bareNode()
    for (const world of ready) {
      console.error(`${vault}, round ${round + 1}: ${world.server.name}`)
      const isLast = round === rounds - 1
      try {
        const one = await measureStart({ world, sample, isLast })
        taken[world.server.name].starts.push({ ...one, bare })
        if (isLast) taken[world.server.name].touched = world.touched(one.edited)
      } catch (error) {
        taken[world.server.name].fault = error.message
      }
    }
  }
  for (const world of worlds) world.remove()
  return Object.fromEntries(servers.map(({ name }) => [name, { [vault]: { ...summary(taken[name]), notes: sample.notes } }]))
}

/** Notes with links to them, spread over the vault, and the links according to the independent extractor. */
function sampleOf(path) {
  const { nodes, edges } = readVault(path)
  const notes = new Map(nodes.filter(({ kind, excluded }) => kind === 'note' && !excluded).map((node) => [node.id, node]))
  const into = new Map()
  for (const { source, target } of edges) {
    if (source === target || !notes.has(source) || !notes.has(target)) continue
    into.set(target, (into.get(target) ?? new Set()).add(foldPath(notes.get(source).path)))
  }
  // Every server writes such paths so that they can be found in a text, and lists this many links at once.
  const titles = [...notes.values()].map(({ path: one }) => foldPath(titleOf(one)))
  const isOnlyOne = (title) => titles.indexOf(title) === titles.lastIndexOf(title)
  const fit = [...into]
    .filter(([id, from]) => isPlain(notes.get(id).path) && from.size <= 40 && isOnlyOne(foldPath(titleOf(notes.get(id).path))))
    .sort()
  const step = Math.max(1, Math.floor(fit.length / COMPARED))
  const chosen = fit.filter((_, at) => at % step === 0).slice(0, COMPARED)
  return {
    notes: notes.size,
    // Files that the vault's settings exclude may be listed or not.
    excluded: new Set(nodes.filter(({ excluded }) => excluded).map((node) => foldPath(node.path))),
    about: chosen.map(([id, from]) => ({ path: notes.get(id).path, query: titleOf(notes.get(id).path), from })),
  }
}

const isPlain = (path) => /^[\w -]+\/[\w/ -]+\.md$/.test(path) && !/archive/i.test(path)
const titleOf = (path) => path.replace(/^.*\//, '').replace(/\.md$/, '')

/** Measures one start. The last one also asks everything else. */
async function measureStart({ world, sample, isLast }) {
  const asked = world.start()
  try {
    const initialize = await asked.initialize()
    const [first] = sample.about
    const answer = await untilNamed(asked, first, FOUND)
    const one = { initialize, answer: answer && answer - asked.client.started }
    if (!isLast) return one
    const sizes = await measureSizes(asked, sample)
    const links = world.server.backlinks && (await compareLinks(asked, sample))
    const memory = peakOf(asked.client.process.pid)
    const fresh = await measureFreshness(world, asked, sample)
    return { ...one, sizes, links, memory, fresh, edited: fresh.edited }
  } finally {
    await asked.close()
  }
}

/** Repeats a question until the answer names the note. Returns the time of that answer, or `undefined`. */
async function untilNamed(asked, note, ms) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) {
    const { text, isError, arrived } = await asked.ask('search', note)
    if (!isError && names(text, note.path)) return arrived
  }
  return undefined
}

async function measureSizes(asked, { about }) {
  const sizes = { tools: encode(JSON.stringify(await asked.tools())).length }
  for (const question of ['search', 'read', 'backlinks']) {
    if (asked.server[question] === undefined) continue
    const counts = []
    for (const note of about.slice(0, COUNTED)) {
      const { text, isError } = await asked.ask(question, note)
      if (!isError) counts.push(encode(text).length)
    }
    sizes[question] = counts.length === 0 ? undefined : median(counts)
  }
  return sizes
}

async function compareLinks(asked, { about, excluded }) {
  const sum = { found: 0, right: 0, wanted: 0 }
  for (const { path, from } of about) {
    const given = [...((await asked.backlinks(path)) ?? [])].filter((one) => !excluded.has(one))
    sum.found += given.length
    sum.wanted += from.size
    sum.right += given.filter((one) => from.has(one)).length
  }
  return { precision: sum.right / sum.found, recall: sum.right / sum.wanted, wanted: sum.wanted }
}

/**
 * Returns the milliseconds from an edit of a note until a search finds it, as the median of some edits. If it is not found,
 * returns the time that was spent waiting.
 */
async function measureFreshness(world, asked, { about }) {
  const taken = []
  for (const { path } of about.slice(0, EDITED)) {
    const query = `zyzzyva${taken.length}quux`
    appendFileSync(join(world.vault, path), `\n\nA new sentence about ${query}.\n`)
    const edited = performance.now()
    const seen = await untilNamed(asked, { path, query }, FRESH)
    if (seen === undefined) return { missed: FRESH, edited: taken.length + 1 }
    taken.push(seen - edited)
  }
  return { ms: median(taken), edited: EDITED }
}

function summary({ starts, prepared, fault, touched }) {
  const [first, ...later] = starts
  const { sizes, links, memory, fresh } = starts.at(-1) ?? {}
  const middle = (figure, of) => {
    const all = of.filter((one) => one[figure] !== undefined)
    if (all.length < of.length || of.length === 0) return undefined
    return { ms: median(all.map((one) => one[figure])), ratio: median(all.map((one) => one[figure] / one.bare)) }
  }
  const times = {
    initialize: middle('initialize', starts),
    firstAnswer: first && middle('answer', [first]),
    answer: later.length === 0 ? null : middle('answer', later),
  }
  return { rounds: starts.length, prepared, fault, touched, ...times, sizes, links, memory, fresh }
}
