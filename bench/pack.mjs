// Does a pack contain what a question needs? `npm run bench:pack -- <hub> <help>`, the folders of obsidian-hub and of obsidian-help/en.
//
// `questions/two-hop.jsonl` has questions that need two notes to answer: one (`from`) links to the other (`to`), which has the answer. The
// built server, over stdio, answers each with `search` and with `context_pack` and the same budgets. Recall is the share of the two notes
// with an excerpt that contains the evidence phrase. An answer is found if any excerpt has it. Also counts answers over their budget, and
// measures times. Exits with 1 if a figure is below its bar.
//
// `--questions <file>`: other questions, without bars. Questions without `to` need one note (`questions/facts.jsonl`), and a third figure
// shows how often that note comes first. `--set tune|held-out`: only these questions; `--keep <folder>`: keep copies and indexes there for
// the next run; `--misses`: list what was not found; `--json`: print everything as JSON.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openServer } from './retrieval.mjs'

const BUDGETS = [2_000, 4_000, 8_000]
const BARS = { 2000: 0.75, 4000: 0.86, 8000: 0.9 }
/** The number of results of `search` for each budget, which is the number of passages that fit. */
const RESULTS = { 2000: 10, 4000: 20, 8000: 40 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
    questions: { type: 'string' },
    set: { type: 'string' },
    keep: { type: 'string' },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const [hub, help] = positionals
if (hub === undefined || help === undefined) {
  console.error('Missing vaults. Usage: node bench/pack.mjs <hub> <help/en>')
  process.exit(2)
}
const questions = readFileSync(options.questions ?? new URL('questions/two-hop.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
  .filter(({ set }) => options.set === undefined || set === options.set)
const scratch = options.keep === undefined ? mkdtempSync(join(tmpdir(), 'roux-pack-')) : resolve(options.keep)
const rows = []
try {
  for (const [name, folder] of Object.entries({ hub: resolve(hub), help: resolve(help) })) {
    // Copies a folder of a vault into its own vault.
    const vault = join(scratch, name)
    if (!existsSync(vault)) cpSync(folder, vault, { recursive: true, filter: (path) => !path.endsWith('/.git') })
    await measure(
      vault,
      questions.filter((question) => question.vault === name),
    )
  }
} finally {
  if (options.keep === undefined) rmSync(scratch, { recursive: true, force: true })
}
report()

async function measure(vault, asked) {
  const { client } = await openServer({ program: options.program, vault, scratch, settings: [] })
  try {
    for (const question of asked) {
      for (const budget of BUDGETS) {
        const query = question.question
        const found = await client.call('search', { query, max_tokens: budget, limit: RESULTS[budget] })
        rows.push({ by: 'search', budget, ...judge(question, found, budget, parts(found.value)) })
        const packed = await client.call('context_pack', { query, max_tokens: budget })
        rows.push({ by: 'context_pack', budget, ...judge(question, packed, budget, packed.value.excerpts) })
      }
    }
  } finally {
    await client.close()
  }
}

function parts(results) {
  return results.flatMap(({ id, passages = [] }) => passages.map(({ text }) => ({ id, text })))
}

function judge({ question, vault, set, from, to, answer }, { value, ms }, budget, excerpts) {
  const holds = ({ id, says }) => excerpts.some((one) => one.id === foldId(id) && plain(one.text).includes(plain(says)))
  const evidence = [from, ...(to === undefined ? [] : [to])].map(holds)
  const isFirst = to === undefined && excerpts[0]?.id === foldId(from.id)
  const isAnswered = excerpts.some(({ text }) => plain(text).includes(plain(answer)))
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4)
  const counted = Array.isArray(value) ? tokens : value.tokens
  return {
    question,
    vault,
    set,
    evidence,
    isAnswered,
    isFirst,
    ms,
    tokens,
    isOver: tokens > budget,
    isMiscounted: counted !== tokens,
  }
}

function foldId(id) {
  return id.toLowerCase().normalize('NFC')
}

function plain(text) {
  return text.replace(/\s+/g, ' ')
}

function report() {
  if (options.json) console.log(JSON.stringify(rows, null, 2))
  const faults = []
  const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length
  const groups = ['all', 'hub', 'help', 'tune', 'held-out']
  const isFact = questions.every(({ to }) => to === undefined)
  const figures = `recall of the evidence / answer found${isFact ? ' / its note comes first' : ''}`
  if (!options.json) console.log(`${questions.length} questions: ${figures}`)
  for (const group of groups) {
    for (const by of ['search', 'context_pack']) {
      const cells = BUDGETS.map((budget) => {
        const own = rows.filter(
          (row) => row.by === by && row.budget === budget && (group === 'all' || row.vault === group || row.set === group),
        )
        return {
          recall: mean(own.map(({ evidence }) => mean(evidence.map(Number)))),
          answered: mean(own.map(({ isAnswered }) => Number(isAnswered))),
          ...(isFact ? { first: mean(own.map(({ isFirst }) => Number(isFirst))) } : {}),
        }
      })
      const shown = cells.map((cell) =>
        Object.values(cell)
          .map((share) => share.toFixed(2))
          .join(' / '),
      )
      if (!options.json) console.log(`${group.padEnd(9)} ${by.padEnd(13)} ${shown.join('   ')}`)
      if (group === 'all' && options.questions === undefined) {
        cells.forEach(({ recall, answered }, at) => {
          const budget = BUDGETS[at]
          if (by === 'context_pack' && recall < BARS[budget])
            faults.push(`recall ${recall.toFixed(3)} at ${budget} is below ${BARS[budget]}`)
          const plainSearch = rows.filter((row) => row.by === 'search' && row.budget === budget)
          if (by === 'context_pack' && recall < mean(plainSearch.map(({ evidence }) => mean(evidence.map(Number)))))
            faults.push(`below search at ${budget}`)
          if (by === 'context_pack' && answered < mean(plainSearch.map(({ isAnswered }) => Number(isAnswered))))
            faults.push(`fewer answers than search at ${budget}`)
        })
      }
    }
  }
  for (const by of ['search', 'context_pack']) {
    const times = rows
      .filter((row) => row.by === by)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b)
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1)
    if (!options.json)
      console.log(
        `${by}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, over budget ${rows.filter((row) => row.by === by && row.isOver).length}`,
      )
  }
  const packs = rows.filter(({ by }) => by === 'context_pack')
  for (const { question, budget, tokens, isOver, isMiscounted } of packs)
    if (isOver || isMiscounted)
      faults.push(`${tokens} tokens of ${budget}${isMiscounted ? ', counted otherwise' : ''}: ${question}`)
  if (options.misses)
    for (const { question, budget, evidence, isAnswered } of packs)
      if (evidence.includes(false) || !isAnswered)
        console.log(`${budget} ${evidence.map((one) => (one ? '+' : '-')).join('')}${isAnswered ? '+' : '-'} ${question}`)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
