/**
 * Runs every `check:…` script of package.json in parallel. Prints each one's output in one piece when it finishes.
 *
 * Usage: npm run check
 *        npm test [-- <arguments of vitest>]
 *
 * `npm test` passes `--test`: the tests start when `check:package` has built the program. The output of a check that finishes after that
 * follows theirs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const BUILDS = 'check:package'
const VITEST = 'node_modules/vitest/vitest.mjs'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const [option, ...options] = process.argv.slice(2)
const isTesting = option === '--test'
/** The output to print after the tests. */
let later

const checks = Object.keys(scripts)
  .filter((name) => name.startsWith('check:'))
  .map((name) => [name, check(name)])
const built = checks.find(([name]) => name === BUILDS)[1]
const passed = await Promise.all([...checks.map(([, one]) => one), ...(isTesting ? [test()] : [])])
process.exitCode = passed.every(Boolean) ? 0 : 1

async function check(name) {
  const started = performance.now()
  const child = spawn(`npm run --silent ${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  // The tests wait for the build, so it has a higher priority than the other checks.
  if (isTesting && name !== BUILDS) setPriority(child.pid, 10)
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  print(`${Buffer.concat(output)}${name}: ${code === 0 ? 'passed' : 'failed'} after ${seconds} s\n`)
  return code === 0
}

function print(text) {
  if (later === undefined) process.stdout.write(text)
  else later.push(text)
}

async function test() {
  if (!(await built)) return false
  later = []
  const child = spawn(process.execPath, [VITEST, 'run', ...options], { stdio: 'inherit' })
  // A terminal also interrupts the tests, and a second interrupt would end them at once.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'close')
  const texts = later
  later = undefined
  for (const text of texts) print(text)
  return code === 0
}
