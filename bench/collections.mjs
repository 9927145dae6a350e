// Scores retrieval through the built server: `node bench/collections.mjs <folder of collections> [--only cacm,scifact] [--set key=value]…`.
//
// A collection is a folder with `corpus.jsonl` ({id, title, text}), `queries.jsonl` ({id, text}) and `qrels.tsv` (query-id, corpus-id,
// score). Each document becomes a note with its title as a property, in a temporary vault. The benchmark talks to the server over stdio,
// like a client, and sends every query to `search` twice, by words and by words and meaning, for ten results each. Prints nDCG@10 (linear
// gain, as trec_eval's ndcg_cut; queries without a judgment above 0 are skipped) with 95 % bootstrap intervals, MRR@10, and the time of a
// call.
//
// `--set embedder.kind=transformers --set embedder.model=<folder>` uses another model (minutes: it embeds every document), `--modes
// semantic` selects other modes, `--relevance` another preset, `--json <file>` saves the figures of every query, `--repeats` repeats the
// calls for steadier times, `--program` measures another build, and `--compare <file>` prints the difference from saved figures, query by
// query, which is more precise than comparing two overlapping intervals. `--names number`, `--names zettel` or `--names date` names notes
// `d123`, `202403011015` or `2024-03-01`; their titles become the first line of the text.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, quantile } from './client.mjs'
import { bootstrap, DEPTH, mean, openServer, score } from './retrieval.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    modes: { type: 'string', default: 'keyword,hybrid' },
    relevance: { type: 'string', default: 'normal' },
    set: { type: 'string', multiple: true, default: [] },
    repeats: { type: 'string', default: '1' },
    json: { type: 'string' },
    compare: { type: 'string' },
    names: { type: 'string', default: 'title' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing folder. Usage: node bench/collections.mjs <folder>')
  process.exit(2)
}
const root = resolve(positionals[0])
const modes = options.modes.split(',')

const names = readdirSync(root).filter((name) => existsSync(join(root, name, 'corpus.jsonl')))
const chosen = options.only === undefined ? names : options.only.split(',')
const scratch = mkdtempSync(join(tmpdir(), 'roux-collections-'))
const scored = []
try {
  for (const name of chosen) scored.push(await scoreCollection(name))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
print()
if (options.compare) printDifference(JSON.parse(readFileSync(options.compare, 'utf8')))
if (options.json) writeFileSync(options.json, JSON.stringify(scored))

async function scoreCollection(name) {
  const folder = join(root, name)
  const { vault, ids } = writeVault(name, readLines(join(folder, 'corpus.jsonl')))
  const qrels = readQrels(join(folder, 'qrels.tsv'))
  const queries = readLines(join(folder, 'queries.jsonl')).filter(({ id }) =>
    [...(qrels.get(id)?.values() ?? [])].some((gain) => gain > 0),
  )
  const { client, searchable } = await openServer({ program: options.program, vault, scratch, settings: options.set })
  const legs = []
  for (const mode of modes) {
    const figures = []
    const times = []
    for (let round = 0; round < Number(options.repeats); round++) {
      for (const { id, text } of queries) {
        const { value, ms } = await client.call('search', { query: text, mode, relevance: options.relevance, limit: DEPTH })
        times.push(ms)
        if (round > 0) continue
        const found = value.map((hit) => ids.get(hit.id) ?? hit.id)
        figures.push({ id, ...score(found, qrels.get(id)) })
      }
    }
    legs.push({ mode, figures, times })
  }
  await client.close()
  console.error(
    `${name}: ${ids.size} documents, ${queries.length} queries, everything found after ${(searchable / 1_000).toFixed(1)} s`,
  )
  return { name, legs }
}

/** One note per document, a hundred per folder. */
function writeVault(name, documents) {
  const vault = join(scratch, name)
  const ids = new Map()
  documents.forEach(({ id, title, text }, at) => {
    const folder = String(Math.floor(at / 100))
    const path = `${folder}/${nameOf(at)}.md`
    if (at % 100 === 0) mkdirSync(join(vault, folder), { recursive: true })
    const heading = options.names === 'title' ? `---\ntitle: ${JSON.stringify(title)}\n---\n` : `${title}\n\n`
    writeFileSync(join(vault, path), `${title ? heading : ''}${text ?? ''}\n`)
    ids.set(path, id)
  })
  return { vault, ids }
}

function nameOf(at) {
  const time = new Date(Date.UTC(2010, 0, 1) + at * 86_400_000).toISOString()
  if (options.names === 'number') return `d${at}`
  if (options.names === 'date') return time.slice(0, 10)
  return options.names === 'zettel' ? `${time.slice(0, 10).replaceAll('-', '')}1015` : `document-${at}`
}

function readLines(path) {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line))
}

function readQrels(path) {
  const qrels = new Map()
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1)) {
    const [query, document, gain] = line.trim().split(/\s+/)
    if (gain === undefined) continue
    if (!qrels.has(query)) qrels.set(query, new Map())
    qrels.get(query).set(document, Number(gain))
  }
  return qrels
}

/** Mean over collections of the mean over queries, with a 95 % interval. */
function interval(lists) {
  const [low, high] = bootstrap(lists)
  return `${show(mean(lists.map(mean)))} [${show(low)}, ${show(high)}]`
}

function show(value) {
  return value.toFixed(4).replace(/^0/, '')
}

function print() {
  const legOf = (collection, mode) => collection.legs.find((leg) => leg.mode === mode)
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  console.log(
    `roux ${version} · ${options.set.join(' ') || 'default settings'} · Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${new Date().toISOString().slice(0, 10)}\n`,
  )
  console.log(`| nDCG@10 [95 %] | ${modes.join(' | ')} | MRR@10 | p50 / p99 of a call |`)
  console.log(`|---|${modes.map(() => '---|').join('')}---|---|`)
  const row = (name, collections) => {
    const cells = modes.map((mode) => interval(collections.map((each) => legOf(each, mode).figures.map(({ ndcg }) => ndcg))))
    const mrr = modes.map((mode) => show(mean(collections.map((each) => mean(legOf(each, mode).figures.map((one) => one.mrr))))))
    const times = collections.flatMap(({ legs }) => legs.flatMap((leg) => leg.times))
    const time = `${median(times).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)} ms`
    console.log(`| ${name} | ${cells.join(' | ')} | ${mrr.join(' · ')} | ${time} |`)
  }
  for (const collection of scored) row(collection.name, [collection])
  if (scored.length > 1) row('mean', scored)
}

function printDifference(before) {
  const figuresOf = (name, mode, legs) => legs.find((each) => each.name === name)?.legs.find((leg) => leg.mode === mode)?.figures
  const row = (name, collections) => {
    const cells = modes.map((mode) => {
      const lists = collections.map((each) => {
        const old = new Map(figuresOf(each.name, mode, before)?.map(({ id, ndcg }) => [id, ndcg]))
        return figuresOf(each.name, mode, scored).map(({ id, ndcg }) => ndcg - old.get(id))
      })
      return interval(lists)
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  console.log(`\n| nDCG@10 less that of ${options.compare} | ${modes.join(' | ')} |\n|---|${modes.map(() => '---|').join('')}`)
  for (const collection of scored) row(collection.name, [collection])
  if (scored.length > 1) row('mean', scored)
}
