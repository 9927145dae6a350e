// Compares the answers of two servers of one vault.
import { setTimeout as sleep } from 'node:timers/promises'
import { runBundled } from '../run-bundled.mjs'

const { readingCalls } = await runBundled('../test/support/reading-calls.ts')

/** Tools whose answers depend on the past, because communities keep their names and members. */
const HISTORICAL = new Set(['map', 'gaps', 'suggest_links'])
/** Warnings after which the answer may still change. */
const UNFINISHED = new Set(['STALE', 'INDEX_BUILDING', 'EMBEDDING'])
/**
 * Members that differ between servers. For example, an index keeps the earliest creation time of a note that is saved by
 * replacing its file.
 */
const OWN = new Set(['created', 'plan_id', 'cursor'])
const TRIES = 100
const MOST_SHOWN = 5

/** Results that are computed when a tool first needs them, and that change the answers of other tools. */
const COMPUTED = [
  ['search', { query: 'all' }],
  ['map', {}],
  ['get_hubs', { metric: 'pagerank' }],
  ['get_hubs', { metric: 'betweenness' }],
]

/** Repeats the calls until everything that answers depend on is computed. */
export async function computeAll(client) {
  for (const call of COMPUTED) await finalAnswer(client, call)
}

/** Calls every read tool of both servers. Returns the first differences between their answers, and the number of the others. */
export async function compareAnswers(ours, fresh) {
  for (const client of [ours, fresh]) await computeAll(client)
  const calls = readingCalls(await sampleOf(fresh)).filter(([tool]) => !HISTORICAL.has(tool))
  const differences = []
  for (const call of calls) {
    const [one, other] = [await finalAnswer(ours, call), await finalAnswer(fresh, call)]
    if (one !== other) differences.push(differenceOf(call, one, other))
  }
  const more = differences.length - MOST_SHOWN
  return { asked: calls.length, differences: [...differences.slice(0, MOST_SHOWN), ...(more > 0 ? [`${more} more differ`] : [])] }
}

async function finalAnswer(client, [tool, args]) {
  for (let tries = 0; ; tries++) {
    const { value, warnings, error } = await client.call(tool, args).catch((error) => ({ error: error.message }))
    if (error !== undefined) return error
    const isUnfinished = warnings.some(({ code, message }) => UNFINISHED.has(code) || message.includes('Ask again'))
    const told = JSON.stringify({ value, warnings }, (key, one) => (OWN.has(key) ? undefined : one))
    if (!isUnfinished || tries === TRIES) return told
    await sleep(200)
  }
}

function differenceOf([tool, args], ours, fresh) {
  let at = 0
  while (ours[at] === fresh[at]) at++
  const around = (text) => text.slice(Math.max(0, at - 60), at + 100)
  return `another answer of ${tool} ${JSON.stringify(args)}\n    ${around(ours)}\n    ${around(fresh)}`
}

/** Notes and names from across the vault. */
async function sampleOf(client) {
  const list = async (args) => (await client.call('list_nodes', { limit: 1000, max_tokens: 50_000, ...args })).value.nodes
  const notes = await list({})
  const picked = notes.filter((_, at) => at % Math.max(1, Math.floor(notes.length / 12)) === 0).slice(0, 12)
  const titles = picked.map(({ title }) => title)
  const folders = picked.flatMap(({ id }) => (id.includes('/') ? [id.slice(0, id.lastIndexOf('/'))] : []))
  return {
    ids: picked.map(({ id }) => id),
    titles,
    missing: (await list({ kinds: ['missing'] })).slice(0, 5).map(({ id }) => id),
    folders: [...new Set(folders)].slice(0, 4),
    tags: (await client.call('list_tags')).value.map(({ tag }) => tag),
    properties: (await client.call('list_properties')).value.properties.slice(0, 6).map(({ key }) => key),
    words: [...new Set(titles.flatMap((title) => title.match(/\p{L}{4,}/gu) ?? []))].slice(0, 8),
    files: [],
    sections: [],
  }
}
