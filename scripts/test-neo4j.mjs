// Runs the tests of the Neo4j engine: on the server that ROUX_STORE_NEO4J_URL names, else on one that is started for them where there is Java and
// the script that starts one; else says that they were skipped.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const STARTER = resolve('../shared/tools/neo4j-dev.sh')
const FILES = ['test/store/neo4j']
/** A password, so that a wrong one can be tried, and a port that is unlikely to be taken. */
const [PASSWORD, PORT] = ['roux-tests-only', '7793']

const { ROUX_STORE_NEO4J_URL: given } = process.env
process.exit(given === undefined ? onOwnServer() : runTests({}))

function runTests(env) {
  const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...FILES, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return status ?? 1
}

function onOwnServer() {
  const missing = !existsSync(STARTER) ? `no ${STARTER}` : spawnSync('java', ['-version']).status !== 0 ? 'no Java' : undefined
  if (missing !== undefined) {
    console.log(`skipped: tests of the Neo4j engine (${missing}, and ROUX_STORE_NEO4J_URL names no server)`)
    return 0
  }
  const data = mkdtempSync(join(tmpdir(), 'roux-neo4j-'))
  const env = { ...process.env, NEO4J_DATA: data, NEO4J_PORT: PORT, NEO4J_PASSWORD: PASSWORD, NEO4J_HEAP: '1g' }
  const server = (command) => spawnSync(STARTER, [command], { stdio: ['ignore', 'pipe', 'inherit'], env, encoding: 'utf8' })
  const { status, stdout } = server('start')
  try {
    if (status !== 0) return 1
    return runTests({ ROUX_STORE_NEO4J_URL: stdout.trim(), ROUX_STORE_NEO4J_PASSWORD: PASSWORD })
  } finally {
    server('stop')
    rmSync(data, { recursive: true, force: true })
  }
}
