// Runs the tests that "npm test" shortens in full (property tests and slow tests), then some tests through the shared server.
// `--only-shared` runs only those.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LONG = /from '(?:fast-check|[./]+\/support\/long\.ts)'/
const files = readdirSync('test', { recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => join('test', name))
  .filter((name) => LONG.test(readFileSync(name, 'utf8')))
/** The tests that show best what assistants see. They run once more through the shared server. */
const THROUGH_THE_RELAY = ['same-everywhere', 'notifications', 'writing', 'vaults'].map((name) => `test/e2e/${name}.test.ts`)

const run = (chosen, variables) =>
  spawnSync('npx', ['vitest', 'run', ...chosen], { stdio: 'inherit', env: { ...process.env, ...variables } }).status ?? 1
const inFull = process.argv.includes('--only-shared') ? 0 : run(files, { LONG_TESTS: 'long' })
const statuses = [inFull, run(THROUGH_THE_RELAY, { TEST_SHARED: 'auto' })]
process.exit(Math.max(...statuses))
