import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Threads share the SQLite binding's in-memory databases by name only within a process.
    pool: 'forks',
    coverage: { include: ['src/**'], reporter: ['text-summary'] },
  },
})
