// Does meaning help in every language? `node bench/languages.mjs <folder of vaults> [--only ar,de] [--before <main.js>] [--set
// key=value]…`.
//
// The folder is obsidian-help, with one folder per language, each its own vault. For every note with a `description` in its frontmatter,
// the description is the question. The searched copies, in a temporary folder, lack the description, the other properties (`permalink` is
// English everywhere) and the lines that repeat it; `--easy` keeps the last two. The built server, over stdio, answers each question by
// words and by words and meaning; nDCG@10 with one right note each. Prints one row per language: the number of notes, both figures, and
// their difference with its 95 % bootstrap interval over the questions. Exits with 1, and prints a line for each language in which the mix
// is worse than words alone.
//
// `--across` asks across languages instead, by the descriptions of the same pages (by `permalink`): notes in each language in English, and
// English notes in each language; recall@10. `--mixed en,de,ja` does this in one vault that has each page in one of these languages.
// `--links` with `--mixed` asks `suggest_links` for the notes in other languages that a page links to in its own language's vault; recall@5.
// `--half even` or `odd` uses half of the questions: one half for tuning, one for reporting. `--before` also measures the mix of another
// build, `--program` only another build, `--json <file>` saves the figures of every question.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bootstrap, DEPTH, mean, openServer, score } from './retrieval.mjs'

/** A line that shares this much of the description's trigrams repeats it. */
const REPEATED = 0.6
/** How many suggested links count. */
const SUGGESTED = 5
const LANGUAGES = 'ar bn ca cs da de el en es fa fi fr he hu id it ja km ko nl no pl pt pt-br ro ru sk sv th tr uk vi zh zh-TW'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    easy: { type: 'boolean', default: false },
    across: { type: 'boolean', default: false },
    mixed: { type: 'string' },
    links: { type: 'boolean', default: false },
    half: { type: 'string' },
    before: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing folder. Usage: node bench/languages.mjs <obsidian-help>')
  process.exit(2)
}
const root = resolve(positionals[0])
const languages = options.only?.split(',') ?? LANGUAGES.split(' ')
/** Across languages, it matters whether the note is found, not its rank. */
const isRecall = options.across || options.mixed !== undefined
const scratch = mkdtempSync(join(tmpdir(), 'roux-languages-'))
const rows = []
try {
  if (options.mixed !== undefined) rows.push(...(await measureMixed(options.mixed.split(','))))
  else if (options.across) rows.push(...(await measureAcross(languages.filter((language) => language !== 'en'))))
  else for (const language of languages) rows.push(await measure(language, notesOf(language), questionsOf(notesOf(language))))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
print()
if (options.json) writeFileSync(options.json, JSON.stringify(rows))
process.exitCode = reportWorse() ? 1 : 0

async function measureAcross(languages) {
  const english = notesOf('en')
  const found = []
  for (const language of languages) {
    const notes = notesOf(language)
    found.push(await measure(`en → ${language}`, notes, translated(questionsOf(english), notes)))
    found.push(await measure(`${language} → en`, english, translated(questionsOf(notes), english)))
  }
  return found
}

/** A vault with each page in one language, searched in all of them. */
async function measureMixed(languages) {
  const all = new Map(languages.map((language) => [language, notesOf(language)]))
  const pages = [...new Set([...all.values()].flat().map(({ permalink }) => permalink))].filter(Boolean).sort()
  const holder = new Map(pages.map((page, at) => [page, languages[at % languages.length]]))
  const notes = languages.flatMap((language) =>
    all
      .get(language)
      .filter(({ permalink }) => holder.get(permalink) === language)
      .map((note) => ({ ...note, language, path: `${language}/${note.path}` })),
  )
  if (options.links) return await measureLinks(languages, all, notes)
  const found = []
  for (const asked of languages) {
    const questions = translated(questionsOf(all.get(asked)), notes)
    for (const held of languages) {
      const own = questions.filter(({ note }) => note.language === held)
      found.push(await measure(`${asked} → ${held}`, notes, own))
    }
  }
  return found
}

/** A link of a page, by file name in its own language, whose target is held in another language, so that it leads nowhere here. */
async function measureLinks(languages, all, notes) {
  const held = new Map(notes.map((note) => [note.permalink, note]))
  const found = []
  for (const language of languages) {
    const named = new Map(all.get(language).map((note) => [basename(note.path, '.md'), note]))
    const links = notes
      .filter((note) => note.language === language)
      .flatMap((note) =>
        [...new Set([...note.text.matchAll(/\[\[([^\]|#]+)/g)].map(([, name]) => name.split('/').at(-1).trim()))]
          .map((name) => held.get(named.get(name)?.permalink))
          .filter((target) => target !== undefined && target.language !== language)
          .map((target) => ({ text: `${note.path} > ${target.path}`, from: note, note: target })),
      )
    found.push(await measure(`from ${language}`, notes, links))
  }
  return found
}

async function measure(name, notes, questions) {
  const vault = join(scratch, String(rows.length), name.replaceAll(' ', ''))
  for (const { path, text } of notes) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
  }
  const asked = questions.filter(isInHalf)
  const now = await ask(options.program, vault, asked)
  const before = options.before === undefined ? undefined : (await ask(options.before, vault, asked)).hybrid
  return { language: name, questions: asked.map(({ text }) => text), ...now, before }
}

/** Splits by a hash of the question, so a question is in the same half in every run. */
function isInHalf({ text }) {
  if (options.half === undefined) return true
  return createHash('sha256').update(text).digest()[0] % 2 === (options.half === 'odd' ? 1 : 0)
}

/** The score of every question, by words and mixed. */
async function ask(program, vault, questions) {
  const { client } = await openServer({ program, vault, scratch, settings: options.set })
  const figures = { keyword: [], hybrid: [] }
  for (const question of questions) {
    const isSuggested = question.from !== undefined && (await isLinkSuggested(client, question))
    for (const mode of ['keyword', 'hybrid'])
      figures[mode].push(question.from === undefined ? await searchScore(client, question, mode) : Number(isSuggested))
  }
  await client.close()
  return figures
}

async function searchScore(client, { text, note }, mode) {
  const { value } = await client.call('search', { query: text, mode, limit: DEPTH })
  const found = value.map(({ id }) => id)
  return isRecall ? Number(found.includes(idOf(note))) : score(found, new Map([[idOf(note), 1]])).ndcg
}

/** For links, both figures are the same. */
async function isLinkSuggested(client, { from, note }) {
  const { value } = await client.call('suggest_links', { id: from.path, limit: SUGGESTED })
  return value.suggestions.some(({ to, to_path: path }) => idOf({ path: path ?? to }).toLowerCase() === idOf(note))
}

/** The notes of a language without their descriptions, and the descriptions. */
function notesOf(language) {
  const paths = readdirSync(join(root, language), { recursive: true }).filter((path) => path.endsWith('.md'))
  return paths.sort().map((path) => ({ path, ...withoutDescription(readFileSync(join(root, language, path), 'utf8')) }))
}

/** All descriptions of these vaults are on one line. */
function withoutDescription(text) {
  const [frontmatter = ''] = /^---\n.*?\n---\n/s.exec(text) ?? []
  const description = plain(/^description:(.*)\n/m.exec(frontmatter)?.[1] ?? '')
  const permalink = /^permalink:(.*)\n/m.exec(frontmatter)?.[1]?.trim()
  const body = text.slice(frontmatter.length)
  if (options.easy) return { text: frontmatter.replace(/^description:.*\n/m, '') + body, description, permalink }
  const asked = partsOf(description)
  const repeats = (line) => {
    const own = partsOf(line)
    return asked.size > 0 && [...asked].filter((part) => own.has(part)).length >= REPEATED * asked.size
  }
  const lines = body.split('\n').filter((line) => !repeats(line))
  return { text: lines.join('\n'), description, permalink }
}

/** Character trigrams. */
function partsOf(text) {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
  return new Set(Array.from({ length: Math.max(0, plain.length - 2) }, (_, at) => plain.slice(at, at + 3)))
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
  console.log(`| language | notes | words |${hasBefore ? ' mixed, before |' : ''} mixed | difference to words [95 %] |`)
  console.log(`|---|---|---|${hasBefore ? '---|' : ''}---|---|`)
  for (const row of rows) {
    const [low, high] = bootstrap([differences(row)])
    const cells = [
      row.language,
      row.keyword.length,
      show(mean(row.keyword)),
      ...(hasBefore ? [show(mean(row.before))] : []),
      show(mean(row.hybrid)),
      `${signed(mean(differences(row)))} [${signed(low)}, ${signed(high)}]`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  const means = (figures) => show(mean(rows.map((row) => mean(row[figures]))))
  const cells = ['mean', '', means('keyword'), ...(hasBefore ? [means('before')] : []), means('hybrid')]
  console.log(`| ${cells.join(' | ')} | ${signed(mean(rows.map((row) => mean(differences(row)))))} |`)
}

function show(value) {
  return value.toFixed(3).replace(/^(-?)0/, '$1')
}

function signed(value) {
  return `${value < -0.0005 ? '−' : '+'}${show(Math.abs(value))}`
}
