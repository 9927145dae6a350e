import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// One file after the other, with one browser: several would wait for each other.
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['test/web/browser/*.browser.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
  },
})
