// Runs the tests of the Neo4j engine, after `npm run build`. Uses the server in ROUX_STORE_NEO4J_URL, or starts one if Java and the start
// script are available. Otherwise skips the tests. LONG_TESTS=long compares more vaults.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { quickFolder } from './quick-folder.mjs'

const STARTER = resolve('../shared/tools/neo4j-dev.sh')
const FILES = readdirSync('test/store')
  .filter((name) => /^neo4j.*\.test\.ts$/.test(name))
  .map((name) => `test/store/${name}`)
const named = (...names) => names.map((name) => join('test/store', `${name}.test.ts`))
/**
 * Each of these runs alone, before the others. One kills the server while there is little to recover, one changes data shared by
 * all vaults, and one counts the server's plans.
 */
const ALONE = named('neo4j-killed', 'neo4j-faults', 'neo4j-limits')
/** These ask the most questions, so they run after the files that open new vaults: a new index makes the server plan all queries again. */
const LAST = named('neo4j', 'neo4j-parity')
/** The password is needed to test a wrong one. */
const PASSWORD = 'roux-tests-only'
/**
 * This collector takes a twentieth less processor time than the one in the start script, whose threads work beside the server's.
 */
const COLLECTOR = '-XX:-UseG1GC -XX:+UseSerialGC -Xmn500m'

/** Processes to stop on a signal. */
let running

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => running?.kill(signal))
process.exitCode = process.env.ROUX_STORE_NEO4J_URL === undefined ? await onOwnServer() : await runTests({})

/** At most two files at a time, because the server plans each query on one processor. */
async function runTests(env) {
  const others = FILES.filter((file) => !ALONE.includes(file) && !LAST.includes(file))
  let failed = 0
  for (const files of [...ALONE.map((file) => [file]), others, LAST]) {
    failed = (await vitest(files, env)) || failed
  }
  return failed
}

function vitest(files, env) {
  const args = ['vitest', 'run', '--maxWorkers=2', ...files, '--passWithNoTests', ...process.argv.slice(2)]
  running = spawn('npx', args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((done) => running.once('exit', (status) => done(status ?? 1)))
}

async function onOwnServer() {
  const data = mkdtempSync(join(quickFolder(), 'roux-neo4j-'))
  const port = String(await freePort())
  const own = { NEO4J_DATA: data, NEO4J_PORT: port, NEO4J_PASSWORD: PASSWORD, NEO4J_HEAP: '1g' }
  const env = { ...process.env, ...own, _JAVA_OPTIONS: COLLECTOR }
  const server = (command) => spawnSync(STARTER, [command], { stdio: ['ignore', 'pipe', 'inherit'], env, encoding: 'utf8' })
  try {
    const missing = !existsSync(STARTER)
      ? `no ${STARTER}`
      : spawnSync('java', ['-version']).status !== 0
        ? 'no Java'
        : server('resolve').status !== 0
          ? 'could not download the server'
          : undefined
    if (missing !== undefined) {
      console.log(`skipped: tests of the Neo4j engine (${missing}, and ROUX_STORE_NEO4J_URL is not set)`)
      return 0
    }
    const { status, stdout } = server('start')
    if (status !== 0) return 1
    const tests = { ROUX_STORE_NEO4J_URL: stdout.trim(), ROUX_STORE_NEO4J_PASSWORD: PASSWORD, ROUX_TEST_NEO4J_STARTER: STARTER }
    return await runTests({ ...tests, ...own })
  } finally {
    if (existsSync(STARTER)) server('stop')
    rmSync(data, { recursive: true, force: true })
  }
}

/** Returns a free port. */
function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
