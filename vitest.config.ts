import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

/** What reaches beyond its own file: a module that is replaced stays so, and watches are counted for the whole process. */
const REACHES_FURTHER = /\bvi\.(?:mock|doMock|resetModules)\(|\bcountWatches\(/

const alone = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  // A suite that is installed for its run brings tests of its own.
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => REACHES_FURTHER.test(readFileSync(join(root, 'test', name), 'utf8')))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)

export default defineConfig({
  // What tests know as fast-check makes fewer runs, but for `npm run test:long`.
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url)) } },
  test: {
    // Properties that make all their runs take as long as others have the processors.
    testTimeout: process.env.LONG_TESTS === undefined ? 60_000 : 180_000,
    // What is waited for comes late where others have the processors.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    // No process of the suite connects to another computer.
    setupFiles: ['test/support/loopback-only.ts'],
    // Threads share the SQLite binding's in-memory databases by name only within a process.
    pool: 'forks',
    // Many tests wait, for programs they start and for files that change: one more than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
    projects: [
      // A process of its own for each file, before the others, as some of them wait long.
      { extends: true, test: { name: 'alone', include: alone } },
      // Files one after the other in the same processes, which load the program's modules once.
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
