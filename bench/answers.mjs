// Measures what answers cost and whether they are right: `npm run bench:answers -- <hub> <help> [<knowledge>]`, the folders of
// obsidian-hub, of obsidian-help/en and of a wiki of Markdown links.
//
// Puts fixed questions to the built server over stdio, with the official client: those in `<questions>/hub.jsonl`, `help.jsonl` and
// `knowledge.jsonl`, one `{id, kind, question, right, must, never?, count?, groups?}` per line. A fixed policy for each kind of question chooses the calls from the question's
// words (`answers/policy.mjs`), and a program judges the answers (`answers/judge.mjs`). Counts calls and tokens (UTF-8 bytes
// 4 of all text blocks in the answers). Then come questions about every tool, with fixed calls (`answers/written.mjs`; those about the
// third vault only if it is given), the cost of single calls with default arguments on the first vault, and the list of tools.
//
// `--recorded <file>` makes the calls that a reader of the tool list chose, instead of the policy's, and judges that reader's answers: one
// `{id, calls: [[tool, arguments], …], given, number?, groups?}` per line, where `given` are the notes in the answer.
//
// `--questions <folder>`: where the questions are; `--program <file>`: another build; `--only <text>`: only questions with this text in
// their id or kind, without the table of calls; `--calls`: also list the calls of each question; `--json`: print everything as JSON.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { failureOf, openServer, openSession } from './answers/ask.mjs'
import { costsOf } from './answers/costs.mjs'
import { faultsOf, idsOf, textOf } from './answers/judge.mjs'
import { answer } from './answers/policy.mjs'
import { print } from './answers/print.mjs'
import { askWritten, copyVault, makeEdits } from './answers/written.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    questions: { type: 'string', default: questionsNear(root) ?? '' },
    recorded: { type: 'string' },
    program: { type: 'string', default: join(root, 'dist/cli/main.js') },
    only: { type: 'string' },
    calls: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const [hub, help, knowledge] = positionals
if (hub === undefined || help === undefined || options.questions === '') {
  console.error(
    'Missing arguments. Usage: node bench/answers.mjs <hub> <help> --questions <folder with hub.jsonl and help.jsonl>',
  )
  process.exit(2)
}
const recorded = new Map((options.recorded === undefined ? [] : readLines(options.recorded)).map((one) => [one.id, one]))
const vaults = { hub: resolve(hub), help: resolve(help), ...(knowledge !== undefined && { knowledge: resolve(knowledge) }) }
const questions = Object.keys(vaults)
  .map((vault) => ({ vault, file: join(options.questions, `${vault}.jsonl`) }))
  .filter(({ file }) => existsSync(file))
  .flatMap(({ vault, file }) => readLines(file).map((one) => ({ vault, ...one })))
const written = readLines(join(root, 'bench/questions/every-tool.jsonl')).filter(({ vault }) => vaults[vault] !== undefined)
const scratch = mkdtempSync(join(tmpdir(), 'roux-answers-'))
try {
  const report = await measure()
  if (options.json) console.log(JSON.stringify(report, null, 2))
  else print(report, options)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function measure() {
  const report = { questions: [], written: [], costs: [], tools: {} }
  for (const [name, vault] of Object.entries(vaults)) {
    const folder = join(scratch, name)
    mkdirSync(folder)
    const server = await openServer({ program: options.program, vault, scratch: folder })
    try {
      for (const one of questions.filter((question) => question.vault === name && fits(question)))
        report.questions.push(await ask(server, one))
      const ready = written.filter((one) => one.vault === name && one.edits === undefined && fits(one))
      for (const one of ready) report.written.push(await askWritten(server, one))
      report.tools.reading = toolTokens(server.tools)
      if (name === 'hub' && options.only === undefined) {
        const { costs, tools } = await costsOf({ server, questions, program: options.program, vault, scratch: folder })
        report.costs = costs
        report.tools.all = toolTokens(tools)
      }
    } finally {
      await server.client.close()
    }
    for (const one of written.filter((each) => each.vault === name && each.edits !== undefined && fits(each)))
      report.written.push(await askEdited(one, { vault, folder: join(scratch, `${name} ${one.id}`) }))
  }
  return report
}

function fits({ id, kind }) {
  if (recorded.size > 0 && !recorded.has(id)) return false
  return options.only === undefined || id.includes(options.only) || kind.includes(options.only)
}

/** Asks a question about a copy of the vault while something changes in it. */
async function askEdited(one, { vault, folder }) {
  mkdirSync(folder)
  const copy = copyVault(vault, join(folder, 'vault'))
  const server = await openServer({ program: options.program, vault: copy, scratch: folder })
  try {
    await makeEdits(copy, one.edits)
    return await askWritten(server, one)
  } finally {
    await server.client.close()
  }
}

async function ask(server, one) {
  const session = openSession(server)
  const reading = recorded.size === 0 ? answer(session, one) : replay(session, recorded.get(one.id))
  const { given, number, groups, failed = [] } = await reading.catch(failureOf)
  const blocks = session.log.flatMap(({ value, texts }) => [textOf(value), ...texts.slice(1)])
  const named = [...given, ...session.log.flatMap(({ value }) => idsOf(value))]
  const faults = [...failed, ...faultsOf(one, { given, number, groups, named, text: blocks.join('\n') })]
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

/** Makes the calls of a reader. A call that fails counts, too. */
async function replay(session, { calls, ...answered }) {
  for (const [tool, args] of calls) await session.call(tool, args).catch(failureOf)
  return answered
}

function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
}

/** Tokens in the list of tools that a client gets (o200k). */
function toolTokens(tools) {
  return { count: tools.size, tokens: encode(JSON.stringify([...tools.values()])).length }
}

/** The folder `shared/eval/questions` next to the project, or next to one of its parent folders. */
function questionsNear(folder) {
  for (let at = dirname(resolve(folder)); ; at = dirname(at)) {
    const found = join(at, 'shared/eval/questions')
    if (existsSync(found)) return found
    if (at === dirname(at)) return undefined
  }
}
