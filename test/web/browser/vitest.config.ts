import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Two files at once, each with its own browser: tests mostly wait for a server to start.
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    globalSetup: ['test/web/browser/demo-server.ts'],
    include: ['test/web/browser/*.browser.ts'],
    testTimeout: 150_000,
    hookTimeout: 60_000,
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
})
