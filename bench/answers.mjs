// What answers cost and whether they are right: `npm run bench:answers -- <hub> <help>`, the folders of obsidian-hub and of obsidian-help/en.
//
// Puts fixed questions (`<questions>/hub.jsonl`, `help.jsonl`: `{id, kind, question, right, must, never?, count?}` a line) to the built server,
// over stdio, by the official client. Which calls are made for a question follows from its words by a fixed policy for each kind
// (`answers/policy.mjs`); what is right is judged by program (`answers/judge.mjs`). Counts calls, and tokens: UTF-8 bytes / 4 of all text
// blocks of the answers. Then what single calls cost with their defaults on the first vault, and the list of tools.
//
// `--questions <folder>`: where the questions are; `--program <file>`: another build; `--only <text>`: only questions with this in their id
// or kind, and no table of calls; `--calls`: also the calls of each question; `--json`: everything, for machines.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { openServer, openSession } from './answers/ask.mjs'
import { costsOf } from './answers/costs.mjs'
import { faultsOf, idsOf, textOf } from './answers/judge.mjs'
import { answer } from './answers/policy.mjs'
import { print } from './answers/print.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    questions: { type: 'string', default: questionsNear(root) ?? '' },
    program: { type: 'string', default: join(root, 'dist/cli/main.js') },
    only: { type: 'string' },
    calls: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const [hub, help] = positionals
if (hub === undefined || help === undefined || options.questions === '') {
  console.error(
    'Which vaults, which questions? node bench/answers.mjs <hub> <help> --questions <folder with hub.jsonl and help.jsonl>',
  )
  process.exit(2)
}
const vaults = { hub: resolve(hub), help: resolve(help) }
const questions = Object.keys(vaults).flatMap((vault) =>
  readFileSync(join(options.questions, `${vault}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ vault, ...JSON.parse(line) })),
)
const scratch = mkdtempSync(join(tmpdir(), 'roux-answers-'))
try {
  const report = await measure()
  if (options.json) console.log(JSON.stringify(report, null, 2))
  else print(report, options)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function measure() {
  const report = { questions: [], costs: [], tools: {} }
  for (const [name, vault] of Object.entries(vaults)) {
    const folder = join(scratch, name)
    mkdirSync(folder)
    const server = await openServer({ program: options.program, vault, scratch: folder })
    try {
      const fits = ({ id, kind }) => options.only === undefined || id.includes(options.only) || kind.includes(options.only)
      for (const one of questions.filter((question) => question.vault === name && fits(question)))
        report.questions.push(await ask(server, one))
      report.tools.reading = toolTokens(server.tools)
      if (name === 'hub' && options.only === undefined) {
        const { costs, tools } = await costsOf({ server, questions, program: options.program, vault, scratch: folder })
        report.costs = costs
        report.tools.all = toolTokens(tools)
      }
    } finally {
      await server.client.close()
    }
  }
  return report
}

async function ask(server, one) {
  const session = openSession(server)
  const { given, number } = await answer(session, one)
  const blocks = session.log.flatMap(({ value, texts }) => [textOf(value), ...texts.slice(1)])
  const named = [...given, ...session.log.flatMap(({ value }) => idsOf(value))]
  const faults = faultsOf(one, { given, number, named, text: blocks.join('\n') })
  return {
    id: one.id,
    vault: one.vault,
    kind: one.kind,
    question: one.question,
    calls: session.log.length,
    tokens: session.log.reduce((sum, { tokens }) => sum + tokens, 0),
    right: faults.length === 0,
    faults,
    made: session.log.map(({ tool, args, tokens }) => ({ tool, args, tokens })),
  }
}

/** Tokens of the list of tools, as a client gets it (o200k). */
function toolTokens(tools) {
  return { count: tools.size, tokens: encode(JSON.stringify([...tools.values()])).length }
}

/** The folder `shared/eval/questions` beside the project or beside a folder that holds it. */
function questionsNear(folder) {
  for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
    const found = join(at, 'shared/eval/questions')
    if (existsSync(found)) return found
    if (at === dirname(at)) return undefined
  }
}
