// Runs the tests of the Neo4j engine, after `npm run build`: on the server that ROUX_STORE_NEO4J_URL names, else on one that is started for them
// where there is Java and the script that starts one; else says that they were skipped. LONG_TESTS=long compares more vaults.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const STARTER = resolve('../shared/tools/neo4j-dev.sh')
const FILES = readdirSync('test/store')
  .filter((name) => /^neo4j.*\.test\.ts$/.test(name))
  .map((name) => `test/store/${name}`)
/** One kills the server, while there is little to recover, and one changes what all vaults share: each by itself, before the others. */
const ALONE = ['test/store/neo4j-killed.test.ts', 'test/store/neo4j-faults.test.ts']
/** A password, so that a wrong one can be tried. */
const PASSWORD = 'roux-tests-only'

/** What a signal ends. */
let running

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => running?.kill(signal))
process.exitCode = process.env.ROUX_STORE_NEO4J_URL === undefined ? await onOwnServer() : await runTests({})

/** One file after the other: an index that one makes has the server plan the questions of all others again. */
async function runTests(env) {
  let failed = 0
  for (const files of [...ALONE.map((file) => [file]), FILES.filter((file) => !ALONE.includes(file))]) {
    failed = (await vitest(files, env)) || failed
  }
  return failed
}

function vitest(files, env) {
  const args = ['vitest', 'run', '--no-file-parallelism', ...files, '--passWithNoTests', ...process.argv.slice(2)]
  running = spawn('npx', args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return new Promise((done) => running.once('exit', (status) => done(status ?? 1)))
}

async function onOwnServer() {
  const data = mkdtempSync(join(tmpdir(), 'roux-neo4j-'))
  const port = String(await freePort())
  const own = { NEO4J_DATA: data, NEO4J_PORT: port, NEO4J_PASSWORD: PASSWORD, NEO4J_HEAP: '1g' }
  const env = { ...process.env, ...own }
  const server = (command) => spawnSync(STARTER, [command], { stdio: ['ignore', 'pipe', 'inherit'], env, encoding: 'utf8' })
  try {
    const missing = !existsSync(STARTER)
      ? `no ${STARTER}`
      : spawnSync('java', ['-version']).status !== 0
        ? 'no Java'
        : server('resolve').status !== 0
          ? 'the server could not be fetched'
          : undefined
    if (missing !== undefined) {
      console.log(`skipped: tests of the Neo4j engine (${missing}, and ROUX_STORE_NEO4J_URL names no server)`)
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

/** A port of this computer that no one uses. */
function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(port))
    })
  })
}
