// Two servers and a human write into one vault at the same time: `node bench/concurrency.mjs [--operations 10000] [--pause 10]`.
//
// Each write puts a unique token into the notes that it touches: as an append, as an edit after reading with `expected_hash`, into three
// notes at once, or over an earlier token. Meanwhile notes are moved (with their links), deleted and restored. The human is a process that
// adds lines as editors save them, every `--pause` milliseconds. At the end the benchmark looks for every token.
// 1. Two servers: every accepted write is in the vault, exactly as often as it was requested.
// 2. Two servers and a human: the same, unless the human overwrote a write; then it is in the record of changes. The human's saves are in
// the vault or in the record, except for saves to a file that was opened more than two seconds earlier (docs/writing.md). Those are
// counted. At most one in a thousand may be lost, or one in a short run.
// No file may be torn, no temporary file may be left, every call must be answered, and at the end both servers must read what is on disk.
// Prints the figures and each loss; exits with 1 if there is one.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countTokens, filesOf, notePaths, recordedTokens, tornFiles } from './concurrency/examine.mjs'
import { Writer } from './concurrency/writer.mjs'

const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '10000' },
    pause: { type: 'string', default: '10' },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
const NOTES = 60
/** Concurrent calls per server. */
const LANES = 2
/** The greatest part of the human's saves that may be lost. */
const MOST_IN_WINDOW = 0.001

const scratch = mkdtempSync(join(tmpdir(), 'roux-concurrency-'))
let losses = 0
try {
  for (const withHuman of [false, true]) losses += await run(withHuman)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(losses === 0 ? '\nNothing was lost.' : `\n${losses} losses.`)
process.exit(losses === 0 ? 0 : 1)

async function run(withHuman) {
  const folder = join(scratch, withHuman ? 'human' : 'servers')
  const vault = makeVault(folder)
  const env = { XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const writers = ['one', 'two'].map((name) => new Writer(name, vault, { program: options.program, env }))
  await Promise.all(writers.map(({ client }) => client.initialize()))
  const human = withHuman ? startHuman(vault) : undefined
  const started = performance.now()
  let left = Number(options.operations)
  const lanes = writers.flatMap((writer) => Array.from({ length: LANES }, () => writer.work(() => left-- > 0)))
  await Promise.all(lanes)
  const seconds = (performance.now() - started) / 1000
  await human?.stop()
  const problems = [...writers.flatMap(({ wrong }) => wrong), ...(await unlike(writers, vault))]
  for (const { client, name } of writers) {
    await client.close()
    const { exitCode, signalCode } = client.process
    // A server ends itself with SIGKILL if the disk still blocks one of its threads after the last answer.
    if ((exitCode !== 0 && signalCode !== 'SIGKILL') || client.errors !== '')
      problems.push(`${name} ended with ${exitCode ?? signalCode}: ${client.errors}`)
  }
  const found = lookFor({ writers, human, vault, state: folder })
  problems.push(...found.problems)
  print({ withHuman, writers, found, seconds, problems })
  return problems.length
}

function makeVault(folder) {
  const vault = join(folder, 'vault')
  mkdirSync(join(vault, 'moved'), { recursive: true })
  for (let n = 0; n < NOTES; n++) writeFileSync(join(vault, `note ${n}.md`), `- [next](note%20${(n + 1) % NOTES}.md) end\n`)
  return vault
}

function startHuman(vault) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./concurrency/human.mjs')), vault, options.pause], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  return {
    saves: () => out.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')])),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Returns the notes that a server still reads differently from the disk after it has had time to notice changes. */
async function unlike(writers, vault) {
  const notes = notePaths(vault)
  for (let tries = 0; ; tries++) {
    const others = []
    for (const { client, name } of writers) {
      for (const path of notes) {
        const { value } = await client.call('get_node', { id: path })
        const hash = createHash('sha256')
          .update(readFileSync(join(vault, path)))
          .digest('hex')
        if (value?.hash !== hash) others.push(`${name} reads ${path} differently from disk`)
      }
    }
    if (others.length === 0 || tries === 20) return others
    await sleep(250)
  }
}

function lookFor({ writers, human, vault, state }) {
  const files = filesOf(vault)
  const counts = countTokens(files.values())
  const recorded = recordedTokens(state)
  const accepted = writers.flatMap((writer) => writer.accepted)
  const missing = accepted.filter(({ token, copies }) => (counts.get(token) ?? 0) < copies)
  const nowhere = missing.filter(({ token }) => human === undefined || !recorded.has(token))
  const saves = human?.saves() ?? []
  const lost = saves.filter(([token]) => !counts.has(token) && !recorded.has(token))
  const problems = [...nowhere.map(({ token }) => `${token} was accepted but is nowhere`), ...tornFiles(files)]
  if (lost.length > Math.max(1, saves.length * MOST_IN_WINDOW))
    problems.push(`${lost.length} of the human's ${saves.length} saves are nowhere`)
  return { accepted, overwritten: missing.length - nowhere.length, saves, lost, files, problems }
}

function print({ withHuman, writers, found, seconds, problems }) {
  const refused = writers.flatMap((writer) => Object.entries(writer.refused))
  const codes = new Map()
  for (const [code, count] of refused) codes.set(code, (codes.get(code) ?? 0) + count)
  const ways = new Map()
  for (const [, way] of found.lost) ways.set(way, (ways.get(way) ?? 0) + 1)
  const list = (map) => [...map].map(([name, count]) => `${count} ${name}`).join(', ') || '0'
  console.log(`\n| two servers${withHuman ? ' and a human' : ''} | ${seconds.toFixed(0)} s |\n|---|---|`)
  console.log(
    `| operations | ${options.operations} |\n| accepted writes with a token | ${found.accepted.length} |\n| refused | ${list(codes)} |`,
  )
  if (withHuman) {
    console.log(`| saves of the human | ${found.saves.length} |`)
    console.log(`| writes that the human overwrote, all in the record | ${found.overwritten} |`)
    console.log(`| saves lost in the moment of a rename | ${list(ways)} |`)
  }
  console.log(`| problems | ${problems.length} |`)
  for (const problem of problems.slice(0, 20)) console.log(`- ${problem.slice(0, 600)}`)
}
