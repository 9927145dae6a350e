/**
 * Compares the keyword index with FTS5 tables of SQLite that hold the same words of a vault's notes, in one run: whether rankings are
 * equal, CPU of indexing and asking, disk. Usage: node bench/words-fts5.mjs <vault> [<questions>]
 *
 * In FTS5 a word is its stem, `~` and the rest of its form, so that a stem is a range of terms; parts of words stand in a column of their
 * own, because text cannot put two words at one place. Ranking is ours, from two more tables whose terms are a stem and its count in a note.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { quantile } from './client.mjs'

const [vault, count = '200'] = process.argv.slice(2)
if (vault === undefined) {
  console.error('Which vault? node bench/words-fts5.mjs <vault> [<questions>]')
  process.exit(2)
}
const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')
const FIELDS = ['title', 'body']
const BATCH_CHARACTERS = 3 << 20
const words = await loadWords()
const scratch = mkdtempSync(join(tmpdir(), 'roux-fts5-'))
try {
  await compare(readNotes(vault))
} finally {
  rmSync(scratch, { recursive: true })
}

/** The sources as one module, beside the packages that it needs. */
async function loadWords() {
  const search = ['analyse-note', 'query', 'rank', 'scan', 'stem'].map((name) => `search/words/${name}`)
  const store = ['search-index', 'search-writer'].map((name) => `store/embedded/search/${name}`)
  const contents = [...search, ...store].map((path) => `export * from './${path}.ts'`).join('\n')
  const resolveDir = fileURLToPath(new URL('../src', import.meta.url))
  const outfile = fileURLToPath(new URL(`../node_modules/.roux-fts5-${process.pid}.mjs`, import.meta.url))
  const format = { bundle: true, platform: 'node', target: 'node20', format: 'esm' }
  await build({ ...format, stdin: { contents, resolveDir }, external: ['@photostructure/sqlite', 'hnswlib-node'], outfile })
  return await import(pathToFileURL(outfile).href).finally(() => rmSync(outfile))
}

/** The program's own index, through its own writer and reader. */
function openOwn(path) {
  const writer = words.openSearchWriter({ kind: 'file', path })
  const graph = { row: (key) => ({ path: `${key}.md` }) }
  const reader = new words.SearchIndex({ kind: 'file', path }, () => graph, 'exact')
  const put = async (notes) => {
    const batch = await writer.beginWords(words.stemOf)
    for (const { key, names, body } of notes) {
      const analysed = words.analyseNote({ title: names, headings: [], body, tags: [], properties: [] })
      await batch.put([{ key, path: `${key}.md`, version: 1, ...analysed }])
    }
    await batch.commit()
    while (await writer.maintain());
  }
  const rank = (terms) => reader.read(() => reader.words.rank(terms, { limit: 1000 })).hits
  return { path, put, rank, close: () => writer.close().then(() => reader.close()) }
}

/** The FTS5 tables and the lengths of notes. */
function openFts(path) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000')
  database.exec('PRAGMA wal_autocheckpoint = 10000; CREATE TABLE note (key INTEGER PRIMARY KEY, title INTEGER, body INTEGER)')
  const settings = `content='', contentless_delete=1, tokenize="ascii tokenchars '._@+#-~'"`
  const into = FIELDS.map((field) => {
    database.exec(`CREATE VIRTUAL TABLE ${field} USING fts5(word, part, ${settings})`)
    database.exec(`CREATE VIRTUAL TABLE ${field}_stem USING fts5(stem, detail=none, ${settings})`)
    database.exec(`CREATE VIRTUAL TABLE ${field}_count USING fts5vocab(${field}_stem, instance)`)
    return {
      words: database.prepare(`INSERT OR REPLACE INTO ${field} (rowid, word, part) VALUES (?, ?, ?)`),
      stems: database.prepare(`INSERT OR REPLACE INTO ${field}_stem (rowid, stem) VALUES (?, ?)`),
    }
  })
  const insert = database.prepare('INSERT OR REPLACE INTO note VALUES (?, ?, ?)')
  const putNote = ({ key, names, body }) => {
    const fields = [names[0], body].map(asTerms)
    fields.forEach(({ word, part, stems }, at) => {
      into[at].words.run(key, word, part)
      into[at].stems.run(key, stems)
    })
    insert.run(key, fields[0].length, fields[1].length)
  }
  const put = async (notes) => {
    database.exec('BEGIN IMMEDIATE')
    notes.forEach(putNote)
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  }
  return { path, put, rank: rankerOf(database), close: async () => database.close() }
}

function asTerms(text) {
  const [word, part, counts] = [[], [], new Map()]
  const length = words.scanWords(text, (form, kind) => {
    const stem = words.stemOf(form)
    const list = kind === 1 ? part : word
    list.push(form.startsWith(stem) ? `${stem}~${form.slice(stem.length)}` : `${stem}~~${form}`)
    counts.set(stem, (counts.get(stem) ?? 0) + 1)
  })
  const stems = Array.from(counts, ([stem, count]) => `${stem}~${count}`).join(' ')
  return { length, word: word.join(' '), part: part.join(' '), stems }
}

/** Ranks with our own scoring, the counts of one stem after the other. */
function rankerOf(database) {
  // Lists as one value each: the binding makes rows one by one.
  const groups = FIELDS.map((field) =>
    database.prepare(`SELECT term, json_group_array(doc) AS keys FROM ${field}_count WHERE term >= ? AND term < ? GROUP BY term`),
  )
  const read = ({ term, keys }) => ({ count: Number(term.slice(term.lastIndexOf('~') + 1)), keys: JSON.parse(keys) })
  // What follows a stem's `~` is below `\x7f`.
  const groupsOf = ({ stem }) => groups.map((select) => select.all(`${stem}~`, `${stem}\x7f`).map(read))
  const lengths = database.prepare('SELECT title, body FROM note ORDER BY key')
  const state = {}
  return (terms) => {
    state.slots ??= layOut(lengths.all(), groupsOf)
    return words.rankTerms(state.slots, terms, { limit: 1000 }).hits
  }
}

/** What our own scoring asks of segments, as one segment whose documents are numbered by their keys, from 0 on. */
function layOut(rows, groupsOf) {
  const [titleLengths, bodyLengths] = FIELDS.map((field) => Uint32Array.from(rows, (row) => row[field]))
  const [titleWords, bodyWords] = FIELDS.map((field) => rows.reduce((sum, row) => sum + row[field], 0))
  const visit = (word, visitor) => visitor({ fields: groupsOf(word), postings: { start: 0, end: 0 } })
  const live = new Uint8Array(rows.length).fill(1)
  const segment = { live, liveCount: rows.length, titleWords, bodyWords, visit, postings: ({ fields }) => cursorOf(fields) }
  return { size: rows.length, bases: [0], keys: Uint32Array.from(live.keys()), titleLengths, bodyLengths, segments: [segment] }
}

/** Notes and counts of one word: first those of titles, then those of texts. */
function cursorOf([titles, bodies]) {
  const lists = [...titles.map((group) => ({ ...group, isTitle: true })), ...bodies]
  const cursor = { ordinal: 0, title: 0, body: 0 }
  let [list, at] = [0, -1]
  cursor.next = () => {
    for (at++; list < lists.length && at >= lists[list].keys.length; list++) at = 0
    if (list >= lists.length) return false
    const { keys, count, isTitle } = lists[list]
    cursor.ordinal = keys[at]
    cursor.title = isTitle ? count : 0
    cursor.body = isTitle ? 0 : count
    return true
  }
  return cursor
}

async function compare(notes) {
  const engines = [openOwn(join(scratch, 'own.db')), openFts(join(scratch, 'fts.db'))]
  for (const engine of engines) console.log(`${basename(engine.path)}: index ${(await fill(engine, notes)).toFixed(0)} ms CPU`)
  const sampled = Array.from({ length: Number(count) }, (_, at) => notes[Math.floor((at * notes.length) / Number(count))])
  const titles = sampled.map(({ names }) => names[0])
  const passages = sampled.map(({ body }) => body.replace(/\s+/g, ' ').slice(600, 900))
  measure('titles', engines, titles)
  measure('passages', engines, passages)
  for (const engine of engines) await engine.close()
  for (const { path } of engines) console.log(`${basename(path)}: ${(statSync(path).size / 1e6).toFixed(1)} MB`)
}

/** Indexes in batches, as the program does. @returns CPU, ms */
async function fill(engine, notes) {
  const from = process.cpuUsage()
  let [start, characters] = [0, 0]
  for (const [at, { body }] of notes.entries()) {
    characters += body.length
    if (characters < BATCH_CHARACTERS && at < notes.length - 1) continue
    await engine.put(notes.slice(start, at + 1))
    ;[start, characters] = [at + 1, 0]
  }
  return cpuSince(from)
}

/** CPU of each question in each engine, taking turns; the first round only warms up. */
function measure(name, engines, questions) {
  const times = engines.map(() => [])
  let equal = 0
  for (const round of [0, 1, 2]) {
    for (const terms of questions.map(words.queryTerms)) {
      const found = engines.map((engine, at) => {
        const from = process.cpuUsage()
        const hits = engine.rank(terms)
        if (round > 0) times[at].push(cpuSince(from))
        return JSON.stringify(hits, (_, value) => (typeof value === 'number' ? Math.fround(value) : value))
      })
      if (round === 0 && found[0] === found[1]) equal++
    }
  }
  const [own, fts] = times.map((list) => [0.5, 0.99].map((share) => quantile(list, share).toFixed(2)).join(' / '))
  console.log(`${name}, CPU p50 / p99 ms: own ${own}, FTS5 ${fts}; rankings equal: ${equal} of ${questions.length}`)
}

function cpuSince(from) {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

function readNotes(folder) {
  const isNote = (path) => path.endsWith('.md') && !/(^|[\\/])\./.test(path)
  const paths = readdirSync(folder, { recursive: true }).filter(isNote).sort()
  return paths.map((path, key) => ({ key, names: [basename(path, '.md')], body: readFileSync(join(folder, path), 'utf8') }))
}
