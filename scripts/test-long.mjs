// Runs the tests that "npm test" shortens in full: property tests and slow tests.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LONG = /from '(?:fast-check|[./]+\/support\/long\.ts)'/
const files = readdirSync('test', { recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => join('test', name))
  .filter((name) => LONG.test(readFileSync(name, 'utf8')))
/** The most telling tests of what assistants see, once more through the shared server. */
const THROUGH_THE_RELAY = ['same-everywhere', 'notifications', 'writing', 'vaults'].map((name) => `test/e2e/${name}.test.ts`)

const run = (chosen, variables) =>
  spawnSync('npx', ['vitest', 'run', ...chosen], { stdio: 'inherit', env: { ...process.env, ...variables } }).status ?? 1
const statuses = [run(files, { LONG_TESTS: 'long' }), run(THROUGH_THE_RELAY, { TEST_SHARED: 'auto' })]
process.exit(Math.max(...statuses))
