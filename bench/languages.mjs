// Does meaning help in every language? `node bench/languages.mjs <folder of vaults> [--only ar,de] [--before <main.js>] [--set key=value]…`.
//
// The folder is that of obsidian-help: a folder a language, each a vault of its own. Every note with a `description` in its frontmatter is
// asked for by that, which is removed from the copies that are searched, in a temporary folder. Each question is asked through the built
// server, over stdio, by words and by words and meaning; nDCG@10 with one right note each. Prints a row a language: the notes that were
// asked for, both figures, their difference with its 95 % bootstrap interval over the questions, and how much of the questions the embedder
// knows (`explain`). Exits with 1 and a line for each language in which the mix is worse than words alone.
//
// `--english` asks the other languages by the English descriptions of the same pages (by `permalink`), `--before` also measures the mix of
// another build, `--program` another build instead, `--json <file>` keeps the figures of every question.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bootstrap, DEPTH, mean, openServer, score } from './retrieval.mjs'

const LANGUAGES = 'ar bn ca cs da de el en es fa fi fr he hu id it ja km ko nl no pl pt pt-br ro ru sk sv th tr uk vi zh zh-TW'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    english: { type: 'boolean', default: false },
    before: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Which vaults? node bench/languages.mjs <obsidian-help>')
  process.exit(2)
}
const root = resolve(positionals[0])
const languages = options.only?.split(',') ?? LANGUAGES.split(' ')
const scratch = mkdtempSync(join(tmpdir(), 'roux-languages-'))
const rows = []
try {
  const english = options.english ? questionsOf(notesOf('en')) : undefined
  for (const language of languages) rows.push(await measure(language, english))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
print()
if (options.json) writeFileSync(options.json, JSON.stringify(rows))
process.exitCode = reportWorse() ? 1 : 0

async function measure(language, english) {
  const notes = notesOf(language)
  const vault = join(scratch, language)
  for (const { path, text } of notes) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
  }
  const questions = english === undefined ? questionsOf(notes) : translated(english, notes)
  const now = await ask(options.program, vault, questions)
  const before = options.before === undefined ? undefined : (await ask(options.before, vault, questions)).hybrid
  return { language, questions: questions.map(({ text }) => text), ...now, before }
}

/** nDCG@10 of every question by words and mixed, and how much of it the embedder knows. */
async function ask(program, vault, questions) {
  const { client } = await openServer({ program, vault, scratch, settings: options.set })
  const figures = { keyword: [], hybrid: [], coverage: [] }
  for (const { text, note } of questions) {
    for (const mode of ['keyword', 'hybrid']) {
      const { value } = await client.call('search', { query: text, mode, limit: DEPTH, explain: true })
      const found = value.map(({ id }) => id)
      figures[mode].push(score(found, new Map([[idOf(note), 1]])).ndcg)
      if (mode === 'hybrid') figures.coverage.push(value[0]?.explain.coverage)
    }
  }
  await client.close()
  return figures
}

/** The notes of a language without their descriptions, and these. */
function notesOf(language) {
  const paths = readdirSync(join(root, language), { recursive: true }).filter((path) => path.endsWith('.md'))
  return paths.sort().map((path) => ({ path, ...withoutDescription(readFileSync(join(root, language, path), 'utf8')) }))
}

/** All descriptions of these vaults are on one line. */
function withoutDescription(text) {
  const [frontmatter = ''] = /^---\n.*?\n---\n/s.exec(text) ?? []
  const description = plain(/^description:(.*)\n/m.exec(frontmatter)?.[1] ?? '')
  const permalink = /^permalink:(.*)\n/m.exec(frontmatter)?.[1]?.trim()
  return { text: frontmatter.replace(/^description:.*\n/m, '') + text.slice(frontmatter.length), description, permalink }
}

function plain(value) {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(value.trim()) ?? []
  if (quote === undefined) return value.trim()
  return quote === '"' ? inner.replaceAll('\\"', '"') : inner.replaceAll("''", "'")
}

function questionsOf(notes) {
  return notes
    .filter(({ description }) => description !== '' && description !== 'null')
    .map((note) => ({ text: note.description, note }))
}

function translated(questions, notes) {
  const pages = new Map(notes.map((note) => [note.permalink, note]))
  return questions.flatMap(({ text, note }) => {
    const page = note.permalink === undefined ? undefined : pages.get(note.permalink)
    return page === undefined ? [] : [{ text, note: page }]
  })
}

/** Ids are folded paths. */
function idOf({ path }) {
  return path.normalize('NFC').toLowerCase()
}

function differences({ keyword, hybrid }) {
  return hybrid.map((ndcg, at) => ndcg - keyword[at])
}

/** Sums of the same figures in another order differ by rounding. */
function isWorse(row) {
  return mean(differences(row)) < -1e-9
}

function reportWorse() {
  const worse = rows.filter(isWorse)
  for (const row of worse) {
    const [low, high] = bootstrap([differences(row)])
    const chance = high < 0 ? '' : ', which may be chance'
    const difference = `${signed(mean(differences(row)))} [${signed(low)}, ${signed(high)}]`
    console.log(`${row.language}: words and meaning find less than words alone: ${difference}${chance}`)
  }
  return worse.length > 0
}

function print() {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const day = new Date().toISOString().slice(0, 10)
  const machine = `Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()}`
  console.log(`roux ${version} · ${options.set.join(' ') || 'default settings'} · ${machine} · ${day}\n`)
  const hasBefore = options.before !== undefined
  console.log(`| language | notes | words |${hasBefore ? ' mixed, before |' : ''} mixed | difference to words [95 %] | known |`)
  console.log(`|---|---|---|${hasBefore ? '---|' : ''}---|---|---|`)
  for (const row of rows) {
    const [low, high] = bootstrap([differences(row)])
    const known = row.coverage.filter((coverage) => coverage !== undefined)
    const cells = [
      row.language,
      row.keyword.length,
      show(mean(row.keyword)),
      ...(hasBefore ? [show(mean(row.before))] : []),
      show(mean(row.hybrid)),
      `${signed(mean(differences(row)))} [${signed(low)}, ${signed(high)}]`,
      known.length === 0 ? '' : show(mean(known)),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  const means = (figures) => show(mean(rows.map((row) => mean(row[figures]))))
  const cells = ['mean', '', means('keyword'), ...(hasBefore ? [means('before')] : []), means('hybrid')]
  console.log(`| ${cells.join(' | ')} | ${signed(mean(rows.map((row) => mean(differences(row)))))} | |`)
}

function show(value) {
  return value.toFixed(3).replace(/^(-?)0/, '$1')
}

function signed(value) {
  return `${value < -0.0005 ? '−' : '+'}${show(Math.abs(value))}`
}
