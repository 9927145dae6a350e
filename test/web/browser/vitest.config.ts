import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PATIENCE } from '../../support/patience.ts'

// Two files run at once, each with its own browser, because tests mostly wait for a server to start.
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    globalSetup: ['test/web/browser/demo-server.ts'],
    include: ['test/web/browser/*.browser.ts'],
    testTimeout: 2.5 * PATIENCE,
    hookTimeout: 2.5 * PATIENCE,
    expect: { poll: { timeout: PATIENCE } },
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
})
