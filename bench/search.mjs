// Measures search from outside: `node bench/search.mjs <vault> [--calls 200] [--rounds 3] [--set key=value]… [--only
// starts,calls,edits,hostile]`.
//
// Talks to the built server over stdio, like a client, on a copy of the vault with its own cache:
// starts nothing cached: time until words and until meaning are complete, latency of the graph tools meanwhile, compared with
// `embedder.kind=none`; peak memory, cold and warm; sizes on disk
// calls `search` and `find_nodes` with questions made of the vault's own words, idle, and while notes are being embedded
// edits after writing one note: time until its new word is found, and until it is found by meaning
// hostile a query of 320 KB, of 20,000 words, of 10,000 operators, one word of 1 MB: latency of each, and of a small concurrent call
// `--program` measures another build.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client, median, quantile } from './client.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    set: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: 'starts,calls,edits,hostile' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: node bench/search.mjs <vault>')
  process.exit(2)
}
/** What a search index lacks, according to its answers. */
const MISSING = { words: ['INDEX_BUILDING'], meaning: ['INDEX_BUILDING', 'EMBEDDING', 'FALLBACK'] }
const calls = Number(options.calls)
const scratch = mkdtempSync(join(tmpdir(), 'roux-search-'))
const vault = join(scratch, 'vault')
cpSync(resolve(positionals[0]), vault, { recursive: true, filter: (path) => !path.includes('/.git') })
const questions = makeQuestions()
const rows = []
const clients = []
const PARTS = { starts: measureStarts, calls: measureCalls, edits: measureEdits, hostile: measureHostile }
try {
  for (const part of options.only.split(',')) await PARTS[part]()
} finally {
  // After a failure, servers may still be running and writing.
  for (const client of clients) client.process.kill()
  await Promise.all(clients.map((client) => client.exited))
  rmSync(scratch, { recursive: true, force: true })
}
print()

function serve(cache, settings = options.set) {
  const set = settings.flatMap((setting) => ['--set', setting])
  const client = new Client(process.execPath, [resolve(options.program), 'serve', vault, ...set], {
    XDG_CACHE_HOME: join(scratch, cache),
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
  clients.push(client)
  return client
}

/** Asks until the index lacks nothing. @returns milliseconds since the start of the server. */
async function findable(client, by) {
  for (;;) {
    const mode = by === 'words' ? 'keyword' : 'hybrid'
    const { warnings, arrived } = await client.call('search', { query: questions[0], mode, limit: 1 })
    if (!warnings.some(({ code, message }) => MISSING[by].includes(code) && !/Did you mean/.test(message)))
      return arrived - client.started
    await sleep(25)
  }
}

async function measureStarts() {
  const taken = { hubs: [], bare: [], words: [], meaning: [], cold: [], warm: [], warmMeaning: [] }
  for (let round = 0; round < Number(options.rounds); round++) {
    const bare = serve(`bare-${round}`, [...options.set, 'embedder.kind=none'])
    taken.bare.push(await firstHubs(bare))
    await bare.close()
    const cold = serve(`start-${round}`)
    taken.hubs.push(await firstHubs(cold))
    taken.words.push(await findable(cold, 'words'))
    taken.meaning.push(await findable(cold, 'meaning'))
    for (const query of questions.slice(0, 20)) await cold.call('search', { query })
    taken.cold.push(cold.peak())
    await cold.close()
    const warm = serve(`start-${round}`)
    await warm.initialize()
    taken.warmMeaning.push(await findable(warm, 'meaning'))
    for (const query of questions.slice(0, 20)) await warm.call('search', { query })
    taken.warm.push(warm.peak())
    await warm.close()
  }
  rows.push(['start → first complete `get_hubs`, nothing cached', ms(median(taken.hubs)), ''])
  rows.push(['the same with `embedder.kind=none`', ms(median(taken.bare)), ''])
  rows.push(['start → everything found by word', ms(median(taken.words)), '≤ 3 s'])
  rows.push(['start → everything found by meaning', ms(median(taken.meaning)), '≤ 12 s'])
  rows.push(['start → everything found by meaning, cached', ms(median(taken.warmMeaning)), ''])
  rows.push(['peak memory, cold', `${median(taken.cold).toFixed(0)} MB`, '≤ 280 MB'])
  rows.push(['peak memory, warm', `${median(taken.warm).toFixed(0)} MB`, '≤ 200 MB'])
  for (const [name, bytes] of diskSizes('start-0')) rows.push([`on disk: ${name}`, `${(bytes / 2 ** 20).toFixed(1)} MB`, ''])
}

async function firstHubs(client) {
  await client.initialize()
  for (;;) {
    const { warnings, arrived } = await client.call('get_hubs', { limit: 5 })
    if (!warnings.some(({ code }) => code === 'INDEX_BUILDING')) return arrived - client.started
    await sleep(10)
  }
}

async function measureCalls() {
  const busy = serve('busy')
  await busy.initialize()
  await findable(busy, 'words')
  const while_ = { search: [], find_nodes: [] }
  for (let at = 0; ; at++) {
    const query = questions[at % questions.length]
    const { ms: searched, warnings } = await busy.call('search', { query })
    if (!warnings.some(({ code }) => code === 'EMBEDDING')) break
    while_.search.push(searched)
    while_.find_nodes.push((await busy.call('find_nodes', { query: asWords(query) })).ms)
    await sleep(10)
  }
  await findable(busy, 'meaning')
  for (const query of questions.slice(0, 20)) {
    await busy.call('search', { query })
    await busy.call('find_nodes', { query: asWords(query) })
  }
  const idle = { search: [], 'search by words': [], find_nodes: [], similar_nodes: [] }
  const { value: hubs } = await busy.call('get_hubs', { limit: 20 })
  for (let at = 0; at < calls; at++) {
    const query = questions[at % questions.length]
    idle.search.push((await busy.call('search', { query })).ms)
    idle['search by words'].push((await busy.call('search', { query, mode: 'keyword' })).ms)
    idle.find_nodes.push((await busy.call('find_nodes', { query: asWords(query) })).ms)
    idle.similar_nodes.push((await busy.call('similar_nodes', { id: hubs[at % hubs.length].id })).ms)
  }
  await busy.close()
  for (const [name, taken] of Object.entries(idle))
    rows.push([`${name}, idle (${taken.length} calls)`, spread(taken), '≤ 8 / 40 ms'])
  for (const [name, taken] of Object.entries(while_)) {
    rows.push([
      `${name}, while embedding (${taken.length} calls)`,
      taken.length === 0 ? 'done before the first' : spread(taken),
      '≤ 8 / 40 ms',
    ])
  }
}

async function measureEdits() {
  const client = serve('edits')
  await client.initialize()
  await findable(client, 'meaning')
  await sleep(1_500)
  const taken = { words: [], meaning: [] }
  const topics = [
    'a recipe for sourdough bread',
    'the orbit of a distant planet',
    'how a violin is tuned',
    'rules of a chess opening',
  ]
  const [path] = notesOf(vault)
  const original = readFileSync(join(vault, path), 'utf8')
  for (let edit = 0; edit < 20; edit++) {
    const word = `zq${edit}x${Date.now().toString(36)}`
    writeFileSync(join(vault, path), `# ${word}\n\nThis is about ${topics[edit % topics.length]}.\n`)
    const written = performance.now()
    taken.words.push((await until(client, { query: word, mode: 'keyword' }, path)) - written)
    taken.meaning.push(
      (await until(client, { query: topics[edit % topics.length], mode: 'semantic' }, path, topics[edit % topics.length])) -
        written,
    )
    await sleep(200)
  }
  writeFileSync(join(vault, path), original)
  await client.close()
  rows.push(['one edited note → its new word found', spread(taken.words), '≤ 400 ms'])
  rows.push(['one edited note → its new meaning found', spread(taken.meaning), '≤ 400 ms'])
}

/** Asks until a note is found with a passage that contains `text`. @returns the time of the answer. */
async function until(client, args, path, text) {
  const id = path.toLowerCase()
  const began = performance.now()
  for (;;) {
    const { value, arrived, warnings } = await client.call('search', { ...args, limit: 20, relevance: 'loose' })
    const hit = value.find((one) => one.id === id)
    const isNew =
      warnings.every(({ code }) => code !== 'EMBEDDING') && (text === undefined || hit?.passages?.[0]?.text.includes(text))
    if (hit !== undefined && isNew) return arrived
    if (arrived - began > 20_000) throw new Error(`${JSON.stringify(args)} does not find ${path}`)
    await sleep(5)
  }
}

async function measureHostile() {
  const client = serve('edits')
  await client.initialize()
  await findable(client, 'meaning')
  for (const query of questions.slice(0, 20)) await client.call('search', { query })
  const filler = questions.join(' ')
  const hostile = {
    '320 KB': filler.repeat(Math.ceil(320_000 / filler.length)).slice(0, 320_000),
    '20,000 words': Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' '),
    '10,000 operators': Array.from({ length: 10_000 }, (_, at) => (at % 2 ? `-tag:t${at}` : `title:w${at} OR`)).join(' '),
    '5,000 open brackets': '('.repeat(5_000),
    'one word of 1 MB': 'a'.repeat(2 ** 20),
    '10,000 characters of words': filler.repeat(20).slice(0, 9_999),
    '10,000 characters, one word': 'ab'.repeat(4_999),
  }
  for (const [name, query] of Object.entries(hostile)) {
    for (const tool of ['search', 'find_nodes']) {
      const taken = []
      const beside = []
      let outcome = ''
      for (let round = 0; round < 5; round++) {
        const sent = performance.now()
        const [{ message, arrived }, small] = await Promise.all([
          client.request('tools/call', { name: tool, arguments: { query } }),
          client.call('list_tags', { limit: 1 }).catch(() => client.call('get_hubs', { limit: 1 })),
        ])
        taken.push(arrived - sent)
        beside.push(small.ms)
        outcome = message.error || message.result.isError ? 'an error' : 'an answer'
      }
      rows.push([
        `${tool}, ${name}: ${outcome}`,
        `${ms(median(taken))}, longest ${ms(Math.max(...taken))}; beside it ${ms(median(beside))}`,
        '≤ 200 ms',
      ])
    }
  }
  await client.close()
}

/** Questions of three to six consecutive words from some note, the same for the same vault. */
function makeQuestions() {
  const notes = notesOf(vault)
  const made = []
  for (let at = 0; made.length < 100 && at < 2_000; at++) {
    const note = notes[(at * 7_919) % notes.length]
    const words = readFileSync(join(vault, note), 'utf8').match(/\p{L}{3,}/gu) ?? []
    const from = (at * 104_729) % Math.max(1, words.length - 6)
    if (words.length >= 12) made.push(words.slice(from, from + 3 + (at % 4)).join(' '))
  }
  return made
}

/** Makes a question valid for `find_nodes`: plain words, not all of them operators. */
function asWords(question) {
  return question
    .split(' ')
    .slice(0, 3)
    .map((word) => word.toLowerCase())
    .join(' ')
}

function notesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.md') && !path.split('/').some((part) => part.startsWith('.')))
    .sort()
}

function diskSizes(cache) {
  const folder = join(scratch, cache)
  const sizes = new Map([['notes', notesOf(vault).reduce((sum, path) => sum + statSync(join(vault, path)).size, 0)]])
  for (const path of readdirSync(folder, { recursive: true })) {
    const stat = statSync(join(folder, path))
    if (!stat.isFile()) continue
    const name = path
      .split('/')
      .at(-1)
      .replace(/-[0-9a-f-]+\.db.*/, '')
    sizes.set(name, (sizes.get(name) ?? 0) + stat.size)
  }
  return sizes
}

function sleep(time) {
  return new Promise((done) => setTimeout(done, time))
}

function ms(value) {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

function spread(taken) {
  return `${median(taken).toFixed(1)} / ${quantile(taken, 0.99).toFixed(1)} ms`
}

function print() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  console.log(
    `roux ${version} · ${positionals[0].split('/').findLast((part) => part !== '')} (${notesOf(positionals[0]).length} notes) · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${new Date().toISOString().slice(0, 10)}\n`,
  )
  console.log('| figure | value (p50 / p99) | wanted |\n|---|---|---|')
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}
