import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // What tests know as fast-check makes fewer runs, but for `npm run test:long`.
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('test/support/fast-check.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Threads share the SQLite binding's in-memory databases by name only within a process.
    pool: 'forks',
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
})
