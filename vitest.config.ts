import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { PATIENCE } from './test/support/patience.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

/** These files affect more than themselves: a mocked module stays mocked, and watches are counted per process. */
const REACHES_FURTHER = /\bvi\.(?:mock|doMock|resetModules)\(|\bcountWatches\(/

/** These mostly wait. Started last, they would wait while nothing else is left to do. */
const WAITS_LONG = new Set(['ask-late', 'benches', 'servers'].map((name) => join('e2e', `${name}.test.ts`)))

const alone = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  // Skip the tests of a package that a test installs.
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => WAITS_LONG.has(name) || REACHES_FURTHER.test(readFileSync(join(root, 'test', name), 'utf8')))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)

export default defineConfig({
  // Except in `npm run test:long`, our fast-check runs fewer cases.
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url)) } },
  test: {
    // No test depends on time: these limits only end a test that hangs, even on a busy machine.
    testTimeout: 2.5 * PATIENCE,
    hookTimeout: 2.5 * PATIENCE,
    expect: { poll: { timeout: PATIENCE } },
    // No test process may connect to another computer.
    setupFiles: ['test/support/loopback-only.ts'],
    // A program that a test starts works alone, so none stays behind. `TEST_SHARED=auto` runs the same tests through the shared server.
    env: { ROUX_SERVE_SHARED: process.env.TEST_SHARED ?? 'off', ROUX_SERVE_KEEP_MINUTES: '0' },
    // Threads share the SQLite binding's in-memory databases by name only within a process.
    pool: 'forks',
    // Tests make much garbage that does not live long. A larger space for it, collected on one thread, saves a tenth of their CPU time.
    execArgv: ['--min-semi-space-size=16', '--single-threaded-gc'],
    // Many tests wait for processes and file events, so one extra worker keeps the processors busy.
    maxWorkers: availableParallelism() + 1,
    // Transformed modules are kept for later runs, by the hash of their text.
    experimental: { fsModuleCache: true },
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
    projects: [
      // One process per file. These run first because some of them wait long.
      { extends: true, test: { name: 'alone', include: alone } },
      // Files share processes, so the program's modules load once.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
          isolate: false,
        },
      },
    ],
  },
})
