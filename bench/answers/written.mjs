// Questions with fixed calls (`questions/every-tool.jsonl`), chosen from the words of the tools' descriptions before seeing any answer: one
// `{id, vault, kind, question, right, must, count?, whole?, calls, edits?}` per line. `right` lists the notes that the answers must name;
// with `whole` it is the complete list. `edits` are made in a copy of the vault before the question is asked.
import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { failureOf, openSession } from './ask.mjs'
import { faultsOf, textOf } from './judge.mjs'

/** The number of retries for a call whose answer is not ready yet, and the pause between them in milliseconds. */
const AGAIN = { times: 5, after: 2_000 }
/** The time that a change on disk needs to reach the index, in milliseconds. */
const NOTICED = 1_500

/** Copies a vault and keeps the times of its files. */
export function copyVault(vault, folder) {
  cpSync(vault, folder, { recursive: true, preserveTimestamps: true })
  return folder
}

export async function makeEdits(vault, edits) {
  for (const { path, append, write, delete: isGone } of edits) {
    const file = join(vault, path)
    if (append !== undefined) appendFileSync(file, append)
    if (write !== undefined) writeFileSync(file, write)
    if (isGone) rmSync(file)
  }
  await new Promise((done) => setTimeout(done, NOTICED))
}

/** Makes the calls of a question and judges their answers. */
export async function askWritten(server, one) {
  const session = openSession(server)
  const { failed = [] } = await makeCalls(session, one.calls).catch(failureOf)
  const values = session.log.map(({ value }) => value)
  const { total } = session.log.at(-1)
  const faults = [
    ...failed,
    ...faultsOf(
      // The question itself, not its kind, decides whether all members count.
      { ...one, kind: one.whole ? 'list' : 'fact' },
      {
        given: rowsOf(values.at(-1)).flatMap(({ id }) => id ?? []),
        number: typeof total === 'object' ? total.breaks : total,
        named: values.flatMap(idsIn),
        text: [
          ...values.flatMap((value) => [textOf(value), JSON.stringify(value)]),
          ...session.log.flatMap(({ texts }) => texts.slice(1)),
        ].join('\n'),
      },
    ),
  ]
  const { id, vault, kind, question } = one
  return {
    id,
    vault,
    kind,
    question,
    calls: session.log.length,
    tokens: session.log.reduce((sum, { tokens }) => sum + tokens, 0),
    encoded: session.log.flatMap(({ texts }) => texts).reduce((sum, text) => sum + encode(text).length, 0),
    right: faults.length === 0,
    faults,
    made: session.log.map(({ tool, args, tokens }) => ({ tool, args, tokens })),
  }
}

async function makeCalls(session, calls) {
  for (const { tool, arguments: args } of calls) {
    for (let again = AGAIN.times; ; again--) {
      const { warnings } = await session.call(tool, args)
      if (again === 0 || !warnings.some(({ code, message }) => code === 'STALE' && message.includes('Ask again'))) break
      await new Promise((done) => setTimeout(done, AGAIN.after))
    }
  }
  return {}
}

function rowsOf(value) {
  return Array.isArray(value) ? value : (value?.nodes ?? value?.problems ?? value?.breaks ?? [])
}

/** Every id in an answer, except those in the links and properties of its notes. */
function idsIn(value) {
  if (typeof value === 'string') return value.endsWith('.md') && !value.includes('\n') ? [value] : []
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, member]) => (Array.isArray(value) || !BESIDE.has(key) ? idsIn(member) : []))
}

const BESIDE = new Set(['properties', 'text', 'content', 'snippet'])
