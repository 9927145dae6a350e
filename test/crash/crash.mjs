// Kills writers, runs several at once, and prints what was lost: `npm run test:crash [-- --quick]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundle, load } from './bundle.mjs'

const quick = process.argv.includes('--quick')
const seed = Number(process.env.SEED ?? Date.now() % 1e6)
const folder = mkdtempSync(join(tmpdir(), 'roux-crash-'))
const program = await bundle('writers')
const { simulateKills } = await load('simulated-kills')
const { killProcesses, writeTogether } = await load('processes')

const suites = {
  'killed at every call, 500 notes': (at) => simulateKills(at, { notes: 500, kills: quick ? 150 : 2000, seed }),
  'killed by SIGKILL, 500 notes': (at) => killProcesses(at, { program, kills: quick ? 10 : 300, seed }),
  'two servers': (at) => writeTogether(at, { program, operations: quick ? 400 : 10_000, human: false, seed }),
  'two servers and a user': (at) => writeTogether(at, { program, operations: quick ? 400 : 10_000, human: true, seed }),
}

let lost = 0
console.log(`seed ${seed}`)
for (const [name, run] of Object.entries(suites)) {
  const start = performance.now()
  const { losses, ...figures } = await run(join(folder, name.replace(/\W+/g, '-')))
  lost += losses.length
  const shown = Object.entries(figures).map(([key, value]) => `${key} ${value}`)
  console.log(`${name}: ${shown.join(', ')}; losses ${losses.length} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  for (const loss of losses.slice(0, 10)) console.log(`  ${loss}`)
}
for (const made of [folder, dirname(program)]) rmSync(made, { recursive: true, force: true })
process.exitCode = lost === 0 ? 0 : 1
