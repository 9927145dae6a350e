import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Two files at once, each with a browser of its own: much of a test is waiting for a server that starts.
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['test/web/browser/*.browser.ts'],
    testTimeout: 150_000,
    hookTimeout: 60_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
})
