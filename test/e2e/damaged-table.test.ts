import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'
import { openWorld } from './support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The built program in its own folder, with a modified multilingual table. */
function installed(folder: string, change: (path: string) => void): string {
  mkdirSync(folder)
  for (const part of ['dist', 'assets', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  change(join(folder, 'assets/embedder/ml-256-int4.bin'))
  return join(folder, 'dist/cli/main.js')
}

test.each<[string, RegExp, (path: string) => void]>([
  ['is missing', /ml-256-int4\.bin cannot be used: it cannot be read/, (path) => rmSync(path)],
  [
    'is cut off',
    /ml-256-int4\.bin cannot be used: it has 100000 bytes/,
    (path) => writeFileSync(path, readFileSync(path).subarray(0, 100_000)),
  ],
  [
    'was altered in one byte',
    /ml-256-int4\.bin cannot be used: its content has been altered/,
    (path) => {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
  ],
])('a table that %s is not used: search uses words only, and the answer says why', (_, reason, change) => {
  const world = openWorld({ fixture: 'demo' })
  const program = installed(join(temporaryFolder(), 'installed'), change)
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program, ...args, '--vault', world.vault], { encoding: 'utf8', env: { ...world.env } })
  const { stdout, stderr } = run('search', 'dense crumb', '--json')
  expect(JSON.parse(stdout)[0].id).toBe('faults/dense crumb.md')
  expect(stderr).toMatch(/Found by words only, not by meaning/)
  expect(stderr).toMatch(reason)
  // The program must not use the English table instead.
  expect(JSON.parse(run('status', '--json').stdout).vectors?.done ?? 0).toBe(0)
  expect(run('doctor').stdout).toMatch(reason)
})
