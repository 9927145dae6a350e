// Prints the report as the tables of docs/benchmarks.md.
import { cpus } from 'node:os'
import { median, quantile } from '../client.mjs'
import { mean } from '../retrieval.mjs'

/** The number of faults to list in the table of calls. */
const TOLD = 10

export function print({ questions, written, costs, tools }, { calls }) {
  const machine = `Node ${process.versions.node} · ${cpus().length} × ${cpus()[0]?.model.trim()} · ${new Date().toISOString().slice(0, 10)}`
  console.log(`${questions.length} questions · ${machine}\n`)
  printQuestions(questions, calls)
  if (written.length > 0) {
    const o200k = mean(written.map(({ encoded }) => encoded))
    console.log(`\n${written.length} questions with fixed calls; ${o200k.toFixed(0)} tokens of o200k on average\n`)
    printQuestions(written, calls)
  }
  if (costs.length > 0) printCosts(costs)
  const lists = [`${tools.reading.tokens} tokens for the ${tools.reading.count} read tools`]
  if (tools.all !== undefined) lists.push(`${tools.all.tokens} for all ${tools.all.count}`)
  console.log(`\nThe list of tools (o200k): ${lists.join(', ')}.`)
}

function printQuestions(questions, calls) {
  console.log('| question | calls | tokens | right |\n|---|---|---|---|')
  for (const one of questions) {
    console.log(`| ${one.id} ${one.kind} | ${one.calls} | ${round(one.tokens)} | ${one.right ? 'yes' : one.faults.join('; ')} |`)
    if (calls)
      for (const { tool, args, tokens } of one.made) console.log(`|   ${tool} ${JSON.stringify(args)} | | ${round(tokens)} | |`)
  }
  console.log('\n| kind | right | calls, mean / median | tokens, mean / median |\n|---|---|---|---|')
  for (const kind of new Set(questions.map((one) => one.kind)))
    summary(
      kind,
      questions.filter((one) => one.kind === kind),
    )
  summary('**all**', questions)
}

function printCosts(costs) {
  console.log('\n| call with its defaults | calls | tokens, median | p95 | most |\n|---|---|---|---|---|')
  for (const { call, calls, tokens } of costs) {
    const spread = tokens.length === 1 ? ' | ' : `${round(quantile(tokens, 0.95))} | ${round(Math.max(...tokens))}`
    console.log(`| ${call} | ${calls} | ${round(median(tokens))} | ${spread} |`)
  }
  const faults = costs.flatMap((one) => one.faults)
  const budgets = costs.some((one) => one.budgeted) ? 'none exceeds its budget' : 'no tool has a budget'
  if (faults.length === 0) console.log(`\nEvery answer holds all ids up to its limit or says where it goes on; ${budgets}.`)
  else console.log(`\n${faults.length} answers lack ids or exceed their budget:`)
  for (const fault of faults.slice(0, TOLD)) console.log(`- ${fault}`)
}

function summary(name, some) {
  if (some.length === 0) return
  const both = (values, digits) => `${mean(values).toFixed(digits)} / ${median(values).toFixed(0)}`
  const right = some.filter((one) => one.right).length
  console.log(
    `| ${name} | ${right} of ${some.length} | ${both(
      some.map((one) => one.calls),
      1,
    )} | ${both(
      some.map((one) => one.tokens),
      0,
    )} |`,
  )
}

function round(tokens) {
  return Math.round(tokens).toLocaleString('en')
}
