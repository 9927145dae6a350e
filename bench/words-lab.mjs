/**
 * Measures the keyword index on its own, in memory, without store and server.
 *
 * Usage: node bench/words-lab.mjs [<collections>] [--table] [--vault <folder>]
 *
 * `<collections>`: a folder of folders with `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv`; prints nDCG@10
 * of each and the mean, with `--table` for other settings too. `--vault` prints size and speed over the notes of a folder.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const MODULES = [
  'analyse-note',
  'analyze',
  'index/builder',
  'index/header',
  'index/merge',
  'query',
  'scan',
  'scoring',
  'snippet',
  'stem',
  'index/word-index',
]
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { table: { type: 'boolean' }, vault: { type: 'string' } },
})
if (positionals.length === 0 && options.vault === undefined) {
  console.error('Which collections? node bench/words-lab.mjs <collections> [--table] [--vault <folder>]')
  process.exit(2)
}
const words = await loadWords()
if (positionals[0] !== undefined) measureQuality(positionals[0])
if (options.vault !== undefined) measureSpeed(options.vault)

/** The sources as one module. */
async function loadWords() {
  const folder = mkdtempSync(join(tmpdir(), 'roux-words-'))
  const outfile = join(folder, 'words.mjs')
  const contents = MODULES.map((name) => `export * from './${name}.ts'`).join('\n')
  const resolveDir = fileURLToPath(new URL('../src/search/words', import.meta.url))
  await build({ stdin: { contents, resolveDir }, bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile })
  const loaded = await import(pathToFileURL(outfile).href)
  rmSync(folder, { recursive: true })
  return loaded
}

/** Pages kept as arrays, looked up by halving. */
function memoryPages() {
  const segments = new Map()
  const lastUpTo = (pages, key) => {
    let low = 0
    let high = pages.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (Buffer.compare(pages[middle].first, key) <= 0) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  return {
    put: (segment, pages) => segments.set(segment, pages),
    all: (segment) => segments.get(segment).map(({ data }) => data),
    page: (segment, key) => segments.get(segment)[lastUpTo(segments.get(segment), key)]?.data,
    *pages(segment, from, to) {
      const pages = segments.get(segment)
      for (let at = Math.max(0, lastUpTo(pages, from)); at < pages.length; at++) {
        if (Buffer.compare(pages[at].first, to) >= 0) return
        yield pages[at].data
      }
    },
  }
}

function buildIndex(documents) {
  const builder = new words.SegmentBuilder(words.stemOf)
  for (const { key, stamp, fields } of documents) builder.add({ key, stamp, ...words.analyseNote(fields) })
  const pages = memoryPages()
  pages.put(1, [...builder.pages()])
  const index = new words.WordIndex(pages, () => 1)
  index.setSegments([{ id: 1, header: builder.header() }])
  return { index, pages, header: builder.header() }
}

function toDocument(key, title, body) {
  return { key, stamp: 1, fields: { title: [title], headings: [], body, tags: [], properties: [] } }
}

function measureQuality(root) {
  const collections = readdirSync(root)
    .filter((name) => existsSync(join(root, name, 'qrels.tsv')))
    .map((name) => readCollection(join(root, name)))
  console.log(['setting'.padEnd(34), ...collections.map(({ name }) => name.padStart(10)), '      mean'].join(''))
  for (const [name, setting] of options.table ? alternatives() : [['as shipped', {}]]) {
    const scores = collections.map((collection) => scoreCollection(collection, setting))
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
    console.log([name.padEnd(34), ...[...scores, mean].map((score) => score.toFixed(4).padStart(10))].join(''))
  }
}

function readCollection(folder) {
  const lines = (name) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  const documents = lines('corpus.jsonl').map((line) => JSON.parse(line))
  const judged = new Map()
  for (const line of lines('qrels.tsv').slice(1)) {
    const [query, document, gain] = line.split('\t')
    if (Number(gain) <= 0) continue
    if (!judged.has(query)) judged.set(query, new Map())
    judged.get(query).set(document, Number(gain))
  }
  const queries = lines('queries.jsonl').map((line) => JSON.parse(line))
  const { index } = buildIndex(documents.map(({ title, text }, key) => toDocument(key, title, text)))
  return { name: basename(folder), index, ids: documents.map(({ id }) => String(id)), queries, judged }
}

function scoreCollection({ index, ids, queries, judged }, { scoring = {}, terms = (list) => list }) {
  const { title, body } = words.DEFAULT_SCORING
  const used = { title: { ...title, ...scoring.title }, body: { ...body, ...scoring.body } }
  let sum = 0
  for (const { id, text } of queries) {
    const gains = judged.get(String(id))
    if (gains === undefined) continue
    const { hits } = index.rank(terms(words.queryTerms(text), text), { limit: 10, scoring: used })
    sum += normalisedGain(
      hits.map(({ key }) => gains.get(ids[key]) ?? 0),
      [...gains.values()],
    )
  }
  return sum / judged.size
}

/** nDCG@10 with linear gains. */
function normalisedGain(found, all) {
  const gain = (list) => list.slice(0, 10).reduce((sum, value, at) => sum + value / Math.log2(at + 2), 0)
  return gain(found) / gain([...all].sort((a, b) => b - a))
}

function alternatives() {
  const body = (name, values) => values.map((value) => [`body ${name} ${value}`, { scoring: { body: { [name]: value } } }])
  const title = (name, values) => values.map((value) => [`title ${name} ${value}`, { scoring: { title: { [name]: value } } }])
  return [
    ['as shipped', {}],
    ...body('k1', [0.9, 1.2, 1.5, 1.8, 2.1]),
    ...body('b', [0.3, 0.45, 0.6, 0.75, 0.9]),
    ...title('weight', [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3]),
    ...title('k1', [0.6, 0.9, 1.2, 1.5, 2]),
    ...title('b', [0, 0.25, 0.5, 0.75, 1]),
    ['stop words kept', { terms: (_, text) => withStopWords(text) }],
    ['no stems', { terms: (list) => list.map((term) => ({ ...term, match: 'form' })) }],
    ['repeated words count once', { terms: (list) => list.map((term) => ({ ...term, count: 1 })) }],
    ['parts always', { terms: (list) => list.flatMap((term) => [term, ...term.parts]) }],
  ]
}

function withStopWords(text) {
  const found = new Map()
  for (const { form, stem, kind } of words.analyze(text))
    if (kind === 'word') found.set(stem, words.toTerm({ form, stem }, 'stem'))
  return [...found.values()]
}

function measureSpeed(vault) {
  const notes = readNotes(vault)
  const bytes = notes.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  const documents = notes.map(({ title, body }, key) => toDocument(key, title, body))
  console.log(`${notes.length} notes, ${megabytes(bytes)} MB`)
  const scan = median(5, () => documents.reduce((sum, { fields }) => words.scanWords(fields.body, () => {}, sum), 0))
  console.log(`scan   ${scan.toFixed(0)} ms, ${(bytes / 1e3 / scan).toFixed(1)} MB/s`)
  console.log(`build  ${median(5, () => buildIndex(documents)).toFixed(0)} ms`)
  const { index, pages, header } = buildIndex(documents)
  const size = pages.all(1).reduce((sum, page) => sum + page.length, words.packHeader(header).length)
  console.log(`size   ${megabytes(size)} MB, ${((100 * size) / bytes).toFixed(1)} % of the text, ${pages.all(1).length} pages`)
  measureMerge(documents)
  measureQueries(index, notes)
}

function measureMerge(documents) {
  const parts = Array.from({ length: 8 }, (_, part) => buildIndex(documents.filter((_, at) => at % 8 === part)))
  const sources = parts.map(({ pages, header }) => ({ header, pages: pages.all(1) }))
  let longest = 0
  const time = median(5, () => {
    const merge = words.mergeSegments(
      sources,
      () => true,
      () => {},
    )
    for (let from = performance.now(), step = merge.next(); !step.done; step = merge.next()) {
      longest = Math.max(longest, performance.now() - from)
      from = performance.now()
    }
  })
  console.log(`merge  ${time.toFixed(0)} ms for 8 segments into one, longest slice ${longest.toFixed(1)} ms`)
}

function measureQueries(index, notes) {
  const sampled = Array.from({ length: 200 }, (_, at) => notes[Math.floor((at * notes.length) / 200)])
  const texts = {
    titles: sampled.map(({ title }) => title),
    sentences: sampled.map(({ body }) =>
      body
        .replace(/\s+/g, ' ')
        .slice(0, 1000)
        .split(/(?<=[.!?]) /)
        .slice(-3)
        .join(' ')
        .slice(0, 300),
    ),
  }
  for (const [name, list] of Object.entries(texts)) {
    const run = (limit) => list.map((text) => elapsed(() => index.rank(words.queryTerms(text), { limit })))
    run(10)
    for (const limit of [10, 1000]) console.log(`rank   ${name}, best ${limit}: ${spread(run(limit))}`)
  }
  const phrases = sampled.map(({ body }) => body.split(/\s+/).slice(20, 24).join(' '))
  console.log(`phrase ${spread(phrases.map((text) => elapsed(() => index.keysWithPhrase(words.phraseOf(text)))))}`)
  const prefixes = sampled.map(({ title }) => words.analyze(title)[0]?.form.slice(0, 4) ?? 'a')
  console.log(`prefix ${spread(prefixes.map((prefix) => elapsed(() => index.keysWithPrefix(prefix))))}`)
  const terms = words.queryTerms('obsidian plugin settings for daily notes')
  const query = { terms: terms.map((term) => ({ term, weight: 1 })), phrases: [] }
  console.log(`snippet ${spread(notes.map(({ body }) => elapsed(() => words.snippet(body, 0, query))))}`)
}

function readNotes(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return readNotes(path)
    return entry.name.endsWith('.md') ? [{ title: entry.name.slice(0, -3), body: readFileSync(path, 'utf8') }] : []
  })
}

function elapsed(run) {
  const from = performance.now()
  run()
  return performance.now() - from
}

function median(runs, run) {
  const times = Array.from({ length: runs }, () => elapsed(run)).sort((a, b) => a - b)
  return times[runs >> 1]
}

function spread(times) {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(2)
  return `median ${at(0.5)} ms, 99 % within ${at(0.99)} ms`
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(2)
}
