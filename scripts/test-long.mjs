// Runs the tests that "npm test" shortens in full: property tests and slow tests.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LONG = /from '(?:fast-check|[./]+\/support\/long\.ts)'/
const files = readdirSync('test', { recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => join('test', name))
  .filter((name) => LONG.test(readFileSync(name, 'utf8')))
const { status } = spawnSync('npx', ['vitest', 'run', ...files], {
  stdio: 'inherit',
  env: { ...process.env, LONG_TESTS: 'long' },
})
process.exit(status ?? 1)
